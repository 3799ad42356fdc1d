# SPDX-License-Identifier: LGPL-2.1-only
# Tests the recorder daemon while both CPUs write numbered events: who may request snapshots, with
# whose permissions they are written, many requests at once, and a disk that hangs. Sourced by
# run-all.sh after freeze.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh sets work; freeze.sh the others

serve_user=4711
# A snapshot takes seconds in an emulated machine that shares its CPUs; up to 8 s were measured.
serve_late_ns=60000000000

# serve_is NAME EXPECTED ACTUAL
serve_is() {
	is "serve: $1" "$2" "$3"
}

# serve_as GROUPS COMMAND...: runs COMMAND as a user id without an entry in /etc/passwd.
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

# serve_pid: prints the process id of the daemon, without its child processes.
serve_pid() {
	for serve_candidate in $(pgrep -f 'lttng-mm serve'); do
		[ "$(awk '{ print $4 }' "/proc/$serve_candidate/stat")" != 1 ] || echo "$serve_candidate"
	done | head -n 1
}
serve_gone() {
	[ -z "$(serve_pid)" ]
}

# serve_group: prints the number of the group tracing. Debian's package creates the group; the image
# may not have it.
serve_group() {
	grep -q '^tracing:' /etc/group || echo 'tracing:x:4712:' >>/etc/group
	sed -n 's/^tracing:[^:]*:\([0-9]*\):.*/\1/p' /etc/group
}

# serve_unfinished: creates unfinished snapshots of killed processes in a user's folder. The daemon
# has the user's permissions there, so it can remove the user's snapshots, but not root's.
serve_unfinished() {
	for serve_owner in "$serve_user" 0; do
		serve_left=$out/user/.lttng-mm-left00
		[ "$serve_owner" != 0 ] || serve_left=$out/user/.lttng-mm-root00
		mkdir -m 700 "$serve_left"
		mkdir "$serve_left/snapshot"
		touch "$serve_left/unfinished" "$serve_left/snapshot/stream"
		chown -R "$serve_owner" "$serve_left"
	done
	rm -rf "$path"
	path=$(serve_as "$group" lttng-mm snapshot --session numbers --output "$out/user" 2>"$out/user.err")
	serve_is 'only unfinished snapshots of the same user are removed' '.lttng-mm-root00' \
		"$(find "$out/user" -mindepth 1 -maxdepth 1 -name '.lttng-mm-*' -printf '%f\n')"
	rm -rf "$out/user/.lttng-mm-root00"
}

serve_users() {
	group=$(serve_group)
	mkdir -p "$out/user" "$out/root"
	chown "$serve_user:$serve_user" "$out/user"
	chmod 755 "$work" "$out"
	path=$(serve_as "$group" lttng-mm snapshot --method=freeze --session numbers --output "$out/user" 2>"$out/user.err")
	serve_is 'a member of the group tracing gets a snapshot' 0 $?
	sed 's/^/# /' "$out/user.err"
	serve_is 'the snapshot has every number once, on both CPUs' '' "$(freeze_gaps "$path" lttng-mm print --format=babeltrace)"
	serve_is 'the snapshot and all its files belong to the user' "$serve_user" "$(find "$path" -printf '%U\n' | sort -u)"
	serve_is 'the group tracing can read it, too' "d 750 $group f 640 $group" "$(find "$path" -printf '%y %m %G\n' | sort -u | paste -sd ' ')"
	for serve_case in 'private d 700 f 600' 'group d 750 f 640' 'public d 755 f 644'; do
		rm -rf "$path"
		path=$(serve_as "$group" lttng-mm snapshot --session numbers --output "$out/user" --access="${serve_case%% *}" 2>"$out/user.err")
		serve_is "--access=${serve_case%% *}: the modes" "${serve_case#* }" "$(find "$path" -printf '%y %m\n' | sort -u | paste -sd ' ')"
		[ -n "$path" ] || diag <"$out/user.err"
	done
	serve_is 'recorder.json lists the daemon and its supervisor' '1 1' \
		"$(grep -c "\"pid\": $(serve_pid),\$" "$path/sysinfo/recorder.json") $(grep -c '"name": "lttng-mm-superv"' "$path/sysinfo/recorder.json")"
	serve_as "$group" sh -c "echo \$\$; exec lttng-mm snapshot --session numbers --output '$out/user'" >"$out/client" 2>"$out/user.err"
	serve_is '... and the client that requests the snapshot' 1 \
		"$(grep -c "\"pid\": $(head -n 1 "$out/client"),\$" "$(tail -n 1 "$out/client")/sysinfo/recorder.json")"
	rm -rf "$(tail -n 1 "$out/client")"
	serve_is 'call sites have names' yes "$([ -s "$path/sysinfo/symbols.txt" ] && echo yes)"
	serve_unfinished
	serve_is 'the folder contains nothing else' "${path##*/}" "$(find "$out/user" -mindepth 1 -maxdepth 1 ! -name '*.err' -printf '%f\n')"
	serve_as "$group" lttng-mm snapshot --method=freeze --session numbers --output "$out/root" >/dev/null 2>"$out/user.err"
	serve_is 'a folder that the user cannot write to is refused' "4 1" "$? $(grep -c 'Permission denied' "$out/user.err")"
	serve_is 'nothing is there' '' "$(ls -A "$out/root")"
	serve_as "$serve_user" lttng-mm snapshot --method=freeze --session numbers --output "$out/user" >/dev/null 2>"$out/user.err"
	serve_is 'a user outside the group is refused' "4 1" "$? $(grep -c 'join the group .tracing.' "$out/user.err")"
}

