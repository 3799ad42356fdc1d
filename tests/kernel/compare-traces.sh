#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# The part of the guests' `traces` tests that runs on the host: compares the output of our reader
# and of babeltrace2 2.1 for each recorded trace. LTTNG_MM=PROGRAM tests/kernel/compare-traces.sh
# SUITE FOLDER
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

suite=$1 traces=$2
"$top/tests/utils/reference.sh" "$work/reference" || exit 2

# result NAME STATUS: prints a TAP line, with the contents of $work/why if STATUS is not 0.
result() {
	if [ "$2" = 0 ]; then
		ok "$1"
	else
		not_ok "$1" "$(cat "$work/why")"
	fi
}

# same_text NAME: checks that $work/ours equals $work/theirs.
same_text() {
	same "$1" "$work/theirs" "$work/ours"
}

# verdict KIND: prints the exit status that verify must return for this kind of trace.
verdict() {
	case $1 in
	*-lossy) echo 3 ;;
	*) echo 0 ;;
	esac
}

# reads TRACE: true if this machine's libbabeltrace2 can read TRACE; CTF 2 requires version 2.1.
reads() {
	babeltrace2 --version | awk 'NR == 1 { split($2, v, "."); exit !(v[1] > 2 || v[2] >= 1) }' ||
		! find "$1" -name metadata -exec grep -l '"type": *"preamble"' {} + | grep -q .
}

for trace in "$traces"/*/; do
	trace=${trace%/} name=$suite-$(basename "$trace")
	"$work/reference" "$trace" >"$work/theirs" 2>"$work/reference.err"
	"$mm" print --format babeltrace --jobs 1 "$trace" >"$work/ours" 2>"$work/ours.err"
	same_text "$name: prints what babeltrace2 prints ($(wc -l <"$work/theirs") lines)"
	"$mm" print --format babeltrace --jobs 4 "$trace" >"$work/ours" 2>"$work/ours.err"
	same_text "$name: on several threads, the same output"
	"$work/reference" --clock-cycles --no-delta --names=all --fields=all "$trace" \
		>"$work/theirs" 2>"$work/reference.err"
	"$mm" print --format babeltrace --clock-cycles --no-delta --names=all --fields=all "$trace" \
		>"$work/ours" 2>"$work/ours.err"
	same_text "$name: the same output with every name and field"
	if reads "$trace"; then
		"$mm" print "$trace" >"$work/ours" 2>"$work/ours.err"
		"$mm" print --reader=babeltrace2 "$trace" >"$work/theirs" 2>"$work/theirs.err"
		same_text "$name: our reader and libbabeltrace2 give the same output"
	fi
	"$mm" verify "$trace" >"$work/why" 2>&1
	status=$?
	[ "$status" = "$(verdict "$name")" ]
	result "$name: verify ends with status $(verdict "$name")" $?
done
tap_end
