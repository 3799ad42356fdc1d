#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests report fn on traces of scripts, with both readers: how calls are paired, and how a loss, a
# fork or the end of the trace affects pairs. Also tests errors, times, and the text of arguments
# and results.
# shellcheck disable=SC2016 # texts
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"
# shellcheck source=tests/fn-calls.sh
. "$top/tests/fn-calls.sh"
export TZ=UTC0

# One function calls others, and an interrupt occurs in one of these calls. Another thread runs
# meanwhile.
trace nested <<EOF
$entries
cpu 0
1000 fn_do_sys_openat2_entry tid=7 caller=0x100 dfd=-100 filename=/etc/"x\x1b
1100 fn_d_lookup_entry tid=7 parent=0x200000000012345
1150 fn_kick_entry tid=7 mode=BUSY
1170 fn_kick_exit tid=7
1300 fn_d_lookup_exit tid=7 ret=0xfffffffffffffffe
1340 fn_kick_entry tid=0 mode=DEAD
1400 fn_do_sys_openat2_exit tid=7 caller=0x100 ret=-2
cpu 1
1200 fn_handle_mm_fault_entry tid=8 caller=0x180 vm_start=0x7f0000000000 address=0x7f0000001000 flags=FAULT_FLAG_WRITE|FAULT_FLAG_USER unread=vm_start
1330 fn_kick_entry tid=0 mode=IDLE
1360 fn_kick_exit tid=0
1700 fn_handle_mm_fault_exit tid=8 caller=0x180 ret=VM_FAULT_OOM|VM_FAULT_MAJOR
1800 fn_handle_mm_fault_entry tid=8 caller=0x180 flags=0x1002 unread=address
1900 fn_handle_mm_fault_exit tid=8 caller=0x180 ret=VM_FAULT_NOPAGE
EOF
q 'nested: times' 'handle_mm_fault 2 1 total 600 self 600 max 500
do_sys_openat2 1 1 total 400 self 200 max 400
d_lookup 1 1 total 200 self 180 max 200
kick 2 0 total 50 self 50 max 30' nested "$times"
q 'nested: the idle threads of two CPUs are distinct' 'not_ended 1' nested "$outcomes"
q 'nested: arguments, results and values that were not read' '8 500 handle_mm_fault(vm_start=?, address=0x7f0000001000, flags=FAULT_FLAG_WRITE|FAULT_FLAG_USER) = VM_FAULT_OOM|VM_FAULT_MAJOR
7 400 do_sys_openat2(dfd=-100, filename="/etc/\"x'"$(printf '\033')"'") = -ENOENT
7 200 d_lookup(parent=0x200000000012345) = -ENOENT
8 100 handle_mm_fault(vm_start=0x0, address=?, flags=FAULT_FLAG_MKWRITE|0x1000) = VM_FAULT_NOPAGE
0 30 kick(mode=IDLE)
7 20 kick(mode=BUSY)' nested "$slowest"
q 'nested: errors by result' 'd_lookup -ENOENT 1 100
do_sys_openat2 -ENOENT 1 100
handle_mm_fault VM_FAULT_OOM 1 50' nested '[.tables.errors[] | "\(.function) \(.error) \(.calls) \(.percent)"] | sort[]'
is 'nested: strings are escaped in the text form' 1 \
	"$("$mm" report fn --all --wide nested | grep -cF 'filename="/etc/\\"x\x1b"')"
values='.notes[] | select(startswith("`?`") or startswith("Pointers"))'
q 'nested: notes explain notations of values' '`?` is a value that could not be read.
Pointers into the kernel are encoded: see doc/events.md.' nested "$values"
q 'by the value of an argument' 'FAULT_FLAG_MKWRITE|0x1000 1 0
FAULT_FLAG_WRITE|FAULT_FLAG_USER 1 1' nested '[.tables["by-value"][] | "\(.value) \(.calls) \(.errors)"] | sort[]' --by=handle_mm_fault.flags
q 'by result' '-ENOENT 1' nested '.tables["by-value"][] | "\(.value) \(.calls)"' --by=do_sys_openat2.ret
q 'by call site' '0x180 2' nested '.tables["by-value"][] | "\(.value) \(.calls)"' --by=handle_mm_fault.caller
q 'by an argument that does not exist: a note' 1 nested '[.notes[] | select(startswith("--by=kick.x: no call"))] | length' --by=kick.x
q '--function' 'd_lookup
kick' nested '[.tables.functions[].function] | sort[]' --function='d_*,kick'
for name in d_lokup d_look; do
	is "--function=$name: which name may be meant" "No function in the trace matches --function=$name; did you mean 'd_lookup'?" \
		"$("$mm" report fn --function=$name nested | grep '^No ')"
done
is '--function: no similar name' 'No function in the trace matches --function=x*.' \
	"$("$mm" report fn --function='x*' nested | grep '^No ')"
