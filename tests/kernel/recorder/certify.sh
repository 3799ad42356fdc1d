# SPDX-License-Identifier: LGPL-2.1-only
# Tests certificates against a streaming session that records the same events at the same time and
# loses none. If a snapshot is certified as complete, both traces must have exactly the same events
# inside its shared interval. Sourced by run-all.sh after freeze.sh and snapshot.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh sets tests and work; freeze.sh the others
# shellcheck source=tests/kernel/recorder/freeze.sh
# shellcheck source=tests/kernel/recorder/snapshot.sh

certify_snapshots=3

certify_is() {
	is "certify: $1" "$2" "$3"
}

# certify_stream EVENTS: creates the session that writes to the disk.
certify_stream() {
	format=
	if lttng_has_formats; then
		format=--trace-format=ctf-1.8
	fi
	# shellcheck disable=SC2086
	lttng create certify-stream --output="$out/stream" $format &&
		lttng enable-channel -k -s certify-stream --discard --subbuf-size=2M --num-subbuf=16 truth &&
		lttng enable-event -k -s certify-stream -c truth "$1" &&
		lttng start certify-stream &&
		certify_since=$(certify_now)
}

# certify_numbers CPU: fires numbered events in bursts, which the disk can keep up with.
certify_numbers() {
	exec taskset -c "$1" sh -c "n=300; while [ -e '$out/writing' ]; do
		n=\$((n % 997 + 300)); echo \$n >/sys/module/record_test/parameters/fire; sleep 0.02; done"
}

certify_slab() {
	exec taskset -c "$1" sh -c "while [ -e '$out/writing' ]; do find /etc >/dev/null; sleep 0.1; done"
}

# certify_now: prints the time on the clock of the traces.
certify_now() {
	awk '/^now at/ { print $3; exit }' /proc/timer_list
}

# certify_text TRACE REGEX: prints CLOCK CPU EVENT per line. The clock is the kernel's, so the lines
# of all traces can be compared.
certify_text() {
	babeltrace2 --clock-cycles --no-delta "$1" 2>"$out/text.err" |
		sed -n 's/^\[0*\([0-9]*\)\][^:]* \([a-z_]*\): { cpu_id = \([0-9]*\) }, \(.*\)/\1 \3 \2 \4/p' |
		grep -E "^[0-9]+ [0-9]+ ($2) "
	[ ! -s "$out/text.err" ] || sed 's/^/# babeltrace2: /' "$out/text.err" >&2
}

# certify_interval PATH: sets start and end to the shared interval, on the kernel's clock. The
# interval does not start before the stream started recording.
certify_interval() {
	zero=$(snapshot_zero "$1")
	start=$(($(snapshot_value "$1" certificate.shared.start_ns) - zero))
	end=$(($(snapshot_value "$1" certificate.shared.end_ns) - zero))
	[ "$start" -ge "$certify_since" ] || start=$certify_since
}

# certify_near INTERVALS: keeps events on standard input that are in an interval or at most a second
# before its start. The guest's memory has no room for all events.
certify_near() {
	awk 'FNR == NR { start[++n] = $1 - 1000000000; end[n] = $2; next }
		{
			for (i = 1; i <= n; i++)
				if ($1 >= start[i] && $1 <= end[i]) { print; next }
		}' "$1" -
}

# certify_compare START END SNAPSHOT STREAM: prints the events that only one of the two traces has.
# For each event, the two sessions write their records one after the other, each with its own clock
# reading. The records of one event may therefore be on different sides of START. On each CPU, this
# is possible for as many events as can nest (thread, softirq, interrupt, NMI). No difference is
# possible at END, because no CPU was within an event then.
certify_compare() {
	awk -v start="$1" -v end="$2" '
		function event() { at = $1; cpu = $2; sub(/^[0-9]+ /, ""); return $0 }
		FNR == NR {
			e = event()
			if (at < start || at > end) next
			inside[e]++
			if (++first[cpu] <= 4) early[e]++
			next
		}
		{
			e = event()
			if (at < start || at > end) { if (at < start) before[e]++; next }
			events++
			nth[cpu]++
			if (inside[e] > 0) { inside[e]--; next }
			if (nth[cpu] <= 4) { edge++; next }
			print "the stream alone: " at " " e
		}
		END {
			for (e in inside)
				if (inside[e] > 0) {
					# the stream has the record of this event just before START
					if (early[e] >= inside[e] && before[e] >= inside[e] && edge + inside[e] <= 8)
						edge += inside[e]
					else print "the snapshot alone: " inside[e] " of " e
				}
			print events + 0, edge + 0 >"/dev/stderr"
		}' "$3" "$4" 2>"$out/compared" | head -n 5
}

