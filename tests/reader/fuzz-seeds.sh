#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Runs all fuzz targets on intact inputs and on damaged versions of them.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# The targets load no plugins, so they do not need the slow unwinder, which would take minutes.
unset ASAN_OPTIONS
"$tests/make-seeds" "$work" || exit 2
for target in bases metadata packets plans profiles reports rules system triggers; do
	status=0
	"$tests/fuzz-$target" "$target"/* >log || status=$?
	sed 's/^/# /' log
	# After an error, the failing seed and all later seeds have no line.
	wanted=$(find "$target" -type f | wc -l)
	is "$wanted seeds of $target, intact and damaged" "status 0, $wanted seeds" "status $status, $(grep -c '^ok' log) seeds"
done
tap_end
