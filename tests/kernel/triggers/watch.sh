# SPDX-License-Identifier: LGPL-2.1-only
# Tests the processes that watch for the conditions of triggers in a guest, with what really happens
# there: stalled tasks, processes that are killed for lack of memory, tasks that hang, allocations
# that fail, records of programs in the kernel's log, a user's file, and the journal. The kernel
# complains about some of this as it should, so the part ends with an empty log.
# Sourced by run-all.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh sets work and tests

watch_user=4711

# watch_start NAME UID CONDITION...: until watch_stop; messages are in $watch_log.
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
	is "watch: $watch_name: the process ends with its socket" 0 $?
}

# watch_wait NAME REGEX: until a message matches it.
watch_wait() {
	if wait_for 60 grep -Eq -- "$2" "$watch_log"; then
		ok "watch: $1"
	else
		not_ok "watch: $1" "$(tail -n 10 "$watch_log")"
		return 1
	fi
}

# watch_count: the matches of the first trigger.
watch_count() {
	sed -n 's/.*"trigger":"1".*"matches":\([0-9]*\).*/\1/p' "$watch_log" | awk '{ n += $1 } END { print n + 0 }'
}

# watch_cgroup NAME FILE VALUE: a memory cgroup with a limit.
watch_cgroup() {
	mountpoint -q /sys/fs/cgroup || mount -t cgroup2 cgroup2 /sys/fs/cgroup
	echo +memory >/sys/fs/cgroup/cgroup.subtree_control
	mkdir -p "/sys/fs/cgroup/$1"
	echo "$3" >"/sys/fs/cgroup/$1/$2"
}

# watch_in CGROUP COMMAND...
watch_in() {
	watch_group=$1
	shift
	# shellcheck disable=SC2016
	sh -c 'echo $$ >"/sys/fs/cgroup/$0/cgroup.procs" && exec "$@"' "$watch_group" "$@"
}

watch_pressure() {
	watch_start pressure "$watch_user" 'pressure cpu some > 100ms per 1s' 'pressure memory some > 50ms per 1s' 'pressure cpu full > 100ms per 1s'
	watch_wait 'what the kernel does not define is refused' '"trigger":"3","failed":".*full'
	for _ in 1 2 3 4 5 6; do
		timeout 60 sh -c 'while :; do :; done' &
		watch_busy="${watch_busy:-} $!"
	done
	watch_wait 'CPU pressure' '"trigger":"1".*"avg10":[0-9.]+.*"total_us":[1-9][0-9]*.*"text":"some '
	# shellcheck disable=SC2086
	kill $watch_busy
	# shellcheck disable=SC2086
	wait $watch_busy 2>/dev/null
	watch_cgroup squeezed memory.high 8M
	watch_in squeezed timeout 60 tail /dev/zero >/dev/null 2>&1 &
	watch_busy=$!
	watch_wait 'memory pressure' '"trigger":"2".*"text":"some '
	kill "$watch_busy"
	wait "$watch_busy" 2>/dev/null
	watch_busy=
	watch_stop
}

watch_kernel() {
	watch_start kernel "$watch_user" 'kernel-message oom' 'kernel-message hung-task' failed-allocation \
		'kernel-message ^lttng-mm test [0-9]+ \(.*\\.*\)' \
		'kernel-message ^lttng-mm masked' 'kernel-message masked.*ffff888003'
	is 'watch: kernel: the process is the user' "$watch_user" \
		"$(sed -n 's/^{"pid":\([0-9]*\)}$/\1/p' "$watch_log" | xargs ps -o uid= -p | tr -d ' ')"
	echo 'lttng-mm test 12 (with \ and more)' >/dev/kmsg
	# A user must not learn addresses by what matches, nor from what is stored.
	echo 'lttng-mm masked RSP: 0018:ffffc900001b3e58 at ffff888003a1c000 3' >/dev/kmsg
	watch_wait 'kernel: addresses are masked' \
		'"trigger":"5".*"text":"lttng-mm masked RSP: 0018:\*\*\* at \*\*\* 3"'
	is "watch: kernel: ... before a user's expression is matched" 0 "$(grep -c '"trigger":"6".*"text"' "$watch_log")"
	watch_wait 'kernel: a record of a program' '"trigger":"4".*"text":"lttng-mm test 12 \(with \\\\ and more\)"'
	echo 'Out of memory: Killed process 1 (init) total-vm:1kB' >/dev/kmsg
	watch_cgroup killed memory.max 16M
	echo 0 >/sys/fs/cgroup/killed/memory.swap.max
	watch_in killed tail /dev/zero >/dev/null 2>&1
	watch_wait 'kernel: a process that is killed in its cgroup' '"trigger":"1".*"text":"Memory cgroup out of memory: Killed process [0-9]+ \(tail\)'
	is 'watch: kernel: and no other' 0 "$(grep -c 'Killed process 1 ' "$watch_log")"
	insmod "$tests/failed-allocation.ko" && rmmod failed-allocation
	watch_wait 'kernel: an allocation that fails' '"trigger":"3".*"text":".*page allocation failure: order:9'
	watch_stop
}

