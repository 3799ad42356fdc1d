#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# The part of `make demo` that runs in the guest: a DAX filesystem, two recorders, workloads, a
# snapshot of each recorder while the workloads run, and one that a trigger takes.
set -eu

tests=/usr/lib/lttng-mm/tests
mkfs.ext4 -q -F -b 4096 -E stride=512,stripe_width=512 /dev/pmem0
mkdir -p /mnt/pmem
mount -o dax=always /dev/pmem0 /mnt/pmem
lttng-mm record dax --output /out >/dev/null
lttng-mm record slab >/dev/null

"$tests/dax-workload" --loop --pause 200 /mnt/pmem >/tmp/workload.log 2>&1 &
workload=$!
trap 'kill "$workload" 2>/dev/null || :' EXIT
# The workload prints "looping" when it has run every scenario once and continues to fault.
tries=0
until grep -q '^looping' /tmp/workload.log; do
	kill -0 "$workload" 2>/dev/null || { cat /tmp/workload.log; exit 1; }
	tries=$((tries + 1))
	[ "$tries" -lt 600 ] || { echo 'the workload did not reach its loop'; exit 1; }
	sleep 0.2
done
# A typical load: creates and removes files and runs programs. It starts late, because one scenario
# needs all memory.
mkdir -p /tmp/files
(
	while :; do
		for i in 1 2 3 4 5 6 7 8; do
			: >"/tmp/files/$i"
			stat "/tmp/files/$i" >/dev/null
		done
		rm -f /tmp/files/*
	done
) &
files=$!
trap 'kill "$workload" "$files" 2>/dev/null || :' EXIT
sleep 5
# The next fallback triggers a snapshot half a second later.
lttng-mm trigger add fallback --on 'dax_pmd_fault_done if result & FALLBACK' \
	--after 500ms --max 1/day --warm-up 0s --capture 'tid,ino,address' >/dev/null
dax=$(lttng-mm snapshot dax --output /out)
slab=$(lttng-mm snapshot slab --output /out)
echo 'snapshots taken while the workloads were running:'
cat /tmp/workload.log
tries=0
until triggered=$(find /out -maxdepth 1 -name 'fallback-*') && [ -n "$triggered" ]; do
	tries=$((tries + 1))
	[ "$tries" -lt 300 ] || { lttng-mm trigger list; exit 1; }
	sleep 0.2
done
basename "$triggered" >/out/snapshot-triggered
basename "$dax" >/out/snapshot-dax
basename "$slab" >/out/snapshot-slab
cat /proc/sys/kernel/random/boot_id >/out/boot-id
kill "$workload" "$files"
wait "$workload" "$files" || :
trap - EXIT
lttng-mm stop dax >/dev/null
lttng-mm stop slab >/dev/null
