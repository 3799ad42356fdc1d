# SPDX-License-Identifier: LGPL-2.1-only
# Tests the last snapshot at shutdown in two guests. In the first one, whose init is systemd, a
# recorder runs when the guest is powered off. The second guest has the same disk (vm/run.sh
# --disk). Sourced by run-all.sh after service.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh sets work
# shellcheck source=tests/kernel/recorder/service.sh

poweroff_folder=/var/lib/lttng-mm

# poweroff_is NAME EXPECTED ACTUAL
poweroff_is() {
	is "poweroff: $1" "$2" "$3"
}

# poweroff_disk: prints the device of the disk that both guests have.
poweroff_disk() {
	for poweroff_block in /sys/block/vd*; do
		[ "$(cat "$poweroff_block/serial")" != kept ] || echo "/dev/${poweroff_block##*/}"
	done
}

# Systemd stops the services after this part, as at every shutdown.
poweroff() {
	if [ "$(cat /proc/1/comm)" != systemd ]; then
		skip 'poweroff: under systemd' 'systemd is not the init of this guest: vm/run.sh --systemd'
		return
	fi
	mkdir -p $poweroff_folder /etc/lttng-mm
	check 'poweroff: a filesystem is created' 60 mkfs.ext4 -qF "$(poweroff_disk)"
	check 'poweroff: the filesystem is mounted' 60 mount "$(poweroff_disk)" $poweroff_folder
	chmod 750 $poweroff_folder
	printf '%s\n' '[recorder]' 'record = slab --subbuf-size 256k --num-subbuf=4' >/etc/lttng-mm/recorder.conf
	grep -q '^tracing:' /etc/group || echo 'tracing:x:4712:' >>/etc/group
	check 'poweroff: systemctl start lttng-mm' 120 systemctl start lttng-mm
	check 'poweroff: systemctl start lttng-mm-shutdown' 60 systemctl start lttng-mm-shutdown
	check_function 'poweroff: the service records' wait_for 60 poweroff_records
	check 'poweroff: a trigger is added' 60 lttng-mm trigger add kept --on 'syscall:sethostname' --cooldown 1h
	poweroff_is 'no snapshot yet' '' "$(poweroff_snapshots)"
	date +%s%N >$poweroff_folder/requested
	sync
	# vm/guest-init powers the guest off if this file exists.
	touch /run/guest/poweroff
}

poweroff_records() {
	lttng-mm status --all | grep -q '^lttng-mm-slab: profile slab, recording'
}

poweroff_snapshots() {
	find $poweroff_folder -mindepth 1 -maxdepth 1 -name 'shutdown-*'
}

poweroff_after() {
	mkdir -p $poweroff_folder
	check 'poweroff: the disk of the guest that was powered off is mounted' 60 mount "$(poweroff_disk)" $poweroff_folder
	path=$(poweroff_snapshots)
	poweroff_is 'one snapshot' 1 "$(echo "$path" | grep -c .)"
	poweroff_is '... complete' '"complete"' "$(snapshot_value "$path" certificate.verdict)"
	check 'poweroff: ... and its files match' 60 lttng-mm info --all --require-complete "$path"
	check 'poweroff: ... verify finds no error' 60 lttng-mm verify "$path"
	poweroff_is '... it ends at the shutdown' yes \
		"$([ "$(snapshot_value "$path" frozen.realtime_ns)" -gt "$(cat $poweroff_folder/requested)" ] && echo yes)"
	poweroff_is '... with its reason' '"shutdown"' "$(snapshot_value "$path" reason)"
	lttng-mm report slab "$path" >"$work/poweroff.report" 2>&1
	poweroff_is '... a report of it succeeds' 0 $?
	check_function 'poweroff: the session daemon starts' daemon_start
	check 'poweroff: a recorder starts' 120 lttng-mm record slab --subbuf-size=64k --num-subbuf=4
	check_function 'poweroff: the recorder daemon runs' wait_for 60 test -S /run/lttng-mm/recorder.sock
	poweroff_is 'the trigger still exists, and is armed' 0 "$(wait_for 60 prints armed service_trigger kept; echo $?)"
	check 'poweroff: stop' 60 lttng-mm stop
	wait_for 30 serve_gone
	daemon_stop
	poweroff_is 'nothing unfinished' '' "$(find $poweroff_folder -mindepth 1 -maxdepth 1 -name '.*')"
	umount $poweroff_folder
}
