# SPDX-License-Identifier: LGPL-2.1-only
# Reads live sessions from a relay daemon, with the babeltrace2 plugin and with lttng-mm itself, and
# compares both reports with the report on the relay daemon's own copy. Sourced by run-all.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh sets tests and work

live_relay=net://127.0.0.1

# live_sessions: prints one line `URL (timer = ..., N client(s) connected)` for each session.
live_sessions() {
	timeout 60 babeltrace2 -i lttng-live "$live_relay"
}

# live_listed NAME / live_attached NAME: true if the session is listed / has a reader.
live_listed() {
	live_sessions | grep -q "/$1 "
}
live_attached() {
	live_sessions | grep "/$1 " | grep -q ' 1 client'
}

# live_start NAME: records every DAX event in a session that is read over the network.
live_start() {
	live_format=
	if lttng_has_formats; then
		live_format=--trace-format=ctf-1.8
	fi
	# shellcheck disable=SC2086
	lttng create "$1" --live=200000 --set-url="$live_relay" $live_format &&
		lttng enable-event --kernel --session="$1" 'dax_*' &&
		lttng add-context --kernel --session="$1" --type=procname &&
		lttng start "$1"
}

live_workload() {
	pmem_mkfs ext4 "$1" && pmem_mount "$1" "$work/mnt" &&
		timeout 120 "$tests/dax-workload" --quiet --only pmd-write,mapping-misaligned,extent-short \
			"$work/mnt" &&
		umount "$work/mnt"
}

# live_read NAME REPORT DEVICE COMMAND...: runs COMMAND URL, which reads the whole session.
live_read() {
	live_name=$1 live_report=$2 live_device=$3
	shift 3
	check_function "live: $live_name: records" live_start "$live_name" || return
	check_function "live: $live_name: the relay daemon lists it" wait_for 60 live_listed "$live_name"
	live_url=$(live_sessions | sed -n "s|^\(net.*/$live_name\) .*|\1|p")
	"$@" "$live_url" >"$work/$live_report" 2>"$work/$live_report.err" &
	live_reader=$!
	check_function "live: $live_name: a reader attaches" wait_for 60 live_attached "$live_name"
	check_function "live: $live_name: the workload runs" live_workload "$live_device"
	check "live: $live_name: stops" 120 lttng stop "$live_name"
	check "live: $live_name: is destroyed" 120 lttng destroy "$live_name"
	check_function "live: $live_name: the reader exits" wait_for 120 process_gone "$live_reader"
	process_gone "$live_reader" 2>/dev/null || kill "$live_reader"
	wait "$live_reader"
	live_status=$?
	check "live: $live_name: the reader succeeds" 5 test "$live_status" -eq 0
	[ "$live_status" -eq 0 ] || diag <"$work/$live_report.err"
}

# live_text: filters a text report. Removes the lines about the recorded time and completeness, and
# the rates, because a live session is covered only after the reader has attached. Removes the line
# about streams, which only a relay daemon lists, and the blanks that align columns.
live_text() {
	awk '/^Recorded: |^Complete|^Streams: not verifiable/ { next }
		/ faults\/s/ { end = index($0, "faults/s") + 7 }
		/^$/ { end = 0 }
		end { line = substr($0, 1, end); sub(/[^ ]+$/, "", line); $0 = line substr($0, end + 1) }
		{ gsub(/   +/, "  "); print }'
}

# live_json: filters a JSON report. Removes stream names, which differ over the network, and missing
# streams and possible pauses, which only a folder can have. Removes the covered time and the rates,
# because a live session is covered only after the reader has attached.
live_json() {
	grep -v -e '^ *"stream": "' -e '^ *"unverifiable": ' -e '^ *"start_ns": ' \
		-e '^ *"possible_pauses": ' -e '^ *"possible_pauses_ns": ' \
		-e '^ *"complete": ' -e '^ *"streams_verified": ' -e '^ *"duration_ns": ' \
		-e '^ *"faults_per_second": '
}

# live_same NAME FILTER FILE FILE: checks that the filtered files are equal and not empty.
live_same() {
	"$2" <"$3" >"$3.filtered"
	"$2" <"$4" >"$4.filtered"
	check_function "live: $1" live_equal "$3.filtered" "$4.filtered"
}
live_equal() {
	grep -q 'huge-page fault\|"dax.pmd_faults"' "$1" && diff "$1" "$2"
}

live() {
	device=$1
	rm -rf "$work/relay"
	check_function 'live: the session daemon starts' daemon_start
	check 'live: the probe loads' 60 modprobe lttng-probe-dax
	lttng-relayd --output="$work/relay" >"$work/relay.log" 2>&1 &
	live_daemon=$!
	if ! check_function 'live: the relay daemon starts' wait_for 60 live_sessions; then
		diag <"$work/relay.log"
		kill "$live_daemon"
		return
	fi

	live_read mm-plugin plugin.txt "$device" babeltrace2_sink
	trace=$(echo "$work"/relay/*/mm-plugin-*)
	check_metadata live "$trace"
	lttng-mm report dax --all "$trace" >"$work/disk.txt"
	live_same 'the sink on the live session gives the report of the copy on disk' live_text "$work/disk.txt" "$work/plugin.txt"
	check 'live: ... and knows that no stream is missing' 5 \
		grep -q '^Complete: .*, none of 2 streams missing;' "$work/plugin.txt"
	check 'live: ... while one may be missing in the copy on disk' 5 \
		grep -q '^Complete unless a stream is missing[:,]' "$work/disk.txt"

	live_read mm-report live.json "$device" lttng-mm report dax --json
	trace=$(echo "$work"/relay/*/mm-report-*)
	lttng-mm report dax --json "$trace" >"$work/disk.json"
	live_same 'lttng-mm on the live session gives the report of the copy on disk' live_json "$work/disk.json" "$work/live.json"
	babeltrace2 "$trace" -c sink.lttng-mm.dax -p json=yes >"$work/sink.json"
	live_same 'the sink on the copy on disk gives this report, too' live_json "$work/disk.json" "$work/sink.json"
	check 'live: the live session is complete' 5 grep -q '"complete": true' "$work/live.json"
	for live_file in disk.json sink.json; do
		check "live: $live_file: completeness is unknown, because a stream may be missing" 5 \
			grep -q '"complete": null' "$work/$live_file"
	done

	lttng-mm report dax --all "$live_relay/host/$(hostname)/nobody" >"$work/nobody.txt" 2>&1
	check 'live: a missing session is bad input' 5 test $? -eq 2
	check 'live: ... and the message says so' 5 grep -q 'no live session to read' "$work/nobody.txt"
	kill "$live_daemon"
	wait "$live_daemon" 2>/dev/null
}

babeltrace2_sink() {
	babeltrace2 -i lttng-live "$1" -c sink.lttng-mm.dax
}
