# SPDX-License-Identifier: LGPL-2.1-only
# Tests triggers. A fallback of a DAX fault must take a snapshot with its cause. A flood of matches
# must take exactly the snapshots that its limits permit, and must not delay another trigger.
# Triggers must survive killed daemons. Sourced by run-all.sh after serve.sh.
# shellcheck shell=sh disable=SC2016,SC2154  # contexts; run-all.sh, serve.sh, freeze.sh set

trigger_folder=/var/lib/lttng-mm

# trigger_is NAME EXPECTED ACTUAL
trigger_is() {
	is "trigger: $1" "$2" "$3"
}

trigger_add_now() {
	lttng-mm trigger add "$@" --warm-up 0s 2>"$out/add.err"
	trigger_is "add $1" 0 $?
	sed 's/^/# /' "$out/add.err"
}

# trigger_count NAME: prints the number of the trigger's snapshots.
trigger_count() {
	find "$trigger_folder" -maxdepth 1 -name "$1-20*" | wc -l
}

# trigger_state NAME: prints the trigger's state as `trigger list` shows it.
trigger_state() {
	lttng-mm trigger list | awk -v name="$1:" '$1 == name { found = 1; next }
		found { sub(/[;:].*/, ""); print $1; exit }'
}

# trigger_value FILE MEMBER: prints the first value of MEMBER in snapshot.json.
trigger_value() {
	sed -n "s/^ *\"$2\": \"*\([^\",]*\)\"*,*\$/\1/p" "$1" | head -n 1
}

# trigger_late SNAPSHOT: prints the time from the receipt of the match to the freeze, in ms.
trigger_late() {
	awk '/"frozen": / { frozen = 1 } /"time": / { matched = 1 }
		/"monotonic_ns"/ { gsub(/[^0-9]/, "", $2)
			if (matched && !m) m = $2
			if (frozen && !f) f = $2 }
		END { printf "%d", (f - m) / 1000000 }' "$1/snapshot.json"
}

trigger_fallback() {
	trigger_add_now fallback --on 'dax_pmd_fault_done if result & FALLBACK' --capture 'address,$ctx.tid' --cooldown 60s
	trigger_is 'the trigger is armed' 0 "$(wait_for 60 prints armed trigger_state fallback; echo $?)"
	lttng-mm trigger test fallback >"$out/test" 2>&1
	trigger_is 'a synthetic match passes the chain' 0 $?
	sed 's/^/# /' "$out/test"
	trigger_is 'the synthetic match takes no snapshot' 0 "$(trigger_count fallback)"
	umount "$work/mnt"
	session_workload "$device"
	trigger_is 'a fallback takes a snapshot' 0 "$(wait_for 60 prints 1 trigger_count fallback; echo $?)"
	path=$(find "$trigger_folder" -maxdepth 1 -name 'fallback-20*')
	trigger_is 'the snapshot contains the event' yes "$(lttng-mm print "$path" | grep -q 'dax_pmd_fault_done:.*FALLBACK' && echo yes)"
	sed -n '/"cause"/,/"method"/p' "$path/snapshot.json" | sed 's/^/# /'
	trigger_is 'its cause is the trigger' "trigger fallback" \
		"$(trigger_value "$path/snapshot.json" kind) $(trigger_value "$path/snapshot.json" trigger)"
	trigger_is 'the cause has the captured address and the CPU' yes "$(
		address=$(sed -n 's/^ *"address": "0x\([0-9a-f]*\)",*$/\1/p' "$path/snapshot.json")
		cpu=$(sed -n 's/^ *"cpu": \([0-9]*\),*$/\1/p' "$path/snapshot.json" | head -n 1)
		lttng-mm print --format=babeltrace "$path" | grep 'dax_pmd_fault_done:' | grep "cpu_id = $cpu " |
			grep -qi "address = 0x${address}[ ,]" && echo yes)"
	trigger_is 'info shows the cause' yes "$(lttng-mm info --all "$path" | grep -q 'trigger fallback' && echo yes)"
	echo "# match received to freeze: $(trigger_late "$path") ms"
}

