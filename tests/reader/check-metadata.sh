#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests tests/kernel/check-metadata.sh, which checks the metadata of the guests' traces. It must
# accept integers up to 2^63 - 1, and name larger ones, which Trace Compass cannot read.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"
LC_ALL=C
export LC_ALL

# metadata_of NAME VALUE...: makes a trace whose event NAME has a field with labels of these values.
metadata_of() {
	name=$1
	shift
	mkdir -p "$work/trace"
	{
		cat <<'END'
/* CTF 1.8 */
trace { major = 1; minor = 8; byte_order = le; uuid = "99999999-9999-9999-9999-999999999999"; };
stream { event.header := struct { integer { size = 16; align = 8; signed = false; } id; }; };
event {
END
		printf '\tname = "%s";\n\tid = 0;\n\tfields := struct {\n' "$name"
		printf '\t\tenum : integer { size = 64; align = 8; signed = %s; } {\n' \
			"$(case $* in *-*) echo true ;; *) echo false ;; esac)"
		for value; do
			printf '\t\t\t"of 99999999999999999999 %s" = %s,\n' "$value" "$value"
		done
		printf '\t\t} _flags;\n\t};\n};\n'
	} >"$work/trace/metadata"
}

# checked WHAT STATUS [OPTION...]: checks the exit status. If STATUS is 1, the event must be named.
checked() {
	what=$1 expected=$2
	shift 2
	status=0
	"$top/tests/kernel/check-metadata.sh" "$@" "$work/trace" >out 2>&1 || status=$?
	if [ "$status" = "$expected" ] && { [ "$status" != 1 ] || grep -q "^dax_pmd_fault: " out; }; then
		ok "$what"
	else
		not_ok "$what" "exit status $status
$(cat out)"
	fi
}

metadata_of dax_pmd_fault 0 1 4294967296 9223372036854775807 0x7fffffffffffffff 4611686018427387904ULL
checked 'the largest integer is accepted, and so are larger ones in names' 0
metadata_of dax_pmd_fault -9223372036854775808 -1
checked 'so is the smallest' 0
for value in 9223372036854775808 18446744073709551615 0x8000000000000000 0xFFFFFFFFFFFFFFFF 01000000000000000000000; do
	metadata_of dax_pmd_fault 1 "$value"
	checked "$value is refused" 1
	checked "$value is refused in a requested event" 1 --events slab_,dax_
	checked "$value is passed over in another event" 0 --events slab_,page_
done
rm "$work/trace/metadata"
checked 'a folder without traces is refused' 2
tap_end
