# SPDX-License-Identifier: LGPL-2.1-only
# Tests the processes that watch for the conditions of triggers, with real incidents: stalled tasks,
# processes that are killed for lack of memory, hung tasks, failing allocations, messages of
# programs in the kernel log, a user's file, and the journal. The kernel rightly complains about
# some of these, so the part clears the log at its end. Sourced by run-all.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh sets work and tests

watch_user=4711

# watch_start NAME UID CONDITION...: starts a watching process, which runs until watch_stop. Sets
# watch_log, the file with its messages.
watch_start() {
	watch_name=$1
	watch_log=$work/watch/$1.log
	watch_pipe=$work/watch/$1.pipe
	shift
	rm -f "$watch_pipe"
	mkfifo "$watch_pipe"
	"$tests/watch-conditions" "$@" <"$watch_pipe" >"$watch_log" 2>&1 &
	watch_pid=$!
	exec 7>"$watch_pipe"
	watch_wait "$watch_name: ready" '"ready":true'
}

watch_stop() {
	exec 7>&-
	wait "$watch_pid"
	is "watch: $watch_name: the process ends when its socket closes" 0 $?
}

# watch_wait NAME REGEX: waits until a message matches.
watch_wait() {
	if wait_for 60 grep -Eq -- "$2" "$watch_log"; then
		ok "watch: $1"
	else
		not_ok "watch: $1" "$(tail -n 10 "$watch_log")"
		return 1
	fi
}

# watch_count: prints the number of matches of the first trigger.
watch_count() {
	sed -n 's/.*"trigger":"1".*"matches":\([0-9]*\).*/\1/p' "$watch_log" | awk '{ n += $1 } END { print n + 0 }'
}

# watch_cgroup NAME FILE VALUE: creates a memory cgroup with a limit.
watch_cgroup() {
	mountpoint -q /sys/fs/cgroup || mount -t cgroup2 cgroup2 /sys/fs/cgroup
	echo +memory >/sys/fs/cgroup/cgroup.subtree_control
	mkdir -p "/sys/fs/cgroup/$1"
	echo "$3" >"/sys/fs/cgroup/$1/$2"
}

# watch_in CGROUP COMMAND...: runs COMMAND in the cgroup.
watch_in() {
	watch_group=$1
	shift
	# shellcheck disable=SC2016
	sh -c 'echo $$ >"/sys/fs/cgroup/$0/cgroup.procs" && exec "$@"' "$watch_group" "$@"
}

watch_pressure() {
	watch_start pressure "$watch_user" 'pressure cpu some > 100ms per 1s' 'pressure memory some > 50ms per 1s' 'pressure cpu full > 100ms per 1s'
	watch_wait 'pressure: an undefined kind is refused' '"trigger":"3","failed":".*full'
	for _ in 1 2 3 4 5 6; do
		timeout 60 sh -c 'while :; do :; done' &
		watch_busy="${watch_busy:-} $!"
	done
	watch_wait 'pressure: CPU pressure matches' '"trigger":"1".*"avg10":[0-9.]+.*"total_us":[1-9][0-9]*.*"text":"some '
	# shellcheck disable=SC2086
	kill $watch_busy
	# shellcheck disable=SC2086
	wait $watch_busy 2>/dev/null
	watch_cgroup squeezed memory.high 8M
	watch_in squeezed timeout 60 tail /dev/zero >/dev/null 2>&1 &
	watch_busy=$!
	watch_wait 'pressure: memory pressure matches' '"trigger":"2".*"text":"some '
	kill "$watch_busy"
	wait "$watch_busy" 2>/dev/null
	watch_busy=
	watch_stop
}