q '--function: self time excludes callees that are not listed' 'do_sys_openat2 1 1 total 400 self 200 max 400' nested "$times" --function=do_sys_openat2
q '--pid: a thread of an unknown process is selected by its thread id' 'handle_mm_fault 2' nested \
	'.tables.functions[] | select(.calls > 0) | "\(.function) \(.calls)"' --pid=8
q '--sort' 'kick
d_lookup
do_sys_openat2
handle_mm_fault' nested '.tables.functions[].function' --sort=-errors,-calls,-self_ns
is 'a range: an exit whose call started before it' 'before_trace 1' \
	"$(json_query=$outcomes json nested --begin=1700000000.000001350 --end=1700000000.000001700 --function=handle_mm_fault)"

is 'a range: the sentence names its end, not the end of the trace' '1 call had not ended at the end of the time range.' \
	"$("$mm" report fn --all nested --begin=1700000000.000001050 --end=1700000000.000001600 \
		--function=handle_mm_fault | grep '^1 call had')"
is 'a range: --graph' 'd_lookup(): not ended at the end of the time range' \
	"$("$mm" report fn --graph nested --begin=1700000000.000001050 --end=1700000000.000001250 |
		sed -n 's,.*/[*] \(d_lookup.*\) [*]/$,\1,p')"
is '--pid: the report says that it is restricted' \
	'Tables, findings and metrics are restricted to the calls that --pid selects.' \
	"$("$mm" report fn --all nested --wide --pid=8 | grep '^Tables, ')"
q '--pid: the thread has no incomplete calls' '' nested "$outcomes" --pid=8
q '--pid: an open call of an idle thread' 'not_ended 1' nested "$outcomes" --pid=0

# The first screen must contain the most expensive function, its share, an example, errors, and the
# next command.
q 'answer' 'The most expensive function is handle_mm_fault(): 600 ns without recorded callees in 2 calls, 58.3 % of the 1.03 us in all recorded functions.
The slowest call of it took 500 ns: handle_mm_fault(vm_start=?, address=0x7f0000001000, flags=FAULT_FLAG_WRITE|FAULT_FLAG_USER) = VM_FAULT_OOM|VM_FAULT_MAJOR, by thread 8 at 2023-11-14T22:13:20.000001200Z.
3 of 6 calls returned an error (50.0 %): 2 failures, because an error that a function passes on to its caller counts once; one of these: d_lookup() and do_sys_openat2() returned -ENOENT.' nested '.answer[]'
is 'first screen: the functions by self time, and the next command' \
	'function self total;handle_mm_fault ns 600;do_sys_openat2 ns 200;d_lookup ns 180;kick ns 50;To see why its slowest calls took so long: lttng-mm report why --function=handle_mm_fault nested' \
	"$("$mm" report fn nested | awk '/^Functions/ { on = 1 } /^  \(/ { on = 0 } on && /^  [a-z]/ { print $1, $NF " " $(NF - 1) } /^To see/ { print }' | paste -sd ';')"
q 'the functions are sorted by self time' true nested \
	'[.tables.functions[].self_ns] | . == (sort | reverse)'

# A recursive function is recorded by entry and exit, or by call events. Its time must count once.
trace recursion <<EOF
$entries
1000 fn_deep_entry tid=7 depth=0
1010 fn_deep_entry tid=7 depth=1
1020 fn_d_lookup_entry tid=7
1030 fn_deep_entry tid=7 depth=2
1040 fn_deep_exit tid=7
1060 fn_d_lookup_exit tid=7
1090 fn_deep_exit tid=7
1100 fn_deep_exit tid=7
EOF
single='declare fn_deep_call fn_d_lookup_call'
trace single <<EOF
$single
1040 fn_deep_call tid=7 depth=2 duration_ns=10
1060 fn_d_lookup_call tid=7 duration_ns=40
1090 fn_deep_call tid=7 depth=1 duration_ns=80
1100 fn_deep_call tid=7 depth=0 duration_ns=100
EOF
recursion='deep 3 0 total 100 self 70 max 100
d_lookup 1 0 total 40 self 30 max 40'
q 'recursion: by entry and exit' "$recursion" recursion "$times"
q 'recursion: by single records' "$recursion" single "$times"
q 'recursion: no notes on values' '' recursion "$values"
q 'recursion: arguments of single records' '7 100 deep(depth=0, of=0) = 0' single "[$slowest][0]"
by_value='[.tables["by-value"][] | "\(.value) \(.calls) total \(.total_ns)"] | sort | join(", ")'
for name in recursion single; do
	q "$name: by an argument: nested calls with different values" '0 1 total 100, 1 1 total 80, 2 1 total 10' \
		"$name" "$by_value" --by=deep.depth
	q "$name: by an argument: nested calls with the same value" '0 3 total 100' "$name" "$by_value" --by=deep.of
done

