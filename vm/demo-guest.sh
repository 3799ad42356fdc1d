#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# The guest's half of `make demo`: a DAX file system, the recorder, a workload, and a snapshot while
# the workload is still running.
set -eu

tests=/usr/lib/lttng-mm/tests
mkfs.ext4 -q -F -b 4096 -E stride=512,stripe_width=512 /dev/pmem0
mkdir -p /mnt/pmem
mount -o dax=always /dev/pmem0 /mnt/pmem
lttng-mm record dax >/dev/null

"$tests/dax-workload" --loop --pause 200 /mnt/pmem >/tmp/workload.log 2>&1 &
workload=$!
trap 'kill "$workload" 2>/dev/null || :' EXIT
# The workload says when it has been through every scenario once and goes on faulting.
tries=0
until grep -q '^looping' /tmp/workload.log; do
	kill -0 "$workload" 2>/dev/null || { cat /tmp/workload.log; exit 1; }
	tries=$((tries + 1))
	[ "$tries" -lt 600 ] || { echo 'the workload did not come to its loop'; exit 1; }
	sleep 0.2
done
snapshot=$(lttng-mm snapshot --output /out)
echo 'snapshot taken while the workload was running:'
cat /tmp/workload.log
basename "$snapshot" >/out/snapshot-name
cat /proc/sys/kernel/random/boot_id >/out/boot-id
kill "$workload"
wait "$workload" || :
trap - EXIT
lttng-mm stop >/dev/null
