# SPDX-License-Identifier: LGPL-2.1-only
# Tests certificates of recordings that lack events because of trackers, filters or disabled events.
# The recorder or other programs set these, at the snapshot or earlier. Also tests what info states
# if nobody knows whether events are missing. Sourced by run-all.sh after restart.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh sets tests and work; freeze.sh the others
# shellcheck source=tests/kernel/recorder/restart.sh

excluded_events=recordtest_packed

excluded_is() {
	is "excluded: $1" "$2" "$3"
}

# excluded_load: fires numbered events on both CPUs.
excluded_load() {
	exec taskset -c "$1" sh -c "while [ -e '$out/writing' ]; do
		echo 100 >/sys/module/record_test/parameters/fire; sleep 0.05; done"
}

# excluded_take NAME [OPTION...]: takes a snapshot; sets path.
excluded_take() {
	excluded_name=$1
	shift
	lttng-mm snapshot --output "$out" "$@" >"$out/$excluded_name" 2>"$out/$excluded_name.err" ||
		sed 's/^/# /' "$out/$excluded_name.err"
	path=$(cat "$out/$excluded_name")
	lttng-mm info --all "$path" >"$out/$excluded_name.info" 2>&1
}

# excluded_verdict NAME VERDICT TITLE: checks the verdict that info prints for the snapshot NAME.
excluded_verdict() {
	case $2 in
	complete*) excluded_status=0 ;;
	*) excluded_status=3 ;;
	esac
	lttng-mm info --all --require-complete "$path" >/dev/null 2>&1
	excluded_got="$? $(sed -n 's/^Certificate: \([^.]*\)[.].*/\1/p' "$out/$1.info")"
	[ "$excluded_got" = "$excluded_status $2" ] || sed 's/^/# /' "$out/$1.info"
	excluded_is "$3" "$excluded_status $2" "$excluded_got"
}

# excluded_hole KIND: prints the length of the longest hole of that kind, in tenths of a second.
excluded_hole() {
	lttng-mm info --json "$path" | tr -d '\n ' | grep -o "\"kind\":\"$1\"[^}]*" |
		sed -n 's/.*"duration_ns":\([0-9]*\).*/\1/p' | sort -n | tail -n 1 | awk '{ print int($1 / 1e8) }'
}

excluded_foreign() {
	check 'excluded: the recorder starts' 120 lttng-mm record --events=$excluded_events --subbuf-size=256k --num-subbuf=8
	sleep 1
	excluded_take whole
	excluded_verdict whole complete 'nothing is excluded'
	excluded_began=$(certify_now)
	lttng track --kernel --session=lttng-mm-events --pid=1 >/dev/null
	sleep 2
	excluded_take active
	excluded_verdict active holes 'with a tracker of another program, the snapshot is not complete'
	excluded_is '... info names what it is complete for' 1 "$(grep -c 'set a tracker; since then, events were recorded only for pid 1[.]' "$out/active.info")"
	excluded_is '... it counts the pause as a loss' 1 "$(grep -c '^Lost: .*pauses* of a stream' "$out/active.info")"
	lttng track --kernel --session=lttng-mm-events --pid --all >/dev/null
	excluded_lasted=$((($(certify_now) - excluded_began) / 100000000 + 1))
	sleep 1
	excluded_take past
	excluded_verdict past holes '... also after the tracker was removed'
	excluded_is '... the time of the exclusion is stated' yes "$([ "$(excluded_hole excluded)" -ge 20 ] && [ "$(excluded_hole excluded)" -le $excluded_lasted ] && echo yes)"
	excluded_is '... and no exclusion is in effect' 0 "$(grep -c 'events were recorded only for' "$out/past.info")"
	lttng-mm stop >/dev/null
}

excluded_promised() {
	check 'excluded: a recorder of one process starts' 120 \
		lttng-mm record --events=$excluded_events --pid "$$" --subbuf-size=256k --num-subbuf=8
	echo 100 >/sys/module/record_test/parameters/fire
	sleep 1
	excluded_take promised
	excluded_verdict promised "complete for pid $$" 'a recorder of one process is complete for that process'
	excluded_is '... the report names the process, too' 1 "$(grep -c "^Complete for pid $$\( from [^ ]* on\)*: " "$out/promised.info")"
	lttng track --kernel --session=lttng-mm-events --pid=1 >/dev/null
	excluded_take more
	excluded_verdict more "complete for pid $$" 'recording one more process keeps it complete for the first one'
	lttng untrack --kernel --session=lttng-mm-events --pid="$$" >/dev/null
	sleep 1
	lttng track --kernel --session=lttng-mm-events --pid="$$" >/dev/null
	excluded_take less
	excluded_verdict less holes 'the process was excluded for a second'
	lttng-mm stop >/dev/null
}