watch_kernel() {
	watch_start kernel "$watch_user" 'kernel-message oom' 'kernel-message hung-task' failed-allocation \
		'kernel-message ^lttng-mm test [0-9]+ \(.*\\.*\)' \
		'kernel-message ^lttng-mm masked' 'kernel-message masked.*ffff888003'
	is 'watch: kernel: the process runs as the user' "$watch_user" \
		"$(sed -n 's/^{"pid":\([0-9]*\)}$/\1/p' "$watch_log" | xargs ps -o uid= -p | tr -d ' ')"
	echo 'lttng-mm test 12 (with \ and more)' >/dev/kmsg
	# A user must learn addresses neither from a matching expression nor from the stored text.
	echo 'lttng-mm masked RSP: 0018:ffffc900001b3e58 at ffff888003a1c000 3' >/dev/kmsg
	watch_wait 'kernel: addresses are masked' \
		'"trigger":"5".*"text":"lttng-mm masked RSP: 0018:\*\*\* at \*\*\* 3"'
	is "watch: kernel: ... before the user's expression is matched" 0 "$(grep -c '"trigger":"6".*"text"' "$watch_log")"
	watch_wait 'kernel: a message of a program matches' '"trigger":"4".*"text":"lttng-mm test 12 \(with \\\\ and more\)"'
	echo 'Out of memory: Killed process 1 (init) total-vm:1kB' >/dev/kmsg
	watch_cgroup killed memory.max 16M
	echo 0 >/sys/fs/cgroup/killed/memory.swap.max
	watch_in killed tail /dev/zero >/dev/null 2>&1
	watch_wait 'kernel: a process killed in its cgroup matches' '"trigger":"1".*"text":"Memory cgroup out of memory: Killed process [0-9]+ \(tail\)'
	is 'watch: kernel: a forged message does not match' 0 "$(grep -c 'Killed process 1 ' "$watch_log")"
	insmod "$tests/failed-allocation.ko" && rmmod failed-allocation
	watch_wait 'kernel: a failing allocation matches' '"trigger":"3".*"text":".*page allocation failure: order:9'
	watch_stop
}

# Checks that the time of a kernel message is between the clock readings before and after the write.
watch_times() {
	watch_start times 0 'kernel-message ^lttng-mm time'
	sleep 2
	before=$(awk '{ print $1 }' /proc/uptime)
	echo 'lttng-mm time' >/dev/kmsg
	watch_wait 'times: a kernel message matches' '"trigger":"1","match"'
	after=$(awk '{ print $1 }' /proc/uptime)
	watch_at=$(sed -n 's/.*"boottime_ns":\([0-9]*\).*/\1/p' "$watch_log")
	echo "# $before $watch_at $after"
	is 'watch: times: the time of the match is between the readings' yes \
		"$(awk -v a="$before" -v t="$watch_at" -v b="$after" 'BEGIN { t /= 1e9; print (t >= a - 0.02 && t <= b + 0.02) ? "yes" : "no" }')"
	watch_stop
}

# Makes a task wait for a frozen filesystem.
watch_hung() {
	watch_seconds=$(cat /proc/sys/kernel/hung_task_timeout_secs)
	watch_start hung "$watch_user" 'kernel-message hung-task'
	pmem_mkfs ext4 "$1" && pmem_mount "$1" "$work/watch/mnt" || return
	echo 3 >/proc/sys/kernel/hung_task_timeout_secs
	fsfreeze -f "$work/watch/mnt"
	touch "$work/watch/mnt/file" &
	watch_hung_pid=$!
	watch_wait 'hung: a hung task matches' '"trigger":"1".*"text":"INFO: task touch:[0-9]+ blocked'
	fsfreeze -u "$work/watch/mnt"
	wait "$watch_hung_pid"
	echo "$watch_seconds" >/proc/sys/kernel/hung_task_timeout_secs
	umount "$work/watch/mnt"
	watch_stop
}

# watch_as COMMAND...: runs COMMAND as the user who owns the triggers.
watch_as() {
	setpriv --reuid "$watch_user" --regid "$watch_user" --clear-groups -- "$@"
}

