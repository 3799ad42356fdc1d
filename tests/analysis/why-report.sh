#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests report why on traces of scripts, with both readers: which intervals are listed, how their
# time is divided, and how losses, truncated streams and missing events affect this.
# shellcheck disable=SC2016 # texts
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"
export TZ=UTC0

# Declares the events of functions and switches, and other events that do not name their thread.
{
	cat "$top/tests/metadata/fn-calls.tsdl"
	id=100
	for event in sched_waking:tid irq_handler_entry:irq irq_handler_exit:irq mark:n; do
		printf 'event {\n\tname = "%s";\n\tid = %d;\n\tstream_id = 0;\n\tfields := struct {\n' "${event%:*}" $id
		printf '\t\tinteger { size = 32; align = 8; signed = 1; encoding = none; base = 10; } _%s;\n\t};\n};\n' "${event#*:}"
		id=$((id + 1))
	done
} >why.tsdl

# trace NAME: makes a trace of the script on standard input.
trace() {
	cat >"$1.trace"
	rm -rf "$1"
	"$tests/make-trace" why.tsdl --flush "$1.trace" "$1" || exit 2
}

# json NAME [OPTION...]: prints the JSON form through $json_query. It must be the same with both
# readers, and the parts of an interval must add up to the interval.
json() {
	json_name=$1
	shift
	"$mm" report why --json --reader=fast "$@" "$json_name" >fast.json 2>fast.err
	"$mm" report why --json --reader=babeltrace2 "$@" "$json_name" >babeltrace2.json 2>babeltrace2.err
	cmp -s fast.json babeltrace2.json || echo 'the readers differ'
	jq -r '. as $all | .tables.intervals[] | . as $of | select(.start != null) |
		([$all.tables.parts[] | select(.interval == $of.interval) | .ns] | add // 0) as $sum |
		select($sum != .duration_ns) | "interval \(.interval): \($sum) of \(.duration_ns) ns"' fast.json
	jq -r "$json_query" fast.json
}

# q NAME EXPECTED TRACE QUERY [OPTION...]: compares the result of jq's QUERY of the JSON report.
q() {
	q_name=$1 q_expected=$2 q_trace=$3 json_query=$4
	shift 4
	is "$q_name" "$q_expected" "$(json "$q_trace" "$@")"
}
# shellcheck disable=SC2016 # of jq
parts='. as $all | .tables.intervals[] | . as $of | "\(.of) \(.tid) \(.duration_ns): " + ([$all.tables.parts[] |
	select(.interval == $of.interval and .ns > 0) | "\(.part) \(.function) \(.ns)"] | join(", "))'
lines='.tables["time-lines"][] | "\(.interval) \(.depth) \(.offset_ns) \(.duration_ns // "-") \(.kind) \(.what)"'
incomplete='[.metrics[] | select(.name == "why.incomplete" and .value > 0) | "\(.labels.what) \(.value)"] | join(", ")'
sentences='.tables.intervals[].sentence'

# A thread sleeps in a call, is woken, and is interrupted. Other events are in between.
trace basic <<'EOF'
cpu 0
500 sched_switch prev_tid=0 next_tid=7
1000 fn_handle_mm_fault_entry tid=7 caller=0x180 vm_start=0x7f0000000000 address=0x7f0000001000 flags=FAULT_FLAG_WRITE
1100 fn_d_lookup_entry tid=7 parent=5
1200 sched_switch prev_tid=7 prev_state=2 next_tid=0
1300 fn_kick_entry tid=0
1400 fn_kick_exit tid=0
1500 mark n=1
9000 sched_waking tid=7
11000 sched_switch prev_tid=0 next_tid=7
12000 fn_d_lookup_exit tid=7 ret=0xfffffffffffffffe
12100 irq_handler_entry irq=5
12150 fn_kick_entry tid=7 mode=BUSY
12160 fn_kick_exit tid=7
12200 irq_handler_exit irq=5
12300 mark n=2
13000 fn_handle_mm_fault_exit tid=7 caller=0x180 ret=VM_FAULT_NOPAGE
13500 fn_handle_mm_fault_entry tid=7
14000 fn_handle_mm_fault_exit tid=7 ret=VM_FAULT_NOPAGE
cpu 1
2000 sched_switch prev_tid=0 next_tid=8
2100 fn_handle_mm_fault_entry tid=8
2200 fn_deep_entry tid=8
6200 fn_deep_exit tid=8
6300 fn_handle_mm_fault_exit tid=8
EOF
q 'parts: off the CPU, self, interrupts, in threads that run at the same time' \
	'handle_mm_fault 7 12000: off_cpu d_lookup 9800, self d_lookup 1100, self handle_mm_fault 1000, interrupt hard_irq 90, interrupt kick 10
handle_mm_fault 8 4200: self deep 4000, self handle_mm_fault 200
handle_mm_fault 7 500: self handle_mm_fault 500
kick 0 100: self kick 100' basic "$parts"
q 'parts: time asleep, without waiting for a CPU' 7800 basic \
	'.tables.parts[] | select(.interval == 1 and .part == "off_cpu").sleeping_ns'