# Tests a trigger on a system call that fails: filter and capture use fields of the call's exit.
trigger_call() {
	trigger_add_now denied --on 'syscall:sethostname if ret < 0' --capture ret --cooldown 0s
	trigger_is 'a trigger on the exit of a system call is armed' 0 "$(wait_for 60 prints armed trigger_state denied; echo $?)"
	hostname guest
	sleep 2
	trigger_is 'a call that succeeds takes no snapshot' 0 "$(trigger_count denied)"
	serve_as "$serve_user" hostname guest 2>/dev/null
	trigger_is 'a call that fails takes a snapshot' 0 "$(wait_for 60 prints 1 trigger_count denied; echo $?)"
	trigger_is '... its result is masked, because it could be an address' '***' \
		"$(sed -n 's/^ *"ret": "\(.*\)",*$/\1/p' "$(find "$trigger_folder" -maxdepth 1 -name 'denied-20*')/snapshot.json")"
	lttng-mm trigger remove denied
}

# trigger_write CPU: fires 6,000 events per second if the machine is fast enough. Writes to
# $out/fired.CPU how many events it fired in how many hundredths of a second. Each write to `fire`
# fires two events per round.
trigger_write() {
	exec taskset -c "$1" sh -c "fired=0 began=
		while [ -e '$out/writing' ]; do
			read -r up _ </proc/uptime
			up=\${up%.*}\${up#*.}
			began=\${began:-\$up}
			due=\$(((up - began) * 30 - fired))
			[ \$due -le 0 ] || ! echo \$due >/sys/module/record_test/parameters/fire ||
				fired=\$((fired + due))
			echo \$((fired * 2)) \$((up - began)) >'$out/fired.$1'
			sleep 0.1
		done"
}

# trigger_fired: prints the events per second of both CPUs.
trigger_fired() {
	cat "$out/fired.0" "$out/fired.1" | awk '{ rate += $1 * 100 / $2 } END { printf "%d", rate }'
}

# trigger_frozen SNAPSHOT: prints the time of the freeze in ns since the Epoch.
trigger_frozen() {
	sed -n '/"frozen": /,/}/s/.*"realtime_ns": \([0-9]*\).*/\1/p' "$1/snapshot.json"
}

# trigger_others WHEN: measures how late the snapshots of another trigger are, for five matches one
# after the other.
trigger_others() {
	rm -rf "$trigger_folder"/other-20*
	i=0
	while [ $i -lt 5 ]; do
		i=$((i + 1))
		matched=$(date +%s%N)
		hostname guest
		wait_for 60 prints $i trigger_count other
		path=$(find "$trigger_folder" -maxdepth 1 -name 'other-20*' | LC_ALL=C sort | tail -n 1)
		echo $((($(trigger_frozen "$path") - matched) / 1000000))
	done | sort -n >"$out/others"
	sed "s/^/# other trigger, $1: ms from the match to the freeze: /" "$out/others"
	trigger_median=$(sed -n 3p "$out/others")
}

# trigger_intervals NAME COOLDOWN LATE: prints each interval between matches of the trigger's
# snapshots that is shorter than COOLDOWN seconds, or longer than COOLDOWN plus LATE.
trigger_intervals() {
	for intervals_path in "$trigger_folder/$1"-20*; do
		awk '/"match": / { found = 1 } found && /"monotonic_ns"/ { gsub(/[^0-9]/, "", $2); print $2; exit }' \
			"$intervals_path/snapshot.json"
	done | sort -n | awk -v least="$2" -v late="$3" 'NR > 1 {
		s = ($1 - last) / 1e9
		if (s < least || s > least + late) print s " s"
	} { last = $1 }'
}

