#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# In a guest with --icount: counts the instructions of a kmalloc/kfree pair and of a
# kmem_cache_alloc/kmem_cache_free pair without tracing, with ftrace and with LTTng with every slab
# event enabled, and the bytes of their events. Prints `name value` lines.
set -eu

# shellcheck source=tests/kernel/lib.sh
. /usr/lib/lttng-mm/tests/lib.sh

pairs=20000
tracing=/sys/kernel/tracing
workload=/usr/lib/lttng-mm/tests/slab-workload.ko

# loop PREFIX: prints PREFIX_kmalloc and PREFIX_kmem_cache, the instructions per pair in the second
# round.
loop() {
	dmesg -C
	insmod "$workload" "pairs=$pairs"
	rmmod slab-workload
	dmesg | awk -v prefix="$1" '/slab-workload: km/ { value[$(NF - 1)] = $NF }
		END { for (name in value) print prefix "_" name, value[name] }'
}

# ftrace_with NAME EVENT...
ftrace_with() {
	ftrace_name=$1
	shift
	for event; do
		echo 1 >"$tracing/events/kmem/$event/enable"
	done
	echo >"$tracing/trace"
	loop "$ftrace_name"
	awk -v name="$ftrace_name" '/^(entries|overrun):/ { n += $2 } /^bytes:/ { b += $2 }
		/^entries:/ { e += $2 } END { print name "_bytes", b / e }' "$tracing"/per_cpu/cpu*/stats
	for event; do
		echo 0 >"$tracing/events/kmem/$event/enable"
	done
}

# content_bytes FOLDER: prints the size of the contents of a trace's packets, without padding.
# LTTng's packets start with magic, uuid, stream and instance (32 bytes), two timestamps, content
# size and packet size in bits.
content_bytes() {
	for stream in "$1"/*/kernel/ring_* "$1"/kernel/ring_*; do
		[ -e "$stream" ] || continue
		at=0
		while [ "$at" -lt "$(stat -c %s "$stream")" ]; do
			# shellcheck disable=SC2046
			set -- $(od -An -v -tu8 -j $((at + 48)) -N 16 "$stream")
			echo "$1"
			at=$((at + $2 / 8))
		done
	done | awk '{ b += $1 / 8 } END { print b + 0 }'
}

# lttng_with NAME EVENTS
lttng_with() {
	format=
	if lttng_has_formats; then
		format=--trace-format=ctf-1.8
	fi
	# shellcheck disable=SC2086
	lttng create "$1" --snapshot $format >/dev/null
	lttng enable-channel -k -s "$1" --overwrite --subbuf-size=1M --num-subbuf=8 ring >/dev/null
	lttng enable-event -k -s "$1" -c ring "$2" >/dev/null
	lttng start "$1" >/dev/null
	loop "$1"
	lttng snapshot record -s "$1" "file:///tmp/$1" >/dev/null
	lttng destroy "$1" >/dev/null
	echo "$1_bytes $(content_bytes "/tmp/$1") $(babeltrace2 "/tmp/$1" | wc -l)" |
		awk '{ print $1, $2 / $3 }'
}

echo 16384 >"$tracing/buffer_size_kb"
modprobe lttng-probe-slab
loop bare
ftrace_with ftrace kmalloc kfree kmem_cache_alloc kmem_cache_free
ftrace_with ftrace_pair kmalloc kfree
lttng-sessiond --daemonize
lttng_with lttng 'slab_*'
lttng_with lttng_pair 'slab_k*'