# serve_now: prints CLOCK_BOOTTIME in nanoseconds, to within 10 ms. Unless the machine was
# suspended, this is the clock of the traces. Starts no process.
serve_now() {
	read -r serve_up _ </proc/uptime
	echo "${serve_up%.*}${serve_up#*.}0000000"
}

# serve_window: prints in nanoseconds how far the buffers reach back at least, as `status` shows it.
serve_window() {
	lttng-mm status --json 2>/dev/null | grep -o '"window_ns": *[0-9][0-9]*' | sed 's/.*: *//' |
		sort -n | head -n 1
}

# serve_rare: every 0.2 s, fires a rare event in the channel of the frequent events, and prints the
# time of the event.
serve_rare() {
	while [ -e "$out/writing" ]; do
		echo 1 >/sys/module/record_test/parameters/fire_text
		serve_now
		sleep 0.2
	done
}

# serve_covered WINDOW: compares each folder with its requests. Lines of the input files:
#   many.folders   PATH START END
#   many.rare      PATH TIME of each rare event in the folder
#   many.requests  TIME PATH
#   many.fired     TIME of each rare event
# A folder that is frozen after the request covers less of the window before the request: it lacks
# the time from the request to the freeze. Prints the requests whose folder lacks anything else, and
# writes to many.wanted the number of rare events that the folders must contain.
serve_covered() {
	awk -v window="$1" -v late="$serve_late_ns" -v wanted="$out/many.wanted" '
		FILENAME ~ /folders$/ { start[$1] = $2; end[$1] = $3; next }
		FILENAME ~ /rare$/ { has[$1, ++count[$1]] = $2; next }
		FILENAME ~ /fired$/ { fired[++n] = $1; next }
		{
			at = $1
			path = $2
			want = found = 0
			# Tolerates 5 %, because the event rate varies.
			from = end[path] - window * 0.95
			for (i = 1; i <= n; i++) want += fired[i] > from && fired[i] < at - 2e7
			for (i = 1; i <= count[path]; i++) found += has[path, i] > from - 1e9 && has[path, i] < at
			all += want
			if (!(path in start) || at > end[path]) print "not covered: " at, path, end[path]
			else if (end[path] - at > late) print "late: " end[path] - at, path
			else if (start[path] > from) print "too short: " end[path] - start[path], path
			else if (found < want) print "rare events: " found " of " want, path
		}
		END { print all + 0 >wanted }' "$out/many.folders" "$out/many.rare" "$out/many.fired" \
		"$out/many.requests" |
		head -n 5
}

