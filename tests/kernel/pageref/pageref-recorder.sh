# SPDX-License-Identifier: LGPL-2.1-only
# Records page references in memory with `lttng-mm record page-ref`: snapshots, status, triggers,
# refusals, and that no page stays marked after the end of the recorder, of LTTng's daemons and of
# the recorder daemon. Sourced by run-all.sh after pageref-command.sh and serve.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh sets work, pageref.sh and serve.sh the others
# shellcheck source=tests/kernel/lib.sh

# babeltrace2 takes minutes for 200,000 events in an emulated guest.
pageref_recorder_pages=100

# pageref_hints: prints the number of faults on marked pages that the kernel handled.
pageref_hints() {
	awk '$1 == "numa_hint_faults" { print $2 }' /proc/vmstat
}

# pageref_ms: prints the uptime.
pageref_ms() {
	awk '{ printf "%d", $1 * 1000 }' /proc/uptime
}

# pageref_target NAME [COMMAND...]: starts the program in $out/NAME, by COMMAND. Sets pageref_pid.
pageref_target() {
	pageref_folder=$out/$1
	shift
	mkdir -p "$pageref_folder"
	"$@" "$tests/pageref-touch" "$pageref_recorder_pages" "$pageref_folder" &
	pageref_pid=$!
}

# pageref_touch_all NAME: the program in $out/NAME touches its pages again.
pageref_touch_all() {
	: >"$out/$1/pause"
	wait_for 30 [ -e "$out/$1/paused" ] || return
	rm "$out/$1/pause"
	# The next pause follows a round that began after this one ended.
	wait_for 30 [ ! -e "$out/$1/paused" ] || return
	: >"$out/$1/pause"
	wait_for 30 [ -e "$out/$1/paused" ] || return
	rm "$out/$1/pause"
}

# pageref_end NAME PID: ends the program. Its status says whether its data were right.
pageref_end() {
	: >"$out/$1/stop"
	wait "$2"
}

# pageref_record_memory NAME ARGUMENT...: starts a recorder. Writes the output to $out/NAME.out and
# .err, and sets status.
pageref_record_memory() {
	pageref_name=$1
	shift
	lttng-mm record page-ref --interval=500 --max-overhead=none "$@" >"$out/$pageref_name.out" 2>"$out/$pageref_name.err"
	status=$?
	sed 's/^/# /' "$out/$pageref_name.err"
}

# pageref_status: writes the JSON form to $out/status.json. Fails if the recorder daemon, which has
# 200 ms, does not answer in time.
pageref_status() {
	lttng-mm status --json >"$out/status.json" 2>/dev/null
	grep -q '"recorder_daemon_answers": true' "$out/status.json"
}

# pageref_state MEMBER: prints a member of the status, such as held or restored.
pageref_state() {
	wait_for 10 pageref_status
	awk -v name="\"$1\":" '/"page_ref": / { inside = 1 }
		inside && $1 == name { sub(/^[^:]*: /, ""); sub(/,$/, ""); print; exit }' "$out/status.json"
}

# pageref_status_says PATTERN: does the text form match it?
pageref_status_says() {
	lttng-mm status 2>/dev/null | grep -q -e "$1"
}

# Ends the recorder daemon.
pageref_serve_end() {
	kill "$(serve_pid)"
	wait_for 30 serve_gone
}

pageref_is_held() {
	[ "$(pageref_state held)" = true ]
}

# pageref_passes COUNT: have there been COUNT more passes than the last time?
pageref_passes() {
	[ "$(pageref_state passes)" -ge $((pageref_passed + $1)) ]
}

pageref_await_passes() {
	pageref_passed=$(pageref_state passes)
	wait_for 30 pageref_passes 5
}

# pageref_unmarked NAME: waits until no process has the control file open. Then checks the counters:
# no page of the programs, whose mappings do not change, may have a mark. The kernel has restored as
# many marks as it has handled hint faults since pageref_before_hints.
pageref_unmarked() {
	pageref_began=$(pageref_ms) pageref_tries=1
	until (exec 6<>"$pageref_device" && cat <&6) >"$out/counters" 2>/dev/null; do
		if [ $(($(pageref_ms) - pageref_began)) -gt 60000 ]; then
			not_ok "pageref: $1: the control file is closed"
			return
		fi
		pageref_tries=$((pageref_tries + 1))
		sleep 0.1
	done
	pageref_took=$(($(pageref_ms) - pageref_began))
	echo "# $1: closed after $pageref_took ms"
	# The factor is for a loaded host only.
	pageref_is "$1: the control file is closed within two seconds" yes \
		"$([ "$pageref_took" -le $((2000 * patience)) ] && echo yes)"
	sed 's/^/# /' "$out/counters"
	pageref_is "$1: all marks are gone: made - restored by touches - removed - restored by the kernel" 0 \
		"$(awk -v hints=$(($(pageref_hints) - pageref_before_hints)) '{ value[$1] = $2 }
			END { print value["marked"] - value["restored"] - value["unmarked"] - hints }' "$out/counters")"
	pageref_after=$(pageref_hints)
	check_function "pageref: $1: the program touches its pages" pageref_touch_all target
	pageref_is "$1: ... and none has a mark" 0 $(($(pageref_hints) - pageref_after))
}

