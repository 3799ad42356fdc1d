# SPDX-License-Identifier: LGPL-2.1-only
# Tests the recorder daemon in a guest, while both CPUs write numbered events: who may request
# snapshots, with whose rights they are written, many requests at once, and a disk that hangs.
# Sourced by run-all.sh after freeze.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh sets work; freeze.sh the others

serve_user=4711

# serve_is NAME EXPECTED ACTUAL
serve_is() {
	is "serve: $1" "$2" "$3"
}

# serve_as GROUPS COMMAND...: as a user that is neither root nor known.
serve_as() {
	serve_groups=$1
	shift
	setpriv --reuid "$serve_user" --regid "$serve_user" --groups "$serve_groups" -- "$@"
}

# serve_snapshot DIR [OPTION...]
serve_snapshot() {
	serve_output=$1
	shift
	lttng-mm snapshot --method=freeze --session numbers --output "$serve_output" "$@"
}

serve_start() {
	lttng-mm serve --daemonize && wait_for 30 test -S /run/lttng-mm/recorder.sock
}

# serve_pid: the daemon, not the processes that it started.
serve_pid() {
	for serve_candidate in $(pgrep -f 'lttng-mm serve'); do
		[ "$(awk '{ print $4 }' "/proc/$serve_candidate/stat")" != 1 ] || echo "$serve_candidate"
	done | head -n 1
}
serve_gone() {
	[ -z "$(serve_pid)" ]
}

# serve_group: the number of the group tracing; the image may not have it, which Debian's package
# creates.
serve_group() {
	grep -q '^tracing:' /etc/group || echo 'tracing:x:4712:' >>/etc/group
	sed -n 's/^tracing:[^:]*:\([0-9]*\):.*/\1/p' /etc/group
}

serve_users() {
	group=$(serve_group)
	mkdir -p "$out/user" "$out/root"
	chown "$serve_user:$serve_user" "$out/user"
	chmod 755 "$work" "$out"
	path=$(serve_as "$group" lttng-mm snapshot --method=freeze --session numbers --output "$out/user" 2>"$out/user.err")
	serve_is 'a member of the group tracing gets a snapshot' 0 $?
	sed 's/^/# /' "$out/user.err"
	serve_is 'every number once, on both CPUs' '' "$(freeze_gaps "$path" lttng-mm print --format=babeltrace)"
	serve_is 'it belongs to the user, with all that is in it' "$serve_user" "$(find "$path" -printf '%U\n' | sort -u)"
	serve_is 'it can be read by the group tracing, too' "d 750 $group f 640 $group" "$(find "$path" -printf '%y %m %G\n' | sort -u | paste -sd ' ')"
	for serve_case in 'private d 700 f 600' 'group d 750 f 640' 'public d 755 f 644'; do
		rm -rf "$path"
		path=$(serve_as "$group" lttng-mm snapshot --session numbers --output "$out/user" --access="${serve_case%% *}" 2>"$out/user.err")
		serve_is "--access=${serve_case%% *}: the modes" "${serve_case#* }" "$(find "$path" -printf '%y %m\n' | sort -u | paste -sd ' ')"
	done
	serve_is 'the call sites have names' yes "$([ -s "$path/sysinfo/symbols.txt" ] && echo yes)"
	serve_is 'nothing else is in the folder' "${path##*/}" "$(find "$out/user" -mindepth 1 -maxdepth 1 ! -name '*.err' -printf '%f\n')"
	serve_as "$group" lttng-mm snapshot --method=freeze --session numbers --output "$out/root" >/dev/null 2>"$out/user.err"
	serve_is 'not in a folder that the user cannot write to' "4 1" "$? $(grep -c 'Permission denied' "$out/user.err")"
	serve_is 'nothing is there' '' "$(ls -A "$out/root")"
	serve_as "$serve_user" lttng-mm snapshot --method=freeze --session numbers --output "$out/user" >/dev/null 2>"$out/user.err"
	serve_is 'no other user may request one' "4 1" "$? $(grep -c 'join the group .tracing.' "$out/user.err")"
}