watch_file() {
	mkdir -p "$work/watch/user"
	chmod 755 "$work" "$work/watch"
	chown "$watch_user:$watch_user" "$work/watch/user"
	: >"$work/watch/secret"
	chmod 600 "$work/watch/secret"
	watch_start file "$watch_user" "file $work/watch/user/log ^failed: [0-9]+$" "file $work/watch/secret ."
	watch_wait 'file: a file that the user cannot read is refused' '"trigger":"2","failed":".*Permission denied'
	# shellcheck disable=SC2016
	watch_as sh -c 'echo "failed: 12" >"$0"' "$work/watch/user/log"
	watch_wait "file: a line of the user's file matches" '"trigger":"1".*"text":"failed: 12"'
	watch_as mv "$work/watch/user/log" "$work/watch/user/log.1"
	# shellcheck disable=SC2016
	watch_as sh -c 'echo "failed: 13" >"$0"' "$work/watch/user/log"
	watch_wait 'file: a line after a rotation matches' '"trigger":"1".*"text":"failed: 13"'
	echo secret >"$work/watch/secret"
	# Writes ten thousand lines per second.
	# shellcheck disable=SC2016
	watch_as sh -c 'for second in 1 2 3; do seq -f "failed: %.0f" 10000 19999; sleep 1; done >>"$0"' "$work/watch/user/log"
	wait_for 30 prints 30002 watch_count
	is 'watch: file: every one of 30,000 lines is counted' 30002 "$(watch_count)"
	is 'watch: file: the unreadable file never matches' 0 "$(grep -c '"trigger":"2","match"' "$watch_log")"
	watch_stop
}

# watch_say TEXT: writes a journal message that belongs to no unit.
watch_say() {
	timeout 30 systemd-cat -t lttng-mm-test echo "$1"
}

watch_journal() {
	if [ ! -x /usr/lib/systemd/systemd-journald ]; then
		skip 'watch: journal' 'systemd is not in this image'
		return
	fi
	# The kernel truncates a process name to 15 characters.
	if ! pgrep -x systemd-journal >/dev/null; then
		[ -s /etc/machine-id ] || echo 0123456789abcdef0123456789abcdef >/etc/machine-id
		mkdir -p /run/systemd/journal /run/log/journal
		mountpoint -q /sys/fs/cgroup || mount -t cgroup2 cgroup2 /sys/fs/cgroup
		/usr/lib/systemd/systemd-journald >"$work/watch/journald.log" 2>&1 &
		watch_journald=$!
		wait_for 20 test -S /run/systemd/journal/stdout
	fi
	watch_start journal 0 'journal ^failed: [0-9]+' 'journal unit=lttng-mm-test.service failed'
	watch_say 'failed: 1'
	watch_wait 'journal: a message matches' '"trigger":"1".*"text":"failed: 1"'
	mkdir -p /sys/fs/cgroup/system.slice/lttng-mm-test.service
	# Send the message from the unit's cgroup: journald looks up the cgroup of the sender.
	# shellcheck disable=SC2016
	timeout 30 sh -c 'echo $$ >/sys/fs/cgroup/system.slice/lttng-mm-test.service/cgroup.procs &&
		exec systemd-cat -t lttng-mm-test sh -c "echo failed: of the unit; sleep 2"'
	watch_wait 'journal: a message of the unit matches' '"trigger":"2".*"text":"failed: of the unit"'
	is 'watch: journal: messages of others do not match' 0 "$(grep -c '"trigger":"2".*failed: 1"' "$watch_log")"
	# Send the signal itself: `journalctl --rotate` would wait for a reply from a service.
	pkill -USR2 -x systemd-journal
	sleep 2
	watch_say 'failed: 2'
	watch_wait 'journal: a message after the rotation matches' '"trigger":"1".*"text":"failed: 2"'
	watch_stop
	watch_start nobody "$watch_user" 'journal x'
	watch_wait 'journal: a user who cannot read the journal is refused' '"trigger":"1","failed":".*systemd-journal'
	watch_stop
	[ -z "${watch_journald:-}" ] || kill "$watch_journald"
}

watch() {
	mkdir -p "$work/watch"
	check_dmesg 'watch: the kernel log has no complaints at the start'
	watch_pressure
	watch_kernel
	watch_times
	watch_hung "$1"
	watch_file
	watch_journal
	[ ! -d /out ] || cp "$work"/watch/*.log /out/
	dmesg >"$work/watch/dmesg"
	dmesg --clear
}