# serve_folders: writes the interval of each folder in many.paths, on the clock of the traces, and
# the times of the rare events in the folder.
serve_folders() {
	: >"$out/many.rare"
	while read -r path; do
		zero=$(snapshot_zero "$path")
		start=$(snapshot_value "$path" certificate.shared.start_ns)
		end=$(snapshot_value "$path" certificate.shared.end_ns)
		echo "$path $((start - zero)) $((end - zero))"
		lttng-mm print --format=babeltrace --clock-cycles --no-delta --events=recordtest_text "$path/kernel" 2>/dev/null |
			sed "s|^\[0*\([0-9]*\)\].*|$path \1|" >>"$out/many.rare"
	done <"$out/many.paths" >"$out/many.folders"
}

# serve_numbers CPU: fires few numbered events.
serve_numbers() {
	exec taskset -c "$1" sh -c "while [ -e '$out/writing' ]; do
		echo 400 >/sys/module/record_test/parameters/fire; sleep 0.2; done"
}

# serve_many: sends a hundred requests. Requests that arrive during a snapshot share the next
# snapshot. The buffers are small, because the guest's memory must hold a hundred copies. At this
# rate of events, they still reach back for longer than a snapshot takes in an emulated machine.
serve_many() {
	mkdir -p "$out/many"
	check_function 'serve: a session with small buffers starts' serve_few || return
	: >"$out/writing"
	serve_numbers 0 &
	serve_slow=$!
	serve_numbers 1 &
	serve_slow="$serve_slow $!"
	serve_rare >"$out/many.fired" &
	serve_slow="$serve_slow $!"
	sleep 45
	window=$(serve_window)
	i=0
	pids=
	while [ $i -lt 100 ]; do
		i=$((i + 1))
		serve_now >"$out/many.at.$i"
		lttng-mm snapshot --method=freeze --session few --output "$out/many" --reason "request $i" >"$out/many.$i" 2>"$out/errors.$i" &
		pids="$pids $!"
		sleep 0.1
	done
	failures=0
	for pid in $pids; do
		wait "$pid" || failures=$((failures + 1))
	done
	rm "$out/writing"
	# shellcheck disable=SC2086
	wait $serve_slow
	serve_is 'none of a hundred requests, one every 100 ms if the machine is fast enough, fails' 0 "$failures"
	[ "$failures" = 0 ] || sort -u "$out"/errors.* | diag
	cat "$out"/many.[0-9]* | sort -u >"$out/many.paths"
	serve_is 'each request gets the path of a snapshot' '' "$(while read -r path; do [ -s "$path/kernel/metadata" ] || echo "$path"; done <"$out/many.paths")"
	serve_is "each request's reason is in its folder" 100 \
		"$(i=0 && while [ $i -lt 100 ]; do i=$((i + 1)) && grep -l "\"request $i\"" "$(cat "$out/many.$i")/snapshot.json"; done | wc -l)"
	serve_is 'there are no other folders' "$(wc -l <"$out/many.paths")" "$(find "$out/many" -mindepth 1 -maxdepth 1 | wc -l)"
	echo "# $(wc -l <"$out/many.paths") folders for 100 requests; the window was $((${window:-0} / 1000000)) ms"
	serve_folders
	i=0
	while [ $i -lt 100 ]; do
		i=$((i + 1))
		echo "$(cat "$out/many.at.$i") $(cat "$out/many.$i")"
	done >"$out/many.requests"
	serve_is 'each folder covers its requests and the window before them, with the rare events' '' "$(serve_covered "${window:-0}")"
	echo "# $(cat "$out/many.wanted") rare events in them, $(sort -n "$out/many.requests" | awk 'NR == 1 { first = $1 } END { print int(($1 - first) / 1e6) }') ms from the first request to the last"
	serve_is '... hundreds of rare events are in these windows' yes "$([ "$(cat "$out/many.wanted")" -ge 200 ] && echo yes)"
	serve_is '... and the check notices a window that is too long' yes "$([ -n "$(serve_covered $((${window:-0} * 2)))" ] && echo yes)"
	lttng destroy lttng-mm-few >/dev/null
	rm -rf "$out/many"
}

