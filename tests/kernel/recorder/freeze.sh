# SPDX-License-Identifier: LGPL-2.1-only
# Tests snapshots by the module lttng-mm-freeze, while both CPUs write numbered events continuously.
# Sourced by run-all.sh.
# shellcheck shell=sh disable=SC2034,SC2154  # run-all.sh sets tests and work
# shellcheck source=tests/kernel/lib.sh
# shellcheck source=tests/kernel/slab/slab-probe.sh

freeze_hits=20000
freeze_snapshots=4
freeze_session=lttng-mm-numbers

# freeze_is NAME EXPECTED ACTUAL
freeze_is() {
	if [ "$2" = "$3" ]; then
		ok "freeze: $1"
	else
		not_ok "freeze: $1"
		printf '# expected: %s\n# actual:   %s\n' "$2" "$3"
	fi
}

# freeze_write CPU: fires events numbered 1 to $freeze_hits, repeatedly, and adds a line to
# $out/rounds-CPU after each repetition.
freeze_write() {
	exec taskset -c "$1" sh -c "while [ -e '$out/writing' ]; do
		echo $freeze_hits >/sys/module/record_test/parameters/fire; echo >>'$out/rounds-$1'; done"
}

# freeze_written ROUNDS: succeeds if the writers of both CPUs have finished ROUNDS repetitions.
freeze_written() {
	for cpu in 0 1; do
		[ "$(wc -l <"$out/rounds-$cpu")" -ge "$1" ] || return
	done
}

# Each CPU has four sub-buffers of $freeze_subbuf.
freeze_record() {
	slab_subbuf=${freeze_subbuf:-1M} slab_session "$freeze_session" recordtest_packed && lttng start "$freeze_session"
}

# freeze_take NAME: takes a snapshot; writes its path to $out/NAME.
freeze_take() {
	lttng-mm snapshot --method=freeze --session numbers --output "$out" >"$out/$1"
}

# freeze_gaps SNAPSHOT PROGRAM...: succeeds if each CPU has at least $freeze_least events (default
# 1) and their numbers are consecutive. A missing or duplicate event breaks the sequence.
freeze_gaps() {
	snapshot=$1
	shift
	"$@" "$snapshot/kernel" 2>"$snapshot.err" |
		"$tests/check-numbers" "$freeze_hits" "${freeze_least:-1}" || [ $? = 1 ] ||
		echo 'check-numbers fails'
	cat "$snapshot.err"
}

freeze_contents() {
	lttng-mm print "$1/kernel" | cksum
}

# freeze_values KEY NAME: prints the distinct values of a key in the output of `info --json` for the
# ring buffer's trace.
freeze_values() {
	lttng-mm info --json "$(cat "$out/$2")/kernel" | grep -o "\"$1\": *[0-9][0-9]*" | sed 's/.*: *//' | sort -nu
}

freeze_checks() {
	trace=$(cat "$out/$1")
	freeze_is "$1: every number once, on both CPUs" '' "$(freeze_gaps "$trace" lttng-mm print --format=babeltrace)"
	lttng-mm verify "$trace" >"$out/$1.verify" 2>&1
	freeze_is "$1: verify finds nothing" 0 "$?"
	freeze_is "$1: both CPUs end at the same time" 1 "$(freeze_values end_ns "$1" | wc -l)"
}

# freeze_channel SESSION CHANNEL EVENTS: adds a channel with these events.
freeze_channel() {
	lttng enable-channel --kernel --session="$1" --overwrite --subbuf-size=128k --num-subbuf=4 "$2" &&
		lttng enable-event --kernel --session="$1" --channel="$2" "$3"
}

freeze_two_sessions() {
	slab_subbuf=128k slab_session first recordtest_packed && slab_subbuf=128k slab_session second recordtest_packed &&
		freeze_channel second texts recordtest_text && freeze_channel second switches sched_switch &&
		lttng start first && lttng start second
}

# freeze_fire N: fires N numbered events of both kinds on each CPU.
freeze_fire() {
	for cpu in 0 1; do
		taskset -c $cpu sh -c "echo $1 >/sys/module/record_test/parameters/fire
			echo $1 >/sys/module/record_test/parameters/fire_text" || return
	done
}

# freeze_changes FACTS: prints ACTIVE CHANNEL TIME per line.
freeze_changes() {
	awk '{ sub(/,$/, "") }
		$1 == "\"at_ns\":" { at = $2 } $1 == "\"channel\":" { channel = $2 }
		$1 == "\"active\":" && at { print $2, channel, at; at = "" }' "$1"
}

freeze_number() {
	awk -v key="\"$1\":" '{ sub(/,$/, "") } $1 == key { print $2; exit }' "$2"
}

freeze_ends() {
	for trace; do
		lttng-mm info --json "$trace" | sed -n '/^    "streams": \[/,/^    \]/p' | grep -o '"end_ns": *[0-9][0-9]*' | sed 's/.*: *//'
	done | sort -u
}