# Calls are nested in an incomplete call. The outermost complete calls must count.
trace unfinished <<EOF
$entries
1000 fn_deep_entry tid=7 depth=0
1010 fn_deep_entry tid=7 depth=1
1020 fn_deep_entry tid=7 depth=2
1050 fn_deep_exit tid=7
1060 fn_deep_exit tid=7
1070 fn_deep_entry tid=7 depth=1
1100 fn_deep_exit tid=7
1200 fn_deep_entry tid=8 depth=0
1210 fn_kick_entry tid=8
1220 fn_deep_entry tid=8 depth=1
1250 fn_deep_exit tid=8
1280 fn_kick_exit tid=8
1300 fn_deep_exit tid=8
EOF
q 'recursion: nested in a call that has not ended' 'deep 5 0 total 180 self 140 max 100
kick 1 0 total 70 self 40 max 70' unfinished "$times"
q 'recursion: nested in a call that has not ended in the range' 'deep 4 0 total 110 self 110 max 50
kick 1 0 total 70 self 40 max 70' unfinished "$times" \
	--begin=1700000000.000000900 --end=1700000000.000001290
# The outer call of a function has no exit, but the call around it is complete.
trace dropped <<EOF
$entries
1000 fn_deep_entry tid=7 depth=0
1010 fn_kick_entry tid=7
1020 fn_deep_entry tid=7 depth=1
1030 fn_deep_entry tid=7 depth=2
1050 fn_deep_exit tid=7
1015 fn_deep_call tid=7 duration_ns=5
1060 fn_kick_exit tid=7
1100 fn_deep_exit tid=7
1200 fn_deep_entry tid=7
1250 fn_deep_exit tid=7
EOF
q 'recursion: nested in a call without exit' 'deep 3 0 total 150 self 120 max 100
kick 1 0 total 50 self 30 max 50' dropped "$times"

# One function is recorded by entries and exits, other functions by call events. Their calls are
# nested in each other.
trace mixed <<'EOF'
declare fn_kick_entry fn_kick_exit fn_deep_call fn_d_lookup_call
1010 fn_kick_entry tid=7
1030 fn_kick_exit tid=7
1050 fn_deep_call tid=7 duration_ns=50
1100 fn_kick_entry tid=7
1150 fn_d_lookup_call tid=7 duration_ns=20
1200 fn_kick_exit tid=7
1260 fn_kick_entry tid=7
1290 fn_d_lookup_call tid=7 duration_ns=10
1300 fn_deep_call tid=7 duration_ns=50
1310 fn_kick_entry tid=7
1320 fn_kick_exit tid=7
EOF
q 'mixed forms: self time' 'kick 3 0 total 130 self 110 max 100
deep 2 0 total 100 self 70 max 50
d_lookup 2 0 total 30 self 30 max 20' mixed "$times"
q 'mixed forms: an entry without exit in a call that has ended' 'entry_without_exit 1' mixed "$outcomes"
is 'mixed forms: --folded' 'deep 70
deep;kick 20
kick 90
kick;d_lookup 20
deep;kick;d_lookup 10' "$("$mm" report fn --folded=ns mixed)"
# An entry and an exit are missing, so two calls seem to overlap. Later calls do not overlap.
trace overlap <<'EOF'
declare fn_kick_entry fn_kick_exit fn_deep_call
1000 fn_kick_entry tid=7
1015 fn_deep_call tid=7 duration_ns=5
1060 fn_kick_exit tid=7
1070 fn_deep_call tid=7 duration_ns=50
1100 fn_kick_entry tid=7
1120 fn_deep_call tid=7 duration_ns=10
1200 fn_kick_exit tid=7
EOF
is 'overlapping calls: --folded: later stacks are right' 'kick;deep 2' \
	"$("$mm" report fn --folded=calls overlap | grep 'kick;deep')"

# A call is recorded by entry and exit, and also by a call event. It must count once.
trace both <<'EOF'
declare fn_deep_entry fn_deep_exit fn_deep_call fn_d_lookup_call fn_d_lookup_entry
1000 fn_deep_entry tid=7 depth=5
1010 fn_d_lookup_entry tid=7
1060 fn_d_lookup_call tid=7 duration_ns=40
1100 fn_deep_exit tid=7
1110 fn_deep_call tid=7 depth=5 duration_ns=90
EOF
q 'both forms: entry and exit are used' 'deep 1 100' both \
	'.tables.functions[] | select(.function == "deep") | "\(.calls) \(.max_ns)" | "deep " + .'
q 'both forms: the report states that records are unused' 1 both '[.notes[] | select(startswith("1 record of whole calls"))] | length'

