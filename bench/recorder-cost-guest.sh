#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# In a guest with --icount: counts the instructions of a kmalloc/kfree pair and of a
# kmem_cache_alloc/kmem_cache_free pair while the slab recorder is active: alone, with the recorder
# daemon, and with a trigger on slab_kmalloc whose filter never matches. Prints `NAME VALUE` lines,
# the last one `seconds N`.
set -eu

# shellcheck source=tests/kernel/lib.sh
. /usr/lib/lttng-mm/tests/lib.sh

began=$(date +%s)
workload=/usr/lib/lttng-mm/tests/slab-workload.ko

# loop PREFIX: see slab-cost-guest.sh.
loop() {
	dmesg -C
	insmod "$workload" pairs=20000
	rmmod slab-workload
	dmesg | awk -v prefix="$1" '/slab-workload: km/ { value[$(NF - 1)] = $NF }
		END { for (name in value) print prefix "_" name, value[name] }'
}

modprobe lttng-probe-slab
loop bare
lttng-sessiond --daemonize
# Without this option, `record` would start the daemon.
lttng-mm record slab --no-daemon >/dev/null
if pgrep -f 'lttng-mm serve' >&2; then
	echo 'recorder-cost-guest.sh: a recorder daemon is running already' >&2
	exit 1
fi
loop recorder
lttng-mm serve --daemonize
sleep 2
pgrep -f 'lttng-mm serve' >/dev/null
loop daemon
lttng add-trigger --name=never --condition=event-rule-matches --type=kernel --name=slab_kmalloc \
	--filter='bytes_req == 123457' --action=notify >/dev/null
loop trigger
echo "seconds $(($(date +%s) - began))"
