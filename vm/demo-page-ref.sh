#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# make demo-page-ref: boots a guest and records the pages that a compilation touches:
# vm/demo-page-ref.sh SUITE
#
# Writes to build/demo-page-ref/: the trace (gcc), its picture (gcc.png), guest.log, console.log.
set -eu
# shellcheck source=vm/lib.sh
. "$(dirname -- "$0")/lib.sh"

suite=${1:-trixie}
check_suite "$suite"
demo=$top/build/demo-page-ref
started=$(date +%s)

record() {
	"$top/vm/run.sh" --suite "$suite" --timeout "${LTTNG_MM_GUEST_TIMEOUT:-300}" --out "$demo" \
		--console "$demo/console.log" --dmesg "$demo/dmesg.log" \
		-- sh /usr/lib/lttng-mm/tests/demo-page-ref-guest.sh
}

"$top/vm/build.sh" "$suite"
rm -rf "$demo"
mkdir -p "$demo"
step "$demo/guest.log" "$suite: guest records the pages that gcc touches" record || exit 4
echo
cat "$demo/guest.log"
echo
echo "Linux $(kernel_release "$suite"); the trace is build/demo-page-ref/gcc, its picture gcc.png"
echo "Done in $(($(date +%s) - started)) s"
