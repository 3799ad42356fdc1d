#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Runs the guest parts that race on both emulated CPUs repeatedly; ends with one line: N rounds
# passed, N failed.
#
# SUITES names the guests, ROUNDS how often each runs, PARTS which parts of
# tests/kernel/run-all.sh. The output and the console of each round are in build/check-parallel/,
# with the traces of failed rounds.
set -eu

top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$top"
# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"
suites=${SUITES-trixie forky}
rounds=${ROUNDS:-20}
parts=${PARTS:-slab truth reload session}
guest_timeout=${LTTNG_MM_GUEST_TIMEOUT:-1500}
out=$top/build/check-parallel

usage() {
	echo "tests/parallel.sh: $1" >&2
	exit 2
}
case $rounds in '' | *[!0-9]* | 0*) usage "ROUNDS=$rounds: not a number from 1 on" ;; esac
[ -n "$suites" ] || usage 'SUITES names no guest; known: bookworm trixie forky'

qemu=$(vm/qemu.sh)
PATH=$qemu:$PATH
# KVM is concurrent too, but the choice must not depend on the machine.
LTTNG_MM_TCG_THREADS=multi
export PATH LTTNG_MM_TCG_THREADS
for suite in $suites; do
	vm/build.sh "$suite"
done

rm -rf "$out"
mkdir -p "$out"
printf '%s, a thread for each CPU; parts: %s\n' "$(qemu-system-x86_64 --version | head -n 1)" "$parts"

# round N SUITE: runs one guest. If it fails, the first failures are on standard output.
round() {
	log=$out/$2-$1
	started=$(date +%s) status=0
	# shellcheck disable=SC2086 # words
	vm/run.sh --suite "$2" --accel tcg --pmem 1G --timeout "$guest_timeout" --console "$log.console" \
		--out "$log.out" -- sh /usr/lib/lttng-mm/tests/run-all.sh $parts >"$log.tap" 2>"$log.err" || status=$?
	passed=$(grep -c '^ok ' "$log.tap" || :)
	failed=$(grep -c '^not ok ' "$log.tap" || :)
	printf '  round %d, %-10s %4d passed, %d failed, status %d  %4d s\n' "$1" "$2:" "$passed" "$failed" \
		"$status" $(($(date +%s) - started))
	problem=$(tap_check "$log.tap" "$status")
	if [ "$failed" = 0 ] && [ -z "$problem" ]; then
		rm -rf "$log.out"
		return 0
	fi
	[ -z "$problem" ] || echo "      $problem"
	grep -A 12 '^not ok ' "$log.tap" | sed 's/^/      /' || :
	tail -n 20 "$log.err" | sed 's/^/      # /'
	return 1
}

good=0 bad=0 n=1
while [ "$n" -le "$rounds" ]; do
	for suite in $suites; do
		if round "$n" "$suite"; then
			good=$((good + 1))
		else
			bad=$((bad + 1))
		fi
	done
	n=$((n + 1))
done
echo "$good rounds passed, $bad failed"
[ "$bad" = 0 ]
