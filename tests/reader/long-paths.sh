#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests messages about traces whose paths have thousands of bytes, and the statements of reports
# about system information that is not used.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

boot=00000000-1111-2222-3333-444444444444

# trace FOLDER: makes a trace in FOLDER/kernel whose clock has the boot id, as LTTng writes it.
trace() {
	make_dax "$here/../analysis/cases/late.trace" "$1/kernel"
	sed -i "s/name = \"monotonic\";/& uuid = \"$boot\";/" "$1/kernel/metadata"
}
# deep LENGTH: copies the trace short/ to a new folder whose path has LENGTH bytes. Sets deep to
# that path.
deep() {
	deep=$work
	while [ $((${#deep} + 1)) -lt "$1" ]; do
		deep_more=$(($1 - ${#deep} - 1))
		# Leaves at least one character for the last folder's name.
		[ $deep_more -le 200 ] || { [ $deep_more -lt 210 ] && deep_more=100; } || deep_more=200
		deep=$deep/$(printf "%0${deep_more}d" 0)
	done
	# The paths of the files in this folder may exceed the maximum length of a path.
	mkdir -p "$deep" && (cd "$deep" && cp -R "$work/short/." .) || exit 2
}
# ends FILE PATTERN: counts the lines that end with PATTERN.
ends() {
	grep -c -e "$2\$" "$1"
}

mkdir short
trace short
mkdir short/sysinfo
echo "{ \"boot_id\": \"$boot\"" >short/sysinfo/system.json
echo '[ { "tid": 1' >short/sysinfo/processes.json

for length in 100 2000 2040 2100 3900; do
	deep $length
	"$mm" info --all --wide "$deep" >out 2>err
	is "info, $length bytes: status" 0 $?
	is "info, $length bytes: the line of the trace is complete" 1 \
		"$(grep -c '/0*: 1 trace, 1 stream, [0-9]* packets\?, [0-9]* bytes ([0-9]* of content)\.$' out)"
	is "info, $length bytes: the trace's folder is whole" 1 \
		"$(sed -n '/^Traces$/,/^$/p' out | grep -F "$deep/kernel" | grep -c ' CTF 1.8 .*[0-9]$')"
	"$mm" report dax --all --wide "$deep" >out 2>err
	is "report, $length bytes: the end of a note is not cut off" 1 \
		"$(grep -F "$deep/sysinfo/system.json: damaged: line 2: " out | ends - '; it is not used')"
	is "report, $length bytes: no other folder is mentioned" \
		'No system information is used, as the notes say: paths, DAX states and names are missing.' \
		"$(sed -n 's/^  \(No system\)/\1/p' out)"
done

# The paths of files in the folder, or of the folder itself, are too long.
for length in 4070 4076 4077; do
	why='cannot be read: File name too long'
	[ $length != 4070 ] || why='damaged: line 2: .*'
	deep $length
	for reader in $readers; do
		"$mm" report dax --all --wide --reader="$reader" "$deep" >out 2>err
		is "report, $length bytes, $reader: status" 0 $?
		is "report, $length bytes, $reader: a note has the reason" yes "$(sed -n '/^Notes$/,/^$/p' out |
			grep -q -e ": $why; it is not used" && echo yes)"
		is "report, $length bytes, $reader: it is not reported as missing" \
			'No system information is used, as the notes say: paths, DAX states and names are missing.' \
			"$(sed -n 's/^  \(No system\)/\1/p' out)"
	done
done

# sentence TRACE: prints the report's sentence about system information, and the number of notes.
sentence() {
	"$mm" report dax --json "$1" >out 2>err || return
	jq -r '[.notes[] | select(startswith("No system")) | split(":")[0]] as $said |
		select($said != []) | "\((.notes | length) - ($said | length)) \($said[0])"' out
}
none='No system information with the trace'
unused='No system information is used, as the notes say'
rm -r short/sysinfo
is 'no system information: the sentence states it' "0 $none" "$(sentence short)"
mkdir short/sysinfo
echo '{ "boot_id": "99999999-1111-2222-3333-444444444444" }' >short/sysinfo/system.json
is "another boot's" "1 $unused" "$(sentence short)"
rm short/sysinfo/system.json
is 'without system.json: not used' "1 $unused" "$(sentence short)"
echo '{' >short/sysinfo/system.json
is 'a damaged system.json: not used' "2 $unused" "$(sentence short)"
rm short/sysinfo/system.json
"$tests/test-sysinfo-traces" short | sed "s/\"boot_id\": \".*\"/\"boot_id\": \"$boot\"/" >traces.json
sed 's/"uuid": "..../"uuid": "ffff/' traces.json >short/sysinfo/traces.json
is 'traces.json of another trace: not used' "1 $unused" "$(sentence short)"
sed "s/$boot/99999999-1111-2222-3333-444444444444/" traces.json >short/sysinfo/traces.json
is 'traces.json of another boot: not used' "1 $unused" "$(sentence short)"
cp traces.json short/sysinfo/
is 'traces.json of this trace: used' '' "$(sentence short)"
with_plugin babeltrace2 short -c sink.lttng-mm.dax -p sysinfo=no >out 2>err
is 'sysinfo=no: the report does not claim that it is missing' \
	'No system information is used: paths, DAX states and names are missing.' "$(sed -n 's/^  \(No system\)/\1/p' out)"

tap_end
