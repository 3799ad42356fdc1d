#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Prints the flight recorder's figures in doc/benchmarks.md as JSON lines. Requires vm/build.sh
# SUITE.
#
#   bench/recorder.sh [SUITE [FIGURE...]]
#
# FIGURE is coverage, freeze, status, match, durable-1, durable-64, durable-512, memory, ftrace or
# cost; default: all. Each figure has its own guests. Their samples are appended to
# build/bench-recorder/SUITE-FIGURE.txt at once, so a guest that does not complete still gives the
# figures of its samples; the exit status is then 1. ftrace needs the samples of memory.
#
#   BENCH_SNAPSHOTS   samples of coverage and freeze (100); 20 at most of status and match
#   BENCH_PACE        hundredths of a second in which each CPU writes 2 MB, in coverage (16: 25 MB/s
#                     by both CPUs together); 0: as fast as possible
#   BENCH_COPIES      samples of each durable-MIB (5)
#   BENCH_GUESTS      fresh guests for each side of memory and ftrace (3)
#   BENCH_ADD=1       adds to the samples of earlier runs instead of replacing them
#   BENCH_SAMPLES=1   runs no guest and prints the figures of existing samples
set -eu

top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
all='coverage freeze status match durable-1 durable-64 durable-512 memory ftrace cost'
suite=${1:-trixie}
[ $# = 0 ] || shift
# shellcheck disable=SC2086  # words
[ $# -gt 0 ] || set -- $all
for figure; do
	case " $all " in
	*" $figure "*) ;;
	*) echo "bench/recorder.sh: '$figure' is not a figure; known: $all" >&2; exit 2 ;;
	esac
done
runs=${BENCH_SNAPSHOTS:-100}
guests=${BENCH_GUESTS:-3}
tests=/usr/lib/lttng-mm/tests
folder=$top/build/bench-recorder
status=0
mkdir -p "$folder"

# guest FIGURE OPTION... -- SCRIPT ARG...: runs a guest that adds to the samples of the figure.
guest() {
	guest_figure=$1 guest_began=$(date +%s) guest_status=0
	shift
	"$top/vm/run.sh" --suite "$suite" "$@" >>"$folder/$suite-$guest_figure.txt" || guest_status=$?
	echo "bench/recorder.sh: $guest_figure: a guest took $(($(date +%s) - guest_began)) s, status $guest_status" >&2
	[ $guest_status = 0 ] || status=1
}

# of FIGURE NAME p50|p99|sum|count: prints a statistic of the figure's samples NAME. Quantiles are
# nearest ranks. Without samples, the count is 0 and other statistics are empty.
of() {
	of_file=$folder/$suite-$1.txt
	[ -e "$of_file" ] || of_file=/dev/null
	awk -v name="$2" '$1 == name { print $2 }' "$of_file" | sort -n | awk -v want="$3" '
		{ value[NR] = $1; sum += $1 }
		END {
			if (want == "count") {
				print NR
			} else if (NR && want == "sum") {
				printf "%.0f\n", sum
			} else if (NR) {
				share = substr(want, 2) / 100 * NR
				rank = int(share)
				print value[rank < share ? rank + 1 : rank]
			}
		}'
}

# print_figure NAME OURS PEER PEER_NAME SAMPLES UNIT: PEER is empty if no other tool was measured.
# Missing values become null.
print_figure() {
	awk -v name="$1.$suite" -v ours="$2" -v peer="$3" -v peer_name="$4" -v samples="$5" -v unit="$6" 'BEGIN {
		printf "{\"figure\":\"%s\",\"ours\":%s,", name, ours == "" ? "null" : ours
		printf "\"peer\":%s,", peer == "" ? "null" : peer
		if (peer_name == "")
			printf "\"peer_name\":null,"
		else
			printf "\"peer_name\":\"%s\",", peer_name
		if (ours == "" || peer + 0 == 0)
			printf "\"ratio\":null,"
		else
			printf "\"ratio\":%.3f,", ours / peer
		printf "\"samples\":%s,\"unit\":\"%s\"}\n", samples == "" ? "null" : samples, unit
	}'
}

