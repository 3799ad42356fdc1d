#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# In a guest with --icount: counts the instructions of a huge-page DAX fault without tracing, with
# ftrace and with LTTng, and the bytes of its events. Prints `name value` lines.
set -eu

rounds=2000
tracing=/sys/kernel/tracing
loop() { /usr/lib/lttng-mm/tests/dax-fault-loop /mnt/file "$rounds"; }

mkfs.ext4 -q -F -b 4096 -E stride=512,stripe_width=512 /dev/pmem0
mount -o dax=always /dev/pmem0 /mnt
loop >/dev/null
echo "bare $(loop)"

echo 4096 >"$tracing/buffer_size_kb"
for event in dax_pmd_fault dax_pmd_fault_done; do
	echo 1 >"$tracing/events/fs_dax/$event/enable"
done
loop >/dev/null
echo >"$tracing/trace"
echo "ftrace $(loop)"
awk '/^entries:/ { n += $2 } /^bytes:/ { b += $2 } END { print "ftrace_bytes", b / n }' \
	"$tracing"/per_cpu/cpu*/stats
echo 0 >"$tracing/events/fs_dax/enable"

# content_bytes FOLDER: prints the size of the contents of a trace's packets, without padding.
# LTTng's packets start with magic, uuid, stream and instance (32 bytes), two timestamps, content
# size and packet size in bits.
content_bytes() {
	for stream in "$1"/*/kernel/ring_*; do
		at=0
		while [ "$at" -lt "$(stat -c %s "$stream")" ]; do
			# shellcheck disable=SC2046
			set -- $(od -An -v -tu8 -j $((at + 48)) -N 16 "$stream")
			echo "$1"
			at=$((at + $2 / 8))
		done
	done | awk '{ b += $1 / 8 } END { print b + 0 }'
}

# with NAME EVENTS: runs the loop under a plain LTTng session.
with() {
	lttng create "$1" --snapshot >/dev/null
	lttng enable-channel -k -s "$1" --overwrite --subbuf-size=1M --num-subbuf=8 ring >/dev/null
	lttng enable-event -k -s "$1" -c ring "$2" >/dev/null
	lttng start "$1" >/dev/null
	loop >/dev/null
	echo "$1 $(loop)"
	lttng snapshot record -s "$1" "file:///tmp/$1" >/dev/null
	lttng destroy "$1" >/dev/null
	echo "$1_bytes $(content_bytes "/tmp/$1") $(babeltrace2 "/tmp/$1" | wc -l)" |
		awk '{ print $1, $2 / $3 }'
}

lttng-sessiond --daemonize
modprobe lttng-probe-dax
with pair dax_pmd_fault,dax_pmd_fault_done
with profile 'dax_*,sched_process_fork,sched_process_exec,sched_process_exit'
