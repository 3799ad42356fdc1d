#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Prints the figures of the reader and of babeltrace2 in the form of bench/run.sh.
#
#   bench/reader.sh [TRACE]     TRACE: a real one, measured in addition to the synthetic ones
#
# Runs all commands on a trace in turn, A/B/C/A/B/C ..., BENCH_RUNS times (default 5) after a
# warm-up turn. Figures are medians of the wall-clock time. BENCH_EVENTS: events of the synthetic
# traces (default 10,000,000). BABELTRACE2: the program to compare with. BENCH_KEEP: a folder that
# keeps the synthetic traces for the next run.
set -eu

top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
real=${1:-}
runs=${BENCH_RUNS:-5}
events=${BENCH_EVENTS:-10000000}
babeltrace2=${BABELTRACE2:-babeltrace2}
o=$top/build/host
mm=$o/bin/lttng-mm
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
traces=${BENCH_KEEP:-$work}
mkdir -p "$traces"

make --no-print-directory -s -C "$top" -f tools.mk O="$o" -j"$(getconf _NPROCESSORS_ONLN)" \
	all "$o/tests/make-ctf" "$o/tests/make-slab-load" "$o/tests/make-trace" "$o/bench/histogram" "$o/bench/measure" >&2

# synthetic NAME OPTION...: creates the trace unless it exists.
synthetic() {
	synthetic_name=$1-$events
	shift
	[ -e "$traces/$synthetic_name/metadata" ] ||
		"$o/tests/make-ctf" --events "$events" "$@" "$traces/$synthetic_name" >&2
	trace=$traces/$synthetic_name
}

# slab_load NAME OPTION...: creates a trace of consistent slab events: objects are allocated and
# freed.
slab_load() {
	slab_load_name=$1-$events
	shift
	[ -e "$traces/$slab_load_name/metadata" ] ||
		"$o/tests/make-slab-load" "$@" "$events" |
		"$o/tests/make-trace" "$top/tests/metadata/slab.tsdl" - "$traces/$slab_load_name" >&2
	trace=$traces/$slab_load_name
}

# fn_load: creates a trace of calls of 50 functions, three levels deep, with entry and exit events.
fn_load() {
	trace=$traces/fn-$events
	[ ! -e "$trace/metadata" ] || return 0
	awk -v what=metadata -f "$top/tests/utils/make-fn-load.awk" "$top/tests/metadata/fn-calls.tsdl" \
		>"$work/fn.tsdl"
	awk -v events="$events" -f "$top/tests/utils/make-fn-load.awk" |
		"$o/tests/make-trace" "$work/fn.tsdl" - "$trace" >&2
}

# run NAME: runs the command NAME on $trace once; writes its time and memory to $times/NAME.
run() {
	case $1 in
	dummy) set -- "$1" "$babeltrace2" -o dummy "$trace" ;;
	text) set -- "$1" "$babeltrace2" "$trace" ;;
	sink) set -- "$1" "$babeltrace2" "--plugin-path=$o/lib/babeltrace2/plugins" "$trace" \
		-c sink.lttng-mm.dax ;;
	verify-1) set -- "$1" "$mm" verify --jobs 1 "$trace" ;;
	verify-2) set -- "$1" "$mm" verify --jobs 2 "$trace" ;;
	report-1) set -- "$1" "$mm" report dax --jobs 1 "$trace" ;;
	report-2) set -- "$1" "$mm" report dax --jobs 2 "$trace" ;;
	slab-1) set -- "$1" "$mm" report slab --jobs 1 "$trace" ;;
	slab-2) set -- "$1" "$mm" report slab --jobs 2 "$trace" ;;
	fn-1) set -- "$1" "$mm" report fn --jobs 1 "$trace" ;;
	fn-2) set -- "$1" "$mm" report fn --jobs 2 "$trace" ;;
	histogram-1) set -- "$1" "$o/bench/histogram" --jobs 1 "$trace" "$field" ;;
	histogram-2) set -- "$1" "$o/bench/histogram" --jobs 2 "$trace" "$field" ;;
	print-babeltrace) set -- "$1" "$mm" print --format babeltrace "$trace" ;;
	print) set -- "$1" "$mm" print "$trace" ;;
	*) return 2 ;;
	esac
	run_name=$1 run_status=0
	shift
	"$o/bench/measure" "$@" >>"$times/$run_name" 2>"$work/err" || run_status=$?
	# Status 3: the trace lost events, as a real trace may.
	[ "$run_status" = 0 ] || [ "$run_status" = 3 ] || {
		echo "bench/reader.sh: status $run_status of: $*" >&2
		cat "$work/err" >&2
		exit 1
	}
}

