#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Runs intact inputs of all fuzz targets, and damaged forms of them, through the targets.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# The targets load no plugins, and thousands of small traces take minutes with the slow unwinder.
unset ASAN_OPTIONS
"$tests/make-seeds" "$work" || exit 2
for target in metadata packets plans profiles reports system triggers; do
	status=0
	"$tests/fuzz-$target" "$target"/* >log || status=$?
	sed 's/^/# /' log
	# An error in one seed leaves it and those after it without a line.
	wanted=$(find "$target" -type f | wc -l)
	is "$wanted seeds of $target, intact and damaged" "status 0, $wanted seeds" "status $status, $(grep -c '^ok' log) seeds"
done
tap_end
