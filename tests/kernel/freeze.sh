# SPDX-License-Identifier: LGPL-2.1-only
# Tests snapshots by the module lttng-mm-freeze, while both CPUs write numbered events without
# pause. Sourced by run-all.sh.
# shellcheck shell=sh disable=SC2034,SC2154  # run-all.sh sets tests and work
# shellcheck source=tests/kernel/lib.sh
# shellcheck source=tests/kernel/slab-probe.sh

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

# freeze_write CPU: events numbered 1 to $freeze_hits, again and again.
freeze_write() {
	exec taskset -c "$1" sh -c "while [ -e '$out/writing' ]; do
		echo $freeze_hits >/sys/module/record_test/parameters/fire; done"
}

freeze_record() {
	slab_subbuf=1M slab_session "$freeze_session" recordtest_packed && lttng start "$freeze_session"
}

# freeze_take NAME: a snapshot, its path in $out/NAME.
freeze_take() {
	lttng-mm snapshot --freeze --session numbers --output "$out" >"$out/$1"
}

# freeze_gaps SNAPSHOT PROGRAM...: on each CPU the numbers must follow one another: a missing or
# repeated event breaks the sequence.
freeze_gaps() {
	snapshot=$1
	shift
	"$@" "$snapshot/kernel" 2>"$snapshot.err" | awk -v hits="$freeze_hits" '
		!/cpu_id/ { print "unexpected: " $0; next }
		{
			cpu = $0; sub(/.*cpu_id = /, "", cpu); cpu += 0
			n = $0; sub(/.*number = /, "", n); n += 0
			if (cpu in last && n != last[cpu] % hits + 1)
				print "CPU " cpu ": " n " after " last[cpu]
			last[cpu] = n
		}
		END { for (cpu in last) cpus++; if (cpus != 2) print "events of " cpus + 0 " CPUs" }' |
		head -n 5
	cat "$snapshot.err"
}

freeze_contents() {
	lttng-mm print "$1/kernel" | cksum
}

# freeze_values KEY NAME: the different values of a key in what `info` says of the ring's trace.
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
	# So that both buffers have been filled.
	sleep 5
	i=0
	while [ $i -lt $freeze_snapshots ]; do
		i=$((i + 1))
		check_function "freeze: snapshot $i of $freeze_snapshots" freeze_take "busy-$i"
	done
	# LTTng's own snapshots meanwhile: they exchange page sets, and end packets.
	(while [ -e "$out/writing" ]; do
		lttng snapshot record -s "$freeze_session" >>"$out/plain.log" 2>&1 || echo failed >>"$out/plain.log"
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
	freeze_is 'babeltrace2 reads every number once' '' "$(freeze_gaps "$(cat "$out/busy-1")" babeltrace2)"
	for i in 1 2 3; do
		check_function "freeze: snapshot $i of 3 without writers" freeze_take "idle-$i"
		freeze_contents "$(cat "$out/idle-$i")" >"$out/idle-$i.contents"
	done
	freeze_is 'snapshots use up nothing: the third has the packets of the first' '' \
		"$(diff "$out/idle-1.contents" "$out/idle-3.contents" 2>&1)"
	freeze_is 'there are such packets' yes "$([ -s "$out/idle-3.contents" ] && echo yes)"
	check_function 'freeze: the session is cleared' lttng clear "$freeze_session"
	lttng-mm snapshot --freeze --session numbers --output "$out" >"$out/cleared" 2>"$out/cleared.err"
	freeze_is 'nothing is left of a cleared session' '4 1' "$? $(grep -c 'no events have been recorded' "$out/cleared.err")"
	check_function "freeze: the session stops" lttng destroy "$freeze_session"
	check 'freeze: the module can be removed' 10 rmmod lttng-mm-freeze
	check 'freeze: the probe can be removed' 10 rmmod record-test
}
