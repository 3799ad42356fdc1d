# SPDX-License-Identifier: LGPL-2.1-only
# Loads and unloads lttng-probe-dax while a workload faults, and tries to unload it while a session
# uses it. Sourced by run-all.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh sets tests, tracing and work
# shellcheck source=tests/kernel/lib.sh

probe=lttng-probe-dax
loaded() { grep -q '^lttng_probe_dax ' /proc/modules; }

# Prints the number of DAX events that ftrace has so far.
dax_events() {
	cat "$tracing"/per_cpu/cpu*/stats | awk '/^(entries|overrun):/ { n += $NF } END { print n + 0 }'
}

# faulting PID: true if the workload runs and causes new DAX events within ten seconds.
faulting() {
	before=$(dax_events)
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		sleep 1
		kill -0 "$1" 2>/dev/null || return 1
		[ "$(dax_events)" -le "$((before + 20))" ] || return 0
	done
	echo "no DAX faults: $before events before, $(dax_events) now"
	return 1
}

# reload_times N
reload_times() {
	n=0
	while [ "$n" -lt "$1" ]; do
		modprobe "$probe" || { echo "load $n failed"; return 1; }
		loaded || { echo "not loaded after load $n"; return 1; }
		rmmod "$probe" || { echo "unload $n failed"; return 1; }
		n=$((n + 1))
	done
}

# reload_recording N: loads and unloads the probe N times, each time with a recording session.
reload_recording() {
	n=0
	while [ "$n" -lt "$1" ]; do
		modprobe "$probe" || { echo "load $n failed"; return 1; }
		session_start "reload-$n" || { echo "session $n failed"; return 1; }
		sleep 0.3
		lttng snapshot record || { echo "snapshot $n failed"; return 1; }
		session_stop "reload-$n" || { echo "destroying session $n failed"; return 1; }
		rmmod "$probe" || { echo "unload $n failed"; return 1; }
		grep -rlq . "$work/session-reload-$n" || { echo "session $n is empty"; return 1; }
		n=$((n + 1))
	done
}

# Unloading must fail with the error for a busy module while a session uses the module.
refuses_to_unload() {
	if rmmod "$probe" 2>"$work/rmmod.txt"; then
		echo 'rmmod succeeded although a session uses the module'
		return 1
	fi
	loaded && grep -Eiq 'in use|busy|temporarily unavailable' "$work/rmmod.txt" && return 0
	cat "$work/rmmod.txt"
	return 1
}

unload_in_use() {
	check_function 'reload: the probe loads again' modprobe "$probe" || return
	check_function 'reload: a session with its events starts' session_start busy
	check_function 'reload: unloading with a live session is refused as busy' refuses_to_unload
	check_function 'reload: the session ends' session_stop busy
	check_function 'reload: the probe unloads once the session is gone' rmmod "$probe"
}

# reload FSTYPE DEVICE
reload() {
	mountpoint=$work/mnt-reload
	if ! { pmem_mkfs "$1" "$2" && pmem_mount "$2" "$mountpoint"; } >"$work/reload-mkfs.txt" 2>&1; then
		not_ok "reload: mkfs and mount -o dax on $2"
		diag <"$work/reload-mkfs.txt"
		return
	fi
	check_function 'reload: the session daemon starts' daemon_start
	! loaded || rmmod "$probe"
	ftrace_start 64
	timeout 300 "$tests/dax-workload" --quiet --loop --pause 10 --only \
		pmd-read,pmd-hole-read,pmd-write-protect,pmd-sync,pte-hole,writeback,mapping-misaligned,threads \
		"$mountpoint" >"$work/reload-workload.txt" 2>&1 &
	workload=$!
	check_function 'reload: the workload is faulting' faulting "$workload"
	check_function 'reload: the probe loads and unloads 50 times under faults' reload_times 50
	check_function 'reload: the probe loads and unloads with a session in between' reload_recording 3
	unload_in_use
	check_function 'reload: the workload still faults' faulting "$workload"
	kill "$workload" 2>/dev/null
	wait "$workload" 2>/dev/null
	ftrace_stop
	check_function 'reload: the session daemon ends' daemon_stop
	check 'reload: umount' 30 umount "$mountpoint"
}