# print_quantile NAME FIGURE SAMPLE QUANTILE UNIT [PEER_SAMPLE PEER_NAME]
print_quantile() {
	print_figure "$1" "$(of "$2" "$3" "$4")" "$([ $# -lt 6 ] || of "$2" "$6" "$4")" "${7:-}" \
		"$(of "$2" "$3" count)" "$5"
}

# print_each FIGURE QUANTILE UNIT PEER_SAMPLE PEER_NAME HOW...: prints a figure for the samples
# FIGURE_HOW_ns of each HOW.
print_each() {
	each_figure=$1 each_quantile=$2 each_unit=$3 each_sample=$4 each_peer=$5
	shift 5
	for each_how; do
		print_quantile "recorder.$each_figure.$each_how.$each_quantile" "$each_figure" \
			"${each_figure}_${each_how}_ns" "$each_quantile" "$each_unit" "$each_sample" "$each_peer"
	done
}

# print_share NAME FIGURE SAMPLE PEER_NAME UNIT: prints how many of the samples are 1.
print_share() {
	print_figure "$1" "$(of "$2" "$3" sum)" "$(of "$2" "$3" count)" "$4" "$(of "$2" "$3" count)" "$5"
}

measure_coverage() {
	guest coverage --pmem 1G --memory 3G --timeout $((900 + runs * 120)) \
		-- sh $tests/recorder-guest.sh coverage "$runs" "${BENCH_PACE:-16}"
}

print_coverage() {
	for how in ours plain; do
		print_quantile recorder.coverage.$how coverage coverage_${how}_ns p50 \
			'ns of the interval that both CPUs share, median' coverage_stopped_ns 'lttng stop, then lttng snapshot record'
	done
	print_quantile recorder.rate coverage coverage_mb_per_s p50 'MB/s of both CPUs, median'
	print_share recorder.complete coverage coverage_complete snapshots 'snapshots certified as complete'
	print_share recorder.intact coverage coverage_intact 'complete snapshots' 'complete snapshots with every number once'
	print_share recorder.removed-packets coverage coverage_removal 'removed packets' \
		'removed packets, of each CPU each one in turn, that are noticed'
}

measure_freeze() {
	guest freeze --pmem 1G --memory 3G --timeout $((900 + runs * 120)) \
		-- sh $tests/recorder-guest.sh freeze "$runs"
}

print_freeze() {
	for quantile in p50 p99; do
		print_each freeze $quantile 'ns from the start of the command to the last event kept' \
			freeze_stop_ns 'lttng stop' alone daemon
		print_quantile recorder.freeze.stop-returned.$quantile freeze freeze_stop_returned_ns $quantile \
			'ns that lttng stop takes'
	done
}

measure_status() {
	guest status --pmem 512M --memory 3G --timeout 3600 \
		-- sh $tests/recorder-guest.sh status $((runs < 20 ? runs : 20))
}

print_status() {
	for quantile in p50 p99; do
		print_each status $quantile 'ns that lttng-mm status takes while that hangs' \
			status_start_ns 'the start of a program' daemon disk
	done
}

measure_match() {
	guest match --pmem 512M --memory 3G --timeout 3600 \
		-- sh $tests/recorder-guest.sh match $((runs < 20 ? runs : 20))
}

print_match() {
	for quantile in p50 p99; do
		print_quantile recorder.match.$quantile match match_frozen_ns $quantile \
			'ns from the start of the program whose system call matches to the freeze'
		print_quantile recorder.match.received.$quantile match match_received_ns $quantile \
			'ns from there to the arrival of the match in the recorder daemon'
	done
}

# measure_durable MIB
measure_durable() {
	guest "durable-$1" --pmem 2G --memory 4G --timeout 3600 \
		-- sh $tests/recorder-guest.sh "durable-$1" "${BENCH_COPIES:-5}"
}

