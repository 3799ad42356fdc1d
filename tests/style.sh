#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# make check-style: licence lines, shellcheck, clang-format, layers and clang-tidy; exits 1 with findings.
set -eu

top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$top"
findings=0
found() {
	echo "$1"
	findings=$((findings + 1))
}

files() { git ls-files -- "$@"; }

for file in $(files '*.c' '*.h' '*.sh' '*.mk' Makefile '*/Makefile' '*/Kbuild' .ci/run); do
	sed -n 1,2p "$file" | grep -q 'SPDX-License-Identifier' || found "$file: no SPDX line"
done
for script in $(files '*.sh' vm/guest-init); do
	shellcheck -x "$script" || findings=$((findings + 1))
done
# The event headers are lists for a macro processor, which clang-format cannot lay out.
for file in $(files 'analysis/*.[ch]' 'cli/*.[ch]' 'lttng-session/*.[ch]' 'plugin/*.[ch]' \
	'probes/*.[ch]' 'tests/*.[ch]' 'util/*.[ch]'); do
	lines=$(clang-format "$file" | diff "$file" - | grep -c '^[<>]' || :)
	[ "$lines" = 0 ] || echo "note: $file: clang-format would change $lines lines"
done
tests/layers.sh || findings=$((findings + 1))
mkdir -p build
# Kernel modules need the kernel's own flags and headers; user-space events, LTTng's, which guests have.
# The flags hold quoted words, hence the eval; file names of this tree hold nothing that needs quoting.
sources=$(files 'analysis/*.c' 'cli/*.c' 'lttng-session/*.c' 'plugin/*.c' 'tests/*.c' 'util/*.c' \
	':!tests/kernel/modules' ':!tests/kernel/probes' ':!tests/kernel/ust-events.c' ':!tests/probes' |
	tr '\n' ' ')
eval "clang-tidy --quiet $sources -- $(make -s -f tools.mk print-cflags)" \
	2>/dev/null | grep -E '(warning|error):' >build/clang-tidy.log || :
[ ! -s build/clang-tidy.log ] || { cat build/clang-tidy.log; findings=$((findings + 1)); }
echo "$findings findings"
[ "$findings" = 0 ]