# Fires events on both CPUs, first without a trigger on these events.
trigger_flood() {
	trigger_add_now other --on 'syscall:sethostname' --cooldown 0s --max 1000/hour
	wait_for 60 prints armed trigger_state other
	: >"$out/writing"
	trigger_write 0 &
	flooders=$!
	trigger_write 1 &
	flooders="$flooders $!"
	trigger_others 'no flood'
	quiet=$trigger_median
	trigger_add_now flood --on recordtest_packed --cooldown 10s
	began=$(date +%s)
	trigger_add_now limited --on 'recordtest_packed' --cooldown 1s --max 2/hour
	sleep 3
	trigger_others flooded
	# On a busy machine, a snapshot takes seconds even without the flood.
	trigger_is 'another trigger is at most 3 s more than twice as late' yes "$([ "$trigger_median" -le $((2 * quiet + 3000)) ] && echo yes)"
	while [ $(($(date +%s) - began)) -lt 35 ]; do
		sleep 0.5
	done
	rm "$out/writing"
	# shellcheck disable=SC2086
	wait $flooders
	took=$(($(date +%s) - began))
	# Snapshots that started before the flood ended may still be written.
	sleep 5
	count=$(trigger_count flood)
	echo "# $count snapshots in $took s, $(trigger_fired) events per second"
	trigger_is 'there are 10,000 matches per second on average' yes "$([ "$(trigger_fired)" -ge 10000 ] && echo yes)"
	# In a busy guest, registering the trigger and its notification take up to 4.7 s. A missing
	# snapshot would delay the next one by a whole cooldown.
	trigger_is 'a flood takes one snapshot per cooldown, at the first match after it' '' "$(trigger_intervals flood 10 8)"
	trigger_is '... until the flood ends' yes "$([ "$count" -ge $((took / 18)) ] && [ "$count" -le $((took / 10 + 1)) ] && echo yes)"
	trigger_is 'a limited trigger takes no more than its maximum' 2 "$(trigger_count limited)"
	trigger_is 'the other trigger took all its snapshots' 5 "$(trigger_count other)"
	lttng-mm trigger list | sed 's/^/# /'
}

# Tests a trigger on a rate: it must match only if more than 1000 events occur in a second.
trigger_rate() {
	trigger_add_now often --on 'rate recordtest_packed > 1000/s' --cooldown 60s
	trigger_is 'a trigger on a rate is armed' 0 "$(wait_for 60 prints armed trigger_state often; echo $?)"
	echo 300 >/sys/module/record_test/parameters/fire
	sleep 5
	trigger_is 'fewer events in a second take no snapshot' 0 "$(trigger_count often)"
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		echo 550 >/sys/module/record_test/parameters/fire
	done
	trigger_is 'more events in a second take a snapshot' 0 "$(wait_for 60 prints 1 trigger_count often; echo $?)"
	sleep 2
	trigger_is 'only one snapshot is taken in the cooldown' 1 "$(trigger_count often)"
	lttng-mm trigger remove often
	lttng-mm trigger add often --on 'rate recordtest_packed > 10001/s' --dry-run >/dev/null 2>"$out/rate.err"
	trigger_is 'a rate that LTTng cannot handle is refused' '2 1' "$? $(grep -c 'is not possible' "$out/rate.err")"
}

# trigger_limits NAME: prints the trigger's limits as `trigger list` shows them.
trigger_limits() {
	lttng-mm trigger list | awk -v name="$1:" '$1 == name { found = 1; next }
		found { sub(/.*; /, ""); sub(/, for .*/, ""); print; exit }'
}

# trigger_matches NAME: prints the trigger's number of matches as `trigger list` shows it.
trigger_matches() {
	lttng-mm trigger list | awk -v name="$1:" '$1 == name { found = 1; next }
		found { sub(/^[^;]*; /, ""); sub(/ match.*/, ""); print; exit }'
}

# trigger_why NAME: prints why the trigger failed.
trigger_why() {
	lttng-mm trigger list | awk -v name="$1:" '$1 == name { found = 1; next }
		found { sub(/^ *failed: /, ""); sub(/; [0-9]* match.*/, ""); print; exit }'
}

