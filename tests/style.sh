#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Implements make check-style: licence lines, line lengths, sizes of files (at most 700 lines) and
# folders (at most 40 files beside sources.mk), names, layers, shellcheck, clang-format,
# sparse and clang-tidy. Exits with 1 if there are findings. With --quick, runs only the checks up
# to layers, which need no other packages and are part of `make check` (tests/session/style.sh).
set -eu

quick=
case ${1:-} in
'') ;;
--quick) quick=1 ;;
*) echo 'usage: tests/style.sh [--quick]' >&2; exit 2 ;;
esac

top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$top"
findings=0
list=$(mktemp)
trap 'rm -f "$list"' EXIT
found() {
	echo "$1"
	findings=$((findings + 1))
}

finish() {
	echo "$findings findings"
	[ "$findings" = 0 ] || exit 1
	exit 0
}
files() { git ls-files -- "$@"; }

# shellcheck disable=SC2046 # paths without blanks
awk 'FNR == 1 { files[++count] = FILENAME } FNR <= 2 && /SPDX-License-Identifier/ { has[FILENAME] = 1 }
	END { for (i = 1; i <= count; i++) if (!has[files[i]]) print files[i] ": no SPDX line" }' \
	$(files '*.c' '*.h' '*.sh' '*.mk' Makefile '*/Makefile' '*/Kbuild' .ci/run) >"$list"
# Lines with strings may be longer, so that users' messages can be searched for. Lines of shell may
# also be longer, unless they are comments.
# shellcheck disable=SC2046
awk '
	FNR == 1 { kept = FILENAME ~ /\.[ch]$/ ? "\"" : "^[^#]*[^# \t]" }
	$0 !~ kept {
		line = $0
		while ((at = index(line, "\t")) > 0)
			line = substr(line, 1, at - 1) substr("        ", 1 + (at - 1) % 8) substr(line, at + 1)
		if (length(line) > 100)
			print FILENAME ":" FNR ": longer than 100 columns"
	}' $(files '*.[ch]' '*.sh' '*.mk' Makefile 'packaging/*') >>"$list"
# shellcheck disable=SC2046
# Checks prose, but not tables, sample output, roff requests and output of the program.
awk '
	FNR == 1 || /^\.(fi|EE)/ { sample = 0 }
	/^\.(nf|EX)/ { sample = 1 }
	length($0) > 100 && !sample && !/^([|.]|    |\t)/ {
		print FILENAME ":" FNR ": longer than 100 columns"
	}
	' $(files '*.md' 'doc/man/*') >>"$list"
# roff joins the arguments of a macro for two fonts, so words of a sentence would lose their blanks.
# shellcheck disable=SC2046
awk '/^\.(BI|BR|IB|IR|RB|RI) / {
		gsub(/"[^"]*"/, "|")
		if (/ [a-z]+ [a-z]+ [a-z]+( |$)/)
			print FILENAME ":" FNR ": words run together: start a new line after the punctuation"
	}' $(files 'doc/man/*') >>"$list"
# shellcheck disable=SC2046
awk 'FNR == 701 { print FILENAME ": more than 700 lines" }' \
	$(files '*.[ch]' '*.sh' '*.awk' '*.mk' Makefile '*/Makefile' '*/Kbuild') >>"$list"
files | grep -v '/sources\.mk$' |
	awk '{ if (!sub(/\/[^\/]*$/, "")) $0 = "."; if (++count[$0] == 41) print $0 ": more than 40 files" }' >>"$list"
cat "$list"
findings=$((findings + $(wc -l <"$list")))
tests/layers.sh || findings=$((findings + 1))
tests/unique-names.sh || findings=$((findings + 1))
[ -z "$quick" ] || finish
for script in $(files '*.sh' vm/guest-init); do
	shellcheck -x "$script" || findings=$((findings + 1))
done
# Each major version of clang-format lays out some lines differently, so the tree uses one version.
# clang-format cannot lay out the headers of instrumentation/, which are lists for the preprocessor.
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
mkdir -p build
vm/sparse.sh "${SUITE:-trixie}" || found 'sparse has findings in the probes'
# clang-tidy cannot check kernel modules and user-space events, because they require headers of the
# kernel and of LTTng, which only guests have. eval is necessary because the flags contain quoted
# words. No file name of this tree needs quoting.
flags=$(make -s -f tools.mk print-cflags)
# shellcheck disable=SC2016 # the inner shell's arguments
files 'analysis/*.c' 'reader/*.c' 'cli/*.c' 'lttng-session/*.c' 'plugin/*.c' 'tests/*.c' 'util/*.c' \
	':!tests/kernel/modules' ':!tests/kernel/probes' ':!tests/kernel/ust-events.c' ':!tests/probes' |
	xargs -n 8 -P "$(getconf _NPROCESSORS_ONLN)" sh -c '
		eval "clang-tidy --quiet $* -- $0" 2>/dev/null
		status=$?
		[ "$status" -lt 126 ] || echo "error: clang-tidy ended with status $status: $*"
		exit 0' "$flags" |
	grep -E '(warning|error):' >build/clang-tidy.log || :
[ ! -s build/clang-tidy.log ] || { cat build/clang-tidy.log; findings=$((findings + 1)); }
finish
