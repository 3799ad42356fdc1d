# SPDX-License-Identifier: LGPL-2.1-only
# Loads and unloads lttng-probe-dax while a workload faults, and tries to unload it from under a
# session. Sourced by run-all.sh.
# shellcheck shell=sh
# shellcheck source=tests/kernel/lib.sh

probe=lttng-probe-dax
loaded() { grep -q '^lttng_probe_dax ' /proc/modules; }

# ftrace's count of DAX events so far.
dax_events() {
	cat "$tracing"/per_cpu/cpu*/stats | awk '/^(entries|overrun):/ { n += $NF } END { print n + 0 }'
}

# faulting PID: the workload is there, and DAX events keep coming within ten seconds.
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

# reload_recording N: the same with a session that records in between.
reload_recording() {
	n=0
	while [ "$n" -lt "$1" ]; do
		lttng-mm record dax >/dev/null || { echo "record $n failed"; return 1; }
		loaded || { echo "record $n did not load the probe"; return 1; }
		lttng-mm stop >/dev/null || { echo "stop $n failed"; return 1; }
		! loaded || rmmod "$probe" || { echo "unload $n failed"; return 1; }
		n=$((n + 1))
	done
}

# Unloading from under a session must fail, with the error that says the module is busy.
refuses_to_unload() {
	if rmmod "$probe" 2>"$work/rmmod.txt"; then
		echo 'rmmod succeeded under a live session'
		return 1
	fi
	loaded && grep -Eiq 'in use|busy|temporarily unavailable' "$work/rmmod.txt" && return 0
	cat "$work/rmmod.txt"
	return 1
}

unload_in_use() {
	check 'reload: a session with the probe' 60 lttng-mm record dax || return
	# shellcheck disable=SC2310
	if refuses_to_unload >"$work/check.log"; then
		ok 'reload: unloading with a live session is refused as busy'
	else
		not_ok 'reload: unloading with a live session is refused as busy'
		diag <"$work/check.log"
	fi
	check 'reload: the session ends' 60 lttng-mm stop
	check 'reload: the probe unloads once the session is gone' 20 rmmod "$probe"
}

# check_function NAME FUNCTION ARG...: as check, for a function of the shell.
check_function() {
	function_name=$1
	shift
	if "$@" >"$work/check.log" 2>&1; then
		ok "$function_name"
	else
		not_ok "$function_name"
		diag <"$work/check.log"
		return 1
	fi
}

# reload FSTYPE DEVICE
reload() {
	mountpoint=$work/mnt-reload
	if ! { pmem_mkfs "$1" "$2" && pmem_mount "$2" "$mountpoint"; } >"$work/reload-mkfs.txt" 2>&1; then
		not_ok "reload: mkfs and mount -o dax on $2"
		diag <"$work/reload-mkfs.txt"
		return
	fi
	! loaded || rmmod "$probe"
	ftrace_start 64
	timeout 300 "$tests/dax-workload" --quiet --loop --only \
		pmd-read,pmd-hole-read,pmd-write-protect,pmd-sync,pte-hole,writeback,colour,threads \
		"$mountpoint" >"$work/reload-workload.txt" 2>&1 &
	workload=$!
	check_function 'reload: the workload is faulting' faulting "$workload"
	check_function 'reload: the probe loads and unloads 50 times under faults' reload_times 50
	check_function 'reload: it does so with a session in between' reload_recording 3
	unload_in_use
	check_function 'reload: the workload still faults' faulting "$workload"
	kill "$workload" 2>/dev/null
	wait "$workload" 2>/dev/null
	ftrace_stop
	check 'reload: umount' 30 umount "$mountpoint"
}
