# SPDX-License-Identifier: LGPL-2.1-only
# Tests certificates of sessions that other programs stop, start and change, and snapshots whose
# state cannot be dumped. Also tests that `record` and `stop`, killed at any step, leave no session
# behind. Sourced by run-all.sh after certify.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh sets tests and work; freeze.sh the others
# shellcheck source=tests/kernel/recorder/certify.sh
# shellcheck source=tests/kernel/recorder/serve.sh

restart_is() {
	is "restart: $1" "$2" "$3"
}

# restart_count START END: counts the events on standard input that are in the interval. The first
# word of a line is the time in nanoseconds, or in seconds if it has a decimal point.
restart_count() {
	awk -v start="$1" -v end="$2" '{ at = $1 ~ /[.]/ ? $1 * 1e9 : $1 } at >= start && at <= end { n++ }
		END { print n + 0 }'
}

# restart_load: allocates and frees a page repeatedly. (dash creates a pipe for each here-document.)
restart_load() {
	exec taskset -c 1 sh -c "while [ -e '$out/writing' ]; do
read -r x <<END
x
END
done"
}

# restart_session: stops and starts a session under load, as another program would. At a start,
# LTTng marks the session active, dumps the state, and attaches the slab probe to one tracepoint
# after another. Events in that time are not recorded, so no certificate may cover it. ftrace
# records these events for comparison. mm_page_free is one of the last tracepoints.
restart_session() {
	check 'restart: the slab probe loads' 60 modprobe lttng-probe-slab
	check_function 'restart: a session of slab events starts' slab_session "$freeze_session" 'slab_*' || return
	lttng enable-event -k -s "$freeze_session" -c ring 'page_*' >/dev/null
	lttng start "$freeze_session" >/dev/null
	: >"$out/writing"
	restart_load &
	restart_pid=$!
	ftrace_group=kmem/mm_page_free
	echo "common_pid == $restart_pid" >"$tracing/events/$ftrace_group/filter"
	ftrace_start 16384
	sleep 1
	lttng stop "$freeze_session" >/dev/null
	lttng start "$freeze_session" >/dev/null
	sleep 0.3
	check_function 'restart: a snapshot after the start succeeds' freeze_take restart
	ftrace_stop
	rm "$out/writing"
	wait "$restart_pid"
	sed -n 's/^.* \([0-9]*[.][0-9]*\): mm_page_free: .*/\1/p' "$tracing/trace" >"$out/restart.ftrace"
	restart_is 'ftrace lost nothing' 0 "$(ftrace_lost)"
	echo 0 >"$tracing/events/$ftrace_group/filter"
	ftrace_group=fs_dax
	path=$(cat "$out/restart")
	zero=$(snapshot_zero "$path")
	restart_is 'the pause is stated' '"holes"' "$(snapshot_value "$path" certificate.verdict)"
	start=$(($(snapshot_value "$path" certificate.complete_since_ns) - zero))
	end=$(($(snapshot_value "$path" certificate.shared.end_ns) - zero))
	lttng-mm print --format=babeltrace --clock-cycles --no-delta --events=page_free "$path/kernel" 2>/dev/null |
		sed -n "s/^\[0*\([0-9]*\)\].* tid = ${restart_pid}[, ].*/\1/p" >"$out/restart.slab"
	restart_ftrace=$(restart_count "$start" "$end" <"$out/restart.ftrace")
	restart_slab=$(restart_count "$start" "$end" <"$out/restart.slab")
	echo "# restart: $restart_slab events in $(((end - start) / 1000000)) ms since the start, $restart_ftrace in ftrace"
	restart_is 'hundreds of events are certified since the start' yes "$([ "$restart_slab" -ge 200 ] && echo yes)"
	# An event's two clock readings may be on different sides of the interval's start or end.
	restart_is 'the certified time after the start has every event' yes \
		"$([ $((restart_ftrace - restart_slab)) -le 2 ] && [ $((restart_slab - restart_ftrace)) -le 2 ] && echo yes)"
	restart_is 'the freeze module hooks the state dump, so it knows the exact time of a start' 1 \
		"$(mountpoint -q /sys/kernel/debug || mount -t debugfs none /sys/kernel/debug; grep -c 'lttng_statedump_start' /sys/kernel/debug/kprobes/list)"
	# Events that are enabled later must not count as missing before they were enabled.
	lttng enable-event -k -s "$freeze_session" -c ring 'recordtest_*' >/dev/null
	check_function 'restart: a snapshot after events were added succeeds' freeze_take added
	restart_is 'added events are no hole' 0 "$(grep -c '"disabled"' "$(cat "$out/added")/snapshot.json")"
	lttng disable-event -k -s "$freeze_session" -c ring 'slab_*' >/dev/null
	check_function 'restart: a snapshot with some events disabled succeeds' freeze_take disabled
	restart_is 'the disabled events are a hole on each CPU' "$(nproc)" \
		"$(grep -c '"disabled"' "$(cat "$out/disabled")/snapshot.json")"
	lttng enable-event -k -s "$freeze_session" -c ring 'slab_*' >/dev/null
	sleep 1
	check_function 'restart: a snapshot after events were enabled again succeeds' freeze_take enabled
	lttng-mm info --all --require-complete "$(cat "$out/enabled")" >"$out/enabled.info" 2>&1
	restart_is '... the hole ends when the events were enabled' '3 1' \
		"$? $(grep -c '^Some events were disabled for' "$out/enabled.info")"
	path=$(cat "$out/enabled")
	restart_is '... before the end' yes \
		"$([ "$(snapshot_value "$path" certificate.complete_since_ns)" -lt "$(snapshot_value "$path" certificate.shared.end_ns)" ] && echo yes)"
	lttng destroy "$freeze_session" >/dev/null
}

