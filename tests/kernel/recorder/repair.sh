# SPDX-License-Identifier: LGPL-2.1-only
# Tests that the recorder daemon restores sessions that other programs stop or destroy, and saves
# the buffers when LTTng's daemons are killed. Sourced by run-all.sh after serve.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh sets work
# shellcheck source=tests/kernel/recorder/serve.sh

repair_session=lttng-mm-slab
repair_file=/run/lttng-mm/repairs.json
repair_output=/var/lib/lttng-mm

# repair_is NAME EXPECTED ACTUAL
repair_is() {
	is "repair: $1" "$2" "$3"
}

# repair_count WHAT: prints the number of repairs of the event session for the reason WHAT.
repair_count() {
	grep -A 1 "\"session\": \"$repair_session\"" "$repair_file" 2>/dev/null | grep -c "\"what\": \"$1\""
}

# repair_await SECONDS COMMAND...: waits until COMMAND prints something other than 0, then prints
# its output.
repair_await() {
	repair_limit=$1
	shift
	wait_for "$repair_limit" repair_some "$@"
	"$@"
}
repair_some() {
	! prints 0 "$@"
}

repair_running() {
	lttng-mm status --all 2>/dev/null | grep -c "^$repair_session: profile slab, recording"
}

# repair_after NAME WHAT COMMAND...: runs COMMAND, whose effect must be repaired exactly once.
repair_after() {
	repair_name=$1 repair_what=$2
	shift 2
	repair_before=$(repair_count "$repair_what")
	"$@" >"$work/repair.log" 2>&1
	repair_done=$(date +%s%N)
	# shellcheck disable=SC2317
	repair_new() { echo $(($(repair_count "$repair_what") - repair_before)); }
	repair_is "$repair_name: the hole is stated" 1 "$(repair_await 60 repair_new)"
	# Take the time now: a rescue changes the file again later.
	repair_written=$(date -r "$repair_file" +%s%N)
	repair_is "$repair_name: recording again" 1 "$(repair_await 10 repair_running)"
}

# repair_hole: prints start and end of the last hole in the session with events.
repair_hole() {
	awk -v session="\"$repair_session\"," '{ value = $2; sub(/,$/, "", value) }
		$1 == "\"session\":" { ours = $2 == session } $1 == "\"from_ns\":" && ours { from = value }
		$1 == "\"until_ns\":" && ours { last = from " " value } END { print last }' "$repair_file"
}

# repair_within NAME: checks that the repair took at most 2 s after repair_after's command ended.
repair_within() {
	repair_hole=$(repair_hole)
	echo "# $1: repaired $(((${repair_hole#* } - repair_done) / 1000000)) ms after the command"
	repair_is "$1: repaired within 2 s" yes "$([ $((${repair_hole#* } - repair_done)) -le 2000000000 ] && echo yes)"
}

