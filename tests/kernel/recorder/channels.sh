# SPDX-License-Identifier: LGPL-2.1-only
# Tests that frequent events do not overwrite rare ones, which a profile puts into a separate
# channel. Also tests what certificates and reports state about such channels, and the trackers of a
# recorder. Sourced by run-all.sh after snapshot.sh and repair.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh sets tests and work
# shellcheck source=tests/kernel/recorder/snapshot.sh
# shellcheck source=tests/kernel/recorder/repair.sh

channels_is() {
	is "channels: $1" "$2" "$3"
}

# channels_fail: makes a page allocation fail, without a message in the kernel log.
channels_fail() {
	insmod "$tests/failed-allocation.ko" quiet=1 && rmmod failed-allocation
}

# channels_overwritten CHANNEL: prints the smallest number of overwritten packets of any CPU in the
# channel. The slab session must be the only one.
channels_overwritten() {
	lttng-mm status --json | awk -v channel="\"$1\"," '
		$1 == "\"channel\":" { found = $2 == channel; cpu = 0 }
		$1 == "\"cpu\":" { cpu = 1 }
		found && cpu && $1 == "\"overwritten_packets\":" {
			sub(/,/, "", $2)
			if (least == "" || $2 + 0 < least)
				least = $2 + 0
		}
		END { print least + 0 }'
}

# channels_load PACKETS: allocates on all CPUs until each has overwritten PACKETS packets.
channels_load() {
	: >"$out/loading"
	for cpu in $(seq 0 $(($(nproc) - 1))); do
		taskset -c "$cpu" sh -c "while [ -e '$out/loading' ]; do read -r x <<END
x
END
done" &
	done
	for _ in $(seq 120); do
		[ "$(channels_overwritten lttng-mm)" -lt "$1" ] || break
		sleep 0.5
	done
	rm "$out/loading"
	wait
	[ "$(channels_overwritten lttng-mm)" -ge "$1" ]
}

# channels_events SNAPSHOT EVENT: prints the number of EVENTs.
channels_events() {
	lttng-mm print --events="$2" "$1/kernel" | grep -c " $2: "
}

# channels_record PROFILE: records with 256 KiB per CPU for frequent events.
channels_record() {
	lttng-mm record "$1" --subbuf-size=64k --num-subbuf=4 --no-daemon
}

# channels_headers SNAPSHOT: prints how many channels have compact event headers, and how many have
# large headers.
channels_headers() {
	babeltrace2 --output-format=ctf-metadata "$1/kernel" >"$out/metadata"
	echo "$(grep -c 'event.header := struct event_header_compact' "$out/metadata") $(
		grep -c 'event.header := struct event_header_large' "$out/metadata")"
}

# Tests that the metadata of a dax channel declare every event class, even if no such event
# occurred.
channels_dax() {
	check 'channels: record dax' 120 lttng-mm record dax --force --no-daemon
	snapshot_take dax
	channels_is 'all channels of dax have the compact header' '2 0' "$(channels_headers "$path")"
	check 'channels: stop dax' 60 lttng-mm stop
}

