#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Prints the figures of page references in doc/benchmarks.md as JSON lines. Requires vm/build.sh
# SUITE.
#
#   bench/pageref.sh [SUITE [PART...]]
#
# PART is cost (a guest with --icount); default: all. What the guest prints is in
# build/bench-pageref/SUITE. BENCH_SAMPLES=1 runs no guest, and prints the figures of existing
# output.
set -eu

top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
# shellcheck source=bench/figure.sh
. "$top/bench/figure.sh"
suite=${1:-trixie}
[ $# = 0 ] || shift
[ $# -gt 0 ] || set -- cost
guest_tests=/usr/lib/lttng-mm/tests
folder=$top/build/bench-pageref/$suite
mkdir -p "$folder"

# guest NAME OPTION... -- COMMAND...: the output of the guest goes to NAME.txt.
guest() {
	guest_name=$1 guest_began=$(date +%s)
	shift
	[ -z "${BENCH_SAMPLES:-}" ] || return 0
	"$top/vm/run.sh" --suite "$suite" --timeout 3600 --out "$folder" "$@" >"$folder/$guest_name.txt"
	echo "bench/pageref.sh: $guest_name: the guest took $(($(date +%s) - guest_began)) s" >&2
}

# value FILE NAME: prints the value of a line "NAME VALUE".
value() {
	awk -v name="$2" '$1 == name { print $2 }' "$folder/$1"
}

# quotient FILE NAME NAME DIGITS: prints the quotient of two values.
quotient() {
	awk -v a="$(value "$1" "$2")" -v b="$(value "$1" "$3")" "BEGIN { printf \"%.$4f\", a / b }"
}

# per_entry KIND: prints the difference between the passes over two sizes, per entry.
per_entry() {
	awk -v large="$(value cost.txt "pass_$1_large")" -v small="$(value cost.txt "pass_$1_small")" \
		-v pages="$(value cost.txt pass_pages)" 'BEGIN { printf "%.1f", (large - small) / pages }'
}

print_cost() {
	for access in write read; do
		print_figure "pageref.refault.$access.$suite" "$(value cost.txt refault_$access)" \
			"$(value cost.txt kernel_refault_$access)" "the kernel's NUMA hint" \
			'instructions of a recorded refault, median'
	done
	print_figure "pageref.marking.marked.$suite" "$(per_entry touched)" '' '' 'instructions per marked entry'
	print_figure "pageref.marking.looked-at.$suite" "$(per_entry untouched)" '' '' \
		'instructions per entry that is marked already'
	print_figure "pageref.lock.instructions.$suite" "$(value cost.txt lock_longest)" '' '' \
		'instructions for which a pass holds the mmap lock, at most'
	print_figure "pageref.lock.entries.$suite" "$(quotient cost.txt lock_entries lock_times 0)" '' '' \
		'entries while a pass holds the mmap lock, mean'
	for state in loaded recording; do
		print_figure "pageref.fault.$state.$suite" \
			"$(($(value cost.txt fault_$state) - $(value cost.txt fault_bare)))" '' '' \
			"instructions added to a fault of another process, $state, median"
	done
}

for part; do
	case $part in
	cost)
		guest cost --icount -- sh $guest_tests/pageref-cost-guest.sh icount
		print_cost
		;;
	*) echo "bench/pageref.sh: '$part' is not a part; known: cost" >&2; exit 2 ;;
	esac
done
