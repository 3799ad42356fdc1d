#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# In a guest: records a real kernel trace with every event, every system call and two contexts to
# /out/trace, for bench/reader.sh.
set -eu

# shellcheck source=tests/kernel/lib.sh
. "$(dirname -- "$0")/lib.sh"

daemon_start
lttng create bench --output=/out/trace
lttng enable-channel -k --subbuf-size=1M --num-subbuf=16 ring
lttng enable-event -k -c ring --all
lttng add-context -k -c ring -t procname -t tid
lttng start
for _ in 1 2 3 4 5 6 7 8; do
	find /usr/share -type f 2>/dev/null | head -n 1000 | xargs cat >/dev/null 2>&1 || :
	dd if=/dev/zero of=/tmp/bench-zero bs=64k count=100 2>/dev/null
done
rm -f /tmp/bench-zero
lttng stop
lttng destroy
