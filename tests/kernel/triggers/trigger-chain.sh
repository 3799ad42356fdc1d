# SPDX-License-Identifier: LGPL-2.1-only
# Tests the report of `lttng-mm trigger test` about each failing link between an event and its
# snapshot, and triggers of profiles. Sourced by run-all.sh after trigger.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh sets work; serve.sh and freeze.sh the others

# chain_is NAME EXPECTED ACTUAL
chain_is() {
	is "trigger-chain: $1" "$2" "$3"
}

# chain_test NAME: writes the steps that are not ok to $out/found and the output to $out/test. Sets
# chain_status to the exit status.
chain_test() {
	lttng-mm trigger test "$1" >"$out/test" 2>"$out/test.err"
	chain_status=$?
	sed -n 's/^\(failed\|held\)  *\([a-z ]*\): .*/\1 \2/p' "$out/test" | paste -sd , - >"$out/found"
}

# chain_finds NAME EXPECTED TEXT: tests the trigger NAME: EXPECTED must be the steps that are not
# ok, and the output must contain TEXT.
chain_finds() {
	chain_test "$1"
	chain_is "$2: '$3'" "$2 1" "$(cat "$out/found") $(grep -c -e "$3" "$out/test")"
	sed 's/^/# /' "$out/test" "$out/test.err"
}

chain_works() {
	for name in fallback call; do
		chain_test $name
		chain_is "all links of $name work" ' 0' "$(cat "$out/found") $chain_status"
		sed 's/^/# /' "$out/test" "$out/test.err"
		chain_is '... LTTng delivers an event of the test' 1 \
			"$(grep -c '^ok  *notification: LTTng has sent the notification of an event .* on CPU [01]$' "$out/test")"
	done
	chain_is "... an event of the trigger's own kind" 'syscall:getpgid' "$(sed -n 's/.* of an event \([^ ]*\) .*/\1/p' "$out/test")"
	chain_is 'no trigger of the test is left in LTTng' 0 "$(lttng list-triggers | grep -c 'name: lttng-mm-.*test-')"
	chain_is 'no snapshot was taken' '' "$(find "$trigger_folder" -maxdepth 1 -name '*-20*')"
}

chain_removed() {
	# The daemon registers the trigger again within seconds even without a test, so several
	# attempts may be needed.
	for _ in 1 2 3 4 5; do
		lttng remove-trigger "$(lttng list-triggers | sed -n 's/.*name: \(lttng-mm-[0-9]*-fallback\)$/\1/p')" >/dev/null
		chain_test fallback
		grep -q registered "$out/found" && break
	done
	chain_is "the test reports that LTTng's trigger was removed" 'failed registered 1 1' \
		"$(cat "$out/found") $chain_status $(grep -c 'another program has removed' "$out/test")"
	sed 's/^/# /' "$out/test"
	chain_test fallback
	chain_is '... and registers it again' ' 0' "$(cat "$out/found") $chain_status"
	lttng remove-trigger "$(lttng list-triggers | sed -n 's/.*name: \(lttng-mm-[0-9]*-fallback\)$/\1/p')" >/dev/null
	chain_is '... the daemon registers it again without a test, too' 0 "$(wait_for 60 chain_is_registered; echo $?)"
	wait_for 60 prints armed trigger_state fallback
}

chain_is_registered() {
	lttng list-triggers | grep -q 'name: lttng-mm-[0-9]*-fallback$'
}

# chain_limit NAME TEXT OPTION...: adds a trigger that reaches its limit for an hour with one match;
# the test must report the limit with TEXT.
chain_limit() {
	chain_limited=$1 chain_text=$2
	shift 2
	trigger_add_now "$chain_limited" --on 'syscall:sethostname' "$@"
	wait_for 60 prints armed trigger_state "$chain_limited"
	hostname guest
	wait_for 60 prints 1 trigger_count "$chain_limited"
	chain_finds "$chain_limited" 'held limits' "limits: $chain_text"
	lttng-mm trigger remove "$chain_limited"
	rm -rf "$trigger_folder/$chain_limited"-20*
}