# certify_snapshot NAME PATH REGEX
certify_snapshot() {
	verdict=$(snapshot_value "$2" certificate.verdict)
	[ "$verdict" = '"complete"' ] || lttng-mm info --all "$2" | diag
	certify_is "$1: it is complete" '"complete"' "$verdict"
	certify_interval "$2"
	certify_text "$2/kernel" "$3" >"$out/mine"
	certify_is "$1: exactly the events of the streaming session" '' \
		"$(certify_compare "$start" "$end" "$out/mine" "$out/truth")"
	read -r certify_events certify_edge <"$out/compared"
	echo "# $1: $certify_events events in $(((end - start) / 1000000)) ms; $certify_edge at the start"
	certify_is "$1: there are thousands" yes "$([ "${certify_events:-0}" -ge 2000 ] && echo yes)"
	certify_is "$1: few are undecided" yes "$([ "${certify_edge:-9}" -le 8 ] && echo yes)"
}

# certify_round NAME RECORDER LOAD REGEX: takes snapshots of a recorder under load and compares each
# snapshot.
certify_round() {
	: >"$out/writing"
	"$3" 0 &
	certify_pids=$!
	"$3" 1 &
	certify_pids="$certify_pids $!"
	sleep 4
	i=0
	while [ $i -lt $certify_snapshots ]; do
		i=$((i + 1))
		lttng-mm snapshot --method=freeze --output "$out" "$2" >"$out/$1-$i" || not_ok "certify: $1-$i is taken"
		sleep 1
	done
	rm "$out/writing"
	# shellcheck disable=SC2086
	wait $certify_pids
	lttng stop certify-stream >"$out/$1.stop" 2>&1
	certify_is "$1: the streaming session lost nothing" '0 0' \
		"$(grep -c -i -e discarded -e lost "$out/$1.stop") $(lttng-mm verify "$out/stream" >"$out/$1.verify" 2>&1; echo $?)"
	lttng destroy certify-stream >/dev/null
	i=0
	while [ $i -lt $certify_snapshots ]; do
		i=$((i + 1))
		certify_interval "$(cat "$out/$1-$i")"
		echo "$start $end"
	done >"$out/intervals"
	certify_text "$out/stream" "$4" | certify_near "$out/intervals" >"$out/truth"
	i=0
	while [ $i -lt $certify_snapshots ]; do
		i=$((i + 1))
		certify_snapshot "$1-$i" "$(cat "$out/$1-$i")" "$4"
	done
	# Check that the comparison notices a missing event and additional events. Several events
	# are added, because one of them may equal an event at START.
	line=$(($(wc -l <"$out/mine") - 100))
	sed "${line}d" "$out/mine" >"$out/less"
	certify_is "$1: a missing event is noticed" 1 \
		"$(certify_compare "$start" "$end" "$out/less" "$out/truth" | grep -c 'the stream alone')"
	sed "${line}p; $((line + 7))p; $((line + 13))p" "$out/mine" >"$out/more"
	certify_is "$1: additional events are noticed" yes \
		"$(certify_compare "$start" "$end" "$out/more" "$out/truth" | grep -q 'the snapshot alone' && echo yes)"
	rm -rf "$out/stream"
}

certify_recorder() {
	slab_subbuf=2M slab_session "$freeze_session" recordtest_packed && lttng start "$freeze_session"
}

certify() {
	out=$work/certify
	rm -rf "$out"
	mkdir -p "$out"
	check_function 'certify: the session daemon starts' daemon_start
	check 'certify: the modules load' 60 modprobe -a lttng-mm-freeze lttng-mm-lib
	grep -q '^record_test ' /proc/modules ||
		check 'certify: the probe of numbered events loads' 60 insmod "$tests/record-test.ko" || return
	check_function 'certify: a session in snapshot mode starts' certify_recorder || return
	check_function 'certify: a streaming session starts' certify_stream recordtest_packed || return
	certify_round numbers --session=numbers certify_numbers recordtest_packed
	lttng destroy "$freeze_session" >/dev/null
	check 'certify: the slab recorder starts' 120 lttng-mm record slab --subbuf-size=256k --num-subbuf=4
	check_function 'certify: a streaming session of slab events starts' certify_stream 'slab_*' || return
	certify_round slab slab certify_slab 'slab_(k|cache_|alloc_bulk|free_bulk)[a-z_]*'
	lttng-mm stop >/dev/null
	check 'certify: the probe can be removed' 30 rmmod record-test
}
