#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Runs reports in which one allocation fails (tests/utils/fail-malloc.c). Each must give the
# complete report, or a message that it is out of memory. LTTNG_MM_FAIL_STEP=1 lets each allocation
# fail in turn.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

${CC:-gcc} -std=gnu11 -O1 -D_GNU_SOURCE -shared -fPIC -o "$work/fail.so" "$here/../utils/fail-malloc.c" || exit 2
make_slab "$here/../analysis/slab/recorder.trace" trace
# The system information contains every file that a report reads.
mkdir trace/sysinfo
cp "$here/../analysis/slab/recorder.sysinfo"/* "$here/../analysis/slab/symbols.txt" "$here/../analysis/slab/slab-aliases.json" trace/sysinfo/

# The allocator of a sanitizer cannot be replaced.
if ! LD_PRELOAD=./fail.so "$mm" --version >/dev/null 2>&1; then
	skip 'an allocation fails' 'the allocator of a sanitizer is not to be replaced'
	tap_end
fi

# complaint NUMBER [TRACE PROFILE [FILE]]: prints what is wrong with the report if allocation NUMBER
# fails, or nothing. If FILE is given, allocations are counted from its opening.
complaint() {
	FAIL_AT=$1 FAIL_AFTER=${4:-} LD_PRELOAD=./fail.so timeout 20 "$mm" report "${3:-slab}" --json --jobs=1 \
		"${2:-trace}" >out 2>err
	status=$?
	case $status in
	0) cmp -s "${2:-trace}.whole" out || echo "$1: another report with status 0" ;;
	4) grep -q -i memory err || echo "$1: status $status: $(head -n 1 err)" ;;
	*) echo "$1: status $status: $(head -n 1 err)" ;;
	esac
}

"$mm" report slab --json --jobs=1 trace >trace.whole || exit 2
wrong='' number=${LTTNG_MM_FAIL_FIRST:-21}
# The first allocations happen in libraries before main(), and some later ones in constructors of
# libraries that main() loads. These allocations fail with their own message and status.
while [ "$number" -lt 7200 ]; do
	wrong=$wrong$(complaint "$number")
	number=$((number + ${LTTNG_MM_FAIL_STEP:-61}))
done
is 'an allocation fails: the complete report, or a message' '' "$(printf '%s' "$wrong" | cut -c1-300)"
# These allocations are made by argp, before it parses an option.
is 'an allocation of the options fails' '' "$(complaint 14; complaint 15)"

# complaints TRACE PROFILE FILE LAST: runs complaint for each allocation from the opening of FILE to
# number LAST.
complaints() {
	number=0
	while [ "$number" -lt "$4" ]; do
		number=$((number + 1))
		complaint "$number" "$1" "$2" "$3"
	done | head -n 5
}
is 'an allocation fails while a trace finds its system information' '' "$(complaints trace slab /traces.json 30)"
is 'an allocation fails while system information is read' '' "$(complaints trace slab /mounts.json 240)"
# Tests allocations for strings of a trace and for printed lines. A failure must not be reported as
# damage, and no line without names may be printed.
FAIL_SIZE=16384
export FAIL_SIZE
is 'an allocation for the strings of events fails' '' "$(complaints trace slab /channel_0 40)"
unset FAIL_SIZE
for format in ftrace babeltrace; do
	"$mm" print --format=$format --jobs=1 trace >printed.whole || exit 2
	number=0
	while [ "$number" -lt 1200 ]; do
		number=$((number + 7))
		FAIL_AT=$number FAIL_AFTER=/channel_0 LD_PRELOAD=./fail.so timeout 20 \
			"$mm" print --format=$format --jobs=1 trace >out 2>err
		status=$?
		case $status in
		0) cmp -s printed.whole out || echo "$number: other lines with status 0" ;;
		4) grep -q -i memory err || echo "$number: status $status: $(head -n 1 err)" ;;
		*) echo "$number: status $status: $(head -n 1 err)" ;;
		esac
	done | head -n 5 >wrong
	is "an allocation fails while events are printed, $format" '' "$(cat wrong)"
done
make_dax "$here/../analysis/cases/writeback.trace" dax
mkdir dax/sysinfo
echo '[ { "major": 259, "minor": 0, "ino": 4097, "path": "/mnt/a file with a name that is long" } ]' >dax/sysinfo/files.json
echo '{ "boot_id": "none" }' >dax/sysinfo/system.json
"$mm" report dax --json --jobs=1 dax >dax.whole || exit 2
is 'the paths of files are in a report' yes "$(grep -q 'a file with a name' dax.whole && echo yes)"
is 'an allocation fails while paths of files are read' '' "$(complaints dax dax /files.json 60)"

# Tests checksums that cannot be read because memory has run out: the damaged packet must not be
# used.
make_slab "$here/../analysis/slab/recorder.trace" summed
"$tests/add-checksums" summed || exit 2
summed=$(cd summed && for file in *_0; do echo "$file"; break; done)
printf '\377' | dd of="summed/$summed" bs=1 seek=100 conv=notrunc status=none
"$mm" report slab --json --jobs=1 summed >summed.whole 2>err
is 'a packet is damaged' 2 $?
number=0
while [ "$number" -lt 60 ]; do
	number=$((number + 1))
	FAIL_AT=$number FAIL_AFTER="$summed" LD_PRELOAD=./fail.so timeout 20 \
		"$mm" report slab --json --jobs=1 summed >out 2>err
	status=$?
	case $status in
	2) cmp -s summed.whole out || echo "$number: another report" ;;
	4) grep -q -i memory err || echo "$number: $(head -n 1 err)" ;;
	*) echo "$number: status $status: $(head -n 1 err)" ;;
	esac
done >wrong
is 'an allocation fails while checksums are read' '' "$(head -n 5 wrong)"

# Tests function calls of threads that fork and call exec.
cat >fn.script <<'EOF'
declare fn_deep_entry fn_deep_exit fn_d_lookup_call sched_process_fork sched_process_exec process_statedump_thread fnstate_statedump_function
500 process_statedump_thread tid=9 pid=9 name=before
600 fn_deep_entry tid=9
700 fn_deep_exit tid=9
900 fnstate_statedump_function name=deep calls=7 misses=2 misses_group=1 hooked=1
1000 sched_process_fork child_tid=9 child_pid=9 child_comm=first
1100 fn_deep_entry tid=9
1150 fn_d_lookup_call tid=9 duration_ns=20
1200 sched_process_exec tid=9 old_tid=9 filename=/bin/second
1300 fn_deep_exit tid=9
EOF
make_profile fn-calls fn.script fn
"$mm" report fn --json --jobs=1 fn >fn.whole || exit 2
is 'an allocation fails while calls are counted' '' "$(complaints fn fn /channel_0 260)"
"$mm" report fn --graph --by-task --jobs=1 fn >fn.graph || exit 2
number=0
while [ "$number" -lt 260 ]; do
	number=$((number + 1))
	FAIL_AT=$number FAIL_AFTER=/channel_0 LD_PRELOAD=./fail.so timeout 20 \
		"$mm" report fn --graph --by-task --jobs=1 fn >out 2>err
	status=$?
	case $status in
	0) cmp -s fn.graph out || echo "$number: another listing with status 0" ;;
	4) grep -q -i memory err || echo "$number: $(head -n 1 err)" ;;
	*) echo "$number: status $status: $(head -n 1 err)" ;;
	esac
done >wrong
is 'an allocation fails while calls are listed' '' "$(head -n 5 wrong)"
tap_end