trigger_functions() {
	lttng-mm fn list | grep -c handle_mm_fault
}

# Removes the function that a trigger uses.
trigger_gone() {
	check 'trigger: fn add' 60 lttng-mm fn add handle_mm_fault
	trigger_add_now slow --on 'fn_handle_mm_fault_call if duration_ns > 100000000000000'
	trigger_is 'a trigger on a function is armed' 0 "$(wait_for 60 prints armed trigger_state slow; echo $?)"
	lttng-mm fn remove handle_mm_fault >"$out/remove" 2>&1
	trigger_is 'fn remove names the trigger that needs it' '0 1' \
		"$? $(grep -c '^lttng-mm: note: the trigger slow still needs the function handle_mm_fault: the recorder daemon adds it again when it starts; ' "$out/remove")"
	trigger_is 'the trigger is shown as failed' 0 "$(wait_for 60 prints failed trigger_state slow; echo $?)"
	trigger_is '... with the reason' 1 "$(trigger_why slow | grep -c "^the function handle_mm_fault was removed; add it again: lttng-mm fn add '")"
	lttng-mm trigger test slow >"$out/test" 2>&1
	trigger_is '... the test shows the reason, too' '1 1' "$? $(grep -c '^failed watcher: the function handle_mm_fault was removed; add it again: lttng-mm fn add ' "$out/test")"
	sleep 20
	trigger_is 'the function stays removed' 0 "$(trigger_functions)"
	check 'trigger: fn add again' 60 lttng-mm fn add handle_mm_fault
	trigger_is 'the trigger is armed again' 0 "$(wait_for 60 prints armed trigger_state slow; echo $?)"
	lttng-mm trigger remove slow
	check 'trigger: fn remove of a function without triggers' 60 lttng-mm fn remove handle_mm_fault
	trigger_is '... names no trigger' 0 "$(grep -c note "$work/check.log")"
}

# trigger_kept: prints the stored files of triggers. The files with the limits of a user remain when
# that user has no triggers.
trigger_kept() {
	find "$trigger_folder/triggers" -mindepth 1 ! -name '..user-[0-9]*.limits'
}

# Stops the recorder. Then, without a daemon, removes a trigger that needs a function.
trigger_alone() {
	check 'trigger: fn add for the next daemon' 60 lttng-mm fn add handle_mm_fault
	trigger_add_now slow --on 'fn_handle_mm_fault_call if duration_ns > 100000000000000'
	wait_for 60 prints armed trigger_state slow
	lttng-mm stop >"$out/stop" 2>&1
	trigger_is 'stop names the trigger that needs a function' '0 1' \
		"$? $(grep -c '^lttng-mm: note: the trigger slow still needs the function handle_mm_fault' "$out/stop")"
	kill "$(serve_pid)"
	wait_for 60 serve_gone
	lttng-mm trigger remove slow 2>"$out/remove"
	trigger_is 'the trigger is removed without a daemon' '0 ' "$? $(trigger_kept)"
	check 'trigger: fn remove' 60 lttng-mm fn remove handle_mm_fault
	check_function 'trigger: the next daemon starts' serve_start
	sleep 3
	trigger_is 'the function stays removed, too' 0 "$(trigger_functions)"
}