q 'the time line' '1 0 0 12000 interval handle_mm_fault(vm_start=0x7f0000000000, address=0x7f0000001000, flags=FAULT_FLAG_WRITE) = VM_FAULT_NOPAGE
1 1 100 10900 call d_lookup(parent=0x5) = -ENOENT
1 2 200 9800 off_cpu off the CPU: sleeping (uninterruptible) for 7.8 us, then ready to run
1 1 11100 100 interrupt irq_handler_entry(irq=5)
1 2 11150 10 call kick(mode=BUSY)
1 1 11300 - event mark(n=2)' basic "$lines" --slowest=1
q 'sentences' 'The slowest of 3 calls of handle_mm_fault() took 12.0 us: 9.8 us (82 %) of it off the CPU in d_lookup(), 7.8 us of it sleeping and the rest ready to run.
The 2nd slowest of 3 calls of handle_mm_fault() took 4.2 us: 4.0 us (95 %) of it in deep() itself.
The 3rd slowest of 3 calls of handle_mm_fault() took 500 ns: 500 ns (100 %) of it in handle_mm_fault() itself, outside other recorded functions.
The slowest of 2 calls of kick() took 100 ns: 100 ns (100 %) of it in kick() itself, outside other recorded functions.' basic "$sentences"
q '--function: calls nested in others are listed' 'd_lookup 7 10900: off_cpu d_lookup 9800, self d_lookup 1100
deep 8 4000: self deep 4000' basic "$parts" --function='d_*,deep'
q 'findings' 'Largest parts of the 2 slowest: off the CPU in d_lookup() (1); in deep() itself (1).' basic '.findings[]' --slowest=2
q 'answer' 'The 2 slowest intervals took 16.2 us together; the largest part, 9.8 us (60 %), was spent off the CPU in d_lookup().
The slowest of 3 calls of handle_mm_fault() took 12.0 us: 9.8 us (82 %) of it off the CPU in d_lookup(), 7.8 us of it sleeping and the rest ready to run.
It was in thread 7, at 2023-11-14T22:13:20.000001000Z: handle_mm_fault(vm_start=0x7f0000000000, address=0x7f0000001000, flags=FAULT_FLAG_WRITE) = VM_FAULT_NOPAGE.' basic '.answer[]' --slowest=2
q 'answer: no sum of a single interval' 'The slowest of 3 calls of handle_mm_fault() took 12.0 us: 9.8 us (82 %) of it off the CPU in d_lookup(), 7.8 us of it sleeping and the rest ready to run.
It was in thread 7, at 2023-11-14T22:13:20.000001000Z: handle_mm_fault(vm_start=0x7f0000000000, address=0x7f0000001000, flags=FAULT_FLAG_WRITE) = VM_FAULT_NOPAGE.' basic '.answer[]' --slowest=1
is 'first screen: the slowest intervals, and the next command' \
	"Slowest intervals, and the largest part of each; # of duration tid thread largest part in time of it %; 1 d_lookup 10.9 us 7 - off_cpu d_lookup 9.8 us 89.91; 2 deep 4.0 us 8 - self deep 4.0 us 100.00;To see the events of the threads in these intervals: lttng-mm report why --table time-lines --function='d_*,deep' basic" \
	"$("$mm" report why basic --function='d_*,deep' | sed -n '/^Slowest/,/^ *[(]/p; /^To see/p' | sed '/^ *(/d' | tr -s ' ' | paste -sd ';')"
is 'first screen: the next command repeats the options' 'To see the events of the threads in these intervals: lttng-mm report why --table time-lines --slowest=1 --pair=mark,sched_switch --begin=-1s basic' \
	"$("$mm" report why basic --slowest 1 --pair=mark,sched_switch --begin -1s | grep '^To see')"
trace group <<'EOF'
cpu 0
400 process_statedump_thread tid=11 pid=11 name=db
401 process_statedump_thread tid=12 pid=11 name=db-writer
1000 fn_kick_entry tid=12 mode=IDLE
1100 fn_kick_exit tid=12
EOF
q '--pid: threads of the process' 'handle_mm_fault 8 4200: self deep 4000, self handle_mm_fault 200' \
	basic "$parts" --pid=8
is '--pid: the head and the next command name it' "All intervals are of process 8 (--pid).
To see the events of the threads in these intervals: lttng-mm report why --table time-lines --pid=8 basic" \
	"$("$mm" report why basic --pid 8 | grep '^All intervals\|^To see')"
is '--pid: no such process: no table is named' 'More: --all shows everything' \
	"$("$mm" report why --pid 9 basic | grep '^More')"
q '--pid: no such process' 'No complete call of a function, and no complete DAX fault of process 9.' \
	basic '.answer[]' --pid=9
q '--pid: a thread: the process is named' 'No complete call of a function, and no complete DAX fault of process 12; 12 is a thread of process 11 (db): use --pid=11.' \
	group '.answer[]' --pid=12
q 'a pair of events without thread ids: the threads that run on the CPU' 'mark,sched_switch 0 9500: self none 9500' \
	basic "$parts" --pair=mark,sched_switch
