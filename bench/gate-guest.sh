#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Runs one workload 40 times under `lttng-mm run`, in a guest, for bench/gate-noise.c: gate-guest.sh
# PROFILE [RUNS]. For slab, the workload is a shell that writes files and starts programs that read
# them. For fn, it is 300 calls of a function of a test module. The runs are in /out/gate-runs,
# without their traces.
# Prints the mean time of a bare run and of a recorded one, in seconds.
set -eu

profile=$1 runs=${2:-40}
tests=$(cd -- "$(dirname -- "$0")" && pwd)
work=${TMPDIR:-/tmp}/gate-bench
rm -rf "$work"
mkdir -p "$work"
case $profile in
slab)
	# shellcheck disable=SC2016 # the inner shell expands these
	workload='cd "$0" && for i in $(seq 100); do echo $i >file-$i; cat file-$i >/dev/null; done; rm -f file-*'
	;;
fn)
	insmod "$tests/gate-test.ko"
	lttng-mm fn add gate_test_function >/dev/null
	workload="echo '300 10000' >/sys/module/gate_test/parameters/call"
	;;
*) echo 'usage: gate-guest.sh slab|fn [RUNS]' >&2; exit 2 ;;
esac

now() {
	read -r up _ </proc/uptime
	echo "$up"
}
# mean START END COUNT
mean() {
	awk -v start="$1" -v end="$2" -v count="$3" 'BEGIN { printf "%.2f", (end - start) / count }'
}
sh -c "$workload" "$work"
start=$(now)
for _ in 1 2 3 4 5; do
	sh -c "$workload" "$work"
done
echo "bare $(mean "$start" "$(now)" 5)"
start=$(now)
lttng-mm run --profile "$profile" --runs "$runs" -o "$work/gate-runs" -- sh -c "$workload" "$work" >"$work/log" 2>&1 ||
	{ cat "$work/log"; exit 1; }
echo "recorded $(mean "$start" "$(now)" "$runs")"
lttng-mm stop --all >/dev/null
rm -rf "$work"/gate-runs/run-*/trace-*
cp -R "$work/gate-runs" /out/