chain_limits() {
	chain_limit once 'in its cooldown' --cooldown 1h
	chain_limit most 'at its maximum of snapshots' --cooldown 0s --max 1/hour
}

chain_folder() {
	chmod 777 "$trigger_folder"
	chain_finds fallback 'failed folder' 'folder: .*other users can write there'
	chmod 750 "$trigger_folder"
	mount -t tmpfs -o size=1M,mode=750 full "$trigger_folder"
	chain_finds fallback 'failed folder' 'folder: .*No space left on device.*make room'
	mount -o remount,ro full "$trigger_folder"
	chain_finds fallback 'failed folder' 'folder: .*Read-only file system'
	umount "$trigger_folder"
	chain_test fallback
	chain_is 'all links work again' ' 0' "$(cat "$out/found") $chain_status"
}

chain_daemons() {
	lttng stop "$(lttng list 2>/dev/null | grep -o 'lttng-mm-dax\b' | head -n 1)" >/dev/null
	# The supervisor repairs the session within two seconds.
	chain_test fallback
	echo "# a stopped session: $(cat "$out/found")"
	sleep 5
	chain_test fallback
	chain_is 'a session that was stopped is repaired' ' 0' "$(cat "$out/found") $chain_status"
	kill -9 "$(daemon_pid)"
	sleep 1
	chain_test fallback
	sed 's/^/# /' "$out/test"
	chain_is 'the test reports that the session daemon does not run' 'failed watcher 1 1' \
		"$(cut -d, -f1 "$out/found") $chain_status $(grep -c '^failed  *watcher: .*\(session daemon: not running; .* starts it\|lttng-sessiond: it has ended, .*; start it: \)' "$out/test")"
	chain_is '... the remaining steps are tested, too' 1 "$(grep -c '^ok  *folder: ' "$out/test")"
}

# Unloads the module, which is no longer in use after the session daemon has exited.
chain_unloaded() {
	kill "$(serve_pid)"
	wait_for 60 process_gone "$(serve_pid)"
	lttng-mm stop >/dev/null 2>&1
	chain_is 'the module is unloaded' 0 "$(rmmod lttng-probe-dax 2>&1 >/dev/null; grep -c '^lttng_probe_dax ' /proc/modules)"
	daemon_start >/dev/null
	rm -rf /run/lttng-mm/fields
	lttng-mm record --events=sched_process_exit --no-daemon >/dev/null
	serve_start >/dev/null
	wait_for 60 prints failed trigger_state fallback
	chain_finds fallback 'failed watcher' 'the probe of the event dax_pmd_fault_done is not loaded; start a recorder that records the event'
	for name in fallback call; do
		lttng-mm trigger remove $name
	done
	lttng-mm stop >/dev/null
	kill "$(serve_pid)"
}

