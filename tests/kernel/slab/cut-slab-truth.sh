#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# This is the part of the guests' `truth` tests that runs on the host. The trace must give the same
# report here as in the guest. Without some of its packets, it must give no false findings.
# LTTNG_MM=PROGRAM tests/kernel/slab/cut-slab-truth.sh SUITE FOLDER
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../../lib.sh"

suite=$1 truth=$2
make -s -C "$top/tests/kernel" "O=$work/bin" "$work/bin/check-slab-truth" "$work/bin/cut-packets" || exit 2

# result NAME STATUS: prints a TAP line, with the contents of $work/why if STATUS is not 0.
result() {
	if [ "$2" = 0 ]; then
		ok "$1"
		sed -n 's/^# .* pairs of/#&/p' "$work/why" | cut -c 2-
	else
		not_ok "$1" "$(cat "$work/why")"
	fi
}

# seconds NS: prints a time since the Epoch in the form for --end.
seconds() {
	printf '%d.%09d' $(($1 / 1000000000)) $(($1 % 1000000000))
}

# cut_out FIRST COUNT CPU...: copies the trace without COUNT packets of each of these CPUs, from
# packet FIRST on. The remaining packets keep their checksums. Otherwise, the events that the module
# simulates would count as damage, because they contradict the kernel's rules.
cut_out() {
	first=$1 count=$2
	shift 2
	rm -rf "$work/cut"
	cp -R "$truth/trace" "$work/cut" || return 1
	find "$work/cut" -name '*.idx' -exec rm {} +
	: >"$work/ends"
	for stream in $(find "$work/cut" -name 'lttng-mm_[01]' | sort); do
		case " $* " in
		*" ${stream##*_} "*) "$work/bin/cut-packets" "$stream" "$first" "$count" ;;
		*) "$work/bin/cut-packets" "$stream" 0 0 ;;
		esac >>"$work/ends" || return 1
	done
	[ "$(wc -l <"$work/ends")" = 2 ]
}

# check FIRST COUNT CPU...: compares the live objects of the cut trace with those of the whole trace
# at the earliest end of a cut stream. A packet ends at the first event of the next packet.
check() {
	cut_out "$@" || return 1
	end=$(cut -d' ' -f2 "$work/ends" | sort -n | head -n 1)
	"$mm" report slab --json --include-recorder "$work/cut" >"$work/cut.json" &&
		"$mm" report slab --json --include-recorder --end="$(seconds $((end + epoch - 1)))" "$truth/trace" \
			>"$work/end.json" &&
		"$work/bin/check-slab-truth" cut "$truth/truth.txt" "$work/cut.json" \
			"$work/whole.json" "$work/end.json"
}

# without NAME FIRST COUNT CPU...
without() {
	what=$1
	shift
	check "$@" >"$work/why" 2>&1
	result "$suite: without $what" $?
}

"$mm" report slab --json --include-recorder "$truth/trace" >"$work/whole.json" 2>"$work/why"
# Compare rounded numbers: libraries print the same fraction with different numbers of digits.
for report in "$truth/truth.json" "$work/whole.json"; do
	jq . "$report" >"$work/$(basename "$report").rounded"
done
cmp "$work/truth.json.rounded" "$work/whole.json.rounded" >>"$work/why" 2>&1
result "$suite: the host makes the same report as the guest" $?
"$work/bin/check-slab-truth" exact "$truth/truth.txt" "$work/whole.json" "$truth/hists" >"$work/why" 2>&1
result "$suite: the report agrees with the module" $?

# Take the offset of the trace's clock from the Epoch.
stream=$(find "$truth/trace" -name lttng-mm_0)
epoch=$(grep -a -o 'offset = [0-9]*' "${stream%/*}/metadata" | sed -n '1s/.* //p')
[ -n "$epoch" ] || { echo 'no clock in the metadata' >"$work/why"; result "$suite: the clock" 1; }
cut_out 0 0
packets=$(sed -n 's/ .*//p' "$work/ends" | sort -n | head -n 1)
without 'the first packets of a CPU' 0 3 0
without 'the first packets of the other CPU' 0 3 1
without 'the first packets of both CPUs' 0 2 0 1
at=1
while [ "$at" -lt $((packets - 2)) ]; do
	without "packet $at of a CPU" "$at" 1 $((at / 2 % 2))
	at=$((at + 2))
done
without 'packets in the middle of both CPUs' $((packets / 2)) 2 0 1
without 'half of the packets of a CPU' 3 $((packets / 2)) 0
without 'the last packets of a CPU' -4 4 0
without 'the last packets of the other CPU' -4 4 1
without 'the last packets of both CPUs' -5 5 0 1
tap_end