# restart_frozen NAME [OPTION...]: takes a snapshot without the recorder daemon, so that nothing is
# repaired.
restart_frozen() {
	frozen_name=$1
	shift
	lttng-mm snapshot --method=freeze --output "$out" "$@" slab >"$out/$frozen_name" 2>"$out/$frozen_name.err"
}

# restart_undumped NAME: checks that the snapshot notes that its state could not be dumped.
restart_undumped() {
	sed 's/^/# /' "$out/$1.err"
	path=$(cat "$out/$1")
	restart_is "$1: ... with a warning, and a note that info shows" '1 1 1' \
		"$(grep -c 'The state could not be dumped' "$out/$1.err") $(grep -c '"The state could not be dumped' "$path/snapshot.json") $(
			lttng-mm info --all "$path" | grep -c '^The state could not be dumped')"
}

# restart_alone: takes a snapshot without a state dump, because the state session is stopped.
restart_alone() {
	kill -TERM "$(serve_pid)"
	check_function 'restart: the recorder daemon ends' wait_for 60 serve_gone
	restart_state=$(lttng list | grep -o 'lttng-mm[^ ]*state' | head -n 1)
	lttng stop "$restart_state" >/dev/null
	check_function 'restart: a snapshot whose state cannot be dumped succeeds' restart_frozen undumped
	restart_undumped undumped
	lttng start "$restart_state" >/dev/null
}

# restart_lists prints the sessions in LTTng, restart_planned the number of event sessions in the
# plan.
restart_lists() {
	lttng --mi=xml list 2>/dev/null | sed 's/<session>/\n&/g' | sed -n 's/^<session><name>\([^<]*\).*/\1/p' |
		sort | xargs
}
restart_planned() {
	sed -n '/"recorders"/,$p' /run/lttng-mm/recorder.json 2>/dev/null |
		grep -c '"role": "events"'
}

# restart_killed STEP COMMAND...: runs lttng-mm and kills it at STEP. Returns its exit status.
restart_killed() {
	killed_step=$1
	shift
	LTTNG_MM_KILL_STEP=$killed_step LD_PRELOAD=$tests/kill-step.so "$lttng_mm_all" "$@" >"$out/killed.out" 2>&1
}

# restart_wrong TEXT: counts a failure of a loop; prints the first five.
restart_wrong() {
	restart_failures=$((restart_failures + 1))
	[ $restart_failures -gt 5 ] || echo "# $1"
}

# restart_next STEP: runs one of record, snapshot and stop after the killed command.
restart_next() {
	next_planned=$(restart_planned)
	case $(($1 % 3)) in
	0) set -- "$1" record steps --no-daemon ;;
	1) set -- "$1" snapshot --output "$out" ;;
	2) set -- "$1" stop ;;
	esac
	next_step=$1
	shift
	lttng-mm "$@" >"$out/next" 2>&1
	next_status=$?
	# Snapshot and stop succeed only if the killed command committed its change; record succeeds
	# only if it did not.
	next_expected=0
	[ "$next_planned" = 1 ] || [ "$1" = record ] || next_expected=4
	[ "$next_planned" = 0 ] || [ "$1" != record ] || next_expected=4
	next_sessions='foreign foreign-too'
	[ "$1" = stop ] || [ "$next_planned$1" = 0snapshot ] ||
		next_sessions='foreign foreign-too lttng-mm-steps lttng-mm-steps-state'
	[ "$next_status" = "$next_expected" ] ||
		restart_wrong "step $next_step, then $1: status $next_status, not $next_expected: $(head -n 1 "$out/next")"
	[ "$(restart_lists)" = "$next_sessions" ] ||
		restart_wrong "step $next_step, then $1: sessions $(restart_lists), not $next_sessions"
	! grep -q unfinished /run/lttng-mm/recorder.json 2>/dev/null ||
		restart_wrong "step $next_step, then $1: the plan still has unfinished sessions"
	[ -z "$(find "$out" -maxdepth 1 -name '.*' -type d ! -name .)" ] || restart_wrong "step $next_step, then $1: $(ls -A "$out")"
	rm -rf "$out"/snapshot-*
	lttng-mm stop >/dev/null 2>&1
	[ "$(restart_lists)" = 'foreign foreign-too' ] ||
		restart_wrong "step $next_step: stop leaves $(restart_lists)"
}