# repair_stated NAME: checks that the hole was written to the file within 1 s of the hole's end.
repair_stated() {
	repair_hole=$(repair_hole)
	repair_late=$(((repair_written - ${repair_hole#* }) / 1000000))
	echo "# $1: stated $repair_late ms after the end of the hole"
	repair_is "$1: the hole is stated within 1 s of its end" yes "$([ "$repair_late" -le 1000 ] && echo yes)"
}

repair_rescues() {
	find "$repair_output" -mindepth 1 -maxdepth 1 -name 'rescue-*' 2>/dev/null | wc -l
}

# repair_rescued NAME BEFORE: checks that there is one more rescue snapshot than BEFORE.
repair_rescued() {
	repair_rescues_before=$2
	# shellcheck disable=SC2317
	repair_more() { echo $(($(repair_rescues) - repair_rescues_before)); }
	repair_is "$1: what the buffers held is rescued" 1 "$(repair_await 60 repair_more)"
	repair_path=$(find "$repair_output" -mindepth 1 -maxdepth 1 -name 'rescue-*' | sort | tail -n 1)
	[ -n "$repair_path" ] || lttng-mm status --all | diag
	repair_is "$1: its cause" rescue "$(sed -n 's/.*"kind": "\([a-z]*\)".*/\1/p' "$repair_path/snapshot.json" | head -n 1)"
	lttng-mm verify "$repair_path" >"$work/repair.verify" 2>&1
	repair_is "$1: verify finds no damage" 'Findings: 0 damaged' "$(grep -o 'Findings: 0 damaged' "$work/repair.verify")"
}

# Tests changes of the sessions by other programs, with plain lttng commands.
repair_others() {
	repair_after 'lttng stop' 'stopped by another program' lttng stop "$repair_session"
	repair_is '... the pause in the certificate takes at most two seconds' yes \
		"$(repair_pauses "$(lttng-mm snapshot --output "$work/repair")" 2000000000)"
	repair_within 'lttng stop'
	repair_stated 'lttng stop'
	repair_after 'lttng clear' 'cleared by another program' lttng clear "$repair_session"
	repair_within 'lttng clear'
	repair_stated 'lttng clear'
	repair_after 'lttng disable-channel' 'channel or events disabled by another program' \
		lttng disable-channel -k -s "$repair_session" lttng-mm
	repair_after 'lttng disable-event' 'channel or events disabled by another program' \
		lttng disable-event -k -s "$repair_session" -c lttng-mm 'slab_kfree*'
	repair_after 'lttng disable-event of rare events' 'channel or events disabled by another program' \
		lttng disable-event -k -s "$repair_session" -c lttng-mm-rare page_alloc_failed
	rescues=$(repair_rescues)
	repair_after 'lttng destroy -a' 'destroyed by another program' lttng destroy -a
	repair_within 'lttng destroy -a'
	repair_stated 'lttng destroy -a'
	repair_rescued 'lttng destroy -a' "$rescues"
	repair_is 'status shows the repairs' yes "$([ "$(lttng-mm status --all | grep -c '^repaired: ')" -ge 4 ] && echo yes)"
	repair_is 'a snapshot states the repairs' yes \
		"$(grep -q 'destroyed by another program' "$(lttng-mm snapshot --output "$work/repair")/snapshot.json" && echo yes)"
}

# repair_problem [SESSION]
repair_problem() {
	lttng-mm status --all 2>/dev/null |
		grep -c "^problem: session: ${1:-$repair_session}: active, but nothing has been recorded since "
}

# shellcheck disable=SC2317
repair_no_problem() {
	[ "$(repair_problem)" = 0 ] && echo 1 || echo 0
}

# Tests that a member of the group tracing may request snapshots, but neither start nor stop a
# recorder.
repair_of_root() {
	for repair_case in stop 'stop slab'; do
		# shellcheck disable=SC2086 # words
		serve_as "$(serve_group)" lttng-mm $repair_case >/dev/null 2>"$work/repair.err"
		repair_is "$repair_case is root's alone" '4 1 1' \
			"$? $(grep -c 'only root can start or stop a recorder' "$work/repair.err") $(repair_running)"
	done
	for repair_case in "$(serve_group)" "$serve_user"; do
		serve_as "$repair_case" lttng-mm record --events=sched_switch >/dev/null 2>"$work/repair.err"
		repair_is 'so is record, for any other user' '4 1 0' \
			"$? $(grep -c 'only root can start or stop a recorder' "$work/repair.err") $(lttng --mi=xml list | grep -c lttng-mm-events)"
	done
}

# Tests a silent session. It is active for the session daemon and the kernel, but it tracks a
# process that does not exist.
repair_silence() {
	sleep 12
	repair_is 'status reports no silent session' 0 "$(repair_problem)"
	lttng track --kernel --session="$repair_session" --pid=4000000 >"$work/repair.log" 2>&1
	repair_is 'a tracker that excludes everything is set' 0 $?
	repair_is '... status still shows that the session records' 1 "$(repair_running)"
	repair_is '... and the problem that nothing has been recorded' 1 "$(repair_await 60 repair_problem)"
	repair_is '... OpenMetrics has the problem, too' 1 "$(lttng-mm status --openmetrics | grep -c '^lttng_mm_problem 1$')"
	lttng track --kernel --session="$repair_session" --pid --all >"$work/repair.log" 2>&1
	repair_is '... until an event is recorded' 1 "$(repair_await 60 repair_no_problem)"
	check 'repair: record --events' 120 lttng-mm record --events=sched_switch
	lttng track --kernel --session=lttng-mm-events --pid=4000000 >"$work/repair.log" 2>&1
	repair_is 'with chosen events, a tracker that excludes everything is found' 1 \
		"$(repair_await 60 repair_problem lttng-mm-events)"
	check 'repair: stop the chosen events' 60 lttng-mm stop events
}

repair_silent_cpu_found() {
	lttng-mm status --all 2>/dev/null |
		grep -c '^problem: session: lttng-mm-events: active, but CPU 1 has not recorded events that have occurred on it: '
}

# Tests a session of the plan that records nothing on CPU 1. It was created again with plain
# commands while no recorder daemon ran. Its event has the right name, but is a kernel probe of a
# function that only CPU 0 calls. (An event with a filter would not count as the plan's event.) Once
# a minute, the daemon causes events on each CPU.
repair_silent_cpu() {
	kill -9 "$(serve_pid)"
	sleep 1
	check 'repair: record slab, without the daemon' 120 lttng-mm record slab --no-daemon
	check 'repair: record --events, without the daemon' 120 lttng-mm record --events=sched_process_fork --no-daemon
	lttng destroy lttng-mm-events >/dev/null
	lttng-mm record --events=sched_process_fork --dry-run |
		sed -n '/session=lttng-mm-events \|\(create\|start\) lttng-mm-events$\|create lttng-mm-events /{
			/enable-event/s/$/ --probe=__x64_sys_sethostname/; p; }' >"$work/repair.sh"
	sed 's/^/# /' "$work/repair.sh"
	check 'repair: a session that records CPU 0 only is created' 60 sh -e "$work/repair.sh"
	: >"$work/repair.calls"
	taskset -c 0 sh -c "while [ -e '$work/repair.calls' ]; do hostname lttng-mm-guest; sleep 0.3; done" &
	repair_caller=$!
	check_function 'repair: the daemon adopts the session' serve_start
	echo 0 >/sys/devices/system/cpu/cpu1/online
	sleep 3
	echo 1 >/sys/devices/system/cpu/cpu1/online
	repair_is 'only CPU 1 of that session is reported as silent' 1 "$(repair_await 150 repair_silent_cpu_found)"
	lttng-mm status --all | grep '^problem' | sed 's/^/# /'
	rm "$work/repair.calls"
	wait "$repair_caller"
	check 'repair: stop events that CPU 0 recorded' 60 lttng-mm stop events
	repair_is '... and the problem ends' 0 "$(sleep 3; lttng-mm status --all | grep -c '^problem: ')"
	check 'repair: stop slab, too' 60 lttng-mm stop
}

# repair_pauses SNAPSHOT NS: prints yes if there is a pause, and none longer than NS.
repair_pauses() {
	awk -v most="$2" '{ sub(/,$/, "") }
		$1 == "\"start_ns\":" { start = $2 } $1 == "\"end_ns\":" { end = $2 }
		$0 ~ /"kind": "pause"/ { count++; if (end - start > most) long = end - start }
		END { print long ? "a pause of " long " ns" : count ? "yes" : "no pause" }' "$1/snapshot.json"
}

# repair_kill PATTERN: kills with SIGKILL, as the kernel does when memory runs out.
repair_kill() {
	# shellcheck disable=SC2046
	kill -9 $(pgrep -f "$1")
}

# repair_bounds NAME: checks that the hole in the event session starts at the freeze, after the
# daemon was killed, and ends where the new buffers start.
repair_bounds() {
	repair_hole=$(repair_hole)
	sleep 2
	repair_start=$(grep -A 3 '"shared": {' "$(lttng-mm snapshot --output "$work/repair")/snapshot.json" |
		sed -n 's/.*"start_ns": \([0-9]*\).*/\1/p')
	echo "# killed $repair_killed, hole $repair_hole, new buffers from $repair_start"
	repair_is "$1: the hole starts when the buffers were frozen" yes \
		"$([ "${repair_hole% *}" -ge "$repair_killed" ] && echo yes)"
	repair_is "$1: ... and ends within 2 s of the start of the new ones" yes \
		"$([ $((repair_start - ${repair_hole#* })) -ge -2000000000 ] &&
			[ $((repair_start - ${repair_hole#* })) -le 2000000000 ] && echo yes)"
	# The hole in the state session has the same times.
	repair_is "$1: status --json has the hole" yes \
		"$(lttng-mm status --json | grep -q "\"from_ns\": ${repair_hole% *}," && echo yes)"
}

# Tests a profile that is added after all sessions were destroyed, but before the recorder daemon
# notices that.
repair_add() {
	lttng destroy -a
	lttng-mm record dax --force
}

repair_added() {
	rescues=$(repair_rescues)
	repair_after 'lttng destroy -a, and record of another profile' 'destroyed by another program' repair_add
	repair_rescued 'a profile is added' "$rescues"
	repair_is 'the added profile is recorded, too' 1 "$(lttng-mm status --all | grep -c '^lttng-mm-dax: profile dax, recording')"
	check 'repair: stop dax' 60 lttng-mm stop dax
}

repair_daemons() {
	repair_stopped=$(daemon_pid) rescues=$(repair_rescues)
	repair_kill 'lttng-consumerd.*kconsumerd'
	sleep 2
	if [ "$(daemon_pid)" = "$repair_stopped" ]; then
		path=$(lttng-mm snapshot --output "$work/repair")
		repair_is 'a snapshot after kill -9 of the consumer daemon is complete' complete \
			"$(sed -n 's/.*"verdict": "\([a-z]*\)".*/\1/p' "$path/snapshot.json")"
	else
		# LTTng 2.13 sometimes ends both daemons.
		echo '# the session daemon has ended with its consumer daemon'
		repair_rescued 'the consumer daemon, and the session daemon with it' "$rescues"
		repair_is '... and recording continues' 1 "$(repair_await 60 repair_running)"
	fi
	rescues=$(repair_rescues)
	repair_killed=$(date +%s%N)
	repair_after 'kill -9 of the session daemon, too' 'the session daemon ended' repair_kill 'lttng-sessiond --daemonize'
	repair_stated 'kill -9 of the session daemon, too'
	repair_bounds 'both daemons'
	repair_rescued 'both daemons' "$rescues"
	repair_is 'both daemons: the rescue is complete' complete "$(sed -n 's/.*"verdict": "\([a-z]*\)".*/\1/p' "$repair_path/snapshot.json")"
	path=$(lttng-mm snapshot --output "$work/repair")
	repair_is 'both daemons: a later snapshot succeeds' 0 "$?"
	repair_is '... states the hole' 1 "$(grep -A 1 "\"session\": \"$repair_session\"" "$path/snapshot.json" | grep -c 'the session daemon ended')"
	# The session daemon is killed during a snapshot.
	rescues=$(repair_rescues)
	lttng-mm snapshot --output "$work/repair" >"$work/repair.path" 2>"$work/repair.err" &
	pid=$!
	sleep 0.3
	repair_after 'kill -9 of the session daemon during a snapshot' 'the session daemon ended' repair_kill 'lttng-sessiond --daemonize'
	wait "$pid"
	repair_is 'the interrupted snapshot is complete or fails with a message' yes \
		"$([ -s "$(cat "$work/repair.path")/snapshot.json" ] || [ -s "$work/repair.err" ] && echo yes)"
	repair_rescued 'during a snapshot' "$rescues"
	# The consumer daemon is killed; the session daemon starts it again.
	lttng-mm snapshot --output "$work/repair" >"$work/repair.path" 2>"$work/repair.err" &
	pid=$!
	sleep 0.3
	repair_kill 'lttng-consumerd.*kconsumerd'
	wait "$pid"
	repair_is 'a snapshot during kill -9 of the consumer daemon is complete or fails with a message' yes \
		"$([ -s "$(cat "$work/repair.path")/snapshot.json" ] || [ -s "$work/repair.err" ] && echo yes)"
	repair_is '... and recording continues' 1 "$(repair_await 60 repair_running)"
	repair_is '... and a later snapshot is complete' 0 "$(lttng-mm snapshot --require-complete --output "$work/repair" >/dev/null 2>&1; echo $?)"
	repair_is 'no unfinished snapshot is left' '' "$(find "$work/repair" "$repair_output" -mindepth 1 -maxdepth 1 -name '.*')"
}

# repair_supervisor_other PID: succeeds if a supervisor runs that is not PID.
repair_supervisor_other() {
	repair_other=$(pgrep -x lttng-mm-superv)
	[ -n "$repair_other" ] && [ "$repair_other" != "$1" ]
}

# Tests a session daemon that hangs. It must be killed even if the supervisor that waits for it has
# been replaced meanwhile.
repair_hanging() {
	repair_stopped=$(daemon_pid)
	kill -STOP "$repair_stopped"
	check_function 'repair: the supervisor is replaced while the session daemon hangs' wait_for 200 repair_supervisor_other "$(pgrep -x lttng-mm-superv)"
	sleep 5
	rescues=$(repair_rescues)
	repair_killed=$(date +%s%N)
	repair_after 'kill -9 of a session daemon that hangs' 'the session daemon ended' kill -9 "$repair_stopped"
	repair_rescued 'it hung' "$rescues"
	repair_is 'it hung: the rescue is complete' complete "$(sed -n 's/.*"verdict": "\([a-z]*\)".*/\1/p' "$repair_path/snapshot.json")"
}

repair_own_daemon() {
	kill -9 "$(serve_pid)"
	sleep 1
	repair_is 'after kill -9 of the recorder daemon, its processes end, too' '' "$(pgrep -f 'lttng-mm serve')"
	lttng stop "$repair_session" >/dev/null
	repair_after 'a session that was stopped without the recorder daemon' 'stopped by another program' serve_start
	# shellcheck disable=SC2317
	repair_recalled() { lttng-mm status --all | grep -c '^rescued: '; }
	# Status shows the last five rescues.
	rescues=$(repair_rescues)
	repair_is 'a new daemon shows the rescues of the previous one' "$((rescues < 5 ? rescues : 5))" "$(repair_await 20 repair_recalled)"
	kill -9 "$(serve_pid)"
	repair_killed=$(daemon_pid)
	kill -9 "$repair_killed"
	wait_for 10 process_gone "$repair_killed"
	daemon_start >/dev/null
	repair_after 'a session daemon that was killed without the recorder daemon' 'the session daemon ended' serve_start
	kill -9 "$(serve_pid)"
	sleep 1
	lttng destroy "$repair_session" >/dev/null
	lttng-mm record slab --dry-run | grep -E '(create |session=|start )lttng-mm-slab( |$)' >"$work/repair.sh"
	check 'repair: a session of the same name is created outside the plan' 60 sh -e "$work/repair.sh"
	since=$(lttng-mm status --json | grep -c '"status": "gone"')
	repair_is "... and status shows the plan's session as gone" 1 "$since"
	repair_after 'a session of the same name is adopted' 'destroyed by another program' serve_start
	check 'repair: lttng-mm stop' 60 lttng-mm stop
	sleep 3
	repair_is '... is not repaired' '' "$(lttng list | grep lttng-mm-)"
}

repair() {
	rm -rf "$work/repair" "$repair_output" "$repair_file"
	mkdir -p "$work/repair"
	check_function 'repair: the session daemon starts' daemon_start
	check_function 'repair: the recorder daemon starts' serve_start || return
	check 'repair: record slab' 120 lttng-mm record slab || return
	repair_is 'the session is recording' 1 "$(repair_await 10 repair_running)"
	sleep 2
	repair_of_root
	repair_silence
	repair_added
	repair_others
	repair_daemons
	repair_hanging
	repair_own_daemon
	repair_silent_cpu
	kill -TERM "$(serve_pid)"
	wait_for 30 serve_gone
	check_function 'repair: the session daemon ends' daemon_stop
	check 'repair: the module can be removed' 10 rmmod lttng-mm-freeze
}
