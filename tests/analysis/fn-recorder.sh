#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests that report fn omits the calls of the recorder's own processes.
# shellcheck disable=SC2016 # texts
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"
# shellcheck source=tests/fn-calls.sh
. "$top/tests/fn-calls.sh"
export TZ=UTC0

# Every figure must omit the processes that recorded: processes in the list from their start on, and
# ended processes named lttng-* from their fork on. Process 7 has two threads.
trace recorder <<EOF
$entries
cpu 0
50 fn_deep_entry tid=100 depth=1
60 fn_deep_exit tid=100 ret=0
500 fn_deep_entry tid=7 depth=2
510 process_statedump_thread tid=8 pid=7 name=app
520 fn_kick_entry tid=101 mode=IDLE
560 fn_kick_exit tid=101
600 fn_d_lookup_entry tid=102 parent=0
650 fn_d_lookup_exit tid=102 ret=0xfffffffffffffffe
700 sched_process_fork child_tid=41 child_pid=41 child_comm=sh
710 fn_deep_entry tid=41 depth=3
715 fn_kick_entry tid=41 mode=IDLE
725 fn_kick_exit tid=41
730 fn_deep_exit tid=41 ret=0
740 sched_process_exec tid=41 old_tid=41 filename=/usr/bin/lttng-mm
750 fn_deep_entry tid=41 depth=4
760 fn_deep_exit tid=41 ret=0
770 fn_d_lookup_entry tid=41 parent=0
780 sched_process_exit tid=41 comm=lttng-mm
790 sched_process_fork child_tid=41 child_pid=41 child_comm=sh
800 fn_kick_entry tid=41 mode=DEAD
810 fn_kick_exit tid=41
820 fn_kick_entry tid=8 mode=IDLE
840 fn_kick_exit tid=8
900 fn_deep_exit tid=7 ret=0
910 fn_kick_entry tid=500 mode=IDLE
915 fn_kick_exit tid=500
920 fn_d_lookup_entry tid=400 parent=0
930 fn_kick_entry tid=8 mode=IDLE
EOF
cp -R "$here/slab/recorder.sysinfo" recorder/sysinfo
mkdir -p bare
cp recorder/metadata recorder/channel* bare
own='.metrics[] | select(.name | startswith("fn.recorder.")) | "\(.name) \(.value)"'
q 'recorder: figures exclude its calls' 'deep 2 0 total 410 self 410 max 400
kick 3 0 total 35 self 35 max 20
d_lookup 0 0 total null self null max null' recorder "$times"
q 'recorder: incomplete calls exclude its calls' 'not_ended 2' recorder "$outcomes"
q 'recorder: errors exclude its calls' 0 recorder '.tables.errors | length'
q 'recorder: the slowest calls exclude its calls' '7,8,41,100,500' recorder '[.tables.slowest[].tid] | unique | map(tostring) | join(",")'
q 'recorder: one line states its calls and time' \
	"The recorder's own calls are left out of all figures (--include-recorder): 5, 120 ns without recorded callees." \
	recorder '.notes[] | select(startswith("The recorder"))'
cp -R recorder nameless && rm nameless/sysinfo/processes.json
q 'recorder: a line says that unknown processes may be the recorder' \
	"The figures include calls of threads whose process is unknown, possibly the recorder's." \
	nameless '.notes[] | select(test("process is unknown"))'
q 'recorder: metrics of its calls' 'fn.recorder.calls 5
fn.recorder.self_ns 120' recorder "$own"
q 'recorder: --include-recorder: everything is included' "$(json_query="$times" json bare)
$(json_query="$outcomes" json bare)" recorder "($times), ($outcomes)" --include-recorder
q 'recorder: --include-recorder: no line states its calls' 'fn.recorder.calls null
fn.recorder.self_ns null' recorder "($own), (.notes[] | select(startswith(\"The recorder\")))" --include-recorder
q 'recorder: --function: metrics of the function only' 'fn.recorder.calls 2
fn.recorder.self_ns 50' recorder "$own" --function=kick
q 'recorder: a range: the whole trace tells which processes recorded' 'fn.recorder.calls 2
fn.recorder.self_ns 20' recorder "($times), ($own)" --begin=1700000000.000000705 --end=1700000000.000000735
q 'recorder: --pid: all threads of the process' 'deep 1 0 total 400 self 400 max 400
kick 1 0 total 20 self 20 max 20' recorder "$times" --pid=7
q 'recorder: --pid: incomplete calls of the process' 'not_ended 1' recorder "$outcomes" --pid=7
q 'recorder: --pid of a recorder' '1 fn.recorder.calls 2
1 fn.recorder.self_ns 90' recorder "([.tables.functions[].calls] | add // 0 | tostring) + \" \" + ($own)" --pid=100

is 'recorder: --graph lists other threads only' '7 8 41 100 400 500' "$(
	"$mm" report fn --graph --by-task recorder 2>err | sed -n 's/^ *[^ ]*-\([0-9][0-9]*\)[ )].*/\1/p' | sort -nu | xargs)"
is 'recorder: --graph states how many calls it leaves out' \
	"lttng-mm: note: 5 calls of the recorder's own processes are left out (--include-recorder)" "$(cat err)"
is 'recorder: --folded: sums exclude its calls' 'deep 410
deep;kick 0' "$("$mm" report fn --folded=ns recorder 2>/dev/null |
	awk '{ sum[$1] += $2 } END { print "deep " sum["deep"]; print "deep;kick " sum["deep;kick"] + 0 }')"
is 'recorder: --folded: --include-recorder' 'deep 430
deep;kick 10' "$("$mm" report fn --folded=ns --include-recorder recorder 2>/dev/null |
	awk '{ sum[$1] += $2 } END { print "deep " sum["deep"]; print "deep;kick " sum["deep;kick"] + 0 }')"

tap_end
