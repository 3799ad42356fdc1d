#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# In a guest: builds a kernel module while ftrace and LTTng both record every slab event, and
# compares the bytes per event in their buffers at the end. Prints `name value` lines.
set -eu

# shellcheck source=tests/kernel/lib.sh
. /usr/lib/lttng-mm/tests/lib.sh

tracing=/sys/kernel/tracing
build=/tmp/slab-load

mkdir -p "$build"
cat >"$build/load.c" <<'END'
#include <linux/module.h>
#include <linux/fs.h>
#include <linux/skbuff.h>
MODULE_LICENSE("GPL");
END
echo 'obj-m += load.o' >"$build/Kbuild"

# content_bytes FOLDER: see slab-cost-guest.sh.
content_bytes() {
	find "$1" -name 'ring_*' -not -path '*/index/*' | while read -r stream; do
		at=0
		while [ "$at" -lt "$(stat -c %s "$stream")" ]; do
			# shellcheck disable=SC2046
			set -- $(od -An -v -tu8 -j $((at + 48)) -N 16 "$stream")
			echo "$1"
			at=$((at + $2 / 8))
		done
	done | awk '{ b += $1 / 8 } END { print b + 0 }'
}

modprobe lttng-probe-slab
lttng-sessiond --daemonize
format=
if lttng_has_formats; then
	format=--trace-format=ctf-1.8
fi
# shellcheck disable=SC2086
lttng create load --snapshot $format >/dev/null
lttng enable-channel -k -s load --overwrite --subbuf-size=1M --num-subbuf=8 ring >/dev/null
lttng enable-event -k -s load -c ring \
	'slab_k*,slab_cache_*' >/dev/null
echo 32768 >"$tracing/buffer_size_kb"
for event in kmalloc kfree kmem_cache_alloc kmem_cache_free; do
	echo 1 >"$tracing/events/kmem/$event/enable"
done
echo >"$tracing/trace"
lttng start load >/dev/null
make -C "/lib/modules/$(uname -r)/build" "M=$build" modules >/tmp/slab-load.log 2>&1 ||
	{ tail -n 5 /tmp/slab-load.log >&2; exit 1; }
lttng stop load >/dev/null
echo 0 >"$tracing/events/kmem/enable"
cat "$tracing"/per_cpu/cpu*/stats | awk '/^entries:/ { e += $2 } /^bytes:/ { b += $2 }
	/^overrun:/ { o += $2 } END { print "load_events", e + o; print "load_ftrace_bytes", b / e }'
lttng snapshot record -s load file:///tmp/load-trace >/dev/null
echo "load_lttng_bytes $(content_bytes /tmp/load-trace) $(babeltrace2 /tmp/load-trace | wc -l)" |
	awk '{ print $1, $2 / $3 }'