# Tests that a rare event survives while the buffers of frequent events wrap many times.
channels_rare() {
	check_function 'channels: the slab recorder starts' channels_record slab || return
	check_function 'channels: an allocation fails' channels_fail
	check_function 'channels: the buffers of frequent events are filled ten times' channels_load 40
	channels_is 'status names the channels' 'lttng-mm lttng-mm-rare' \
		"$(lttng-mm status --json | sed -n 's/.*"channel": "\(lttng-mm\(-rare\)*\)",.*/\1/p' | sort | xargs)"
	channels_is 'no rare event is overwritten' 0 "$(channels_overwritten lttng-mm-rare)"
	snapshot_take rare
	channels_is 'it is complete' '"complete"' "$(snapshot_value "$path" certificate.verdict)"
	channels_is 'it has the rare event' yes "$([ "$(channels_events "$path" page_alloc_failed)" -ge 1 ] && echo yes)"
	channels_is "the snapshot's files are named after the channels" "$(nproc) $(nproc)" \
		"$(find "$path/kernel" -name 'lttng-mm_[0-9]*' ! -path '*/index/*' | wc -l) $(
			find "$path/kernel" -name 'lttng-mm-rare_[0-9]*' ! -path '*/index/*' | wc -l)"
	channels_is 'all channels have the compact header' '2 0' "$(channels_headers "$path")"
	check 'channels: verify finds no error' 120 lttng-mm verify "$path"
	check 'channels: --require-complete succeeds' 120 lttng-mm report slab --require-complete "$path"
	lttng-mm report slab "$path" >"$out/report"
	channels_is 'the report lists the failure' yes "$(grep -q '^Failures: ' "$out/report" && echo yes)"
	# The shared interval and the report must both describe the frequent events.
	shared=$(($(snapshot_value "$path" certificate.shared.end_ns) - $(snapshot_value "$path" certificate.shared.start_ns)))
	lttng-mm report slab --json "$path" >"$out/report.json"
	duration=$(sed -n 's/^ *"duration_ns": \([0-9]*\).*/\1/p' "$out/report.json" | head -n 1)
	channels_is 'the report covers the time range of the frequent events' yes \
		"$([ "$duration" -lt $((shared * 4 + 1000000000)) ] && echo yes || echo "$duration, shared $shared")"
	lttng-mm snapshot --method=lttng --output "$out" >"$out/daemon" 2>"$out/daemon.err"
	channels_is 'a snapshot by the session daemon contains the rare event, too' yes \
		"$([ "$(channels_events "$(cat "$out/daemon")" page_alloc_failed)" -ge 1 ] && echo yes)"
	echo "# channels: by the session daemon: $(snapshot_value "$(cat "$out/daemon")" certificate.verdict)"
	check 'channels: stop' 60 lttng-mm stop
}

# Tests this test: if one channel has all events, the rare event must be overwritten.
channels_single() {
	mkdir -p /etc/lttng-mm/profiles
	sed '/^\[channel rare\]/,/^record/{ /^record/!d; }' \
		"$(dirname "$(command -v lttng-mm)")/../share/lttng-mm/profiles/slab.conf" >/etc/lttng-mm/profiles/one.conf
	check_function 'channels: a recorder of one channel starts' channels_record one
	check_function 'channels: one channel: an allocation fails' channels_fail
	check_function 'channels: one channel: its buffers are filled ten times' channels_load 40
	snapshot_take single
	channels_is 'one channel: the rare event has been overwritten' 0 "$(channels_events "$path" page_alloc_failed)"
	check 'channels: the recorder of one channel stops' 60 lttng-mm stop
	rm -r /etc/lttng-mm/profiles
}

# Tests a recorder whose buffers for rare events are empty on all CPUs.
channels_idle() {
	check_function 'channels: a recorder without rare events starts' channels_record slab
	check_function 'channels: some load' channels_load 4
	snapshot_take idle --last 50ms
	channels_is 'without rare events: the snapshot is complete, and --last does not warn' '"complete" 0' \
		"$(snapshot_value "$path" certificate.verdict) $(grep -c 'do not hold' "$out/idle.err")"
	channels_is '... the snapshot has no page_alloc_failed' 0 "$(channels_events "$path" page_alloc_failed)"
	check 'channels: without rare events: --require-complete succeeds' 120 lttng-mm report slab --require-complete "$path"
	lttng snapshot record -s lttng-mm-slab "$out/plain" >/dev/null 2>&1
	echo "# channels: a plain snapshot: $(lttng-mm info --all "$out/plain" | grep -m 1 -E '^(Certificate|Complete|Undetermined|Holes)')"
	check 'channels: verify finds no error in a plain snapshot' 120 lttng-mm verify "$out/plain"
	check 'channels: without rare events: stop' 60 lttng-mm stop
}