# Tests a trigger of a profile, and user triggers with the same name.
chain_profile() {
	profiles=/etc/lttng-mm/profiles
	mkdir -p $profiles
	sed 's/^#\(\[trigger\|on = \|capture = \|max = \|cooldown = \)/\1/' \
		"$(dirname "$(dirname "$(command -v lttng-mm)")")/share/lttng-mm/profiles/dax.conf" >$profiles/dax.conf
	sed 's/FALLBACK/FALBACK/' $profiles/dax.conf >$profiles/wrong.conf
	lttng-mm record wrong --no-daemon >/dev/null 2>"$out/profile.err"
	chain_is 'an unknown label in a profile is reported with file and line' '2 1' \
		"$? $(grep -c "profiles/wrong.conf:[0-9]*: .*its labels: FALLBACK," "$out/profile.err")"
	sed 's/^/# /' "$out/profile.err"
	rm $profiles/wrong.conf
	serve_start >/dev/null
	lttng-mm trigger add dax-error --on 'kernel-message oom'
	lttng-mm record dax >"$out/profile" 2>"$out/profile.err"
	chain_is 'record says which triggers are in effect' '0 1 1' \
		"$? $(grep -c '^triggers: dax-fallback; ' "$out/profile") $(grep -c 'note: the trigger dax-error of the profile dax is disabled: user 0 added' "$out/profile.err")"
	sed 's/^/# /' "$out/profile" "$out/profile.err"
	chain_is 'the trigger of the profile is armed' 0 "$(wait_for 60 prints armed trigger_state dax-fallback; echo $?)"
	lttng-mm trigger list | sed 's/^/# /'
	chain_is 'the list shows the origin of both triggers' '1 1' \
		"$(lttng-mm trigger list | grep -c '^  of the profile dax, which the recorder lttng-mm records') $(lttng-mm trigger list | grep -c '^  added by root')"
	chain_is 'status shows the triggers of the profile' 1 "$(lttng-mm status --all | grep -c '^  triggers of the profile: dax-error, dax-fallback; ')"
	# Wait until the trigger's warm-up of ten seconds has passed.
	sleep 11
	umount "$work/mnt"
	session_workload "$device"
	chain_is 'a fallback takes a snapshot' 0 "$(wait_for 60 prints 1 trigger_count dax-fallback; echo $?)"
	chain_is '... whose cause has the captured fields' 2 \
		"$(sed -n '/"cause"/,/"method"/p' "$trigger_folder"/dax-fallback-20*/snapshot.json | grep -c '"address"\|"pgoff"')"
	chain_killed_serve
	lttng-mm trigger remove dax-error
	chain_is "after the user trigger was removed, the profile's trigger is in effect" 0 "$(wait_for 60 prints armed trigger_state dax-error; echo $?)"
	lttng-mm trigger remove dax-error
	chain_is 'removing the trigger of a profile switches it off' dax-fallback "$(lttng-mm trigger list | sed -n 's/^\([a-z-]*\): .*/\1/p' | xargs)"
	lttng-mm stop >/dev/null
	chain_is 'stopping the recorder removes the triggers of the profile' 0 "$(wait_for 60 prints 0 chain_count; echo $?)"
	chain_is '... also in LTTng' 0 "$(wait_for 60 prints 0 chain_lttng_count; echo $?)"
	lttng-mm record dax --no-triggers >/dev/null
	sleep 2
	chain_is '--no-triggers adds none' 0 "$(chain_count)"
	lttng-mm stop >/dev/null
	rm $profiles/dax.conf
	kill "$(serve_pid)"
}

chain_count() {
	lttng-mm trigger list | grep -c '^[a-z-]*: '
}

chain_lttng_count() {
	lttng list-triggers | grep -c 'name: lttng-mm-'
}

chain_killed_serve() {
	kill -9 "$(serve_pid)"
	serve_start >/dev/null
	chain_is 'the trigger is armed after kill -9 of the daemon' 0 "$(wait_for 60 prints armed trigger_state dax-fallback; echo $?)"
	chain_is '... in its cooldown' 'in its cooldown' "$(trigger_limits dax-fallback)"
}

trigger_chain() {
	device=$1 out=$work/trigger-chain
	rm -rf "$out"
	mkdir -p "$out"
	rm -rf "${trigger_folder:?}"/*-20*
	check_function 'trigger-chain: the session daemon starts' daemon_start
	check 'trigger-chain: the modules load' 60 modprobe -a lttng-mm-freeze lttng-mm-lib lttng-probe-dax
	# trigger.sh leaves the filesystem mounted.
	umount "$work/mnt" 2>/dev/null
	session_workload "$device"
	chain_profile
	check 'trigger-chain: record dax' 120 lttng-mm record dax --no-daemon
	check_function 'trigger-chain: the recorder daemon starts' serve_start || return
	trigger_add_now fallback --on 'dax_pmd_fault_done if result & FALLBACK' --cooldown 60s
	trigger_add_now call --on 'syscall:sethostname if ret < 0' --cooldown 60s --run 'true'
	wait_for 60 prints armed trigger_state fallback
	wait_for 60 prints armed trigger_state call
	rm -rf "${trigger_folder:?}"/*-20*
	chain_works
	chain_removed
	chain_limits
	chain_folder
	chain_daemons
	chain_unloaded
	daemon_stop
}