trigger_killed() {
	rm -rf "$trigger_folder"/*-20*
	# The daemon stores the counts every ten seconds.
	sleep 12
	matches=$(trigger_matches other)
	kill -9 "$(serve_pid)"
	trigger_is 'the recorder daemon starts after kill -9' 0 "$(serve_start; echo $?)"
	trigger_is 'the triggers still exist' 'fallback flood limited other user' "$(lttng-mm trigger list | sed -n 's/^\([a-z]*\): .*/\1/p' | xargs)"
	trigger_is 'the triggers are armed again' 0 "$(wait_for 60 prints armed trigger_state other; echo $?)"
	wait_for 60 prints armed trigger_state limited
	trigger_is 'the limits still count' 'at its maximum of snapshots' "$(trigger_limits limited)"
	echo "# matches of other: $matches"
	trigger_is 'the counts of matches continue' "at least ${matches#at least }" "$(trigger_matches other)"
	trigger_is 'the cooldown continues' 'in its cooldown' "$(trigger_limits user)"
	trigger_is 'LTTng has no other triggers of the recorder' 5 "$(lttng list-triggers | grep -c 'name: lttng-mm-')"
	before=$(trigger_count other)
	hostname guest
	trigger_is 'a match takes a snapshot' 0 "$(wait_for 60 prints $((before + 1)) trigger_count other; echo $?)"
	kill -9 "$(daemon_pid)"
	sleep 1
	daemon_start >/dev/null
	trigger_is 'the triggers are armed again after kill -9 of the session daemon' 0 "$(sleep 2; wait_for 60 prints armed trigger_state other; echo $?)"
}

trigger_run() {
	group=$(sed -n 's/^tracing:[^:]*:\([0-9]*\):.*/\1/p' /etc/group)
	cat >"$out/command" <<'END'
#!/bin/sh
{ id -u; env | sort; printf '%s\n' "$@"; [ -r "$2" ] && echo readable; } >"$1"
exit 3
END
	chmod 755 "$out/command"
	mkdir -p "$out/user"
	chown "$serve_user" "$out/user"
	serve_as "$group" lttng-mm trigger add user --on 'syscall:sethostname' --warm-up 0s --cooldown 60s \
		--run "$out/command '$out/user/ran it'"
	trigger_is 'a member of the group tracing adds a trigger' 0 $?
	wait_for 60 prints armed trigger_state user
	hostname guest
	trigger_is 'its command runs' 0 "$(wait_for 60 prints 'exit status 3' trigger_status; echo $?)"
	sed 's/^/# /' "$out/user/ran it"
	trigger_is '... as that user' "$serve_user" "$(head -n 1 "$out/user/ran it")"
	trigger_is "... with the snapshot's folder, which it can read" "$(find "$trigger_folder" -name 'user-20*') readable" "$(tail -n 2 "$out/user/ran it" | xargs)"
	trigger_is '... without the environment of the daemon' 0 "$(grep -c '^HOME=\|^USER=' "$out/user/ran it")"
	serve_as "$group" lttng-mm trigger remove other 2>/dev/null
	trigger_is 'other users cannot remove a trigger' 4 $?
}

trigger_removed() {
	for name in user other flood limited fallback; do
		lttng-mm trigger remove "$name"
	done
	trigger_is 'root can remove all triggers' '' "$(lttng-mm trigger list | grep '^[a-z]*: ')"
	trigger_is 'no trigger is stored' '' "$(trigger_kept)"
	sleep 2
	trigger_is 'LTTng has no trigger' 0 "$(lttng list-triggers | grep -c 'name: lttng-mm-')"
}

trigger_status() {
	lttng-mm trigger list | sed -n 's/.*last command [^ ]* [^ ]*: //p'
}

trigger() {
	device=$1 out=$work/trigger
	rm -rf "$out"
	mkdir -p "$out"
	chmod 755 "$work" "$out"
	check_function 'trigger: the session daemon starts' daemon_start
	check 'trigger: the modules load' 60 modprobe -a lttng-mm-freeze lttng-mm-lib lttng-probe-dax
	grep -q '^record_test ' /proc/modules ||
		check 'trigger: the probe of numbered events loads' 60 insmod "$tests/record-test.ko" || return
	grep -q '^tracing:' /etc/group || echo 'tracing:x:4712:' >>/etc/group
	# Mounts the filesystem with DAX.
	session_workload "$device"
	check 'trigger: record dax' 120 lttng-mm record dax
	check_function 'trigger: the recorder daemon starts' serve_start || return
	trigger_fallback
	trigger_call
	trigger_flood
	trigger_rate
	trigger_gone
	trigger_run
	trigger_killed
	trigger_removed
	trigger_alone
	kill "$(serve_pid)"
	umount "$work/mnt"
}