excluded_plain() {
	check_function 'excluded: a session of another program starts' slab_session "$freeze_session" "$excluded_events" --filter='number > 50'
	lttng track --kernel --session="$freeze_session" --uid=0 >/dev/null
	lttng start "$freeze_session" >/dev/null
	sleep 1
	excluded_take plain --session numbers
	excluded_verdict plain "complete for uid 0, $excluded_events with number > 50" "a session's own filters and trackers are named"
	lttng enable-event -k -s "$freeze_session" -c ring "$excluded_events" >/dev/null
	excluded_take beside --session numbers
	excluded_verdict beside 'complete for uid 0' 'a filter beside the same event without one excludes nothing'
	lttng add-context -k -s "$freeze_session" -c ring -t tid >/dev/null 2>&1
	lttng disable-event -k -s "$freeze_session" -c ring "$excluded_events" >/dev/null
	sleep 0.5
	lttng enable-event -k -s "$freeze_session" -c ring "$excluded_events" >/dev/null
	excluded_take disabled --session numbers
	excluded_verdict disabled holes 'disabled events'
	excluded_take lttng --method=lttng --session numbers
	excluded_verdict lttng undetermined 'with --method lttng, exclusions cannot be determined'
	excluded_is '... the report says so, too' 1 "$(grep -c '^Undetermined, ' "$out/lttng.info")"
	lttng destroy "$freeze_session" >/dev/null
}

# Tests a session that was started before the module was loaded.
excluded_late() {
	rmmod lttng-mm-freeze
	check_function 'excluded: a session without the freeze module starts' slab_session "$freeze_session" "$excluded_events"
	lttng start "$freeze_session" >/dev/null
	sleep 1
	modprobe lttng-mm-freeze
	sleep 1
	excluded_take late --session numbers
	excluded_verdict late undetermined 'exclusions before the module was loaded cannot be determined'
	excluded_is '... info says so in one sentence' 1 "$(grep -c '^Recording may have been paused, or events excluded, for' "$out/late.info")"
	lttng destroy "$freeze_session" >/dev/null
}

# Tests events of kernel probes. LTTng has no rule for them, so another hook reports when they are
# disabled.
excluded_probe() {
	check_function 'excluded: a session starts' slab_session "$freeze_session" "$excluded_events"
	lttng enable-event -k -s "$freeze_session" -c ring --probe=do_exit exiting >/dev/null
	lttng start "$freeze_session" >/dev/null
	sleep 0.5
	lttng disable-event -k -s "$freeze_session" -c ring exiting >/dev/null
	sleep 0.5
	excluded_take probe --session numbers
	excluded_verdict probe holes 'disabling a kernel probe is a hole'
	lttng destroy "$freeze_session" >/dev/null
}

# Tests that the wall clock may be set while a session records, as after a boot without a clock.
excluded_clock() {
	check_function 'excluded: a session starts before the clock is set' slab_session "$freeze_session" "$excluded_events"
	lttng start "$freeze_session" >/dev/null
	# The step is an hour less the time that date(1) takes.
	date -s '+1 hour' >/dev/null
	sleep 1
	for method in freeze lttng; do
		excluded_before=$(date '+%Y-%m-%d %H:%M:%S')
		echo 100 >/sys/module/record_test/parameters/fire
		excluded_take "$method" --session numbers --method=$method
		excluded_last=$(lttng-mm print --clock wall "$path" 2>"$out/clock.err" | tail -n 1 |
			grep -o '20[0-9-]*T[0-9:]*' | head -n 1 | tr T ' ')
		excluded_is "set clock, $method: the last event has the right time" yes \
			"$([ "$excluded_before" \< "$excluded_last" ] || [ "$excluded_before" = "$excluded_last" ] && echo yes)"
		excluded_is "... print and info mention the step" '1 1' "$(grep -c 'note: The wall clock was set during the recording' "$out/clock.err") $(
			grep -Ec '^The wall clock was set during the recording[.] .* (3599|3600)[.][0-9]* s later' "$out/$method.info")"
		echo "# last event at $excluded_last; $(grep '^The wall clock' "$out/$method.info")"
		excluded_is "... --begin uses the corrected clock" yes \
			"$([ "$(lttng-mm print --begin "$excluded_before" "$path" 2>/dev/null | wc -l)" -ge 50 ] && echo yes)"
		lttng-mm print --format=babeltrace "$path" >"$out/ours" 2>/dev/null
		babeltrace2 "$path" >"$out/theirs" 2>/dev/null
		check "excluded: ... --format=babeltrace uses the metadata's clock, as babeltrace2 does" 60 cmp "$out/ours" "$out/theirs"
	done
	lttng destroy "$freeze_session" >/dev/null
	date -s '-1 hour' >/dev/null
}

excluded() {
	out=$work/excluded
	rm -rf "$out"
	mkdir -p "$out"
	check_function 'excluded: the session daemon starts' daemon_start
	check 'excluded: the modules load' 60 modprobe -a lttng-mm-freeze lttng-mm-lib
	grep -q '^record_test ' /proc/modules ||
		check 'excluded: the probe of numbered events loads' 60 insmod "$tests/record-test.ko" || return
	: >"$out/writing"
	excluded_load 0 &
	excluded_pids=$!
	excluded_load 1 &
	excluded_pids="$excluded_pids $!"
	excluded_foreign
	excluded_promised
	excluded_plain
	excluded_late
	excluded_probe
	excluded_clock
	rm "$out/writing"
	# shellcheck disable=SC2086
	wait $excluded_pids
	check 'excluded: the probe can be removed' 30 rmmod record-test
}
