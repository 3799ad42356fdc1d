#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Reports where one allocation fails (tests/utils/fail-malloc.c): each is the whole report, or says that memory ran out
# and is none. LTTNG_MM_FAIL_STEP=1 lets each allocation fail, one after the other.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

${CC:-gcc} -std=gnu11 -O1 -shared -fPIC -o "$work/fail.so" "$here/../utils/fail-malloc.c" || exit 2
make_slab "$here/slab/recorder.trace" trace

# A sanitizer's allocator is not to be replaced.
if ! LD_PRELOAD=./fail.so "$mm" --version >/dev/null 2>&1; then
	skip 'an allocation fails' 'the allocator of a sanitizer is not to be replaced'
	tap_end
fi

# complaint NUMBER: what is wrong when that allocation fails, or nothing.
complaint() {
	FAIL_AT=$1 LD_PRELOAD=./fail.so timeout 20 "$mm" report slab --json --jobs=1 trace >out 2>err
	status=$?
	case $status in
	0) cmp -s whole out || echo "$1: another report with status 0" ;;
	2 | 4) grep -q -i memory err || echo "$1: status $status: $(head -n 1 err)" ;;
	*) echo "$1: status $status" ;;
	esac
}

"$mm" report slab --json --jobs=1 trace >whole || exit 2
wrong='' number=${LTTNG_MM_FAIL_FIRST:-21}
# The first ones are those of libraries before main().
while [ "$number" -lt 7200 ]; do
	wrong=$wrong$(complaint "$number")
	number=$((number + ${LTTNG_MM_FAIL_STEP:-61}))
done
is 'an allocation fails: the whole report, or a message' '' "$(printf '%s' "$wrong" | cut -c1-300)"
# argp's own, before it has looked at an option.
is 'an allocation of the options fails' '' "$(complaint 14; complaint 15)"

tap_end
