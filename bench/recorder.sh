#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# The recorder's figures in doc/benchmarks.md, as JSON lines: bench/recorder.sh [SUITE], after
# vm/build.sh SUITE. BENCH_SNAPSHOTS: snapshots for each median (100). What the guests print is
# kept in build/bench-recorder.txt.
set -eu

top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
suite=${1:-trixie}
runs=${BENCH_SNAPSHOTS:-100}
tests=/usr/lib/lttng-mm/tests
values=$top/build/bench-recorder.txt
mkdir -p "$top/build"
: >"$values"

# guest OPTION... -- SCRIPT ARG...: adds its `name value` lines.
guest() {
	"$top/vm/run.sh" --suite "$suite" --timeout 7200 "$@" >>"$values"
}

value() {
	awk -v name="$1" '$1 == name { value = $2 } END { print value }' "$values"
}

# figure NAME OURS PEER PEER_NAME UNIT: PEER is empty if there is none; a missing value is null.
figure() {
	awk -v name="$1.$suite" -v ours="$2" -v peer="$3" -v peer_name="$4" -v unit="$5" 'BEGIN {
		printf "{\"figure\":\"%s\",\"ours\":%s,", name, ours == "" ? "null" : ours
		if (ours == "" || peer + 0 == 0)
			printf "\"peer\":null,\"peer_name\":null,\"ratio\":null,"
		else
			printf "\"peer\":%s,\"peer_name\":\"%s\",\"ratio\":%.3f,", peer, peer_name, ours / peer
		printf "\"unit\":\"%s\"}\n", unit
	}'
}

# pair KIND NAME: the instructions that are added to a pair, for each of its two events.
pair() {
	awk -v a="$(value "$2_$1")" -v b="$(value "bare_$1")" 'BEGIN { if (a != "") printf "%.1f", (a - b) / 2 }'
}

guest --pmem 1G --memory 3G -- sh $tests/recorder-guest.sh coverage "$runs"
figure recorder.coverage.ours "$(value coverage_ours_ns_p50)" "$(value coverage_stopped_ns_p50)" \
	'lttng stop, then lttng snapshot record' 'ns of the shared interval, median'
figure recorder.coverage.plain "$(value coverage_plain_ns_p50)" "$(value coverage_stopped_ns_p50)" \
	'lttng stop, then lttng snapshot record' 'ns of the shared interval of a plain lttng snapshot record, median'
figure recorder.rate "$(value coverage_rate_mb_per_s_p50)" '' '' 'MB/s of both CPUs'
figure recorder.complete "$(value coverage_complete)" "$runs" snapshots 'snapshots certified as complete'
figure recorder.intact "$(value coverage_intact)" "$runs" snapshots 'snapshots with every number once'
figure recorder.removed-packets "$(value coverage_removals_found)" "$(value coverage_removals)" \
	'removed packets' 'removed packets that are noticed, first and last included'

guest --pmem 1G --memory 3G -- sh $tests/recorder-guest.sh freeze "$runs"
for quantile in p50 p99; do
	for how in alone daemon; do
		figure "recorder.freeze.$how.$quantile" "$(value "freeze_${how}_ns_$quantile")" \
			"$(value "freeze_stop_ns_$quantile")" 'lttng stop' 'ns from the request to the last event kept'
	done
done

for mib in 1 64 512; do
	guest --pmem 2G --memory 4G -- sh $tests/recorder-guest.sh copy-$mib 5
	figure "recorder.durable.$mib" "$(value "copy-${mib}_snapshot_ns_p50")" "$(value "copy-${mib}_cp_ns_p50")" \
		'cp -r and sync' "ns from the request to the durable certificate, ring of $mib MiB, idle"
done

guest --pmem 512M -- sh $tests/recorder-memory-guest.sh plain
guest --pmem 512M -- sh $tests/recorder-memory-guest.sh ours
figure recorder.memory "$(value memory_ours_rest_kib)" "$(value memory_plain_rest_kib)" 'plain LTTng' \
	'KiB of memory, ring of 64 MiB'
figure recorder.memory.peak "$(value memory_ours_peak_kib)" '' '' 'KiB of memory during a snapshot'

guest --icount -- sh $tests/recorder-cost-guest.sh
for kind in kmalloc kmem_cache; do
	for with in daemon trigger; do
		figure "recorder.$kind.instructions.$with" "$(pair $kind $with)" "$(pair $kind recorder)" \
			'recorder without daemon' "instructions per event of a $kind pair, with $with"
	done
done