# A missing entry or exit must never be replaced by another call's entry or exit.
trace odd <<EOF
$entries
1000 fn_kick_exit tid=7
1100 fn_deep_entry tid=7 depth=1
1200 fn_d_lookup_entry tid=7
1300 fn_deep_exit tid=7
1400 fn_d_lookup_entry tid=7
1500 fn_kick_entry tid=7
1600 fn_kick_exit tid=7
1700 fn_kick_exit tid=7
1800 fn_d_lookup_exit tid=7
1900 fn_deep_entry tid=7
EOF
q 'odd calls: each is counted by what it lacks' \
	'not_ended 1, before_trace 1, exit_without_entry 1, entry_without_exit 1' odd "$outcomes"
q 'odd calls: complete ones' 'd_lookup 1 400
deep 1 200
kick 1 100' odd '[.tables.functions[] | "\(.function) \(.calls) \(.max_ns)"] | sort[]'
# A function is no longer recorded, so the exits of its open calls are missing.
trace stopped <<EOF
$entries
1100 fn_deep_entry tid=7 depth=1
1200 fn_d_lookup_entry tid=7
1300 fn_deep_exit tid=7
1400 fn_deep_entry tid=7 depth=1
1500 fn_deep_exit tid=7
EOF
q 'a function that is no longer recorded' 'stopped 1' stopped "$outcomes"

# A thread ends in a call, another thread gets its id, and an exec changes an id.
trace threads <<EOF
$entries
1000 sched_process_fork child_tid=9 child_pid=5 child_comm=first
1100 fn_deep_entry tid=9
1200 sched_process_fork child_tid=9 child_pid=9 child_comm=second
1300 fn_deep_exit tid=9
1400 fn_deep_entry tid=9
1450 sched_process_exec tid=5 old_tid=9 filename=/bin/third
1500 fn_deep_exit tid=5
1600 sched_process_fork child_tid=11 child_pid=11 child_comm=other
1700 fn_d_lookup_entry tid=11
1800 fn_d_lookup_exit tid=11
EOF
q 'threads: one ends in a call, another has the same id' 'exit_without_entry 1, thread_ended 1' threads "$outcomes"
q 'threads: an exec changes the id within a call; names' '5 100 second
11 100 other' threads '.tables.slowest[] | "\(.tid) \(.duration_ns) \(.comm)"'

# A thread exits in a call, which never returns. After its exit event, the thread makes a call that
# returns, and a last call that does not.
trace exits <<EOF
declare sched_process_fork sched_process_exec sched_process_exit fn_do_exit_entry fn_do_exit_exit fn_deep_entry fn_deep_exit fn_d_lookup_entry fn_do_task_dead_entry fn_kick_entry
1000 sched_process_fork child_tid=9 child_pid=9 child_comm=first
1100 fn_deep_entry tid=9 depth=1
1110 fn_do_exit_entry tid=9 code=1
1150 sched_process_exit tid=9 comm=first
1160 fn_deep_entry tid=9 depth=2
1170 fn_deep_exit tid=9
1180 fn_do_task_dead_entry tid=9
1190 fn_d_lookup_entry tid=9
1200 fn_do_exit_entry tid=10 code=2
1210 sched_process_exit tid=10 comm=second
1220 fn_kick_entry tid=10
1300 fn_do_exit_entry tid=11 code=3
EOF
q 'exits: calls in which the thread exited, and those in progress' 'not_ended 2, thread_ended 5' exits "$outcomes"
q 'exits: by function' 'd_lookup 0 1
deep 0 1
do_exit 1 2
do_task_dead 0 1
kick 1 0' exits '.tables.outcomes[] | "\(.function) \(.not_ended) \(.thread_ended)"'
is 'exits: the report states them' '5 calls did not return: their threads exited in them.
2 calls had not ended at the end of the trace.' "$("$mm" report fn --all exits | grep '^[25] calls')"
is 'exits: --graph' 5 "$("$mm" report fn --graph exits | grep -c 'the thread ended in it')"
trace lost-exits <<EOF
declare sched_process_fork sched_process_exec sched_process_exit fn_do_exit_entry fn_do_exit_exit
1100 fn_do_exit_entry tid=9 code=1
1150 sched_process_exit tid=9 comm=first
1200 fn_do_exit_entry tid=10 code=2
packet discarded=3 seq=1
1300 sched_process_exit tid=10 comm=second
1310 sched_process_exit tid=11 comm=third
EOF
q 'exits: losses before the exit matter, losses after it do not' 'thread_ended 1, undetermined 1' lost-exits "$outcomes"