# A time of the kernel's log against the clock: between the two writes.
watch_times() {
	watch_start times 0 'kernel-message ^lttng-mm time'
	sleep 2
	before=$(awk '{ print $1 }' /proc/uptime)
	echo 'lttng-mm time' >/dev/kmsg
	watch_wait 'times: a record' '"trigger":"1","match"'
	after=$(awk '{ print $1 }' /proc/uptime)
	watch_at=$(sed -n 's/.*"boottime_ns":\([0-9]*\).*/\1/p' "$watch_log")
	echo "# $before $watch_at $after"
	is 'watch: times: between those before and after' yes \
		"$(awk -v a="$before" -v t="$watch_at" -v b="$after" 'BEGIN { t /= 1e9; print (t >= a - 0.02 && t <= b + 0.02) ? "yes" : "no" }')"
	watch_stop
}

# A task that waits for a filesystem that is frozen.
watch_hung() {
	watch_seconds=$(cat /proc/sys/kernel/hung_task_timeout_secs)
	watch_start hung "$watch_user" 'kernel-message hung-task'
	pmem_mkfs ext4 "$1" && pmem_mount "$1" "$work/watch/mnt" || return
	echo 3 >/proc/sys/kernel/hung_task_timeout_secs
	fsfreeze -f "$work/watch/mnt"
	touch "$work/watch/mnt/file" &
	watch_hung_pid=$!
	watch_wait 'hung: a task that hangs' '"trigger":"1".*"text":"INFO: task touch:[0-9]+ blocked'
	fsfreeze -u "$work/watch/mnt"
	wait "$watch_hung_pid"
	echo "$watch_seconds" >/proc/sys/kernel/hung_task_timeout_secs
	umount "$work/watch/mnt"
	watch_stop
}

# watch_as COMMAND...: as the user that is watched for.
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
	watch_wait 'file: not what the user must not read' '"trigger":"2","failed":".*Permission denied'
	# shellcheck disable=SC2016
	watch_as sh -c 'echo "failed: 12" >"$0"' "$work/watch/user/log"
	watch_wait "file: a line of the user's file" '"trigger":"1".*"text":"failed: 12"'
	watch_as mv "$work/watch/user/log" "$work/watch/user/log.1"
	# shellcheck disable=SC2016
	watch_as sh -c 'echo "failed: 13" >"$0"' "$work/watch/user/log"
	watch_wait 'file: a line after a rotation' '"trigger":"1".*"text":"failed: 13"'
	echo secret >"$work/watch/secret"
	# Ten thousand lines a second.
	# shellcheck disable=SC2016
	watch_as sh -c 'for second in 1 2 3; do seq -f "failed: %.0f" 10000 19999; sleep 1; done >>"$0"' "$work/watch/user/log"
	wait_for 30 prints 30002 watch_count
	is 'watch: file: every one of 30,000 lines is counted' 30002 "$(watch_count)"
	is 'watch: file: nothing of the other' 0 "$(grep -c '"trigger":"2","match"' "$watch_log")"
	watch_stop
}

# watch_say TEXT: a message of nobody's.
watch_say() {
	timeout 30 systemd-cat -t lttng-mm-test echo "$1"
}

watch_journal() {
	if [ ! -x /usr/lib/systemd/systemd-journald ]; then
		skip 'watch: journal' 'systemd is not in this image'
		return
	fi
	# The kernel keeps 15 characters of a name.
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
	watch_wait 'journal: a message' '"trigger":"1".*"text":"failed: 1"'
	mkdir -p /sys/fs/cgroup/system.slice/lttng-mm-test.service
	# Journald asks for the group of the process that it receives from.
	# shellcheck disable=SC2016
	timeout 30 sh -c 'echo $$ >/sys/fs/cgroup/system.slice/lttng-mm-test.service/cgroup.procs &&
		exec systemd-cat -t lttng-mm-test sh -c "echo failed: of the unit; sleep 2"'
	watch_wait 'journal: a message of the unit' '"trigger":"2".*"text":"failed: of the unit"'
	is 'watch: journal: not those of others' 0 "$(grep -c '"trigger":"2".*failed: 1"' "$watch_log")"
	# As journalctl --rotate, which waits for the answer of a service.
	pkill -USR2 -x systemd-journal
	sleep 2
	watch_say 'failed: 2'
	watch_wait 'journal: a message after the rotation' '"trigger":"1".*"text":"failed: 2"'
	watch_stop
	watch_start nobody "$watch_user" 'journal x'
	watch_wait 'journal: not with the rights of a user who has none' '"trigger":"1","failed":".*systemd-journal'
	watch_stop
	[ -z "${watch_journald:-}" ] || kill "$watch_journald"
}

watch() {
	mkdir -p "$work/watch"
	check_dmesg 'watch: the kernel log has no complaints before'
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