serve_few() {
	slab_subbuf=256k slab_session lttng-mm-few 'recordtest_packed' &&
		lttng enable-event -k -s lttng-mm-few -c ring recordtest_text && lttng start lttng-mm-few
}

# serve_theirs: counts the trigger's snapshots that babeltrace2 reads to the end without a warning
# and that have events.
serve_theirs() {
	for theirs in "$out"/theirs/*/; do
		{ babeltrace2 "$theirs" 2>"$out/theirs.err"; echo "status $?"; } |
			awk '/recordtest_packed/ { events = 1 } /^status / { status = $2 }
				END { if (events && status == "0") print "read" }' >"$out/theirs.read"
		[ -s "$out/theirs.err" ] || cat "$out/theirs.read"
	done | wc -l
}

# serve_theirs_each: prints the number of files of each snapshot and babeltrace2's messages about
# it.
serve_theirs_each() {
	for theirs in "$out"/theirs/*/; do
		echo "$theirs: $(find "$theirs" -type f -size +0 | wc -l) files"
		babeltrace2 "$theirs" 2>&1 >/dev/null | head -n 4
	done
}

# serve_trigger: takes snapshots of a session while a trigger of LTTng makes the session daemon take
# snapshots of the same session. The trigger matches an event of another probe, because a trigger on
# an event of our probe would keep the probe's module loaded.
serve_trigger() {
	mkdir -p "$out/theirs" "$out/ours"
	cp /bin/true "$out/beside"
	check 'serve: a trigger that takes snapshots of the session is added' 30 lttng add-trigger --name=beside \
		--condition=event-rule-matches --type=kernel:tracepoint --name=sched_process_exec \
		'--filter=filename == "*/beside"' \
		--action=snapshot-session "$freeze_session" "--path=$out/theirs"
	: >"$out/ours.paths"
	i=0
	while [ $i -lt 3 ]; do
		i=$((i + 1))
		"$out/beside"
		serve_snapshot "$out/ours" >>"$out/ours.paths" || not_ok "serve: snapshot $i of 3 during a trigger's"
		sleep 3
	done
	serve_is "during a trigger's snapshots: every number once, on both CPUs" '' \
		"$(while read -r path; do freeze_gaps "$path" lttng-mm print --format=babeltrace; done <"$out/ours.paths")"
	serve_is "... and verify finds no error" 0 \
		"$(while read -r path; do lttng-mm verify "$path" >/dev/null 2>&1 || echo "$path"; done <"$out/ours.paths" | wc -l)"
	serve_read=$(wait_for 300 prints 3 serve_theirs; serve_theirs)
	serve_is "each match has a snapshot of the trigger that is readable and has events" 3 "$serve_read"
	[ "$serve_read" = 3 ] || serve_theirs_each | diag
	check 'serve: the trigger is removed' 30 lttng remove-trigger beside
	rm -rf "$out/theirs" "$out/ours"
}

# Tests a disk that hangs, which a frozen filesystem simulates.
serve_hanging() {
	mkdir -p "$out/disk.mnt" "$out/other"
	mkfs.ext4 -qF "$1" && mount "$1" "$out/disk.mnt" && fsfreeze -f "$out/disk.mnt"
	serve_is 'a frozen filesystem' 0 $?
	path=$(serve_snapshot "$out/disk.mnt" --no-wait)
	serve_is 'a snapshot to the frozen filesystem without waiting succeeds' 0 $?
	serve_is 'its path is printed' "$out/disk.mnt" "$(dirname "$path")"
	other=$(serve_snapshot "$out/other")
	serve_is 'a snapshot to another folder succeeds meanwhile' 0 $?
	serve_is 'that snapshot is complete' '' "$(freeze_gaps "$other" lttng-mm print --format=babeltrace)"
	# The wait is longer than the time after which a daemon counts as unresponsive.
	serve_snapshot "$out/disk.mnt" --name=waiting >"$out/waiting" 2>"$out/waiting.err" &
	pid=$!
	sleep 16
	serve_is 'a command waits for the disk' yes "$(kill -0 $pid && echo yes)"
	fsfreeze -u "$out/disk.mnt"
	wait $pid
	serve_is '... and gets its snapshot' "0 $out/disk.mnt" "$? $(dirname "$(cat "$out/waiting")")"
	rm -rf "$(cat "$out/waiting")"
	wait_for 30 test -d "$path"
	serve_is 'when the disk works again, only the first snapshot appears under its name' "lost+found ${path##*/}" "$(find "$out/disk.mnt" -mindepth 1 -maxdepth 1 -printf '%f\n' | LC_ALL=C sort | paste -sd ' ')"
	serve_is 'it is complete' '' \
		"$(freeze_gaps "$path" lttng-mm print --format=babeltrace)"
	umount "$out/disk.mnt"
}

