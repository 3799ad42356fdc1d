#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# make demo: boots a guest and reports its DAX faults and allocations: vm/demo.sh SUITE
#
# Writes to build/demo/: the snapshots (traces and system information), dax.txt, dax.json, slab.txt,
# slab.json, console.log. The guest contains only what the demo uses (vm/build.sh --demo).
set -eu
# shellcheck source=vm/lib.sh
. "$(dirname -- "$0")/lib.sh"

suite=${1:-trixie}
check_suite "$suite"
demo=$top/build/demo
tools_log=$top/build/log/tools.log
started=$(date +%s)

record() {
	LTTNG_MM_GUEST=demo "$top/vm/run.sh" --suite "$suite" --pmem 1G --timeout "${LTTNG_MM_GUEST_TIMEOUT:-300}" --out "$demo" \
		--console "$demo/console.log" --dmesg "$demo/dmesg.log" \
		-- sh /usr/lib/lttng-mm/tests/demo-guest.sh
}

tools() {
	make --no-print-directory -C "$top" -f tools.mk O=build/host \
		-j"$(getconf _NPROCESSORS_ONLN)" program
}

trap cancel_steps EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
echo "With two idle CPUs: about five minutes the first time, then one minute. Logs: build/log/"
# A single process downloads and unpacks the guest's packages, so the other CPUs compile.
begin_step "$tools_log" 'tools for this machine' tools
"$top/vm/image.sh" --root "$suite"
end_step "$tools_log"
"$top/vm/build.sh" --demo "$suite"
rm -rf "$demo"
mkdir -p "$demo"
step "$demo/guest.log" "$suite: guest records, workloads fault and allocate, snapshots" record || exit 4
"$top/vm/demo-print.sh" "$demo" "$top/build/host/bin/lttng-mm"
echo "Done in $(($(date +%s) - started)) s"
