#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Prints the figures of `gate` in doc/benchmarks.md as JSON lines: bench/gate.sh [SUITE]. Requires
# vm/build.sh SUITE. Runs workloads 40 times in guests, and draws base and new runs from them
# (bench/gate-noise.c). The runs are in build/bench-gate/SUITE.
set -eu

top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
# shellcheck source=bench/figure.sh
. "$top/bench/figure.sh"
suite=${1:-trixie}
folder=$top/build/bench-gate/$suite
noise=$top/build/host/bench/gate-noise
make --no-print-directory -s -C "$top" -f tools.mk O="$top/build/host" "$noise" >&2
rm -rf "$folder"

# measure NAME PROFILE [OPTION of vm/run.sh]
measure() {
	name=$1 profile=$2
	shift 2
	mkdir -p "$folder/$name"
	"$top/vm/run.sh" --suite "$suite" --timeout 3600 --out "$folder/$name" "$@" \
		-- sh /usr/lib/lttng-mm/tests/gate-guest.sh "$profile" >"$folder/$name/times.txt"
	"$noise" "$folder/$name/gate-runs" >"$folder/$name/noise.txt"
}
measure slab slab
measure fn fn
measure icount fn --icount

# value FILE NAME: prints the value of a line "NAME VALUE".
value() {
	awk -v name="$2" '$1 == name { print $2 }' "$folder/$1"
}
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