# channels_tracked: prints 1 if the slab session tracks this shell, otherwise 0.
channels_tracked() {
	lttng list lttng-mm-slab 2>/dev/null | grep -c "Process IDs:.*$$\| PID: .*Allow only $$$"
}

# Tests that the plan stores the process tracker of a recorder, and that the daemon restores it.
channels_trackers() {
	session_fails 'channels: record refuses process id 0' 2 "pid: '0' is not a process id" record slab --pid=0
	check 'channels: record one process' 120 lttng-mm record slab --subbuf-size=256k --pid=$$
	channels_is 'LTTng tracks it' 1 "$(channels_tracked)"
	channels_is 'the plan contains the tracker' 1 "$(tr -d ' \n' </run/lttng-mm/recorder.json | grep -c "\"trackers\":{\"pid\":\[$$\]}")"
	channels_is 'status shows the tracker' 1 "$(lttng-mm status --all | grep -c "^lttng-mm-slab: .*, only pid $$")"
	channels_is 'the session of state dumps has no tracker' 0 "$(lttng list lttng-mm-slab-state | grep -c "Process IDs:.*$$\| PID: .*Allow only $$$")"
	# shellcheck disable=SC2034 # repair.sh
	repair_session=lttng-mm-slab
	repair_after 'lttng destroy of a recorder of one process' 'destroyed by another program' lttng destroy lttng-mm-slab
	channels_is 'the repaired session tracks the process' 1 "$(channels_tracked)"
	for _ in 1 2 3; do read -r _ </proc/uptime; done
	snapshot_take tracked
	others=$(lttng-mm print --events='slab_k*' "$path/kernel" | grep -c ' tid = [0-9]*,')
	own=$(lttng-mm print --events='slab_k*' "$path/kernel" | grep -c " tid = $$,")
	channels_is 'a snapshot has only events of the process' yes "$([ "$own" = "$others" ] && echo yes || echo "$own of $others")"
	channels_is '... and says so' 1 "$(tr -d ' \n' <"$path/snapshot.json" | grep -c '"tracker":"pid"')"
	check 'channels: one process: stop' 60 lttng-mm stop
}

# channels_user SESSION: prints the number of the session's trackers for user 4711.
channels_user() {
	lttng --mi=xml list "$1" | grep -c '>4711<'
}

# Tests a recorder of one user: the state dump must still list all threads.
channels_of_user() {
	check 'channels: record one user' 120 lttng-mm record slab --subbuf-size=256k --uid=4711
	channels_is 'LTTng tracks the user, but not in the session of state dumps' '1 0' \
		"$(channels_user lttng-mm-slab) $(channels_user lttng-mm-slab-state)"
	setpriv --reuid 4711 --regid 4711 --clear-groups -- cat /proc/uptime >/dev/null
	snapshot_take user
	channels_is 'the snapshot has events of the user only, and the state dump of all threads' 'yes 0 yes yes' "$(
		lttng-mm print "$path/kernel" | grep -q '^cat-' && echo yes) $(
		lttng-mm print --events='slab_k*' "$path/kernel" | grep -c '^sh-\|^kworker') $(
		lttng-mm print "$path" | grep -q ' process_statedump_thread: .*pid=1 ' && echo yes) $(
		lttng-mm print "$path" | grep -q ' slab_statedump_cache: .*name=dentry' && echo yes)"
	check 'channels: one user: stop' 60 lttng-mm stop
}

channels() {
	out=$work/channels
	rm -rf "$out"
	mkdir -p "$out"
	for channels_part in rare single dax idle trackers of_user; do
		"channels_$channels_part"
	done
	check_function 'channels: the recorder daemon ends' wait_for 60 serve_gone
	check_function 'channels: the session daemon ends' daemon_stop
	for channels_part in slab dax; do
		! grep -q "^lttng_probe_$channels_part " /proc/modules || rmmod "lttng-probe-$channels_part"
	done
}
