# SPDX-License-Identifier: LGPL-2.1-only
# Tests that the command of a trigger of a user in the group tracing cannot starve other users, and
# that all processes of the command end with it. Sourced by run-all.sh after repair.sh and
# service.sh. Each command has a systemd scope or, without systemd, a cgroup.
# shellcheck shell=sh disable=SC2016,SC2154  # the commands' shells; run-all.sh and others set
# shellcheck source=tests/kernel/recorder/service.sh

starve_user=4713

# starve_is NAME EXPECTED ACTUAL
starve_is() {
	is "starve: $1" "$2" "$3"
}

# starve_as COMMAND...: runs COMMAND as a member of the group tracing.
starve_as() {
	setpriv --reuid "$starve_user" --regid "$starve_user" --groups "$(getent group tracing | cut -d : -f 3)" -- "$@"
}

# starve_pids: prints the commands' processes. (The processes that watch conditions belong to the
# same user.)
starve_pids() {
	pgrep -u "$starve_user" -x sleep
}

starve_processes() {
	starve_pids | wc -l
}

# starve_run NAME: prints how the last command of the trigger ended.
starve_run() {
	lttng-mm trigger list | awk -v name="$1:" '/^[^ ]/ { found = $1 == name }
		found && sub(/^ *last command .*[0-9]: /, "") { print; exit }'
}

starve_state() {
	lttng-mm trigger list | awk -v name="$1:" '$1 == name { found = 1; next }
		found { sub(/[;:].*/, ""); print $1; exit }'
}

# starve_add NAME COMMAND [OPTION...]: adds a trigger that matches a line in $work/starve/NAME.
starve_add() {
	starve_name=$1 starve_command=$2
	shift 2
	: >"$work/starve/$starve_name"
	chmod 666 "$work/starve/$starve_name"
	starve_as lttng-mm trigger add "$starve_name" --on "file $work/starve/$starve_name go" \
		--warm-up 0s --cooldown 1s --run "$starve_command" "$@" >"$work/starve.err" 2>&1
	starve_is "a member of the group adds the trigger $starve_name" 0 $?
	diag <"$work/starve.err"
	wait_for 60 prints armed starve_state "$starve_name"
}

starve_fire() {
	echo go >>"$work/starve/$1"
}

starve_many() {
	test "$(starve_processes)" -ge 50
}

starve_none() {
	test "$(starve_processes)" = 0
}

# starve_groups: prints the cgroups of the command's processes, with N in place of each number.
starve_groups() {
	for starve_pid in $(starve_pids); do
		sed -n 's/^0:://p' "/proc/$starve_pid/cgroup" 2>/dev/null
	done | sed 's/[0-9][0-9]*/N/g' | sort -u | xargs -d '\n'
}

# Starts a command that creates as many processes as it can, each in its own session.
starve_tasks() {
	# A shell that cannot fork exits. The outer shell stays, so the command keeps running.
	starve_add tasks "sh -c '(i=0; while [ \$i -lt 600 ]; do i=\$((i+1)); setsid sleep 900 & done); exec sleep 900'" --run-timeout 600s
	starve_fire tasks
	check_function 'starve: the command starts processes' wait_for 120 starve_many
	sleep 3
	starve_is '... in a cgroup of their own' "$1" "$(starve_groups)"
	starve_is '... up to its limit' yes "$([ "$(starve_processes)" -le 64 ] && echo yes || starve_processes)"
	path=$(lttng-mm snapshot --method=freeze --output "$work/starve" 2>"$work/starve.err")
	starve_is "... root's snapshots succeed meanwhile" yes "$([ -s "$path/snapshot.json" ] && echo yes)"
	starve_is '... and the daemon takes them' '' "$(grep -v '^lttng-mm: note' "$work/starve.err")"
	path=$(starve_as lttng-mm snapshot --method=freeze --output "$work/starve/user" 2>"$work/starve.err")
	starve_is "... snapshots of users succeed, too" yes "$([ -s "$path/snapshot.json" ] && echo yes)"
	rm -rf "$work"/starve/snapshot-* "$work"/starve/user/snapshot-*
}

starve_removed() {
	check_function 'starve: many processes run' starve_many
	check 'starve: trigger remove tasks' 60 lttng-mm trigger remove tasks
	check_function 'starve: all processes end with the trigger' wait_for 60 starve_none
}

# Tests a command that leaves orphans of orphans and exits before they do.
starve_orphans() {
	starve_add orphans "sh -c '(setsid sh -c \"(setsid sleep 900 &) ; sleep 900 & exit\" &) ; sleep 1'"
	starve_fire orphans
	wait_for 60 prints 'exit status 0' starve_run orphans
	starve_is 'a command that leaves orphans ends' 'exit status 0' "$(starve_run orphans)"
	check_function 'starve: ... the orphans end with it' wait_for 30 starve_none
	check 'starve: trigger remove orphans' 60 lttng-mm trigger remove orphans
}

