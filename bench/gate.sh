#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Prints the figures of `gate` in doc/benchmarks.md as JSON lines. Requires vm/build.sh SUITE.
#
#   bench/gate.sh [SUITE [PART...]]
#
# PART is noise or green; default: both. For noise, guests run workloads 40 times, and
# bench/gate-noise.c draws base and new runs from them. For green, a guest compares identical code
# 30 times with base files that another guest wrote. The output of the guests is in
# build/bench-gate/SUITE. A later batch of green uses the base files in green/base again, unless the
# guest was built since.
set -eu

top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
# shellcheck source=bench/figure.sh
. "$top/bench/figure.sh"
suite=${1:-trixie}
[ $# = 0 ] || shift
[ $# -gt 0 ] || set -- noise green
for part; do
	case $part in
	noise | green) ;;
	*) echo "bench/gate.sh: $part: no such part" >&2; exit 2 ;;
	esac
done
folder=$top/build/bench-gate/$suite
noise=$top/build/host/bench/gate-noise
make --no-print-directory -s -C "$top" -f tools.mk O="$top/build/host" "$noise" >&2

# measure NAME PROFILE [OPTION of vm/run.sh]
measure() {
	name=$1 profile=$2
	shift 2
	rm -rf "${folder:?}/$name"
	mkdir -p "$folder/$name"
	"$top/vm/run.sh" --suite "$suite" --timeout 3600 --out "$folder/$name" "$@" \
		-- sh /usr/lib/lttng-mm/tests/gate-guest.sh "$profile" >"$folder/$name/times.txt"
	"$noise" "$folder/$name/gate-runs" >"$folder/$name/noise.txt"
}
# value FILE NAME: prints the value of a line "NAME VALUE".
value() {
	awk -v name="$2" '$1 == name { print $2 }' "$folder/$1"
}
measure_noise() {
	measure slab slab
	measure fn fn
	measure icount fn --icount

	for name in slab icount; do
		print_figure "gate.first-alarms.$name.$suite" "$(value $name/noise.txt first_alarms)" '' '' \
			'% of 1,000 draws of 10 + 5 runs of identical code with any worse metric'
		print_figure "gate.alarms.$name.$suite" "$(value $name/noise.txt alarms)" '' '' \
			'% of 1,000 draws of 10 + 5 runs of identical code with any worse metric that 5 more runs confirm'
	done
	for spread in 3 6; do
		found=$(value slab/noise.txt found_$spread)
		[ -z "$found" ] || print_figure "gate.found-20.spread-$spread.$suite" "$found" '' '' \
			"% of 1,000 draws in which a count of spread up to $spread % is found if it is 20 % higher"
	done
	print_figure "gate.found-20.times.$suite" "$(value fn/noise.txt found_times)" '' '' \
		'% of 1,000 draws in which a time by the clock would be found if it is 20 % higher; it is not judged'
	print_figure "gate.found-20.icount.$suite" "$(value icount/noise.txt found_times)" '' '' \
		'% of 1,000 draws in which a time in instructions is found if it is 20 % higher'
	print_figure "gate.seconds.$suite" \
		"$(awk '{ value[$1] = $2 } END { printf "%.2f", value["recorded"] - value["bare"] }' "$folder/slab/times.txt")" \
		'' '' 's per run beyond the bare run'
}

# green_guest OUT ARGUMENT of gate-green-guest.sh [OPTION of vm/run.sh...]
green_guest() {
	out=$1 argument=$2
	shift 2
	mkdir -p "$out"
	"$top/vm/run.sh" --suite "$suite" --pmem 512M --timeout 7200 --out "$out" "$@" \
		-- sh /usr/lib/lttng-mm/tests/gate-green-guest.sh "$argument"
}
measure_green() {
	base=$folder/green/base batch=$folder/green/$(date -u +%Y%m%dT%H%M%SZ)
	[ -n "$(find "$base/page-ref.base" -newer "$top/build/$suite/guest.img" 2>/dev/null)" ] ||
		green_guest "$base" accept >&2
	green_guest "$batch" 30 --in "$base" >"$folder/green/gates.txt"
	mv "$folder/green/gates.txt" "$batch/"
	print_figure "gate.green.$suite" "$(grep -c ': status 0: gate: pass$' "$batch/gates.txt")" '' '' \
		'passes of 30 gates of identical code with base files of another guest'
}

for part; do
	"measure_$part"
done