serve_many() {
	mkdir -p "$out/many"
	i=0
	pids=
	while [ $i -lt 100 ]; do
		i=$((i + 1))
		serve_snapshot "$out/many" >"$out/many.$i" 2>&1 &
		pids="$pids $!"
		sleep 0.1
	done
	failures=0
	for pid in $pids; do
		wait "$pid" || failures=$((failures + 1))
	done
	serve_is 'a hundred requests in ten seconds: none fails' 0 "$failures"
	cat "$out"/many.[0-9]* | sort -u >"$out/many.paths"
	serve_is 'each gets the path of a snapshot' '' "$(while read -r path; do [ -s "$path/kernel/metadata" ] || echo "$path"; done <"$out/many.paths")"
	serve_is 'there are no others' "$(wc -l <"$out/many.paths")" "$(find "$out/many" -mindepth 1 -maxdepth 1 | wc -l)"
	echo "# $(wc -l <"$out/many.paths") folders for 100 requests"
	rm -rf "$out/many"
}

# A disk that hangs: its filesystem is frozen.
serve_hanging() {
	mkdir -p "$out/disk.mnt" "$out/other"
	mkfs.ext4 -qF "$1" && mount "$1" "$out/disk.mnt" && fsfreeze -f "$out/disk.mnt"
	serve_is 'a frozen filesystem' 0 $?
	path=$(serve_snapshot "$out/disk.mnt" --no-wait)
	serve_is 'a snapshot to it without waiting' 0 $?
	serve_is 'its path is printed' "$out/disk.mnt" "$(dirname "$path")"
	other=$(serve_snapshot "$out/other")
	serve_is 'another snapshot meanwhile' 0 $?
	serve_is 'it is complete' '' "$(freeze_gaps "$other" lttng-mm print --format=babeltrace)"
	# For longer than it takes to find out that a daemon does not answer.
	serve_snapshot "$out/disk.mnt" --name=waiting >"$out/waiting" 2>&1 &
	pid=$!
	sleep 16
	serve_is 'a command waits for the disk' yes "$(kill -0 $pid && echo yes)"
	fsfreeze -u "$out/disk.mnt"
	wait $pid
	serve_is '... and gets its snapshot' "0 $out/disk.mnt" "$? $(dirname "$(cat "$out/waiting")")"
	rm -rf "$(cat "$out/waiting")"
	wait_for 30 test -d "$path"
	serve_is 'when the disk works, the first appears under its name, and nothing else' "lost+found ${path##*/}" "$(find "$out/disk.mnt" -mindepth 1 -maxdepth 1 -printf '%f\n' | LC_ALL=C sort | paste -sd ' ')"
	serve_is 'it is complete' '' \
		"$(freeze_gaps "$path" lttng-mm print --format=babeltrace)"
	umount "$out/disk.mnt"
}

# serve_refusals: what a snapshot to a full disk, and to one that is mounted read-only, is refused
# with, without the numbers.
serve_refusals() {
	for disk in 'full size=1m' 'read-only ro'; do
		mkdir -p "$out/${disk% *}"
		mount -t tmpfs -o "${disk#* }" none "$out/${disk% *}"
		serve_snapshot "$out/${disk% *}" 2>&1
		echo "status $?; left: $(ls -A "$out/${disk% *}")"
		umount "$out/${disk% *}"
	done | sed 's/[0-9][0-9]* bytes/N bytes/g'
}

serve_full() {
	serve_refusals >"$out/by-daemon"
	serve_is 'a full disk is an error' 1 \
		"$(grep -c '/full: No space left on device; its traces need up to N bytes; N bytes are free; make room, or choose another --output$' "$out/by-daemon")"
	serve_is '... and so is one that is read-only' 1 \
		"$(grep -c '/read-only: Read-only file system; choose another --output$' "$out/by-daemon")"
	serve_is 'nothing half-written is left' 2 "$(grep -cx 'status 4; left: ' "$out/by-daemon")"
}