q 'a pair: starts without ends' 'not_ended 2' basic "$incomplete" --pair=sched_switch,fn_kick_entry
is 'the text form: sentence and time line' '  1. The slowest of 3 calls of handle_mm_fault() took 12.0 us: 9.8 us (82 %) of it off the CPU in
  d_lookup(), 7.8 us of it sleeping and the rest ready to run. Thread 7, at
  2023-11-14T22:13:20.000001000Z. Other parts: 1.1 us (9 %) in d_lookup() itself; 1.0 us (8 %) in
  handle_mm_fault() itself; 90 ns (0.8 %) in hard interrupts. 1 line is left out: see --lines.
      0.000   12.0 us    0  handle_mm_fault(vm_start=0x7f0000000000, address=0x7f0000001000,
                            flags=FAULT_FLAG_WRITE) = VM_FAULT_NOPAGE
      0.100   10.9 us    0    d_lookup(parent=0x5) = -ENOENT
      0.200    9.8 us    0      off the CPU: sleeping (uninterruptible) for 7.8 us, then ready to
                            run
     11.100    100 ns    0    irq_handler_entry(irq=5)
     11.150     10 ns    0      kick(mode=BUSY)' \
	"$("$mm" report why --all --slowest=1 --lines=4 basic | sed -n '/^  1\. /,/^$/p' | sed '/^$/d')"

# A thread moves to another CPU and is preempted there. Another thread runs on the first CPU.
trace moves <<'EOF'
cpu 0
1000 sched_switch prev_tid=0 next_tid=7
1100 fn_deep_entry tid=7
1200 sched_switch prev_tid=7 prev_state=1 next_tid=8
1300 fn_deep_entry tid=8
5300 fn_deep_exit tid=8
cpu 1
1000 sched_switch prev_tid=0 next_tid=9
3200 sched_switch prev_tid=9 prev_state=1 next_tid=7
3300 sched_switch prev_tid=7 prev_state=256 next_tid=9
3900 sched_switch prev_tid=9 prev_state=1 next_tid=7
4100 fn_deep_exit tid=7
EOF
q 'a thread that moves' 'deep 8 4000: self deep 4000
deep 7 3000: off_cpu deep 2600, self deep 400' moves "$parts"
q 'a thread that moves: its CPU, and why it is off the CPU' '0 off the CPU: sleeping
1 off the CPU: preempted, ready to run' moves \
	'.tables["time-lines"][] | select(.kind == "off_cpu") | "\(1 - (.offset_ns < 1000 | if . then 1 else 0 end)) \(.what)"'

# Tests recursive calls. Only the outermost call must be listed, in both forms.
trace recursion <<'EOF'
500 sched_switch prev_tid=0 next_tid=7
1000 fn_deep_entry tid=7 depth=0
1010 fn_deep_entry tid=7 depth=1
1020 fn_d_lookup_entry tid=7
1030 fn_deep_entry tid=7 depth=2
1032 sched_switch prev_tid=7 prev_state=1 next_tid=0
1036 sched_switch prev_tid=0 next_tid=7
1040 fn_deep_exit tid=7
1060 fn_d_lookup_exit tid=7
1090 fn_deep_exit tid=7
1100 fn_deep_exit tid=7
EOF
trace single <<'EOF'
declare fn_deep_call fn_d_lookup_call sched_switch
500 sched_switch prev_tid=0 next_tid=7
1032 sched_switch prev_tid=7 prev_state=1 next_tid=0
1036 sched_switch prev_tid=0 next_tid=7
1040 fn_deep_call tid=7 depth=2 duration_ns=10
1060 fn_d_lookup_call tid=7 duration_ns=40
1090 fn_deep_call tid=7 depth=1 duration_ns=80
1100 fn_deep_call tid=7 depth=0 duration_ns=100
EOF
for name in recursion single; do
	q "$name: parts" 'deep 7 100: self deep 66, self d_lookup 30, off_cpu deep 4' $name "$parts"
	q "$name: nested calls are lines of the outermost" '1 0 0 100 interval deep(depth=0, of=0) = 0
1 1 10 80 call deep(depth=1, of=0) = 0
1 2 20 40 call d_lookup(parent=0x0) = 0x0
1 3 30 10 call deep(depth=2, of=0) = 0
1 4 32 4 off_cpu off the CPU: sleeping' $name "$lines"
	q "$name: the rank ignores nested calls" 'The slowest of 3 calls of deep() took 100 ns: 66 ns (66 %) of it in deep() itself, outside other recorded functions.' \
		$name "$sentences"
done

