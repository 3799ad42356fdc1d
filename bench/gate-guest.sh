#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Runs one workload 40 times under `lttng-mm run`, in a guest, for bench/gate-noise.c: a shell that
# starts programs, which writes files and reads them. The runs are in /out/gate-runs, without their
# traces. Prints the mean time of a bare run and of a recorded one, in seconds.
set -eu

runs=${1:-40}
work=${TMPDIR:-/tmp}/gate-bench
rm -rf "$work"
mkdir -p "$work"
# shellcheck disable=SC2016 # the inner shell expands these
workload='cd "$0" && for i in $(seq 100); do echo $i >file-$i; cat file-$i >/dev/null; done; rm -f file-*'

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
lttng-mm run --profile slab --runs "$runs" -o "$work/gate-runs" -- sh -c "$workload" "$work" >"$work/log" 2>&1 ||
	{ cat "$work/log"; exit 1; }
echo "recorded $(mean "$start" "$(now)" "$runs")"
lttng-mm stop --all >/dev/null
rm -rf "$work"/gate-runs/run-*/trace-*
cp -R "$work/gate-runs" /out/