serve_killed() {
	kill -9 "$(serve_pid)"
	check_function 'serve: after kill -9 it starts again' serve_start
	check_function 'serve: a snapshot after that' serve_snapshot "$out/other"
	path=$(serve_snapshot "$out/other" --pin)
	serve_is '--pin: the snapshot has the file' '0 yes' "$? $([ -f "$path/pin" ] && echo yes)"
	pid=$(serve_pid)
	kill -TERM "$pid"
	wait_for 30 process_gone "$pid"
	serve_is 'SIGTERM ends it' '' "$(serve_pid)"
	serve_is 'its mount is removed' 0 "$(grep -c /run/lttng-mm/stage /proc/mounts)"
	serve_refusals >"$out/by-command"
	serve_is 'without it, full and read-only disks are reported in the same words' '' \
		"$(diff "$out/by-daemon" "$out/by-command")"
}

# Where the service does not run, `record` starts the daemon, and the last `stop` ends it.
serve_recorder() {
	modprobe lttng-probe-slab
	check 'serve: record without a daemon' 120 lttng-mm record slab --no-daemon
	serve_is 'none is started' '' "$(serve_pid)"
	check 'serve: record adds a profile' 120 lttng-mm record dax --force
	pid=$(serve_pid)
	serve_is 'it starts the daemon' yes "$([ -n "$pid" ] && echo yes)"
	serve_is 'the daemon accepts requests' yes "$([ -S /run/lttng-mm/recorder.sock ] && echo yes)"
	serve_is 'it has no terminal, and is in no folder' '0 /' "$(awk '{ print $7 }' "/proc/$pid/stat") $(readlink "/proc/$pid/cwd")"
	check 'serve: one profile stops' 120 lttng-mm stop dax
	serve_is 'the daemon remains' "$pid" "$(serve_pid)"
	check 'serve: the last one stops' 120 lttng-mm stop slab
	wait_for 30 process_gone "$pid"
	serve_is 'the daemon ends' '' "$(serve_pid)"
	rm -rf /run/lttng-mm/stage && : >/run/lttng-mm/stage
	lttng-mm record slab >"$out/record.out" 2>"$out/record.err"
	serve_is 'a daemon that does not start is a warning' '0 1 1' \
		"$? $(grep -c '^recording slab' "$out/record.out") $(grep -c '^lttng-mm: warning: recorder daemon' "$out/record.err")"
	rm -rf /run/lttng-mm/stage
	check 'serve: and it stops' 120 lttng-mm stop slab
}

serve() {
	out=$work/serve
	rm -rf "$out"
	mkdir -p "$out"
	check_function 'serve: the session daemon starts' daemon_start
	check 'serve: the modules load' 60 modprobe -a lttng-mm-freeze lttng-mm-lib
	grep -q '^record_test ' /proc/modules ||
		check 'serve: the probe of numbered events loads' 60 insmod "$tests/record-test.ko" || return
	check_function 'serve: a session in snapshot mode' freeze_record || return
	serve_group >/dev/null
	check_function 'serve: the recorder daemon starts' serve_start || return
	: >"$out/writing"
	freeze_write 0 &
	serve_writers=$!
	freeze_write 1 &
	serve_writers="$serve_writers $!"
	sleep 5
	serve_users
	serve_many
	serve_hanging "$1"
	serve_full
	serve_killed
	rm "$out/writing"
	# shellcheck disable=SC2086
	wait $serve_writers
	check_function 'serve: the session stops' lttng destroy "$freeze_session"
	serve_recorder
	check 'serve: the module can be removed' 10 rmmod lttng-mm-freeze
	check 'serve: the probe can be removed' 10 rmmod record-test
}