# Events with equal times must keep the order of the trace.
trace equal <<'EOF'
1000 sched_switch prev_tid=0 next_tid=7
1000 fn_d_lookup_entry tid=7
1000 fn_d_lookup_exit tid=7
1000 fn_deep_entry tid=7
1000 fn_kick_entry tid=7
1000 fn_kick_exit tid=7
1000 fn_d_lookup_entry tid=7
2000 fn_d_lookup_exit tid=7
2000 sched_switch prev_tid=7 prev_state=1 next_tid=0
2500 sched_switch prev_tid=0 next_tid=7
2500 fn_kick_entry tid=7
2500 fn_kick_exit tid=7
2500 fn_deep_exit tid=7
2500 fn_handle_mm_fault_entry tid=7
2500 fn_kick_entry tid=7
2600 fn_kick_exit tid=7
2600 fn_handle_mm_fault_exit tid=7
EOF
q 'equal times' 'deep 7 1500: self d_lookup 1000, off_cpu deep 500
handle_mm_fault 7 100: self kick 100
d_lookup 7 0: ' equal "$parts"
q 'equal times: nesting' 'call kick
call d_lookup
off_cpu off
call kick' equal '.tables["time-lines"][] | select(.interval == 1 and .depth > 0) | "\(.kind) \(.what | split("[( ]"; "")[0])"'

# Tests calls that start before the trace, do not end, or may have lost events.
trace cut <<'EOF'
cpu 0
900 fn_kick_exit tid=7
1000 fn_deep_entry tid=7
1100 fn_d_lookup_entry tid=7
1200 fn_d_lookup_exit tid=7
packet discarded=3
3000 fn_deep_exit tid=7
packet
3200 fn_d_lookup_entry tid=7
3300 fn_d_lookup_exit tid=7
3400 fn_deep_entry tid=7
EOF
q 'cut: complete calls' 'd_lookup 7 100: self d_lookup 100
d_lookup 7 100: self d_lookup 100' cut "$parts"
q 'cut: incomplete calls' 'not_ended 1, without_start 1, undetermined 1' cut "$incomplete"
q 'cut: a note states them' 'Incomplete intervals, which are not listed: 1 not ended at the end of the trace, 1 with only an end (the thread had no open start), 1 in which events may be missing.' \
	cut '.notes[] | select(startswith("Incomplete"))'
q 'a time range' 'd_lookup 7 10900: off_cpu d_lookup 9800, self d_lookup 1100' basic "$parts" \
	--begin=1700000000.000001050 --end=1700000000.000012500 --slowest=1
q 'no sched_switch: a sentence states it' \
	'The slowest of 2 calls of d_lookup() took 100 ns: 100 ns (100 %) of it in d_lookup() itself, outside other recorded functions, on or off the CPU.
Time off the CPU and in interrupts cannot be distinguished, because the trace has no sched_switch: record with `--events='\''sched_switch,sched_waking,irq_*'\''`.' \
	cut '.answer[1, 3]'

# A call contains entries without exits and exits without entries, and lacks switches.
trace odd <<'EOF'
500 sched_switch prev_tid=0 next_tid=7
1000 fn_deep_entry tid=7
1100 fn_d_lookup_entry tid=7
1400 fn_deep_exit tid=7
1500 fn_handle_mm_fault_entry tid=7
1600 fn_d_lookup_exit tid=7
1900 fn_handle_mm_fault_exit tid=7
2000 fn_kick_entry tid=7
2100 sched_switch prev_tid=7 prev_state=1 next_tid=0
2500 fn_d_lookup_entry tid=7
2510 fn_d_lookup_exit tid=7
2600 sched_switch prev_tid=0 next_tid=7
2700 fn_kick_exit tid=7
EOF
q 'odd: undetermined parts' 'kick 7 700: undetermined lost 490, self kick 200, self d_lookup 10
deep 7 400: undetermined d_lookup 300, self deep 100
handle_mm_fault 7 400: self handle_mm_fault 300, undetermined d_lookup 100' odd "$parts"
q 'odd: an undetermined part in words' 'The only call of deep() took 400 ns: 300 ns (75 %) of it in d_lookup() or after it, because its entry or exit is missing.' \
	odd '.tables.intervals[1].sentence'

is 'no such function: which name may be meant' \
	"No function in the trace matches --function=d_lokup; did you mean 'd_lookup'?" \
	"$("$mm" report why --function=d_lokup odd | grep '^No ')"

# An exec changes the thread id within a call. Another thread has the same id.
trace threads <<'EOF'
900 sched_switch prev_tid=0 next_tid=9
1000 fn_deep_entry tid=9
1100 fn_d_lookup_entry tid=9
1200 fn_d_lookup_exit tid=9
1450 sched_process_exec tid=5 old_tid=9 filename=/bin/third
1500 fn_d_lookup_entry tid=5
1600 fn_d_lookup_exit tid=5
1700 fn_deep_exit tid=5
1800 fn_deep_entry tid=6
1900 sched_process_fork child_tid=6 child_pid=6 child_comm=second
5000 fn_deep_exit tid=6
EOF
q 'an exec changes the id' 'deep 5 700: self deep 500, self d_lookup 200' threads "$parts" --function=deep
q 'an exec: the name' third threads '.tables.intervals[].comm' --function=deep
q 'a thread that ended' 'without_start 1, thread_ended 1' threads "$incomplete"

# Makes more calls and more lines than the report stores separately.
{
	echo '500 sched_switch prev_tid=0 next_tid=7'
	echo '1000 fn_deep_entry tid=7'
	awk 'BEGIN { for (i = 0; i < 3000; i++) {
		at = 1000 + 20 * i
		print at + 1, "fn_d_lookup_entry tid=7"; print at + 2, "sched_switch prev_tid=7 prev_state=1 next_tid=0"
		print at + 5, "sched_switch prev_tid=0 next_tid=7"; print at + 11, "fn_d_lookup_exit tid=7"
	} }'
	echo '70000 fn_kick_entry tid=7'
	echo '79000 fn_kick_exit tid=7'
	echo '90000 fn_deep_exit tid=7'
} | trace many
q 'many calls: all are counted' 'deep 7 89000: self deep 50000, self d_lookup 21000, self kick 9000, off_cpu d_lookup 9000' \
	many "$parts" --slowest=1
