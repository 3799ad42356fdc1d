# SPDX-License-Identifier: LGPL-2.1-only
# Tests the snapshots of a busy recorder: methods, covered time, snapshot.json, and full disks.
# Sourced by run-all.sh.
# shellcheck shell=sh disable=SC2034,SC2154  # run-all.sh sets tests and work
# shellcheck source=tests/kernel/lib.sh

# snapshot_is NAME EXPECTED ACTUAL
snapshot_is() {
	is "snapshot: $1" "$2" "$3"
}

# snapshot_take NAME ARG...: takes a snapshot; sets status and path, which is empty on failure.
snapshot_take() {
	take_name=$1
	shift
	path=$(lttng-mm snapshot --output "$out" "$@" 2>"$out/$take_name.err")
	status=$?
	sed "s/^/# $take_name: /" "$out/$take_name.err"
}

# snapshot_value SNAPSHOT MEMBER: prints the value of a member of snapshot.json. Dots join the names
# of nested members.
snapshot_value() {
	awk '
		match($0, /^ *"/) {
			depth = RLENGTH - 1
			name = $0
			sub(/^ *"/, "", name)
			sub(/".*/, "", name)
			names[depth] = name
			value = $0
			sub(/^ *"[^"]*": */, "", value)
			sub(/,$/, "", value)
			name = names[1]
			for (i = 2; i <= depth; i++)
				name = name "." names[i]
			print name " " value
		}' "$1/snapshot.json" | sed -n "s/^$2 //p" | head -n 1
}

# snapshot_zero SNAPSHOT: prints the origin of the traces' clock, in nanoseconds since the Epoch.
snapshot_zero() {
	zero_s=$(sed -n 's/^\toffset_s = \([0-9]*\);.*/\1/p' "$1/kernel/metadata")
	zero_ns=$(sed -n 's/^\toffset = \([0-9]*\);.*/\1/p' "$1/kernel/metadata")
	echo $((${zero_s:-0} * 1000000000 + zero_ns))
}

snapshot_bytes() {
	find "$1/kernel" -type f ! -name metadata ! -path '*/index/*' -exec cat {} + | wc -c
}

# snapshot_order NUMBER...: prints yes if no number is smaller than the previous one.
snapshot_order() {
	order_last=$1
	for order_next; do
		[ "$order_last" -le "$order_next" ] || {
			echo "$order_last is after $order_next"
			return
		}
		order_last=$order_next
	done
	echo yes
}

# snapshot_load CPU: allocates without pause.
snapshot_load() {
	exec taskset -c "$1" sh -c "while [ -e '$out/busy' ]; do find /usr/share /usr/lib >/dev/null; done"
}

# snapshot_left FOLDER: prints the unfinished snapshots in the folder.
snapshot_left() {
	find "$1" -mindepth 1 -maxdepth 1 -name '.*'
}

snapshot_default() {
	snapshot_take default --reason 'slow "request" 4711'
	full=$path
	snapshot_is 'the buffers are frozen, without a message' '0 0 "freeze"' \
		"$status $(wc -l <"$out/default.err") $(snapshot_value "$path" method)"
	snapshot_is 'only the path is printed' "yes 1" "$([ -d "$path/kernel" ] && echo yes) $(echo "$path" | wc -l)"
	snapshot_is 'the snapshot has the trace of the state' yes "$([ -s "$path/state/metadata" ] && echo yes)"
	snapshot_is 'snapshot.json has the reason and the cause' '"slow \"request\" 4711" "request"' \
		"$(snapshot_value "$path" reason) $(snapshot_value "$path" cause.kind)"
	for clock in realtime monotonic boottime; do
		snapshot_is "the freeze follows the request by $clock" yes \
			"$(snapshot_order 1 "$(snapshot_value "$path" "requested.${clock}_ns")" "$(snapshot_value "$path" "frozen.${clock}_ns")")"
	done
	snapshot_is 'the request is in the interval that all CPUs share' yes \
		"$(snapshot_order "$(snapshot_value "$path" certificate.shared.start_ns)" \
			"$(snapshot_value "$path" requested_trace_ns)" "$(snapshot_value "$path" certificate.shared.end_ns)")"
	# LTTng's clock is CLOCK_MONOTONIC. The limit allows for emulation on a loaded machine.
	off=$(($(snapshot_value "$path" requested_trace_ns) - $(snapshot_zero "$path") - $(snapshot_value "$path" requested.monotonic_ns)))
	echo "# the request on the clock of the traces is off by $off ns"
	snapshot_is 'the time of the request on the clock of the traces is exact' yes "$(snapshot_order -100000 "$off" 100000)"
	check 'snapshot: verify finds no error' 120 lttng-mm verify "$path"
	check 'snapshot: info reads snapshot.json' 120 lttng-mm info --json "$path"
	snapshot_take required --require-complete
	snapshot_is 'a snapshot at a low event rate is certified as complete' '0 "complete"' \
		"$status $(snapshot_value "$path" certificate.verdict)"
	snapshot_is 'no unfinished snapshot is left' '' "$(snapshot_left "$out")"
}

# snapshot_modes: tests the access permissions of snapshots by both methods.
snapshot_modes() {
	for modes_case in ' d 750 f 640' 'private d 700 f 600' 'group d 750 f 640' 'public d 755 f 644'; do
		for method in freeze lttng; do
			modes_access=${modes_case%% *}
			snapshot_take modes --method="$method" ${modes_access:+"--access=$modes_access"}
			snapshot_is "modes: $method, ${modes_access:-default}" "${modes_case#* }" \
				"$(find "$path" -printf '%y %m\n' | sort -u | paste -sd ' ')"
		done
	done
	snapshot_is 'modes: by default, the group is tracing' "$snapshot_group" "$(find "$full" -printf '%G\n' | sort -u)"
}

# snapshot_methods: tests snapshots by the session daemon, and the note if the module is not loaded.
snapshot_methods() {
	snapshot_take lttng --method=lttng
	snapshot_is '--method=lttng: the session daemon takes the snapshot' '0 0 "lttng" null' \
		"$status $(wc -l <"$out/lttng.err") $(snapshot_value "$path" method) $(snapshot_value "$path" frozen)"
	check 'snapshot: --method=lttng: verify finds no error' 120 lttng-mm verify "$path"
	rmmod lttng-mm-freeze
	program=$(command -v lttng-mm)
	path=$(PATH='' "$program" snapshot --output "$out" 2>"$out/missing.err")
	snapshot_is 'without the module, one note says that the session daemon took the snapshot' '1 1 "lttng"' \
		"$(wc -l <"$out/missing.err") $(grep -c 'note: .*the buffers cannot be frozen: .*lttng-mm-freeze is not loaded' "$out/missing.err") $(snapshot_value "$path" method)"
	PATH='' "$program" snapshot --method=freeze --output "$out" >"$out/forced" 2>"$out/forced.err"
	snapshot_is '... --method=freeze fails' '4 0 1' \
		"$? $(wc -c <"$out/forced") $(grep -c 'omit the option' "$out/forced.err")"
	check 'snapshot: the module loads again' 60 modprobe lttng-mm-freeze
}

snapshot_last() {
	snapshot_take last --last 100ms
	since=$(($(snapshot_value "$path" requested_trace_ns) - 100000000))
	snapshot_is '--last: all CPUs reach back to that time' "0 100000000 yes" \
		"$status $(snapshot_value "$path" last_ns) $(snapshot_order "$(snapshot_value "$path" certificate.shared.start_ns)" "$since")"
	snapshot_is '--last: the snapshot is smaller than without it' yes \
		"$([ "$(snapshot_bytes "$path")" -lt "$(snapshot_bytes "$full")" ] && echo yes)"
	check 'snapshot: --last: verify finds no error' 120 lttng-mm verify "$path"
	snapshot_take longer --last 1h
	snapshot_is '--last: a warning says that the buffers hold less' '0 1' \
		"$status $(grep -c 'warning: .*--last: the buffers do not reach back 3600 s: complete coverage of all CPUs starts ' "$out/longer.err")"
}

snapshot_after() {
	snapshot_take after --after 2s
	snapshot_is '--after: the freeze is delayed by that time' '0 2000000000 yes' \
		"$status $(snapshot_value "$path" after_ns) $(snapshot_order $(($(snapshot_value "$path" requested.monotonic_ns) + 2000000000)) "$(snapshot_value "$path" frozen.monotonic_ns)")"
	snapshot_is '--after: the trace goes on after the request' yes \
		"$(snapshot_order $(($(snapshot_value "$path" requested_trace_ns) + 2000000000)) "$(snapshot_value "$path" certificate.shared.end_ns)")"
	: >"$out/busy"
	snapshot_load 0 &
	loads=$!
	snapshot_load 1 &
	loads="$loads $!"
	snapshot_take pushed --after 20s
	rm "$out/busy"
	# shellcheck disable=SC2086
	wait $loads
	snapshot_is '--after: a warning says that events before the request were overwritten' '0 1' \
		"$status $(grep -c 'warning: .*--after: the buffers are too small to hold the 20 s after the request' "$out/pushed.err")"
	lttng-mm snapshot --output "$out" --after 1h >"$out/interrupted" 2>&1 &
	interrupted=$!
	sleep 1
	kill "$interrupted"
	wait "$interrupted"
	snapshot_is '--after: a signal ends the wait, and no unfinished snapshot is left' '143 0' \
		"$? $(snapshot_left "$out" | wc -l)"
}

# snapshot_no_wait: stops the recorder while the background process writes the snapshot.
snapshot_no_wait() {
	# $(...) would wait for a background process that keeps standard output open.
	snapshot_take background --no-wait
	snapshot_is '--no-wait: a path is printed' '0 1' "$status $(echo "$path" | grep -c "^$out/snapshot-")"
	lttng-mm stop >/dev/null
	check_function 'snapshot: --no-wait: the folder appears at that path' wait_for 120 test -d "$path"
	check 'snapshot: --no-wait: verify finds no error' 120 lttng-mm verify "$path"
	snapshot_is '--no-wait: the snapshot has its state, system information and snapshot.json' yes \
		"$([ -s "$path/state/metadata" ] && [ -s "$path/sysinfo/system.json" ] && [ -s "$path/snapshot.json" ] && echo yes)"
	snapshot_is '--no-wait: no unfinished snapshot is left' '' "$(snapshot_left "$out")"
	check_function 'snapshot: the recorder starts again' snapshot_record
}

# snapshot_full: takes snapshots to a disk of 256 KiB.
snapshot_full() {
	mkdir -p "$out/small"
	mount -t tmpfs -o size=256k none "$out/small"
	for method in freeze lttng; do
		lttng-mm snapshot --method="$method" --output "$out/small" >"$out/full" 2>"$out/full.err"
		snapshot_is "disk full, $method: one line with folder and bytes" '4 0 1 1' \
			"$? $(wc -c <"$out/full") $(wc -l <"$out/full.err") $(grep -c "snapshot: $out/small: .*; its traces need up to [0-9]* bytes; [0-9]* bytes are free; make room" "$out/full.err")"
		sed 's/^/# /' "$out/full.err"
		snapshot_is "disk full, $method: no file is left" '' "$(find "$out/small" -mindepth 1)"
	done
	mount -o remount,ro "$out/small"
	for method in freeze lttng; do
		lttng-mm snapshot --method="$method" --output "$out/small" >"$out/full" 2>"$out/full.err"
		snapshot_is "read-only, $method: one line with folder and remedy" '4 0 1 1' \
			"$? $(wc -c <"$out/full") $(wc -l <"$out/full.err") $(grep -c "snapshot: $out/small: Read-only file system; choose another --output" "$out/full.err")"
		sed 's/^/# /' "$out/full.err"
	done
	snapshot_take again
	snapshot_is 'disk full, read-only: the recorder continues' '0 "complete"' \
		"$status $(snapshot_value "$path" certificate.verdict)"
	umount "$out/small"
}

snapshot_record() {
	lttng-mm record slab --no-daemon --subbuf-size=64k --num-subbuf=16 >/dev/null && find /usr/share >/dev/null
}

snapshot() {
	out=$work/snapshot
	rm -rf "$out"
	mkdir -p "$out"
	check_function 'snapshot: the session daemon starts' daemon_start
	check 'snapshot: the module loads' 60 modprobe lttng-mm-freeze
	# Debian's package creates the group; the image may not have it.
	grep -q '^tracing:' /etc/group || echo 'tracing:x:4712:' >>/etc/group
	snapshot_group=$(sed -n 's/^tracing:[^:]*:\([0-9]*\):.*/\1/p' /etc/group)
	check_function 'snapshot: the recorder starts' snapshot_record || return
	snapshot_default
	snapshot_modes
	snapshot_last
	snapshot_methods
	snapshot_no_wait
	snapshot_after
	snapshot_full
	check 'snapshot: the recorder stops' 60 lttng-mm stop
	check 'snapshot: the module can be removed' 10 rmmod lttng-mm-freeze
}