print_durable() {
	print_quantile "recorder.durable.$1" "durable-$1" durable_snapshot_ns p50 \
		"ns from the request to the durable certificate, ring of $1 MiB, idle, median" durable_cp_ns 'cp -r and sync'
}

# fresh FIGURE ARG...: runs as many fresh guests as requested.
fresh() {
	fresh_figure=$1
	shift
	for _ in $(seq "$guests"); do
		guest "$fresh_figure" --pmem 512M -- sh $tests/recorder-memory-guest.sh "$@"
	done
}

measure_memory() {
	fresh memory plain
	fresh memory ours
}

print_memory() {
	print_quantile recorder.memory memory memory_ours_rest_kib p50 'KiB of memory, ring of 64 MiB' \
		memory_plain_rest_kib 'plain LTTng'
	print_quantile recorder.memory.peak memory memory_ours_peak_kib p50 'KiB of memory, at most, during a snapshot'
}

measure_ftrace() {
	guest ftrace --pmem 512M --memory 3G --timeout 3600 -- sh $tests/recorder-window-guest.sh 3
	kib=$(of ftrace window_ftrace_kib p50)
	if [ -n "$kib" ]; then
		fresh ftrace ftrace "$kib"
	else
		echo 'bench/recorder.sh: ftrace: the size of its buffer is not known' >&2
		status=1
	fi
}

print_ftrace() {
	print_quantile recorder.memory.ftrace-buffer ftrace window_ftrace_kib p50 \
		'KiB for each CPU of ftrace that hold as much time of the same slab events as a ring of 64 MiB'
	print_quantile recorder.memory.window ftrace window_ns p50 'ns of slab events that the ring holds'
	print_figure recorder.memory.ftrace "$(of memory memory_ours_rest_kib p50)" \
		"$(of ftrace memory_ftrace_rest_kib p50)" "ftrace's buffer and its spare" \
		"$(of ftrace memory_ftrace_rest_kib count)" 'KiB of memory for the same slab events and time'
}

measure_cost() {
	guest cost --icount --timeout 1200 -- sh $tests/recorder-cost-guest.sh
}

# added KIND NAME: prints the instructions added to a pair, per event.
added() {
	awk -v a="$(of cost "$2_$1" p50)" -v b="$(of cost "bare_$1" p50)" \
		'BEGIN { if (a != "" && b != "") printf "%.1f", (a - b) / 2 }'
}

print_cost() {
	for kind in kmalloc kmem_cache; do
		for with in daemon trigger; do
			print_figure recorder.$kind.instructions.$with "$(added $kind $with)" "$(added $kind recorder)" \
				'recorder without daemon' "$(of cost ${with}_$kind count)" "instructions per event of a $kind pair, with $with"
		done
	done
}

measure() {
	case $1 in
	coverage) measure_coverage ;;
	freeze) measure_freeze ;;
	status) measure_status ;;
	match) measure_match ;;
	durable-*) measure_durable "${1#durable-}" ;;
	memory) measure_memory ;;
	ftrace) measure_ftrace ;;
	cost) measure_cost ;;
	esac
}

print() {
	case $1 in
	coverage) print_coverage ;;
	freeze) print_freeze ;;
	status) print_status ;;
	match) print_match ;;
	durable-*) print_durable "${1#durable-}" ;;
	memory) print_memory ;;
	ftrace) print_ftrace ;;
	cost) print_cost ;;
	esac
	print_figure "recorder.$1.failed" "$(of "$1" failed count)" '' '' '' 'commands that failed'
	print_figure "recorder.$1.seconds" "$(of "$1" seconds sum)" '' '' '' 's in its guests'
}

for figure; do
	if [ -z "${BENCH_SAMPLES:-}" ]; then
		[ -n "${BENCH_ADD:-}" ] || : >"$folder/$suite-$figure.txt"
		measure "$figure"
	fi
	print "$figure"
done
exit $status