q 'many calls: the slowest have lines, then the first' '1 69000 9000 kick
1 1 10 d_lookup
1 21 10 d_lookup' many \
	'.tables["time-lines"][1:] | sort_by(-.duration_ns, .offset_ns)[] | "\(.depth) \(.offset_ns) \(.duration_ns) \(.what | sub("\\(.*"; ""))"' \
	--slowest=1 --lines=3
q 'many calls: lines that are left out' 5998 many '.tables.intervals[0].lines_left_out' --slowest=1 --lines=3
awk 'BEGIN { print "declare fn_deep_call fn_d_lookup_call sched_switch"
	print "500 sched_switch prev_tid=0 next_tid=7"
	for (i = 0; i < 3000; i++) print 1010 + 20 * i, "fn_d_lookup_call tid=7 duration_ns=10"
	print 70000, "fn_deep_call tid=7 duration_ns=69000" }' | trace many-single
q 'many single records' 'deep 7 69000: self deep 39000, self d_lookup 30000' many-single "$parts" --slowest=1

# Makes 1,000 calls on two CPUs, each of which is delayed in the part that its address names. The
# report must name that part, in both forms.
delayed() {
	awk -v single="$1" '
	function some(most) { return 1 + int(rand() * most) }
	function enter(name, values) {
		starts[name] = t
		kept[name] = values
		if (!single)
			print t, "fn_" name "_entry tid=" tid, values
	}
	function leave(name) {
		if (single)
			print t, "fn_" name "_call tid=" tid, kept[name], "duration_ns=" t - starts[name]
		else
			print t, "fn_" name "_exit tid=" tid
	}
	function off(state, ns) {
		print t, "sched_switch prev_tid=" tid, "prev_state=" state, "next_tid=0"
		t += ns
		print t, "sched_switch prev_tid=0 next_tid=" tid
		t += some(50)
	}
	BEGIN {
		srand(5)
		form = single ? "_call" : "_entry"
		print "declare sched_switch", "fn_handle_mm_fault" form, "fn_d_lookup" form, "fn_deep" form, "fn_kick" form \
			(single ? "" : " fn_handle_mm_fault_exit fn_d_lookup_exit fn_deep_exit fn_kick_exit")
		for (cpu = 0; cpu < 2; cpu++) {
			tid = 7 + cpu
			t = 1000
			print "cpu", cpu
			print "500 sched_switch prev_tid=0 next_tid=" tid
			for (n = cpu; n < 1000; n += 2) {
				part = int(rand() * 6)
				delay = 3000 + some(5000)
				enter("handle_mm_fault", "address=" part)
				t += some(100)
				enter("d_lookup")
				t += some(300) + (part == 1) * delay
				enter("deep")
				t += some(300) + (part == 2) * delay
				if (part == 3 || rand() < 0.5)
					off(1, some(300) + (part == 3) * delay)
				leave("deep")
				t += some(100)
				leave("d_lookup")
				if (part == 5)
					off(2, delay)
				enter("kick")
				t += some(300)
				if (part == 4 || rand() < 0.2)
					off(256, some(200) + (part == 4) * delay)
				leave("kick")
				t += some(100) + (part == 0) * delay
				leave("handle_mm_fault")
				t += some(1000)
			}
		}
	}'
}
delayed '' | trace delayed
delayed 1 | trace delayed-single
# shellcheck disable=SC2016 # of jq
named='["self handle_mm_fault", "self d_lookup", "self deep", "off_cpu deep", "off_cpu kick", "off_cpu handle_mm_fault"] as $names |
	[.tables.intervals[] | (.start | capture("address=0x(?<part>[0-9])").part | tonumber) as $part |
		.largest_part + " " + .largest_function == $names[$part]] | "\(length) \(map(select(.)) | length)"'
for name in delayed delayed-single; do
	q "$name: 1000 calls that are delayed in a known part" '1000 1000' $name "$named" \
		--function=handle_mm_fault --slowest=1000 --lines=100
	"$mm" report why --json --slowest=1000 --lines=100 $name | jq '.tables | (.parts, ."time-lines")' >$name.parts
done
same 'delayed: the same parts and time lines by both forms' delayed.parts delayed-single.parts

