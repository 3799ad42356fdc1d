#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# In a fresh guest with two CPUs: measures by how many KiB a recorder of slab events reduces
# MemAvailable. Prints `NAME VALUE` lines, the last one `seconds N`. recorder-memory-guest.sh WHO
#
#   ours        a ring of 64 MiB and the recorder daemon, at rest and at the peak of a snapshot
#   plain       a ring of 64 MiB of a plain LTTng session
#   ftrace KIB  ftrace's buffer of so many KiB for each CPU, and the spare for its snapshots
set -eu

# shellcheck source=tests/kernel/lib.sh
. /usr/lib/lttng-mm/tests/lib.sh
# shellcheck source=tests/kernel/slab/slab-probe.sh
. "$tests/slab-probe.sh"

began=$(date +%s)
out=/tmp

# available: prints the median of three readings of MemAvailable, each after a pause.
available() {
	for _ in 1 2 3; do
		sleep 5
		sync
		echo 3 >/proc/sys/vm/drop_caches
		awk '/^MemAvailable:/ { print $2 }' /proc/meminfo
	done | sort -n | sed -n 2p
}

# lowest: prints the minimum of MemAvailable while the file /tmp/taking exists. Starts no program
# but sleep, so that the measured program does not become slower.
lowest() {
	low=$before
	while [ -e /tmp/taking ]; do
		while read -r key kib _; do
			if [ "$key" = MemAvailable: ] && [ "$kib" -lt "$low" ]; then
				low=$kib
			fi
		done </proc/meminfo
		sleep 0.05
	done
	echo "$low"
}

record_ours() {
	# This command also starts the recorder daemon.
	lttng-mm record slab --subbuf-size=8M --num-subbuf=4 >/dev/null
	[ -S /run/lttng-mm/recorder.sock ]
}

record_plain() {
	slab_subbuf=8M slab_session plain 'slab_*,page_*' >/dev/null
	lttng start plain >/dev/null
}

record_ftrace() {
	echo "$1" >"$tracing/buffer_size_kb"
	for event in kmalloc kfree kmem_cache_alloc kmem_cache_free; do
		echo 1 >"$tracing/events/kmem/$event/enable"
	done
	# Allocates ftrace's spare buffer.
	echo 1 >"$tracing/snapshot"
	[ "$(cat "$tracing/buffer_size_kb")" -ge "$1" ]
	if head -n 30 "$tracing/snapshot" | grep -q 'Snapshot is freed'; then
		echo 'recorder-memory-guest.sh: ftrace has no spare' >&2
		return 1
	fi
}

# written: prints how many KiB were written to the ring of the CPU that has written least.
written() {
	lttng-mm status --json | awk '$1 == "\"written_bytes\":" { sub(/,$/, "")
			if (!n++ || $2 < least) least = $2
			if (n == 2) exit }
		END { printf "%d\n", least / 1024 }'
}

# fill: waits until both CPUs have written all five sub-buffers of 8 MiB, for half an hour at most.
fill() {
	: >/tmp/busy
	for cpu in 0 1; do
		taskset -c $cpu sh -c 'while [ -e /tmp/busy ]; do find /usr >/dev/null; done' &
	done
	for _ in $(seq 360); do
		[ "$(written)" -lt 40960 ] || break
		sleep 5
	done
	rm /tmp/busy
	wait
	[ "$(written)" -ge 40960 ]
	# Waits until the kernel has dropped the load's caches.
	available >/dev/null
}

peak() {
	fill
	: >/tmp/taking
	lowest >/tmp/lowest &
	path=$(lttng-mm snapshot --method=freeze slab --output /mnt)
	rm /tmp/taking
	wait
	echo "memory_ours_peak_kib $((before - $(cat /tmp/lowest)))"
	echo "memory_ours_snapshot_kib $(du -sk "$path" | cut -f1)"
}

pmem_mkfs ext4 /dev/pmem0 >/dev/null
mkdir -p /mnt
mount /dev/pmem0 /mnt
modprobe -a lttng-probe-slab lttng-mm-freeze
before=$(available)
case $1 in
ours)
	lttng-sessiond --daemonize
	record_ours
	;;
plain)
	lttng-sessiond --daemonize
	record_plain
	;;
ftrace) record_ftrace "$2" ;;
*) exit 2 ;;
esac
# Filling the ring does not change its memory, so the ring is measured without events.
echo "memory_$1_rest_kib $((before - $(available)))"
[ "$1" != ours ] || peak
echo "seconds $(($(date +%s) - began))"