# A thread starts with its parent's name, and may change the name later. A call must have the name
# of its thread at the start of the call, even if an exec follows during the call.
trace names <<'EOF'
declare fn_deep_entry fn_deep_exit fn_kick_entry fn_kick_exit fn_d_lookup_call sched_process_fork sched_process_exec sched_process_exit process_statedump_thread
500 process_statedump_thread tid=19 pid=19 name=dumped
1000 sched_process_fork child_tid=20 child_pid=20 child_comm=bash
1100 fn_deep_entry tid=20
1200 fn_deep_exit tid=20
1300 sched_process_exit tid=20 comm=worker
1400 sched_process_fork child_tid=21 child_pid=21 child_comm=kthreadd
1500 fn_deep_entry tid=21
1600 fn_deep_exit tid=21
1650 sched_process_fork child_tid=22 child_pid=22 child_comm=bash
1700 fn_deep_entry tid=22
1710 fn_kick_entry tid=22
1720 fn_kick_exit tid=22
1730 sched_process_exec tid=22 old_tid=22 filename=/bin/ls
1740 fn_kick_entry tid=22
1750 fn_kick_exit tid=22
1800 fn_deep_exit tid=22
1900 sched_process_fork child_tid=23 child_pid=23 child_comm=bash
1950 sched_process_exec tid=23 old_tid=23 filename=/bin/sed
2000 fn_d_lookup_call tid=23 duration_ns=80
2050 fn_d_lookup_call tid=23 duration_ns=40
2100 fn_deep_entry tid=19
2200 fn_deep_exit tid=19
2300 sched_process_fork child_tid=19 child_pid=19 child_comm=after
2310 fn_deep_entry tid=19
EOF
q 'names: in the list of the slowest calls' 'worker-20 deep
null-21 deep
bash-22 deep
dumped-19 deep
bash-23 d_lookup
sed-23 d_lookup
bash-22 kick
ls-22 kick' names '.tables.slowest[] | "\(.comm)-\(.tid) \(.function)"'
lttng_threads names.trace >plain.trace
make_profile fn-calls plain.trace plain
"$mm" report fn --json names >names.json
"$mm" report fn --json plain >plain.json
same "names: with LTTng's state dump of threads: the same report" names.json plain.json
graph_names() {
	"$mm" report fn --graph --by-task "$@" names | grep -v '^#' | sed 's/).*|  */ /; s/(.*//; s/^ *//' | paste -sd, -
}
is 'names: --graph' 'worker-20 deep,<...>-21 deep,bash-22 deep,bash-22 kick,ls-22 kick,ls-22 } = 0,bash-23 d_lookup,sed-23 d_lookup,dumped-19 deep,after-19 deep,after-19 }  /* deep' \
	"$(graph_names)"
is 'names: --graph of a range: earlier events are known' 'ls-22 kick,ls-22 } = 0  /* deep' \
	"$(graph_names --begin=1700000000.000001735 --end=1700000000.000001820)"

# With several profiles, each ring buffer records the events that name threads, so these events
# occur twice.
awk '{ print } $2 ~ /^sched_process_/ { $1++; print }' names.trace >twice.trace
cat >>threads.trace <<'EOF'
1900 fn_deep_entry tid=31
2000 fn_kick_entry tid=30
2010 sched_process_exec tid=30 old_tid=31 filename=/bin/fourth
2100 fn_deep_exit tid=30
EOF
make_profile fn-calls threads.trace once
awk '{ print } $2 ~ /^sched_process_/ { $1++; print }' threads.trace >twofold.trace
make_profile fn-calls twice.trace twice
make_profile fn-calls twofold.trace twofold
for name in names:twice once:twofold; do
	for options in '--json' '--graph --by-task'; do
		# shellcheck disable=SC2086 # words
		"$mm" report fn $options "${name%:*}" >one
		# shellcheck disable=SC2086 # words
		"$mm" report fn $options "${name#*:}" >two
		grep -v '"events": ' one >one.rest
		grep -v '"events": ' two >two.rest
		same "thread events of two rings: ${name#*:}: $options" one.rest two.rest
	done
done

# No call may be paired across a loss on any CPU, except the calls of another CPU's idle thread.
trace lossy <<EOF
$entries
cpu 0
1000 fn_deep_entry tid=7 depth=0
1050 fn_kick_entry tid=0
1100 fn_d_lookup_entry tid=7
1200 fn_d_lookup_exit tid=7
packet discarded=3
3000 fn_deep_exit tid=7
3100 fn_d_lookup_exit tid=7
packet
3200 fn_d_lookup_entry tid=7
3300 fn_d_lookup_exit tid=7
3400 fn_kick_exit tid=0
cpu 1
1000 fn_kick_entry tid=0
2000 fn_deep_entry tid=8
3250 fn_deep_exit tid=8
3300 fn_kick_exit tid=0
3500 fn_deep_entry tid=8
EOF
q 'a loss: calls that it may have cut are not counted' 'd_lookup 2 100
deep 0 null
kick 1 2300' lossy '[.tables.functions[] | "\(.function) \(.calls) \(.max_ns)"] | sort[]'
q 'a loss: calls that it may have cut are stated' 'not_ended 1, undetermined 4' lossy "$outcomes"
q 'a loss: number of losses' 1 lossy '.metrics[] | select(.name == "fn.losses").value'