# Tests DAX faults outside of calls and in a call, one with a value that does not fit in the packed
# event, and allocations in a separate trace. make_own PROFILE FOLDER: makes FOLDER/PROFILE, with
# its own UUID, from FOLDER/PROFILE.trace.
make_own() {
	sed "s/00112233-4455-6677-8899-aabbccddeeff/00112233-4455-6677-8899-$(printf "%.2s" "$1" | od -An -tx1 | tr -d " ")ccddeeff/" \
		"$top/tests/metadata/$1.tsdl" >"own-$1.tsdl"
	"$tests/make-trace" "own-$1.tsdl" "$2/$1.trace" "$2/$1" || exit 2
}
mkdir -p several
cat >several/fn.trace <<'EOF'
cpu 0
500 sched_switch prev_tid=0 next_tid=7
1000 fn_handle_mm_fault_entry tid=7
3900 fn_handle_mm_fault_exit tid=7
5000 fn_deep_entry tid=7
5700 fn_deep_exit tid=7
EOF
"$tests/make-trace" why.tsdl several/fn.trace several/fn || exit 2
cat >several/dax.trace <<'EOF'
cpu 0
1100 dax_pmd_fault_wide tid=7 pid=7 ino=0x7123456789 address=0x7f0000001000 vm_start=0x7f0000000000
1100 dax_pmd_fault tid=7 pid=7 ino=0x3fffffffff address=0x7f0000001000
1900 dax_pmd_fault_done tid=7 pid=7 ino=0x3fffffffff address=0x7f0000001000 result=FALLBACK
2000 dax_pte_fault tid=7 pid=7 ino=0x1003 address=0x7f0000001000
3500 dax_pte_fault_done tid=7 pid=7 ino=0x1003 address=0x7f0000001000 result=NOPAGE
6000 dax_pte_fault tid=7 pid=7 ino=0x1003 address=0x7f0000002000
6100 dax_pte_fault_done tid=7 pid=7 ino=0x1003 address=0x7f0000001000
EOF
make_own dax several
cat >several/slab.trace <<'EOF'
declare slab_kmalloc slab_kfree page_alloc slab_cache_alloc
cpu 0
2100 slab_kmalloc tid=7 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6 gfp_flags=IO|FS
2200 page_alloc tid=7 pfn=4 order=1
5100 slab_kmalloc tid=7 call_site=0x110 ptr=0x1000 bytes_req=100 size_class=7
5120 slab_cache_alloc tid=7 call_site=0x110 ptr=0x2000 cache=1
5150 slab_kmalloc tid=8 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6
packet discarded=2
5900 slab_kfree tid=7 call_site=0x120 ptr=0x1000
6000 slab_kfree tid=7 call_site=0x120 ptr=0x1000
EOF
make_own slab several
rm several/*.trace
q 'several traces: parts' 'handle_mm_fault 7 2900: self dax_pte 1500, self dax_pmd 800, self handle_mm_fault 600' \
	several "$parts" --slowest=1
q 'several traces: allocations, by part' 'dax_pte 2 8252' several \
	'.tables.parts[] | select(.interval == 1 and .allocations > 0) | "\(.function) \(.allocations) \(.bytes)"' --slowest=1
q '--dax' 'dax_pte 7 1500: self none 1300, self none 100, self none 100
dax_pmd 7 800: self none 800' several "$parts" --dax
q '--dax: the end of another fault does not end it' 'not_ended 1, without_start 1' several \
	"$incomplete" --dax
q '--dax: sentence' 'The only DAX 4 KiB fault took 1.5 us: 1.3 us (87 %) of it between page_alloc and dax_pte_fault_done, outside recorded functions.' \
	several '.tables.intervals[0].sentence' --dax
is '--dax: events of the thread divide the time' '1.5 us: 1.3 us (87 %) of it between page_alloc and dax_pte_fault_done, outside recorded functions. Other parts: 100 ns (7 %) between dax_pte_fault and slab_kmalloc, outside recorded functions, with 1 allocation of 60 bytes; 100 ns (7 %) between slab_kmalloc and page_alloc, outside recorded functions, with 1 allocation of 8192 bytes.' \
	"$("$mm" report why --all --dax --wide several | sed -n 's/.*4 KiB fault took \(1.5 us: .*functions\.\) Thread.*\. \(Other parts.*\)$/\1 \2/p')"
q '--dax: a value that does not fit comes from the wide variant' 0x7123456789 several \
	'.tables.intervals[1].start | capture("ino=(?<ino>[^,]*)").ino | ascii_downcase' --dax
q '--dax: a value that does not fit, without the wide variant' '?' several \
	'.tables.intervals[1].end | capture("ino=(?<ino>[^,]*)").ino' --dax
q '--dax: only the end shows a result' 'false NOPAGE' several \
	'.tables.intervals[0] | "\(.start | test("result")) \(.end | capture("result=(?<result>[A-Z]*)").result)"' --dax
q '--dax: a start with a wide variant shows no result' 'false FALLBACK' several \
	'.tables.intervals[1] | "\(.start | test("result")) \(.end | capture("result=(?<result>[A-Z]*)").result)"' --dax
q 'allocations, one from a cache, whose event has no size' \
	'The only call of deep() took 700 ns: 700 ns (100 %) of it in deep() itself, outside other recorded functions, with 2 allocations, of which 1 has 100 bytes in total and the other no size in the trace; events may be missing in it.' \
	several "$sentences" --function=deep
mkdir -p touched
cp -R several/fn touched
cat >touched/page-ref.trace <<'EOF'
cpu 0
2000 pageref_touch tid=7 mm=1 address=0x1000 kind=DEMAND
2500 pageref_touch tid=7 mm=1 address=0x2000 kind=ARMED
5200 pageref_touch tid=8 mm=1 address=0x2000 kind=ARMED
EOF
make_own page-ref touched
cp -R touched sampled
rm -r sampled/page-ref
sed '1a 1900 pageref_pass mm=1 sample=4194304' touched/page-ref.trace >sampled/page-ref.trace
make_own page-ref sampled
rm touched/page-ref.trace sampled/page-ref.trace
q 'touches of a sample: lower bounds' 'handle_mm_fault 2 true' sampled \
	'(.tables.parts[] | select(.touches > 0) | "\(.function) \(.touches) \(.at_least | index("touches") != null)")'
q '... in the sentence' 'The only call of handle_mm_fault() took 2.9 us: 2.9 us (100 %) of it in handle_mm_fault() itself, outside other recorded functions, with at least 2 touches of pages.' \
	sampled "$sentences" --function=handle_mm_fault
is '... and a note states the sample, only then' '1 0' "$(for folder in sampled touched; do
	"$mm" report why --json $folder | jq -r '.notes[]' | grep -c '^Numbers of touches are lower bounds: the recorder has sampled 25 % of the pages'
done | xargs)"
q 'touches of pages, by part' 'handle_mm_fault 2' touched \
	'.tables.parts[] | select(.touches > 0) | "\(.function) \(.touches)"'
q '... by interval' '2 0' touched '[.tables.intervals[].touches] | join(" ")'
q '... in the sentence' 'The only call of handle_mm_fault() took 2.9 us: 2.9 us (100 %) of it in handle_mm_fault() itself, outside other recorded functions, with 2 touches of pages.' \
	touched "$sentences" --function=handle_mm_fault
q 'a pair of events with a thread id' 'page_alloc,slab_kmalloc 7 2900' several \
	'.tables.intervals[] | "\(.of) \(.tid) \(.duration_ns)"' --pair=page_alloc,slab_kmalloc
q 'a loss of another trace: events may be missing in the interval' 'true' several \
	'.tables.intervals[] | select(.of == "deep").may_lack' --function=deep,handle_mm_fault
q 'a loss of another trace: no events are missing in the interval before' 'false' several \
	'.tables.intervals[] | select(.of == "handle_mm_fault").may_lack' --function=deep,handle_mm_fault

# --file must accept the path in the system information or the inode, even the inode of a wide
# variant.
cp -r several filed
mkdir filed/sysinfo
echo '[ { "major": 0, "minor": 0, "ino": 4099, "path": "/mnt/pmem/data-1" } ]' >filed/sysinfo/files.json
listed='[.tables.intervals[] | "\(.of) \(.duration_ns)"] | join(", ")'
q '--file: a path' 'dax_pte 1500' filed "$listed" --file='/mnt/*'
q '--file: the last component of a path' 'dax_pte 1500' filed "$listed" --file='data-?'
q '--file: an inode number' 'dax_pte 1500' filed "$listed" --file=0x1003
q '--file: an inode number in the wide variant only' 'dax_pmd 800' filed "$listed" --file=0x7123456789
q '--file: all files, and no calls' 'dax_pte 1500, dax_pmd 800' filed "$listed" --file='0x*'
q '--file: with --function, also calls' 'handle_mm_fault 2900' filed "$listed" --file=data-1 --function=handle_mm_fault
q '--file: no such file' "No DAX fault is in a file that matches --file=data-2; did you mean 'data-1'?" \
	filed '.answer[0]' --file=data-2
q '--file: nothing like it' 'No DAX fault is in a file that matches --file=/none.' filed '.answer[0]' --file=/none
is '--file: the head and the next command name it' "DAX faults are restricted to files that match --file=data-*.
To see the events of the threads in these intervals: lttng-mm report why --table time-lines --file='data-*' filed" \
	"$("$mm" report why --file 'data-*' filed | grep '^DAX\|^To see')"
cp -r filed 'filed again'
echo '[ { "major": 0, "minor": 0, "ino": 4099, "path": "/mnt/pm em/it'\''s [1].db" } ]' >'filed again/sysinfo/files.json'
for file in '/mnt/pm em/*' "it's [1].db" "it's \[1]*"; do
	command=$("$mm" report why --file "$file" 'filed again' | sed -n 's/^To see.*: lttng-mm //p')
	is "--file: the next command can be pasted: $file" 1 "$(eval "'$mm' $command" | grep -c '1\. The only DAX')"
done
fails '--pair and --file' 2 'pair excludes --function, --dax and --file' report why --pair=mark,mark --file=a filed
cat >filed/dax.trace <<'EOF'
cpu 0
1200 dax_pmd_fault tid=7 pid=7 ino=0x3fffffffff address=0x7f0000001000
1900 dax_pmd_fault_done tid=7 pid=7 ino=0x3fffffffff address=0x7f0000001000 result=FALLBACK
EOF
rm -r filed/dax
make_own dax filed
q '--file: a fault whose inode number is lost is left out' '1 DAX fault is left out, because no event has the inode number.' \
	filed '.notes[] | select(test("inode"))' --file=0x7123456789

# The switches are in a separate trace, as from another channel.
mkdir -p channels/sysinfo
trace calls <<'EOF'
cpu 0
2000 fn_deep_entry tid=7
2900 fn_deep_exit tid=7
EOF
cat >switches.trace <<'EOF'
cpu 0
1000 sched_switch prev_tid=0 next_tid=7
3000 sched_switch prev_tid=7 next_tid=0
cpu 1
3500 sched_switch prev_tid=0 next_tid=9
EOF
sed 's/uuid = "0/uuid = "1/' why.tsdl >other.tsdl
"$tests/make-trace" "$PWD/other.tsdl" switches.trace channels/switches || exit 2
mv calls channels/calls
"$tests/test-sysinfo-traces" channels >channels/sysinfo/traces.json || exit 2
in_deep='The only call of deep() took 900 ns: 900 ns (100 %) of it in deep() itself, outside other recorded functions'
q 'switches in another stream' "$in_deep." channels "$sentences"
cp -r channels later
sed -i '/^1000/d' switches.trace
rm -rf later/switches
"$tests/make-trace" "$PWD/other.tsdl" switches.trace later/switches || exit 2
q 'switches in another stream that starts later' \
	"$in_deep, on or off the CPU, because no sched_switch had been recorded yet." later "$sentences"
rm channels/switches/channel_0
q 'switches in another stream that is missing' "$in_deep, on or off the CPU; events may be missing in it." \
	channels "$sentences"

head -c 100000 /dev/zero >channels/switches/channel_0
is 'switches in another stream that is damaged from its first packet' "$in_deep, on or off the CPU; events may be missing in it." \
	"$("$mm" report why --json --reader=fast channels 2>/dev/null | jq -r "$sentences")"

# Tests events whose threads are unknown.
trace unknown <<'EOF'
1000 mark n=1
2000 irq_handler_entry irq=1
EOF
q 'events whose threads are not known' 'no_thread 2' unknown "$incomplete" --pair=mark,irq_handler_entry
for jobs in 1 4; do
	"$mm" report why --json --jobs=$jobs many >jobs.$jobs
done
same 'the same with several threads' jobs.1 jobs.4
fails 'no such event' 2 'the trace has no event named none' report why --pair=mark,none basic
fails 'one name' 2 "'mark' is not START,END" report why --pair=mark basic
fails '--pair and --dax' 2 'pair excludes --function, --dax and --file' report why --pair=mark,mark --dax basic
fails 'too many lines' 2 'lower one of them' report why --slowest=1000 --lines=1000 basic
make_slab "$here/slab/outcomes.trace" other
fails 'nothing to list, but allocations' 2 'the trace has no calls of functions (fn_\*) and no DAX faults (dax_\*); .* `lttng-mm report slab`$' report why other

# The report must omit intervals of the recorder's processes, as if they had not been recorded.
trace recorder <<'EOF'
cpu 0
500 sched_switch prev_tid=0 next_tid=100
600 fn_deep_entry tid=100 depth=1
900 fn_kick_entry tid=7 mode=IDLE
1000 sched_switch prev_tid=100 prev_state=0 next_tid=7
1100 fn_kick_exit tid=7
1200 fn_kick_entry tid=7 mode=IDLE
1300 sched_switch prev_tid=7 prev_state=0 next_tid=100
5000 fn_deep_exit tid=100 ret=0
5100 fn_kick_entry tid=101 mode=IDLE
5200 sched_switch prev_tid=100 prev_state=0 next_tid=7
5300 fn_kick_exit tid=7
EOF
grep -v 'fn_.* tid=10[01]' recorder.trace | trace others
cp -R "$here/slab/recorder.sysinfo" recorder/sysinfo
cp -R "$here/slab/recorder.sysinfo" others/sysinfo
without_own='del(.coverage.events, .notes) | .metrics |= map(select(.name != "why.recorder.intervals"))'
is 'recorder: its complete and incomplete intervals are left out' "$(json_query=$without_own json others)" \
	"$(json_query=$without_own json recorder)"
q 'recorder: one line states how many' \
	"The recorder's own intervals are left out (--include-recorder): 1 ends in the trace. Time lines show what the recorder did to other threads." \
	recorder '.notes[] | select(startswith("The recorder"))'
q 'recorder: --include-recorder' 'deep 100
kick 7
kick 7' recorder '.tables.intervals[] | "\(.of) \(.tid)"' --include-recorder
cp -R recorder nameless && rm nameless/sysinfo/processes.json
q 'recorder: a line says that unknown processes may be the recorder' \
	"The figures include intervals of threads whose process is unknown, possibly the recorder's." \
	nameless '.notes[] | select(test("process is unknown"))'
tap_end
