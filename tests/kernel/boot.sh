# SPDX-License-Identifier: LGPL-2.1-only
# Tests the recorder that the kernel command line requests. This part runs before all others.
# Sourced by run-all.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh sets tests and work
# shellcheck source=tests/kernel/lib.sh

# boot_is NAME EXPECTED ACTUAL
boot_is() {
	is "boot: $1" "$2" "$3"
}

# boot_with LINE: runs `lttng-mm record --boot` with LINE as the kernel command line. Sets
# boot_status (the exit status of record) and boot_sessions (the number of sessions).
boot_with() {
	echo "$1" >"$work/cmdline"
	mount --bind "$work/cmdline" /proc/cmdline || return
	lttng-mm record --boot >"$work/boot.out" 2>"$work/boot.err"
	boot_status=$?
	umount /proc/cmdline
	boot_sessions=$(lttng-mm status --all 2>/dev/null | grep -c '^lttng-mm-')
}

boot() {
	if ! grep -q 'lttng_mm.enable=1 lttng_mm.profile=slab lttng_mm.subbufs=4' /proc/cmdline; then
		skip 'boot: the recorder is started at boot' "the kernel command line does not request it"
		return
	fi
	boot_is 'the kernel does not complain about our parameters' 0 "$(dmesg | grep -c 'Unknown.*lttng_mm')"
	boot_is 'the recorder runs, with the requested profile and sub-buffers' 1 \
		"$(lttng-mm status --all | grep -c '^lttng-mm-slab: profile slab, recording since .* 4 sub-buffers of 2048 KiB')"
	boot_is 'the recorder started before the tests' yes \
		"$([ "$(lttng-mm status --json | sed -n 's/.*"since": \([0-9]*\).*/\1/p')" -le "$began" ] && echo yes)"
	snapshot=$(lttng-mm snapshot --output "$work" --name boot)
	check_metadata boot "$snapshot"
	check 'boot: a report of its snapshot succeeds' 60 lttng-mm report slab "$snapshot"
	boot_is 'a second start fails because it is already running' 4 "$(lttng-mm record --boot 2>/dev/null; echo $?)"
	check 'boot: stop' 60 lttng-mm stop slab
	boot_with 'quiet ro'
	boot_is 'without a request, nothing is started' '0 0' "$boot_status $boot_sessions"
	boot_with 'lttng_mm.enable=1 lttng_mm.profile=slab lttng_mm.subbufs=5'
	boot_is 'an invalid value: nothing is started' '2 0' "$boot_status $boot_sessions"
	boot_is '... and one line has the reason' '1 1' \
		"$(wc -l <"$work/boot.err") $(grep -c "lttng_mm.subbufs: '5' is not a power of two" "$work/boot.err")"
	check_function 'boot: the session daemon ends' daemon_stop
	boot_with 'lttng_mm.enable=1 lttng_mm.profile=dax'
	boot_is 'dax starts without a session daemon and before any mount' '0 1' "$boot_status $boot_sessions"
	check 'boot: stop dax' 60 lttng-mm stop dax
	check_function 'boot: the session daemon ends again' daemon_stop
	for module in lttng_probe_slab lttng_probe_dax; do
		! grep -q "^$module " /proc/modules || rmmod "$module"
	done
}