# serve_refusals: prints the messages of snapshots to a full and to a read-only disk, without
# numbers.
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
	serve_is '... and so is a read-only disk' 1 \
		"$(grep -c '/read-only: Read-only file system; choose another --output$' "$out/by-daemon")"
	serve_is 'no unfinished snapshot is left' 2 "$(grep -cx 'status 4; left: ' "$out/by-daemon")"
}

serve_killed() {
	kill -9 "$(serve_pid)"
	check_function 'serve: after kill -9 it starts again' serve_start
	check_function 'serve: a snapshot after the restart succeeds' serve_snapshot "$out/other"
	path=$(serve_snapshot "$out/other" --pin)
	serve_is '--pin creates the file in the snapshot' '0 yes' "$? $([ -f "$path/pin" ] && echo yes)"
	pid=$(serve_pid)
	kill -TERM "$pid"
	wait_for 30 process_gone "$pid"
	serve_is 'SIGTERM ends it' '' "$(serve_pid)"
	serve_is "the daemon's mount is removed" 0 "$(grep -c /run/lttng-mm/stage /proc/mounts)"
	serve_refusals >"$out/by-command"
	serve_is 'the command without a daemon reports full and read-only disks in the same words' '' \
		"$(diff "$out/by-daemon" "$out/by-command")"
}

# Tests that without the service, `record` starts the daemon and the last `stop` ends it.
serve_recorder() {
	modprobe lttng-probe-slab
	check 'serve: record with --no-daemon succeeds' 120 lttng-mm record slab --no-daemon
	serve_is 'none is started' '' "$(serve_pid)"
	check 'serve: record adds a profile' 120 lttng-mm record dax --force
	pid=$(serve_pid)
	serve_is 'it starts the daemon' yes "$([ -n "$pid" ] && echo yes)"
	serve_is 'record has started the daemon' yes "$([ -S /run/lttng-mm/recorder.sock ] && echo yes)"
	serve_is 'the daemon has no terminal, and its working folder is /' '0 /' "$(awk '{ print $7 }' "/proc/$pid/stat") $(readlink "/proc/$pid/cwd")"
	check 'serve: one profile stops' 120 lttng-mm stop dax
	serve_is 'the daemon remains' "$pid" "$(serve_pid)"
	check 'serve: the last one stops' 120 lttng-mm stop slab
	wait_for 30 process_gone "$pid"
	serve_is 'the daemon ends' '' "$(serve_pid)"
	rm -rf /run/lttng-mm/stage && : >/run/lttng-mm/stage
	lttng-mm record slab >"$out/record.out" 2>"$out/record.err"
	serve_is 'record warns if the daemon does not start' '0 1 1' \
		"$? $(grep -c '^recording slab' "$out/record.out") $(grep -c '^lttng-mm: warning: recorder daemon' "$out/record.err")"
	rm -rf /run/lttng-mm/stage
	check 'serve: the recorder stops without a daemon' 120 lttng-mm stop slab
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
	serve_many
	: >"$out/writing"
	freeze_write 0 &
	serve_writers=$!
	freeze_write 1 &
	serve_writers="$serve_writers $!"
	check_function 'serve: both writers write' wait_for 120 freeze_written 20
	serve_users
	serve_trigger
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
