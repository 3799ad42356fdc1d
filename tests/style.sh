#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# make check-style: licence lines, shellcheck, clang-format, layers, sparse and clang-tidy; exits 1
# with findings.
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
# Each major version of clang-format lays out some lines differently; the tree uses this one. The
# headers of instrumentation/ are lists for the preprocessor, which clang-format cannot lay out.
layout_version=14
format=$(command -v clang-format-$layout_version || command -v clang-format)
version=$($format --version | sed 's/.*version \([0-9]*\).*/\1/')
if [ "$version" = "$layout_version" ]; then
	for file in $(files '*.[ch]' ':!instrumentation'); do
		lines=$($format "$file" | diff "$file" - | grep -c '^[<>]' || :)
		[ "$lines" = 0 ] || found "$file: clang-format would change $lines lines"
	done
else
	found "clang-format is version $version: install the package clang-format-$layout_version"
fi
# A user-visible string stays on one line so that it can be searched for, and so does a line of
# shell that is not a comment.
for file in $(files '*.[ch]' '*.sh' '*.mk' Makefile ':!instrumentation'); do
	case $file in *.[ch]) kept='"' ;; *) kept='^[^#]*[^#[:blank:]]' ;; esac
	lines=$(expand "$file" | grep -ve "$kept" | grep -cE '^.{101}' || :)
	[ "$lines" = 0 ] || found "$file: $lines lines are longer than 100 columns"
done
tests/layers.sh || findings=$((findings + 1))
mkdir -p build
vm/sparse.sh "${SUITE:-trixie}" || found 'sparse has findings in the probes'
# Kernel modules require the kernel's flags and headers, and user-space events those of LTTng, which
# guests have. The flags contain quoted words, hence the eval; the file names of this tree need no
# quoting.
sources=$(files 'analysis/*.c' 'cli/*.c' 'lttng-session/*.c' 'plugin/*.c' 'tests/*.c' 'util/*.c' \
	':!tests/kernel/modules' ':!tests/kernel/probes' ':!tests/kernel/ust-events.c' ':!tests/probes' |
	tr '\n' ' ')
eval "clang-tidy --quiet $sources -- $(make -s -f tools.mk print-cflags)" \
	2>/dev/null | grep -E '(warning|error):' >build/clang-tidy.log || :
[ ! -s build/clang-tidy.log ] || { cat build/clang-tidy.log; findings=$((findings + 1)); }
echo "$findings findings"
[ "$findings" = 0 ]