# freeze_event_times TRACE FILE: writes the times of the numbered events in nanoseconds, in order.
freeze_event_times() {
	babeltrace2 --clock-seconds --no-delta "$1" 2>/dev/null | sed -n 's/^\[\([0-9]*\)\.\([0-9]*\)\].*recordtest_packed.*/\1\2/p'
}

# Tests two sessions that are frozen together. One has several channels and was stopped for a
# second.
freeze_together() {
	mkdir -p "$out/pair"
	check_function 'freeze: two more sessions start' freeze_two_sessions || return
	freeze_fire 2000
	check_function 'freeze: the second session stops' lttng stop second
	sleep 1
	lttng stop second >/dev/null 2>&1
	check_function 'freeze: the second session starts again' lttng start second
	lttng start second >/dev/null 2>&1
	check_function 'freeze: a channel is disabled' lttng disable-channel -k -s second texts
	check_function 'freeze: it is enabled again' lttng enable-channel -k -s second texts
	freeze_fire 1500
	check_function 'freeze: both sessions are frozen together' "$tests/freeze-sessions" "$out/pair" 200 first second || return
	freeze_is 'both sessions have one clock offset' 1 \
		"$(cat "$out/pair/first/metadata" "$out/pair/second/metadata" | grep -a 'offset = ' | sort -u | wc -l)"
	freeze_is 'both sessions end at the time of the freeze' "$(freeze_number trace_ns "$out/pair/times.json")" \
		"$(freeze_ends "$out/pair/first" "$out/pair/second")"
	freeze_is 'no packet was overwritten before it was copied' '"packets_missed": 0' \
		"$(cat "$out/pair/first.json" "$out/pair/second.json" | grep -o '"packets_missed": *[0-9]*' | sort -u)"
	freeze_is 'each channel has its name' "ring_0 ring_1 switches_0 switches_1 texts_0 texts_1" \
		"$(cd "$out/pair/second" && echo [!im]*)"
	freeze_is 'the files of a channel have the events of that channel' recordtest_text "$(cd "$out/pair" && mkdir -p texts && cp second/metadata second/texts_* texts && babeltrace2 texts 2>/dev/null | grep -o 'recordtest_[a-z]*' | sort -u)"
	freeze_changes "$out/pair/first.json" >"$out/pair/first.changes"
	freeze_changes "$out/pair/second.json" >"$out/pair/second.changes"
	freeze_is 'the first session has one change: its start' 'true null' "$(cut -d' ' -f1,2 "$out/pair/first.changes")"
	freeze_is 'the second session has its stop, its start and the changes of a channel' 'true null;false null;true null;false "texts";true "texts"' \
		"$(cut -d' ' -f1,2 "$out/pair/second.changes" | paste -sd';')"
	{
		read -r _ _ freeze_start
		read -r _ _ freeze_stop
		read -r _ _ freeze_restart
	} <"$out/pair/second.changes"
	freeze_is 'the stop lasted a second' yes "$([ $((${freeze_restart:-0} - ${freeze_stop:-0})) -ge 1000000000 ] && echo yes)"
	freeze_is 'no event is in the stop' '' "$(freeze_event_times "$out/pair/second" | awk -v a="$freeze_stop" -v b="$freeze_restart" '$1 > a && $1 < b' | head -n 3)"
	freeze_is 'the module watched since before the first change' yes "$([ "$(freeze_number watched_since_ns "$out/pair/second.json")" -le "$freeze_start" ] && echo yes)"
	freeze_is 'the event before the stop is in the snapshot' yes "$(freeze_event_times "$out/pair/second" | awk -v a="$freeze_stop" '$1 < a { print "yes"; exit }')"
}

# freeze_index_ends FILE: prints the end time of each packet from an index file with 9 numbers per
# packet.
freeze_index_ends() {
	od -An -v -tx1 -j16 -w72 "$1" | tr -d ' ' | cut -c65-80 | while read -r hex; do echo $((0x$hex)); done
}

freeze_last() {
	since=$(($(freeze_number since_ns "$out/pair/times.json") - $(sed -n 's/.*[^_]offset = \(.*\);/\1/p' "$out/pair/first/metadata")))
	for cpu in 0 1; do
		freeze_index_ends "$out/pair/first/index/ring_$cpu.idx" >"$out/all"
		freeze_index_ends "$out/pair/first-last/index/ring_$cpu.idx" >"$out/last"
		freeze_is "CPU $cpu: only packets that ended before --last are left out" "$(awk -v since="$since" '$1 >= since' "$out/all")" "$(cat "$out/last")"
		freeze_is "CPU $cpu: some packets are left out" yes "$([ "$(wc -l <"$out/last")" -lt "$(wc -l <"$out/all")" ] && echo yes)"
		tail -c "$(stat -c %s "$out/pair/first-last/ring_$cpu")" "$out/pair/first/ring_$cpu" | cmp - "$out/pair/first-last/ring_$cpu" >"$out/cmp" 2>&1
		freeze_is "CPU $cpu: the remaining packets are unchanged" 0 "$?"
	done
}