# Refused commands change nothing.
pageref_recorder_refusals() {
	pageref_record_memory other --session=other --uid=0
	pageref_is 'a second recorder is refused in one line' '4 1 0' \
		"$status $(grep -c 'the recorder lttng-mm already records page references.*lttng-mm stop page-ref' "$out/other.err") $(wc -c <"$out/other.out")"
	pageref_record second -- true
	pageref_is 'a recording to a folder, too' '125 1' \
		"$status $(grep -c 'the recorder lttng-mm already records page references' "$out/second.err")"
	lttng-mm record page-ref --pid=1 >"$out/same.out" 2>"$out/same.err"
	pageref_is 'the same recorder, too' '4 1' "$? $(grep -c 'page-ref: already recording in session' "$out/same.err")"
	pageref_is '... the recorder continues' "true \"pid $pageref_target_pid\"" "$(pageref_state held) $(pageref_state targets)"
}

pageref_recorder_snapshot() {
	pageref_snapshot=$(lttng-mm snapshot --output "$out" 2>"$out/snapshot.err")
	pageref_is 'a snapshot' "0 yes" "$? $([ -d "$pageref_snapshot" ] && echo yes)"
	sed 's/^/# /' "$out/snapshot.err"
	check 'pageref: verify accepts the snapshot' 120 lttng-mm verify "$pageref_snapshot"
	check 'pageref: info, too' 120 lttng-mm info "$pageref_snapshot"
	check 'pageref: babeltrace2 reads it' 120 babeltrace2 "$pageref_snapshot"
	lttng-mm report page-ref "$pageref_snapshot" >"$out/snapshot.report" 2>&1
	pageref_is 'the report names the program' '0 yes' "$? $(grep -q pageref-touch "$out/snapshot.report" && echo yes)"
	sed 's/^/# /' "$out/snapshot.report" | head -n 40
	lttng-mm print "$pageref_snapshot" >"$out/snapshot.txt" 2>"$out/print.err"
	pageref_is 'print shows touches and the state dump' '0 yes yes' \
		"$? $(grep -q pageref_touch "$out/snapshot.txt" && echo yes) $(grep -q 'pageref_statedump_mapping.*pageref-touch' "$out/snapshot.txt" && echo yes)"
	pageref_above 'touches of each pass' $((2 * pageref_recorder_pages)) \
		"$(pageref_touches "${pageref_snapshot#"$out/"}" pageref-touch ARMED)"
}

# The exit of a recorded process triggers a snapshot.
pageref_recorder_trigger() {
	lttng-mm trigger add pages --on 'pageref_gone if cause == EXIT' --warm-up 0s >"$out/trigger.out" 2>&1
	pageref_is 'a trigger' 0 "$?"
	diag <"$out/trigger.out"
	pageref_end child "$pageref_child_pid"
	check_function 'pageref: ... takes a snapshot when a recorded process exits' wait_for 60 pageref_triggered
	lttng-mm trigger remove pages >/dev/null
}
# shellcheck disable=SC2144
pageref_triggered() {
	[ -n "$(find /var/lib/lttng-mm -maxdepth 1 -name 'pages-20*')" ]
}

pageref_recorder_start() {
	pageref_target target
	pageref_target_pid=$pageref_pid
	check_function 'pageref: a program runs' wait_for 60 [ -e "$out/target/ready" ] || return
	pageref_before_hints=$(pageref_hints)
	pageref_record_memory memory --pid="$pageref_target_pid"
	pageref_is 'a recorder in memory starts' '0 1' "$status $(grep -c '^recording page-ref in session lttng-mm-page-ref' "$out/memory.out")"
	pageref_is '... its targets are set when the command ends' 'true 500' "$(pageref_state held) $(pageref_state interval_ms)"
	check_function 'pageref: ... there are passes' pageref_await_passes
	check_function 'pageref: ... status shows targets and interval' wait_for 10 pageref_status_says \
		"^page references: pid $pageref_target_pid, every 500 ms; the recorder daemon has had /dev/lttng-mm-pageref open since"
	check_function 'pageref: ... and counters' wait_for 10 pageref_status_says \
		'passes, [1-9][0-9]* pages marked, [1-9][0-9]* restored when touched'
	pageref_is '... doctor names the recorder' 1 "$(lttng-mm doctor | grep -c 'page-marks *the recorder lttng-mm records page references')"
}

pageref_recorder_restart() {
	kill -KILL "$(serve_pid)"
	pageref_unmarked 'the recorder daemon is killed'
	check_function 'pageref: the recorder daemon starts again' serve_start
	check_function 'pageref: ... and sets the targets' wait_for 30 pageref_is_held
	check_function 'pageref: ... there are passes' pageref_await_passes
}

# A shell starts a program after the recorder, and then the daemon is restarted.
pageref_recorder_descendants() {
	mkdir -p "$out/child"
	# shellcheck disable=SC2016 # the inner shell expands these
	sh -c 'while [ ! -e "$2/go" ]; do sleep 0.1; done; "$1/pageref-touch" 100 "$2"; exit $?' sh "$tests" "$out/child" &
	pageref_child_pid=$!
	sh -c 'while :; do sleep 0.1; done' &
	pageref_other_pid=$!
	pageref_record_memory tree --pid="$pageref_target_pid,$pageref_child_pid,$pageref_other_pid"
	pageref_is 'several processes are recorded' 0 "$status"
	: >"$out/child/go"
	check_function 'pageref: a recorded shell starts a program' wait_for 60 [ -e "$out/child/ready" ]
	pageref_program_pid=$(pgrep -P "$pageref_child_pid")
	check_function 'pageref: ... there are passes' pageref_await_passes
	kill "$pageref_other_pid"
	wait "$pageref_other_pid" 2>/dev/null
	kill -KILL "$(serve_pid)"
	check_function 'pageref: when the recorder daemon is killed, the control file is free' wait_for 10 pageref_is_free
	check_function 'pageref: it starts again' serve_start
	check_function 'pageref: ... and sets the targets' wait_for 30 pageref_is_held
	pageref_is '... but not a process that has ended' "\"process $pageref_other_pid (ended)\"" "$(pageref_state lacking)"
	check_function 'pageref: ... and status says so' wait_for 10 pageref_status_says \
		"; not recorded: process $pageref_other_pid (ended)"
	check_function 'pageref: ... there are passes' pageref_await_passes
	pageref_snapshot=$(lttng-mm snapshot --output "$out" 2>"$out/tree.err")
	sed 's/^/# /' "$out/tree.err"
	# The number of the address space after the restart is a new one.
	pageref_touched=$(babeltrace2 "$pageref_snapshot" 2>/dev/null | awk -v pid="$pageref_program_pid" '
		function value(field, t) {
			t = $0
			sub(".*[{ ]" field " = ", "", t)
			sub(/[,} ].*/, "", t)
			return t
		}
		/ pageref_mm: / && value("pid") == pid { mm = value("mm"); spaces++; count = 0 }
		/ pageref_touch: / && spaces && value("mm") == mm { count++ }
		END { print spaces + 0, count + 0 }')
	pageref_is '... the child, which started before the restart, is found' 2 "${pageref_touched% *}"
	pageref_above '... and recorded again' 100 "${pageref_touched#* }"
}

# LTTng's daemons are killed; the recorder daemon starts them again after some seconds.
pageref_recorder_lttng() {
	kill -KILL "$(cat /run/lttng/lttng-sessiond.pid)"
	pkill -KILL -x lttng-consumerd
	pageref_unmarked "LTTng's daemons are killed"
	check_function 'pageref: ... the sessions are restored and the targets set' wait_for 120 pageref_is_held
	check_function 'pageref: ... there are passes' pageref_await_passes
}

pageref_recorder_stop() {
	lttng-mm stop page-ref >"$out/stop.out" 2>&1
	pageref_is 'stop' 0 "$?"
	pageref_unmarked stop
	pageref_is '... when it returns, nobody has the control file open' 1 "$pageref_tries"
	pageref_is '... status shows no targets' null "$(lttng-mm status --json | awk '$1 == "\"page_ref\":" { sub(/,$/, "", $2); print $2 }')"
}

# Tests `record` without a recorder daemon: with --no-daemon, and while the daemon cannot start
# because its lock is taken.
pageref_recorder_alone() {
	check_function 'pageref: another profile is recorded' lttng-mm record dax --force --no-daemon
	lttng-mm record page-ref --pid=$$ --no-daemon >"$out/alone.out" 2>"$out/alone.err"
	pageref_is 'without the recorder daemon, nothing is recorded' '2 0 1' \
		"$? $(wc -c <"$out/alone.out") $(grep -c 'needs the recorder daemon, and none is running' "$out/alone.err")"
	flock /run/lttng-mm/serve.lock sleep 1000 &
	pageref_pid=$!
	sleep 1
	lttng-mm record page-ref --pid=$$ >"$out/alone.out" 2>"$out/alone.err"
	pageref_is '... nor if it cannot start' '4 1' "$? $(grep -c 'record: page-ref needs the recorder daemon' "$out/alone.err")"
	sed 's/^/# /' "$out/alone.err"
	pageref_is '... the other profile is still recorded' 'dax' \
		"$(lttng-mm status --json | sed -n 's/^ *"profile": "\(.*\)",$/\1/p' | paste -sd' ')"
	pkill -P "$pageref_pid"
	kill "$pageref_pid" 2>/dev/null
	check_function 'pageref: the other profile stops' lttng-mm stop dax
}

# All processes of root are recorded, except those that record.
pageref_recorder_uid() {
	pageref_record_memory uid --uid=root
	pageref_is 'all processes of root are recorded' '0 "uid 0"' "$status $(pageref_state targets)"
	check_function 'pageref: ... there are passes' pageref_await_passes
	pageref_snapshot=$(lttng-mm snapshot --output "$out" 2>/dev/null)
	babeltrace2 "$pageref_snapshot" 2>/dev/null | sed -n 's/.* pageref_\(statedump_\)*mm: .*name = "\([^"]*\)".*/\2/p' |
		sort -u >"$out/names"
	pageref_is '... such as the programs of this test' 'pageref-touch sh' "$(grep -x -e pageref-touch -e sh "$out/names" | paste -sd' ')"
	pageref_is '... but not those that record' '' "$(grep lttng "$out/names" | paste -sd' ')"
	check_function 'pageref: stop' lttng-mm stop page-ref
}

# `stop --all` removes the module, which fails while a process has the control file open.
pageref_recorder_cgroup() {
	[ -e /sys/fs/cgroup/cgroup.procs ] || mount -t cgroup2 cgroup2 /sys/fs/cgroup
	mkdir -p /sys/fs/cgroup/pageref && echo "$pageref_target_pid" >/sys/fs/cgroup/pageref/cgroup.procs
	lttng-mm record page-ref --cgroup=/sys/fs/cgroup/nothing >"$out/nothing.out" 2>"$out/nothing.err"
	pageref_is 'a cgroup that does not exist' '2 0 1' \
		"$? $(wc -c <"$out/nothing.out") $(grep -c 'page-ref: --cgroup: /sys/fs/cgroup/nothing: No such file' "$out/nothing.err")"
	pageref_record_memory cgroup --cgroup=/pageref --window=30s
	pageref_is 'a cgroup is recorded, in buffers for its rate' '0 1' \
		"$status $(grep -c '^page-ref: the busiest CPU wrote [1-9]' "$out/cgroup.out")"
	sed 's/^/# /' "$out/cgroup.out"
	check_function 'pageref: ... there are passes' pageref_await_passes
	pageref_snapshot=$(lttng-mm snapshot --output "$out" 2>/dev/null)
	pageref_is '... the report states what else the cgroup contains' 1 "$(lttng-mm report page-ref "$pageref_snapshot" |
		tr '\n' ' ' | grep -c 'the cgroup /pageref also had [0-9.]* [KM]*i*B of page cache that was not mapped')"
	lttng-mm stop --all >"$out/stop-all" 2>&1
	pageref_is '... stop --all' 0 "$?"
	sed 's/^/# /' "$out/stop-all"
	pageref_is '... removes the probe, too' 0 "$(grep -c '^lttng_probe_pageref ' /proc/modules)"
	pageref_end target "$pageref_target_pid"
	pageref_is 'the program finds all its data' 0 "$?"
	rmdir /sys/fs/cgroup/pageref
}

pageref_recorder() {
	out=$work/pageref-recorder
	rm -rf "$out" /var/lib/lttng-mm/pages-20*
	mkdir -p "$out"
	# Prevent the kernel from making marks of its own.
	echo 0 >/proc/sys/kernel/numa_balancing 2>/dev/null
	check_function 'pageref: no session daemon runs' daemon_stop
	pageref_recorder_alone
	pageref_recorder_start
	pageref_recorder_refusals
	pageref_recorder_snapshot
	pageref_recorder_restart
	pageref_recorder_lttng
	pageref_recorder_stop
	check_function 'pageref: the recorder daemon ends' pageref_serve_end
	pageref_recorder_descendants
	pageref_recorder_trigger
	check_function 'pageref: stop' lttng-mm stop page-ref
	check_function 'pageref: the recorder daemon ends' pageref_serve_end
	pageref_recorder_uid
	pageref_recorder_cgroup
	check_function 'pageref: the session daemon ends' daemon_stop
}
