#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Repeats the guest parts whose code races on both emulated CPUs. The last line is: N rounds passed,
# N failed.
#
# SUITES names the guests, ROUNDS the number of rounds of each, PARTS the parts of
# tests/kernel/run-all.sh. Output and console of each round, and the traces of failed rounds, are in
# build/check-parallel/.
set -eu

top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$top"
# shellcheck source=tests/rounds.sh
. "$top/tests/rounds.sh"
suites=${SUITES-trixie forky}
rounds=${ROUNDS:-20}
parts=${PARTS:-slab truth reload session freeze}
round_out=$top/build/check-parallel
round_timeout=${LTTNG_MM_GUEST_TIMEOUT:-1500}

usage() {
	echo "tests/parallel.sh: $1" >&2
	exit 2
}
case $rounds in '' | *[!0-9]* | 0*) usage "ROUNDS=$rounds: not a number from 1 on" ;; esac
[ -n "$suites" ] || usage 'SUITES names no guest; known: bookworm trixie forky'

qemu=$(vm/qemu.sh)
PATH=$qemu:$PATH
# Use TCG although KVM runs CPUs concurrently, too, so that the result does not depend on the
# machine.
LTTNG_MM_TCG_THREADS=multi
export PATH LTTNG_MM_TCG_THREADS
for suite in $suites; do
	vm/build.sh "$suite"
done

rm -rf "$round_out"
mkdir -p "$round_out"
printf '%s, a thread for each CPU; parts: %s\n' "$(qemu-system-x86_64 --version | head -n 1)" "$parts"

n=1
while [ "$n" -le "$rounds" ]; do
	for suite in $suites; do
		# shellcheck disable=SC2086 # words
		round "$suite-$n" "$suite" --accel tcg --pmem 1G -- $parts
	done
	n=$((n + 1))
done
round_sums rounds
