#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# In a guest with two CPUs: measures how large ftrace's buffer must be to hold the slab events of
# the same time as our ring of 64 MiB. Both record the same slab events concurrently, and nothing
# else. Prints `NAME VALUE` lines, the last one `seconds N`. recorder-window-guest.sh RUNS
set -eu

# shellcheck source=tests/kernel/lib.sh
. /usr/lib/lttng-mm/tests/lib.sh
# shellcheck source=tests/kernel/recorder/snapshot.sh
. "$tests/snapshot.sh"

began=$(date +%s)
out=/mnt/window
# Twice the size that ftrace needs for the same events, because ftrace keeps recording while a
# snapshot is taken. An event takes 51 bytes in ftrace's buffer and 18 in our ring.
ftrace_kib=262144
# A ring of 32 MiB per CPU and its extra sub-buffer are overwritten by 2.5 million events of 17
# bytes.
events=2500000
profile=/usr/share/lttng-mm/profiles/slab.conf

# recorded CPU: prints the number of events that ftrace has recorded since its buffer was cleared.
recorded() {
	awk '/^(entries|overrun):/ { n += $2 } END { printf "%.0f\n", n }' "$tracing/per_cpu/cpu$1/stats"
}

# clock_value SNAPSHOT MEMBER: prints an end of the certificate's shared interval on the clock of
# both tracers.
clock_value() {
	offset_s=$(sed -n 's/^\toffset_s = \([0-9]*\);.*/\1/p' "$1/kernel/metadata")
	offset=$(sed -n 's/^\toffset = \([0-9]*\);.*/\1/p' "$1/kernel/metadata")
	echo $(($(snapshot_value "$1" "certificate.shared.$2") - ${offset_s:-0} * 1000000000 - offset))
}

start_ftrace() {
	echo 0 >"$tracing/tracing_on"
	echo mono >"$tracing/trace_clock"
	echo $ftrace_kib >"$tracing/buffer_size_kb"
	for event in kmalloc kfree kmem_cache_alloc kmem_cache_free; do
		echo 1 >"$tracing/events/kmem/$event/enable"
	done
}

# await_events: waits until both rings have been overwritten.
await_events() {
	await_end=$(($(date +%s) + 600))
	for cpu in 0 1; do
		while [ "$(recorded $cpu)" -lt $events ]; do
			if [ "$(date +%s)" -ge "$await_end" ]; then
				echo "recorder-window-guest.sh: CPU $cpu has $(recorded $cpu) events after 600 s" >&2
				return 1
			fi
			sleep 2
		done
	done
}

window() {
	echo >"$tracing/trace"
	echo 1 >"$tracing/tracing_on"
	await_events || return
	path=$(lttng-mm snapshot --method=freeze slab --output "$out") || return
	echo 0 >"$tracing/tracing_on"
	start=$(clock_value "$path" start_ns)
	end=$(clock_value "$path" end_ns)
	most=0
	for cpu in 0 1; do
		kib=$("$tests/ftrace-window" "$tracing/per_cpu/cpu$cpu/trace_pipe_raw" "$start" "$end") || return
		[ "$kib" -le "$most" ] || most=$kib
	done
	echo "window_ns $((end - start))"
	echo "window_ring_kib $(($(snapshot_bytes "$path") / 1024))"
	# ftrace's buffers have the same size on all CPUs: the size that the busiest CPU needs.
	echo "window_ftrace_kib $most"
	rm -rf "$path"
}

pmem_mkfs ext4 /dev/pmem0 >/dev/null
mkdir -p /mnt
mount /dev/pmem0 /mnt
mkdir -p "$out" /etc/lttng-mm/profiles
chmod 755 /mnt "$out"
sed '/^record = page_/d; /^record = sched_/d' $profile >/etc/lttng-mm/profiles/slab.conf
lttng-sessiond --daemonize
lttng-mm record slab --no-daemon --subbuf-size=8M --num-subbuf=4 >/dev/null
start_ftrace
: >"$out/busy"
snapshot_load 0 &
snapshot_load 1 &
for round in $(seq "$1"); do
	round_began=$(date +%s)
	window || echo 'failed 1'
	echo "recorder-window-guest.sh: round $round of $1 took $(($(date +%s) - round_began)) s" >&2
done
rm "$out/busy"
echo "seconds $(($(date +%s) - began))"
