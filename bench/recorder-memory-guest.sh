#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# In a fresh guest with two CPUs: what MemAvailable loses, in KiB, to a ring of 64 MiB for slab
# events, recorded by lttng-mm with its daemon (ours) or by a plain LTTng session (plain), at rest
# and at the peak of a snapshot. Prints `name value` lines. recorder-memory-guest.sh ours|plain
set -eu

# shellcheck source=tests/kernel/lib.sh
. /usr/lib/lttng-mm/tests/lib.sh

available() {
	sync
	echo 3 >/proc/sys/vm/drop_caches
	awk '/^MemAvailable:/ { print $2 }' /proc/meminfo
}

pmem_mkfs ext4 /dev/pmem0 >/dev/null
mkdir -p /mnt
mount /dev/pmem0 /mnt
modprobe -a lttng-probe-slab lttng-mm-freeze
sleep 2
before=$(available)
lttng-sessiond --daemonize
case $1 in
ours)
	lttng-mm record slab --subbuf-size=8M --num-subbuf=4 >/dev/null
	lttng-mm serve --daemonize
	;;
plain)
	format=
	if lttng_has_formats; then
		format=--trace-format=ctf-1.8
	fi
	# shellcheck disable=SC2086
	lttng create plain --snapshot $format >/dev/null
	lttng enable-channel -k -s plain --overwrite --subbuf-size=8M --num-subbuf=4 ring >/dev/null
	lttng enable-event -k -s plain -c ring 'slab_*,page_*' >/dev/null
	lttng start plain >/dev/null
	;;
esac
# What the ring records until it is full does not change what it takes.
sleep 10
rest=$(available)
echo "memory_$1_rest_kib $((before - rest))"
[ "$1" = ours ] || exit 0
: >/tmp/taking
{
	while [ -e /tmp/taking ]; do
		awk '/^MemAvailable:/ { print $2 }' /proc/meminfo
		sleep 0.1
	done
} >/tmp/available &
path=$(lttng-mm snapshot --method=freeze slab --output /mnt)
rm /tmp/taking
wait
echo "memory_ours_peak_kib $((before - $(sort -n /tmp/available | head -n 1)))"
echo "memory_ours_snapshot_kib $(du -sk "$path" | cut -f1)"