q 'a function without complete calls: its times are null' 'fn.self_ns null
fn.total_ns null' lossy \
	'[.metrics[] | select(.labels.function == "deep" and (.name | test("total|self"))) | "\(.name) \(.value)"] | sort[]'

# Calls are nested deeper than the maximum.
{
	echo "$entries"
	awk 'BEGIN { for (i = 0; i < 600; i++) print 1000 + i, "fn_deep_entry tid=7"
		for (i = 0; i < 600; i++) print 2000 + i, "fn_deep_exit tid=7"
		print "3000 fn_kick_entry tid=7"; print "3100 fn_kick_exit tid=7" }'
} | trace deep
q 'nested calls: 512 are kept' 'too_deep 88' deep "$outcomes"
q 'nested calls: the kept ones keep their exits' 'deep 512 1599
kick 1 100' deep '[.tables.functions[] | "\(.function) \(.calls) \(.max_ns)"] | sort[]'

# Tests state dumps of added functions. The last dump of each function must count.
cat >added.trace <<'EOF'
declare fn_deep_entry fn_deep_exit fnstate_statedump_function
900 fnstate_statedump_function name=deep calls=1 misses=0 misses_group=3 hooked=1
910 fnstate_statedump_function name=kick calls=9 misses=0 misses_group=3 hooked=1
1000 fn_deep_entry tid=7
1100 fn_deep_exit tid=7
1200 fnstate_statedump_function name=deep calls=5000 misses=12 misses_group=3 hooked=1
1210 fnstate_statedump_function name=kick calls=90 misses=12 misses_group=3 hooked=1 stopped=1
1220 fnstate_statedump_function name=text calls=1 misses=4 misses_group=4
1230 fnstate_statedump_function name=gone absent=1 module=ext4
EOF
mkdir added
make_profile fn-calls --no-state added.trace added/kernel
make_profile fn-calls --state added.trace added/state
q 'added functions: state, hook, calls, misses' 'deep hooked 3 5000 12
gone absent null 0 0
kick stopped 3 90 12
text idle 4 1 4' added '.tables.added[] | "\(.function) \(.state) \(.hook) \(.calls) \(.misses)"'
q 'added functions: findings' '1 function is no longer recorded because calls exceeded the maximum rate: kick; `lttng-mm fn add` adds it again.
The kernel missed 16 calls since the functions were added; 12 of these were calls of deep() and the 1 function that shares its hook. 5090 calls of these functions were recorded.' \
	added '.answer[] | select(test("rate|missed"))'
missed='[.metrics[] | select(.name | test("missed|stopped_")) | "\(.value)"] | join(" ")'
q 'added functions: metrics' '16 1' added "$missed"
q 'added functions: metrics with --function' '4 0' added "$missed" --function=text
q 'added functions: metrics without a state dump' 'null null' nested "$missed"
for name in kick gone; do
	"$mm" report fn --all added --function="$name" | grep -c '^Added functions'
done >shown
is 'added functions: the text form has the table if calls were missed' '1 0' "$(xargs <shown)"

q 'added functions: counts of all processes are left out with --pid' '1 null
deep null null
gone null null
kick null null
text null null' added "($missed), (.tables.added[] | \"\\(.function) \\(.calls) \\(.misses)\")" --pid=7
q 'added functions: the sentence has no counts with --pid' \
	'The kernel missed calls since the functions were added. It counts the calls of all processes together; the report without --pid states the number.' \
	added '.answer[] | select(test("missed"))' --pid=7

# verify must name exactly the calls that no loss explains.
"$mm" verify odd >verify.out
is 'verify: incomplete calls that no loss explains' 'note: fn_d_lookup_entry at 1700000000.000001200, CPU 0: no exit of this call, and no loss explains it; tid=7
note: fn_kick_exit at 1700000000.000001700, CPU 0: no entry of this call, and no loss explains it; tid=7
Events of functions: 10 checked against their rules, 0 damaged, 2 notes' \
	"$(grep '^note: \|^Events of' verify.out)"
is 'verify: an exit without entry in a thread whose fork is in the trace' \
	'note: fn_deep_exit at 1700000000.000001300, CPU 0: no entry of this call, and no loss explains it; tid=9
Events of functions: 6 checked against their rules, 0 damaged, 1 note' \
	"$("$mm" verify threads | grep '^note: \|^Events of')"
for name in nested recursion stopped both; do
	is "verify: $name: nothing" '0 damaged, 0 notes' \
		"$("$mm" verify "$name" | sed -n 's/^Events of functions: .* rules, //p')"
done
is 'verify: a loss explains it' '0 damaged, 0 notes' \
	"$("$mm" verify lossy | sed -n 's/^Events of functions: .* rules, //p')"
is 'verify: no line of a trace without functions' 0 \
	"$(make_slab "$here/slab/outcomes.trace" slab && "$mm" verify slab | grep -c 'Events of functions')"

