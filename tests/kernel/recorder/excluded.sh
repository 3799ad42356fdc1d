# SPDX-License-Identifier: LGPL-2.1-only
# Tests what certificates say of recordings from which something was excluded: by trackers, filters
# and disabled events, of other programs and of the recorder, at present and in the past; and what
# they say where nothing can be known. Sourced by run-all.sh after restart.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh sets tests and work; freeze.sh the others
# shellcheck source=tests/kernel/recorder/restart.sh

excluded_events=recordtest_packed

excluded_is() {
	is "excluded: $1" "$2" "$3"
}

# excluded_load: numbered events on both CPUs.
excluded_load() {
	exec taskset -c "$1" sh -c "while [ -e '$out/writing' ]; do
		echo 100 >/sys/module/record_test/parameters/fire; sleep 0.05; done"
}

# excluded_take NAME [OPTION...]: a snapshot; sets path.
excluded_take() {
	excluded_name=$1
	shift
	lttng-mm snapshot --output "$out" "$@" >"$out/$excluded_name" 2>"$out/$excluded_name.err" ||
		sed 's/^/# /' "$out/$excluded_name.err"
	path=$(cat "$out/$excluded_name")
	lttng-mm info --all "$path" >"$out/$excluded_name.info" 2>&1
}

# excluded_verdict NAME VERDICT TITLE: the verdict of the snapshot NAME, as info words it.
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

# excluded_hole KIND: the longest hole of that kind, in tenths of a second.
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
	excluded_verdict active holes 'a tracker of another program: not complete'
	excluded_is '... what it is complete for' 1 "$(grep -c 'set a tracker, it has been complete only for pid 1[.]' "$out/active.info")"
	excluded_is '... nor for reports' 1 "$(grep -c '^Lost: .*pauses* of a stream' "$out/active.info")"
	lttng track --kernel --session=lttng-mm-events --pid --all >/dev/null
	excluded_lasted=$((($(certify_now) - excluded_began) / 100000000 + 1))
	sleep 1
	excluded_take past
	excluded_verdict past holes '... after it has gone'
	excluded_is '... its time is stated' yes "$([ "$(excluded_hole excluded)" -ge 20 ] && [ "$(excluded_hole excluded)" -le $excluded_lasted ] && echo yes)"
	excluded_is '... and no present one' 0 "$(grep -c 'complete only for' "$out/past.info")"
	lttng-mm stop >/dev/null
}

excluded_promised() {
	check 'excluded: a recorder of one process starts' 120 \
		lttng-mm record --events=$excluded_events --pid "$$" --subbuf-size=256k --num-subbuf=8
	echo 100 >/sys/module/record_test/parameters/fire
	sleep 1
	excluded_take promised
	excluded_verdict promised "complete for pid $$" 'the recorder itself has a tracker'
	excluded_is '... which reports name, too' 1 "$(grep -c "^Complete for pid $$: " "$out/promised.info")"
	lttng track --kernel --session=lttng-mm-events --pid=1 >/dev/null
	excluded_take more
	excluded_verdict more "complete for pid $$" 'one process more is recorded'
	lttng untrack --kernel --session=lttng-mm-events --pid="$$" >/dev/null
	sleep 1
	lttng track --kernel --session=lttng-mm-events --pid="$$" >/dev/null
	excluded_take less
	excluded_verdict less holes 'the process was excluded for a second'
	lttng-mm stop >/dev/null
}

excluded_plain() {
	check_function 'excluded: a session of other programs' slab_session "$freeze_session" "$excluded_events" --filter='number > 50'
	lttng track --kernel --session="$freeze_session" --uid=0 >/dev/null
	lttng start "$freeze_session" >/dev/null
	sleep 1
	excluded_take plain --session numbers
	excluded_verdict plain "complete for uid 0, $excluded_events with number > 50" 'filters and trackers of its own are named'
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
	excluded_verdict lttng undetermined 'with --method lttng, this cannot be known'
	excluded_is '... nor by reports' 1 "$(grep -c '^Undetermined, ' "$out/lttng.info")"
	lttng destroy "$freeze_session" >/dev/null
}

# excluded_late: the module is loaded after the session was started.
excluded_late() {
	rmmod lttng-mm-freeze
	check_function 'excluded: a session that nobody watches' slab_session "$freeze_session" "$excluded_events"
	lttng start "$freeze_session" >/dev/null
	sleep 1
	modprobe lttng-mm-freeze
	sleep 1
	excluded_take late --session numbers
	excluded_verdict late undetermined 'what was before the module was loaded cannot be known'
	excluded_is '... one sentence says so' 1 "$(grep -c '^Nothing shows whether recording was paused, or events were excluded, for' "$out/late.info")"
	lttng destroy "$freeze_session" >/dev/null
}

# excluded_probe: events of kernel probes have no rule.
excluded_probe() {
	check_function 'excluded: a session' slab_session "$freeze_session" "$excluded_events"
	lttng enable-event -k -s "$freeze_session" -c ring --probe=do_exit exiting >/dev/null
	lttng start "$freeze_session" >/dev/null
	sleep 0.5
	lttng disable-event -k -s "$freeze_session" -c ring exiting >/dev/null
	sleep 0.5
	excluded_take probe --session numbers
	excluded_verdict probe holes 'a kernel probe that was disabled'
	lttng destroy "$freeze_session" >/dev/null
}

# excluded_clock: the wall clock is set while a session records, as after a boot without a clock.
excluded_clock() {
	check_function 'excluded: a session before the clock is set' slab_session "$freeze_session" "$excluded_events"
	lttng start "$freeze_session" >/dev/null
	# Less the time that date(1) takes to set it.
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
		excluded_is "... which is said" '1 1' "$(grep -c 'note: The wall clock was set while this was recorded' "$out/clock.err") $(
			grep -Ec '^The wall clock was set while this was recorded: .* (3599|3600)[.][0-9]* s later' "$out/$method.info")"
		echo "# last event at $excluded_last; $(grep '^The wall clock' "$out/$method.info")"
		excluded_is "... --begin is by that clock" yes \
			"$([ "$(lttng-mm print --begin "$excluded_before" "$path" 2>/dev/null | wc -l)" -ge 50 ] && echo yes)"
		lttng-mm print --format=babeltrace "$path" >"$out/ours" 2>/dev/null
		babeltrace2 "$path" >"$out/theirs" 2>/dev/null
		check "excluded: ... babeltrace2's text is by the metadata" 60 cmp "$out/ours" "$out/theirs"
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
