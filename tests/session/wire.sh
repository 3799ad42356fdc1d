#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests the headers that probes and programs share. Each header must compile alone, include nothing
# and have a licence that fits both. No other file may define its names.
set -u
# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

cd "$top" || exit 1
for header in instrumentation/wire/*.h; do
	is "$header: the licence for kernel and user space" \
		'/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */' "$(head -n 1 "$header")"
	nothing "$header includes nothing" "$(grep -nE '^[[:blank:]]*#[[:blank:]]*include' "$header")"
	nothing "$header compiles alone" \
		"$(${CC:-cc} -std=gnu11 -Wall -Wextra -fsyntax-only -x c "$header" 2>&1)"
	names=$(sed -n -e 's/^#define \(LTTNG_MM_[A-Z0-9_]*_H\)$//' \
		-e 's/^#define \(LTTNG_MM_[A-Z0-9_]*\).*/\1/p' \
		-e 's/^	X(\([A-Z_]*\), [0-9]*).*/LTTNG_MM_SLAB_PATH_\1/p' "$header")
	[ -n "$names" ] || not_ok "$header: defines something"
	# shellcheck disable=SC2086 # one name each
	pattern=$(printf '%s|' $names)
	nothing "$header: no other file defines its names" "$(grep -rnE --include='*.[ch]' \
		"^[[:blank:]]*(#[[:blank:]]*define[[:blank:]]+)?(${pattern%|})[[:blank:]]+(=[[:blank:]]*)?[0-9(]" \
		analysis bench instrumentation/enums instrumentation/events lttng-session probes tests)"
done
nothing 'the sizes of classes are in the header only' "$(grep -rnE --include='*.[ch]' \
	'(==|<=|>=) *(96|192)\b' analysis/slab instrumentation probes tests/kernel/slab/compare-slab.c)"
tap_end
