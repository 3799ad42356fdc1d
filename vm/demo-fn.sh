#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# make demo-fn: boots a guest and records calls of a kernel function: vm/demo-fn.sh SUITE
#
# Writes to build/demo-fn/: the snapshots, the trace of plain LTTng, guest.log, console.log.
set -eu
# shellcheck source=vm/lib.sh
. "$(dirname -- "$0")/lib.sh"

suite=${1:-trixie}
check_suite "$suite"
demo=$top/build/demo-fn
started=$(date +%s)

record() {
	"$top/vm/run.sh" --suite "$suite" --pmem 256M --timeout "${LTTNG_MM_GUEST_TIMEOUT:-300}" --out "$demo" \
		--console "$demo/console.log" --dmesg "$demo/dmesg.log" \
		-- sh /usr/lib/lttng-mm/tests/demo-fn-guest.sh
}

"$top/vm/build.sh" "$suite"
rm -rf "$demo"
mkdir -p "$demo"
step "$demo/guest.log" "$suite: guest records calls of handle_mm_fault" record || exit 4
echo
cat "$demo/guest.log"
echo
echo "Linux $(kernel_release "$suite"); traces and console log in build/demo-fn/"
echo "Done in $(($(date +%s) - started)) s"