# rounds NAME...: runs these commands in turn, several times.
rounds() {
	times=$work/times
	rm -rf "$times"
	mkdir -p "$times"
	for name; do run "$name"; done
	rm -f "$times"/*
	i=0
	while [ "$i" -lt "$runs" ]; do
		for name; do run "$name"; done
		i=$((i + 1))
	done
	count=$("$o/bench/histogram" "$trace" "$field" | awk '$1 == "events" { print $2 }')
}

# median NAME COLUMN: prints a median. Column 1 has wall-clock seconds, 2 CPU seconds, 3 KiB.
median() {
	sort -n -k "$2,$2" "$times/$1" | awk -v column="$2" '{ value[NR] = $column }
		END { print NR % 2 ? value[(NR + 1) / 2] : (value[NR / 2] + value[NR / 2 + 1]) / 2 }'
}

# line NAME OURS PEER PEER_NAME UNIT: prints a figure. PEER is empty if no other tool was measured.
line() {
	awk -v name="$1" -v ours="$2" -v peer="$3" -v peer_name="$4" -v unit="$5" 'BEGIN {
		printf "{\"figure\":\"%s\",\"ours\":%s,", name, ours
		if (peer == "")
			printf "\"peer\":null,\"peer_name\":null,\"ratio\":null,"
		else
			printf "\"peer\":%s,\"peer_name\":\"%s\",\"ratio\":%.3f,", peer, peer_name, ours / peer
		printf "\"unit\":\"%s\"}\n", unit
	}'
}

# speed FIGURE NAME PEER PEER_NAME: prints the events per second of both programs.
speed() {
	line "$1" "$(awk -v n="$count" -v s="$(median "$2" 1)" 'BEGIN { printf "%.0f", n / s }')" \
		"$(awk -v n="$count" -v s="$(median "$3" 1)" 'BEGIN { printf "%.0f", n / s }')" \
		"$4" 'events/s'
}

# common LABEL: prints the figures that are measured for every trace.
common() {
	speed "reader.verify.$1" verify-1 dummy 'babeltrace2 -o dummy'
	speed "reader.verify.jobs.$1" verify-2 verify-1 '--jobs 1'
	speed "reader.histogram.$1" histogram-1 dummy 'babeltrace2 -o dummy'
	speed "reader.histogram.jobs.$1" histogram-2 histogram-1 '--jobs 1'
	speed "reader.print-babeltrace.$1" print-babeltrace text babeltrace2
	speed "reader.print.$1" print text babeltrace2
	for name in verify-1 verify-2 histogram-2 print-babeltrace; do
		line "reader.memory.$name.$1" "$(median "$name" 3)" '' '' 'KiB, mapped files not counted'
	done
}

all='dummy verify-1 verify-2 histogram-1 histogram-2 text print-babeltrace print'
field=bytes_alloc
for streams in 2 64; do
	synthetic "slab-$streams" --shape slab --streams "$streams"
	# shellcheck disable=SC2086 # a list
	rounds $all
	common "slab-$streams"
done

synthetic dax --shape dax
rounds dummy report-1 report-2 sink
speed reader.report.dax report-1 dummy 'babeltrace2 -o dummy'
speed reader.report.jobs.dax report-2 report-1 '--jobs 1'
line reader.memory.report-2.dax "$(median report-2 3)" '' '' 'KiB, mapped files not counted'
line plugin.sink.dax "$(median sink 1)" "$(median dummy 1)" 'babeltrace2 -o dummy' s

# In the first trace, objects are allocated and freed. In the second one, each object is allocated
# once and is live at the end.
field=tid
slab_load load
rounds dummy slab-1 slab-2
speed reader.report.slab slab-1 dummy 'babeltrace2 -o dummy'
speed reader.report.slab.jobs slab-2 slab-1 '--jobs 1'
slab_load live --live "$events" --fill
rounds slab-1
line reader.memory.report.slab.live "$(awk -v kib="$(median slab-1 3)" -v n="$count" \
	'BEGIN { printf "%.1f", kib * 1024 / n }')" '' '' 'bytes for each live object'
line reader.report.slab.live "$(awk -v s="$(median slab-1 1)" -v n="$count" \
	'BEGIN { printf "%.0f", n / s }')" '' '' 'events/s'

fn_load
rounds dummy fn-1 fn-2
speed reader.report.fn fn-1 dummy 'babeltrace2 -o dummy'
speed reader.report.fn.jobs fn-2 fn-1 '--jobs 1'

if [ -n "$real" ]; then
	trace=$real
	field=prev_tid
	# shellcheck disable=SC2086 # a list
	rounds $all
	common guest
fi
