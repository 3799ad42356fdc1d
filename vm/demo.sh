#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# make demo: from nothing to a DAX fault report out of a guest: vm/demo.sh SUITE
#
# Leaves under build/demo/: snapshot/ (trace and context), report.txt, report.json, console.log.
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
step "$demo/guest.log" "$suite: guest records, workload faults, snapshot" record || exit 4
snapshot=$(cat "$demo/snapshot-name")
lttng_mm=$top/build/host/bin/lttng-mm
"$lttng_mm" report dax --json "$demo/$snapshot" >"$demo/report.json"
"$lttng_mm" report dax "$demo/$snapshot" >"$demo/report.txt"
echo
sed 's/^/    /' "$demo/guest.log"
echo
cat "$demo/report.txt"
echo
echo "Guest's boot id $(cat "$demo/boot-id"), $(uname -m), Linux $(kernel_release "$suite")"
echo "Trace     build/demo/$snapshot"
echo 'Report    build/demo/report.txt, build/demo/report.json'
echo 'Console   build/demo/console.log'
echo "Again     build/host/bin/lttng-mm report dax build/demo/$snapshot"
echo "Done in $(($(date +%s) - started)) s"