# Tests a command that allocates too much memory. The OOM killer's call trace is not an error here.
starve_memory() {
	check_dmesg 'starve: the kernel log has no complaints before'
	starve_add memory "sh -c 'head -c 700M /dev/zero | tail -c 600M | wc -c'"
	starve_fire memory
	wait_for 120 starve_ended memory
	starve_is 'a command that exceeds its memory limit is killed' yes \
		"$(dmesg | grep -q 'Memory cgroup out of memory: Killed process .*tail' && echo yes)"
	dmesg --clear
	check 'starve: trigger remove memory' 60 lttng-mm trigger remove memory
}

starve_ended() {
	[ -n "$(starve_run "$1")" ]
}

# Tests a command that ignores SIGTERM and exceeds its time limit.
starve_time() {
	starve_add time "sh -c 'trap \"\" TERM; setsid sleep 900 & while :; do sleep 1; done'" --run-timeout 2s
	starve_fire time
	wait_for 60 starve_ended time
	starve_is 'a command that exceeds its time limit' 'killed by signal 9 after its time limit' \
		"$(starve_run time)"
	check_function 'starve: ... none of its processes is left' wait_for 30 starve_none
	check 'starve: trigger remove time' 60 lttng-mm trigger remove time
}

# Tests that a user may run four commands at the same time.
starve_shares() {
	for starve_i in 1 2 3 4 5; do
		# `exec sleep 600` ignores the snapshot's path, the command's last argument.
		starve_add "share$starve_i" "sh -c 'exec sleep 600'" --run-timeout 900s
	done
	for starve_i in 1 2 3 4 5; do
		starve_fire "share$starve_i"
	done
	wait_for 120 starve_refused
	starve_is 'a fifth concurrent command is not run' 'not run: 4 commands of this user are already running' \
		"$(for starve_i in 1 2 3 4 5; do starve_run "share$starve_i"; done | grep .)"
	for starve_i in 1 2 3 4 5; do
		check "starve: trigger remove share$starve_i" 60 lttng-mm trigger remove "share$starve_i"
	done
}

starve_refused() {
	for starve_i in 1 2 3 4 5; do starve_run "share$starve_i"; done | grep -q 'not run'
}

# Kills and restarts the daemons while the processes run.
starve_restart() {
	rescues=$(repair_rescues)
	repair_after 'starve: kill -9 of the session daemon' 'the session daemon ended' \
		kill -9 "$(cat /run/lttng/lttng-sessiond.pid)"
	repair_rescued 'starve: the session daemon' "$rescues"
	check_function 'starve: the processes still run' starve_many
	check 'starve: systemctl restart lttng-mm' 120 systemctl restart lttng-mm
	check_function 'starve: the processes end with the daemon' wait_for 30 starve_none
	wait_for 60 prints armed starve_state tasks
	sleep 2
	starve_fire tasks
	check_function 'starve: the command runs again' wait_for 120 starve_many
	service_killed=$(systemctl show -P MainPID lttng-mm)
	kill -9 "$service_killed"
	service_becomes 'after kill -9 of the daemon, systemd starts it again' active service_again
	check_function 'starve: the processes are gone' wait_for 30 starve_none
	starve_fire tasks
	check_function 'starve: the command runs once more' wait_for 120 starve_many
}

starve() {
	rm -rf "$work/starve" /var/lib/lttng-mm
	mkdir -p "$work/starve/user" "$work/service"
	chmod 755 "$work" "$work/starve"
	grep -q '^tracing:' /etc/group || echo 'tracing:x:4712:' >>/etc/group
	chown "$starve_user" "$work/starve/user"
	if [ "$(cat /proc/1/comm)" = systemd ]; then
		rm -f /run/lttng-mm/repairs.json
		service_start
		# This part takes more snapshots than a user may keep.
		echo 'user-max = none' >>/etc/lttng-mm/recorder.conf
		check 'starve: systemctl restart, with this setting' 120 systemctl restart lttng-mm
		starve_tasks /system.slice/system-lttng_mm.slice/lttng-mm-command-N.scope
		starve_restart
	else
		mountpoint -q /sys/fs/cgroup || mount -t cgroup2 cgroup2 /sys/fs/cgroup
		mkdir -p /etc/lttng-mm
		printf '[recorder]\nuser-max = none\n' >/etc/lttng-mm/recorder.conf
		check 'starve: record' 120 lttng-mm record slab --subbuf-size 256k --num-subbuf=4
		check_function 'starve: the recorder daemon runs' wait_for 60 test -S /run/lttng-mm/recorder.sock
		starve_tasks /lttng-mm/command-N
	fi
	starve_removed
	starve_orphans
	starve_memory
	starve_time
	starve_shares
	starve_is 'no cgroup of a command is left' '' \
		"$(find /sys/fs/cgroup -name '*command-*' -type d)"
	check 'starve: stop' 60 lttng-mm stop
	if [ "$(cat /proc/1/comm)" = systemd ]; then
		check 'starve: systemctl stop lttng-mm' 120 systemctl stop lttng-mm
	fi
}
