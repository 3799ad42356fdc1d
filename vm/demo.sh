#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# make demo: boots a guest and reports its DAX faults and allocations: vm/demo.sh SUITE
#
# Writes to build/demo/: the snapshots (traces and system information), dax.txt, dax.json, slab.txt,
# slab.json, console.log.
set -eu
# shellcheck source=vm/lib.sh
. "$(dirname -- "$0")/lib.sh"

suite=${1:-trixie}
check_suite "$suite"
demo=$top/build/demo
started=$(date +%s)

record() {
	"$top/vm/run.sh" --suite "$suite" --pmem 1G --timeout 300 --out "$demo" \
		--console "$demo/console.log" --dmesg "$demo/dmesg.log" \
		-- sh /usr/lib/lttng-mm/tests/demo-guest.sh
}

tools() {
	make --no-print-directory -C "$top" -f tools.mk O=build/host \
		-j"$(getconf _NPROCESSORS_ONLN)" all
}

"$top/vm/build.sh" "$suite"
rm -rf "$demo"
mkdir -p "$demo"
step "$top/build/log/tools.log" 'tools for this machine' tools
step "$demo/guest.log" "$suite: guest records, workloads fault and allocate, snapshots" record || exit 4
lttng_mm=$top/build/host/bin/lttng-mm
for analysis in dax slab; do
	snapshot=$demo/$(cat "$demo/snapshot-$analysis")
	"$lttng_mm" report "$analysis" --json "$snapshot" >"$demo/$analysis.json"
	"$lttng_mm" report "$analysis" --top 5 "$snapshot" >"$demo/$analysis.txt"
done
echo
sed 's/^/    /' "$demo/guest.log"
echo
echo "The trigger's snapshot, as lttng-mm info shows it:"
"$lttng_mm" info "$demo/$(cat "$demo/snapshot-triggered")" | head -n 12
echo
cat "$demo/dax.txt"
echo
cat "$demo/slab.txt"
echo
echo "Guest's boot id $(cat "$demo/boot-id"), $(uname -m), Linux $(kernel_release "$suite")"
echo "Traces    build/demo/$(cat "$demo/snapshot-dax"), build/demo/$(cat "$demo/snapshot-slab")"
echo "Triggered build/demo/$(cat "$demo/snapshot-triggered")"
echo 'Reports   build/demo/dax.txt, build/demo/slab.txt, and the same as .json'
echo 'Console   build/demo/console.log'
echo "Leaks     build/host/bin/lttng-mm report slab --leaks build/demo/$(cat "$demo/snapshot-slab")"
echo "Done in $(($(date +%s) - started)) s"