# Tests --graph, which has the format of ftrace's function_graph tracer, and --folded, which is the
# input for flame graphs. The expected output is in fn/NAME.graph. With UPDATE=1, the actual output
# is written to that file.
cat >switches.trace <<'EOF'
declare fn_deep_entry fn_deep_exit fn_d_lookup_call sched_switch process_statedump_thread
500 process_statedump_thread tid=7 pid=6 name=one\x1b[1m
1000 fn_deep_entry tid=7 depth=1
2000 sched_switch prev_tid=7 next_tid=0
2500 sched_switch prev_tid=0 next_tid=8
2600 fn_d_lookup_call tid=8 parent=5 duration_ns=60
3000 sched_switch prev_tid=8 next_tid=7
14000 fn_d_lookup_call tid=7 parent=6 ret=0xfffffffffffffff4 duration_ns=12000
15000 fn_deep_exit tid=7 ret=5
EOF
make_profile fn-calls switches.trace switches
for name in nested recursion single odd lossy threads switches; do
	for reader in $readers; do
		for options in --graph '--graph --by-task' --folded=ns --folded=calls; do
			# shellcheck disable=SC2086 # words
			"$mm" report fn $options --reader="$reader" "$name" 2>&1
		done >"$name.$reader"
	done
	same "--graph, --folded: $name: the same with both readers" "$name.fast" "$name.babeltrace2"
	[ -z "${UPDATE:-}" ] || cp "$name.fast" "$here/fn/$name.graph"
	same "--graph, --folded: $name: as expected" "$here/fn/$name.graph" "$name.fast"
done
same '--graph: single records look like entries and exits' \
	"$here/fn/recursion.graph" "$here/fn/single.graph"
trace open <<EOF
$entries
cpu 0
1000 fn_deep_entry tid=7 depth=1
1100 fn_d_lookup_entry tid=8
EOF
is '--graph: calls that have not ended show no switch of threads' \
	'2 calls, 1 switch' "$("$mm" report fn --graph open | awk '/not ended/ { calls++ } /=>/ { switches++ }
		END { print calls " calls, " switches " switch" }')"
is '--graph --function' '  0)   0.200 us    |  d_lookup(.parent=0x200000000012345) = -ENOENT;' \
	"$("$mm" report fn --graph --function=d_lookup nested | grep -v '^#')"
is '--graph --pid' '  0)               |  deep(.depth=1, .of=0) {' \
	"$("$mm" report fn --graph --pid=6 switches | grep -v '^#' | head -n 1)"
# The record of the caller comes so late that --graph cannot show the callees inside the caller.
awk 'BEGIN { print "declare fn_deep_call fn_d_lookup_call"
	for (i = 1; i <= 70000; i++) print 1000 + 10 * i, "fn_d_lookup_call tid=7 duration_ns=5"
	print 800000, "fn_deep_call tid=7 duration_ns=799000" }' >late.trace
make_profile fn-calls late.trace late
"$mm" report fn --graph late >late.graph
is '--graph: a caller whose record comes too late' '  0) ! 799.000 us  |  } = 0  /* deep(): its start is not listed */' \
	"$(tail -n 1 late.graph)"
is '--graph: a caller whose record comes too late: all calls are listed' 70001 "$(grep -c '[;}]' late.graph)"
fails '--graph has no JSON form' 2 'an option that prints a listing cannot be combined with --json' report fn --graph --json nested
fails '--graph and --folded' 2 'exclude each other' report fn --graph --folded=ns nested
fails '--by-task alone' 2 '--by-task requires --graph' report fn --by-task nested

# A stream is missing, or a file ends early. The report must cover the rest.
cp -r nested removed
rm removed/channel_1
is 'a removed stream: the report covers the others' 'do_sys_openat2 1
d_lookup 1
kick 1' "$("$mm" report fn --json removed | jq -r '.tables.functions[] | "\(.function) \(.calls)"')"
trace ended <<EOF
$entries
cpu 0
1000 fn_deep_entry tid=7 depth=0
2000 fn_deep_exit tid=7
2500 fn_deep_entry tid=7
3000 fn_deep_exit tid=7
3500 fn_deep_entry tid=7
cpu 1
1500 fn_kick_entry tid=8
1600 fn_kick_exit tid=8
packet
2100 fn_kick_entry tid=8
EOF
size=$(wc -c <ended/channel_1)
truncate -s $((size / 2 + 100)) ended/channel_1
# Tests the fast reader only, because babeltrace2's reader cannot read a truncated trace.
is 'a stream ends early: calls that it may have cut are not counted, later ones are uncertain' \
	'1 uncertain, undetermined 2' "$("$mm" report fn --json ended 2>/dev/null | jq -r '[.metrics[] |
		select(.value > 0) | if .name == "fn.calls_uncertain" then "\(.value) uncertain"
		elif .name == "fn.outcomes" then "\(.labels.what) \(.value)" else empty end] | sort | join(", ")')"