# restart_steps NAME COMMAND...: kills lttng-mm at every seventh step of COMMAND (at each step with
# LTTNG_MM_KILL_STRIDE=1, which takes 20 minutes). tests/unit/cli/test-transaction.c covers all
# steps with a simulated session daemon.
restart_steps() {
	steps_name=$1 restart_step=0 restart_failures=0
	shift
	until
		restart_step=$((restart_step + ${LTTNG_MM_KILL_STRIDE:-7}))
		[ "$1" = record ] || lttng-mm record steps --no-daemon >/dev/null 2>&1
		restart_killed "$restart_step" "$@"
	do
		restart_next "$restart_step"
		[ $restart_step -lt 500 ] || break
	done
	echo "# $steps_name: $restart_step steps"
	lttng-mm stop >/dev/null 2>&1
	restart_is "$steps_name, killed at many steps, leaves no session: failures" 0 "$restart_failures"
	restart_is "... the number of steps is plausible" yes "$([ $restart_step -gt 10 ] && [ $restart_step -lt 500 ] && echo yes)"
}

# Tests a session with the recorder's name that another program creates after `record` was killed,
# just before it created this session. The session does not belong to the recorder.
restart_foreign() {
	restart_step=0
	until
		restart_step=$((restart_step + 1))
		restart_killed "$restart_step" record steps --no-daemon
		[ $restart_step = 500 ] || grep -qs '"name": "lttng-mm-steps"' /run/lttng-mm/recorder.json
	do
		lttng-mm stop >/dev/null 2>&1
	done
	restart_is 'record is killed before it creates the session' 'foreign foreign-too lttng-mm-steps-attach' "$(restart_lists)"
	lttng create lttng-mm-steps --snapshot >/dev/null
	lttng enable-event -k -s lttng-mm-steps sched_wakeup >/dev/null
	lttng-mm record steps --no-daemon >/dev/null 2>"$out/foreign.err"
	restart_is 'a session that another program created meanwhile is not removed' '4 1' \
		"$? $(grep -c 'session: lttng-mm-steps: already recording' "$out/foreign.err")"
	restart_is "... the killed command's own session is removed" 'foreign foreign-too lttng-mm-steps' "$(restart_lists)"
	lttng destroy lttng-mm-steps >/dev/null
	for restart_name in lttng-mm-steps-attach lttng-mm-steps-state; do
		lttng create "$restart_name" >/dev/null
		lttng enable-event -k -s "$restart_name" sched_wakeup >/dev/null
		lttng-mm record steps --no-daemon >/dev/null 2>"$out/foreign.err"
		restart_is "another program's session named $restart_name is not removed" \
			"4 foreign foreign-too $restart_name" "$? $(restart_lists)"
		lttng destroy "$restart_name" >/dev/null
	done
}

# Tests that starting and stopping a recorder are transactions: a command does all of its work or
# nothing.
restart_transactions() {
	lttng_mm_all=$(dirname "$(command -v lttng-mm)")/../lib/lttng-mm/lttng-mm
	mkdir -p /etc/lttng-mm/profiles
	printf '%s\n' '[profile]' 'attach-first = yes' '[buffers]' 'subbuf-size = 16k' 'num-subbuf = 2' '[events]' \
		'record = sched_process_fork' 'state = process_statedump_thread' >/etc/lttng-mm/profiles/steps.conf
	lttng create foreign --snapshot >/dev/null
	lttng create foreign-too >/dev/null
	check 'restart: record of a profile with few steps succeeds' 60 lttng-mm record steps --no-daemon
	check 'restart: ... and stop succeeds' 60 lttng-mm stop
	restart_steps record record steps --no-daemon
	restart_steps stop stop
	restart_foreign
	lttng destroy foreign >/dev/null
	lttng destroy foreign-too >/dev/null
	rm -r /etc/lttng-mm/profiles
}

restart() {
	out=$work/restart
	rm -rf "$out"
	mkdir -p "$out"
	check_function 'restart: the session daemon starts' daemon_start
	check 'restart: the modules load' 60 modprobe -a lttng-mm-freeze lttng-mm-lib lttng-probe-slab
	grep -q '^record_test ' /proc/modules ||
		check 'restart: the probe of numbered events loads' 60 insmod "$tests/record-test.ko" || return
	restart_session
	check 'restart: the slab recorder starts' 120 lttng-mm record slab --subbuf-size=256k --num-subbuf=4
	restart_alone
	lttng-mm stop >/dev/null
	restart_transactions
	check 'restart: the probe can be removed' 30 rmmod record-test
}
