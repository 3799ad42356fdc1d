#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Prints the figures of reports of page references in the form of bench/run.sh.
#
#   bench/pageref-reports.sh [TRACE...]     TRACE: recorded ones, for the width of answers
#
# The synthetic trace has BENCH_TOUCHES touches (default 10,000,000) of 1,048,576 pages. All
# commands run in turn, BENCH_RUNS times (default 5) after a warm-up turn. Figures are medians of
# the CPU time, with one thread, as the machine may be loaded.
#
#   BENCH_KEEP     a folder that keeps the trace for the next run
#   BENCH_SEEDS    samples of the miss curve (default 100)
#   BABELTRACE2    the program to compare with
set -eu

top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
# shellcheck source=bench/figure.sh
. "$top/bench/figure.sh"
runs=${BENCH_RUNS:-5}
touches=${BENCH_TOUCHES:-10000000}
babeltrace2=${BABELTRACE2:-babeltrace2}
o=$top/build/host
mm=$o/bin/lttng-mm
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
traces=${BENCH_KEEP:-$work}
mkdir -p "$traces" "$work/times"

make --no-print-directory -s -C "$top" -f tools.mk O="$o" -j"$(getconf _NPROCESSORS_ONLN)" \
	all "$o/tests/make-page-ref-load" "$o/tests/make-trace" "$o/bench/fenwick" \
	"$o/bench/measure" "$o/bench/mrc-sample" >&2

trace=$traces/page-ref-$touches
[ -e "$trace/metadata" ] || "$o/tests/make-page-ref-load" "$touches" |
	"$o/tests/make-trace" "$top/tests/metadata/page-ref.tsdl" - "$trace" >&2
[ -e "$trace.refs" ] || "$mm" export page-ref --format oracleGeneral --output "$trace.refs" "$trace"

# run NAME: runs the command NAME once; adds its CPU seconds and its memory in KiB to a file.
run() {
	run_name=$1
	case $1 in
	dummy) set -- "$babeltrace2" -o dummy "$trace" ;;
	info) set -- "$mm" info --events --jobs 1 "$trace" ;;
	report) set -- "$mm" report page-ref --table processes --jobs 1 "$trace" ;;
	answer) set -- "$mm" report page-ref --jobs 1 "$trace" ;;
	mrc) set -- "$mm" mrc --jobs 1 "$trace" ;;
	heat-map)
		rm -f "$work/map.png"
		set -- "$mm" report page-ref --image "$work/map.png" --jobs 1 "$trace"
		;;
	fenwick)
		"$o/bench/fenwick" "$trace.refs" | awk '$1 == "seconds" { print $2, 0 }' >>"$work/times/fenwick"
		return
		;;
	esac
	"$o/bench/measure" "$@" 2>"$work/err" | awk '{ print $2, $3 }' >"$work/one"
	[ -s "$work/one" ] || {
		echo "bench/pageref-reports.sh: failed: $*" >&2
		cat "$work/err" >&2
		exit 1
	}
	cat "$work/one" >>"$work/times/$run_name"
}
# median NAME [COLUMN]
median() {
	sort -n -k "${2:-1},${2:-1}" "$work/times/$1" | awk -v column="${2:-1}" '{ value[NR] = $column }
		END { print NR % 2 ? value[(NR + 1) / 2] : (value[NR / 2] + value[NR / 2 + 1]) / 2 }'
}
# speed SECONDS: prints touches per second.
speed() {
	awk -v n="$touches" -v s="$1" 'BEGIN { printf "%.0f", n / s }'
}

all='dummy info report answer mrc heat-map fenwick'
for name in $all; do run "$name"; done
rm -f "$work/times"/*
i=0
while [ "$i" -lt "$runs" ]; do
	for name in $all; do run "$name"; done
	i=$((i + 1))
done
print_figure pageref.report.speed "$(speed "$(median report)")" "$(speed "$(median dummy)")" \
	'babeltrace2 -o dummy' 'touches/s, the tables without the memory that is needed'
print_figure pageref.report.answer "$(median answer)" "$(median report)" 'the tables alone' \
	's, with the memory that is needed'
print_figure pageref.mrc.time "$(median mrc)" "$(median fenwick)" 'a bare Fenwick pass' \
	's, bounds for all sizes'
print_figure pageref.heat-map.time "$(median heat-map)" "$(median info)" 'info --events' s
print_figure pageref.heat-map.memory "$(median heat-map 2)" '' '' 'KiB, mapped files not counted'

"$o/bench/mrc-sample" 1000000 2000000 0.01 "${BENCH_SEEDS:-100}" >"$work/sample"
while read -r name value; do
	print_figure "pageref.sample.$name" "$value" '' '' '1 % sample'
done <"$work/sample"

for trace; do
	print_width "pageref.needed.width.$(basename -- "$(dirname -- "$trace")")" "$mm" "$trace"
done