is 'a stream ends early: a note states the uncertain calls' 1 \
	"$("$mm" report fn --json ended 2>/dev/null | jq -r '.notes[]' | grep -c 'although a stream ends early:')"
# A stream ends early, and no list of its packets exists.
trace unlisted <<EOF
$entries
cpu 0
1000 fn_deep_entry tid=7 depth=0
2000 fn_deep_exit tid=7
3000000000 fn_deep_entry tid=7
3000001000 fn_deep_exit tid=7
cpu 1
1500 fn_kick_entry tid=8
1600 fn_kick_exit tid=8
end 1600
EOF
is 'a stream ends early, without a list of its packets' '1 call, 1 loss, 1' "$("$mm" report fn --json unlisted | jq -r '
	.metrics | map({ (.name): .value }) | add | "\(.["fn.calls_uncertain"]) call, \(.["fn.losses"]) loss"'), $("$mm" report fn --all unlisted |
	grep -c '^Events may be missing: channel_1 has no packet in the last 3\.00 s of the trace,')"
sed '$a truncate 3' lossy.trace >cut.trace
make_profile fn-calls cut.trace cut
is 'a truncated file: the report states it' 1 "$("$mm" report fn --all cut 2>&1 | grep -c '^Incomplete')"
# The listing of a damaged trace must have the exit status of a report about that trace.
cp -r lossy damaged
printf "\377\377\377\377" | dd of=damaged/channel_0 bs=1 seek=48 conv=notrunc 2>/dev/null
is 'a file that ends early, a damaged packet: status of report, --graph, --folded' \
	'0 0 0, 2 2 2' "$(for name in cut damaged; do
		for options in --json --graph --folded=ns; do
			"$mm" report fn "$options" "$name" >/dev/null 2>"$name.err"
			echo $?
		done | xargs
	done | paste -sd, | sed 's/,/, /')"
is 'a loss: the listings state it' "$(printf '%s\n%s' \
	'lttng-mm: note: trace: lossy: events are missing, so lines around them may be wrong (see `lttng-mm info`)' \
	'lttng-mm: note: trace: lossy: events are missing, so lines around them may be wrong (see `lttng-mm info`)')" \
	"$("$mm" report fn --folded=calls lossy 2>&1 >/dev/null; "$mm" report fn --graph lossy 2>&1 >/dev/null)"
is 'no loss: the listings write no note' '' "$("$mm" report fn --folded=calls nested 2>&1 >/dev/null; "$mm" report fn --graph nested 2>&1 >/dev/null)"
fails_two=$("$mm" report fn nested lossy 2>&1)
is 'two traces without --compare' 'lttng-mm: report fn: only one trace can be given without --compare 2' "$fails_two $("$mm" report fn nested lossy >/dev/null 2>&1; echo $?)"
is 'a file that ends early: the listing states it' \
	'lttng-mm: note: trace: cut: a file is truncated; the listing covers the events that are present' \
	"$("$mm" report fn --folded=calls cut 2>&1 >/dev/null)"
# The trace is next to the trace of another profile, whose streams also have thread events.
trace late <<EOF
$entries
cpu 0
500000 fn_deep_entry tid=7 depth=0
501000 fn_deep_exit tid=7
EOF
printf '1000 slab_kfree tid=7 call_site=0x210 ptr=0x1000\n400000 sched_process_exit tid=7 comm=a\n' >beside.trace
# Give the two traces different UUIDs.
sed 's/uuid = "0/uuid = "1/' "$top/tests/metadata/slab.tsdl" >other.tsdl
"$tests/make-trace" "$PWD/other.tsdl" beside.trace early
mkdir profiles
mv late profiles/fn
mv early profiles/slab
range() {
	"$mm" report "$1" --json profiles 2>/dev/null | sed -n 's/^ *"\(start\|end\)_ns": 17000000000*\([1-9][0-9]*\),*$/\2/p' | head -n 2 | xargs
}
is 'two profiles: each report has the time range of its profile' '500000 501000, 1000 400000' "$(range fn), $(range slab)"
rm profiles/slab/channel_0
is 'two profiles: a missing stream of the other profile affects no call' '0 0' "$("$mm" report fn --json profiles 2>/dev/null |
	jq -r '[.metrics[] | select(.name == "fn.losses" or (.name == "fn.outcomes" and .labels.what == "undetermined")).value] | join(" ")')"
for jobs in 1 4; do
	"$mm" report fn --json --jobs=$jobs nested >jobs.$jobs
done
same 'the same with several threads' jobs.1 jobs.4
fails 'no calls of functions' 2 'the trace has no fn_\* events; record them with `lttng-mm record fn`' report fn \
	"$(make_slab "$here/slab/outcomes.trace" other >&2 && echo other)"
fails 'no calls of functions: the listing has no title' 2 'the trace has no fn_\* events' report fn --graph other
tap_end