# Tests that sessions with user-space events are refused, because only their kernel part could be
# frozen.
freeze_user_space() {
	check_function 'freeze: a session with user-space events starts' freeze_user_session || return
	"$tests/freeze-sessions" "$out/pair" 200 mixed >"$out/mixed.txt" 2>&1
	freeze_is 'the session daemon takes the snapshot of a session with user-space events' '3 mixed: the session also records user-space events, and only kernel buffers can be frozen' "$? $(cat "$out/mixed.txt")"
	"$tests/freeze-sessions" "$out/pair" 200 no-such-session >"$out/none.txt" 2>&1
	freeze_is 'an unknown session is refused' 3 "$?"
}
freeze_user_session() {
	slab_subbuf=64k slab_session mixed recordtest_packed && lttng enable-event --userspace --session=mixed 'none:*'
}

freeze() {
	out=$work/freeze
	rm -rf "$out"
	mkdir -p "$out"
	check_function 'freeze: the session daemon starts' daemon_start
	check 'freeze: the modules load' 60 modprobe -a lttng-mm-freeze lttng-mm-lib
	freeze_is 'only root may open the device' 600 "$(stat -c %a /dev/lttng-mm-freeze)"
	grep -q '^record_test ' /proc/modules ||
		check 'freeze: the probe of numbered events loads' 60 insmod "$tests/record-test.ko" || return
	check_function 'freeze: a session in snapshot mode' freeze_record || return
	: >"$out/writing"
	freeze_write 0 &
	freeze_writers=$!
	freeze_write 1 &
	freeze_writers="$freeze_writers $!"
	# An event takes 12 bytes at least, so 20 repetitions fill a CPU's buffer of 4 MiB.
	check_function 'freeze: both writers fill their buffers' wait_for 120 freeze_written 20
	i=0
	while [ $i -lt $freeze_snapshots ]; do
		i=$((i + 1))
		check_function "freeze: snapshot $i of $freeze_snapshots" freeze_take "busy-$i"
	done
	# Meanwhile, LTTng takes snapshots. Each of them exchanges page sets, ends packets, and uses
	# up one of the four sub-buffers. Without a pause, all sub-buffers of a CPU would be empty
	# if the CPU's writer has to wait for seconds, as in a loaded guest.
	(while [ -e "$out/writing" ]; do
		lttng snapshot record -s "$freeze_session" >>"$out/plain.log" 2>&1 || echo failed >>"$out/plain.log"
		sleep 2
	done) &
	freeze_writers="$freeze_writers $!"
	for i in 1 2; do
		check_function "freeze: snapshot $i of 2 beside LTTng's" freeze_take "beside-$i"
	done
	rm "$out/writing"
	# shellcheck disable=SC2086
	wait $freeze_writers
	freeze_is "LTTng's snapshots beside ours succeed" 0 "$(grep -c -e failed -e Error "$out/plain.log")"
	for i in 1 2; do
		freeze_is "beside-$i: every number once, on both CPUs" '' "$(freeze_gaps "$(cat "$out/beside-$i")" lttng-mm print --format=babeltrace)"
	done
	i=0
	while [ $i -lt $freeze_snapshots ]; do
		i=$((i + 1))
		freeze_checks "busy-$i"
	done
	freeze_is 'the check notices a missing number' 1 \
		"$(lttng-mm print --format=babeltrace "$(cat "$out/busy-1")/kernel" | sed 5000d | "$tests/check-numbers" $freeze_hits | wc -l)"
	freeze_is 'babeltrace2 reads every number once' '' "$(freeze_gaps "$(cat "$out/busy-1")" babeltrace2)"
	for i in 1 2 3; do
		check_function "freeze: snapshot $i of 3 without writers" freeze_take "idle-$i"
		freeze_contents "$(cat "$out/idle-$i")" >"$out/idle-$i.contents"
	done
	freeze_is 'a snapshot consumes no packets: the third snapshot equals the first' '' \
		"$(diff "$out/idle-1.contents" "$out/idle-3.contents" 2>&1)"
	freeze_is 'there are such packets' yes "$([ -s "$out/idle-3.contents" ] && echo yes)"
	check_function 'freeze: the session is cleared' lttng clear "$freeze_session"
	lttng-mm snapshot --method=freeze --session numbers --output "$out" >"$out/cleared" 2>"$out/cleared.err"
	freeze_is 'a cleared session has no events' '4 1' "$? $(grep -c 'no events have been recorded' "$out/cleared.err")"
	check_function "freeze: the session stops" lttng destroy "$freeze_session"
	freeze_together
	freeze_last
	freeze_user_space
	for i in first second mixed; do
		check_function "freeze: $i ends" lttng destroy "$i"
	done
	check 'freeze: the module can be removed' 10 rmmod lttng-mm-freeze
	check 'freeze: the probe can be removed' 10 rmmod record-test
}
