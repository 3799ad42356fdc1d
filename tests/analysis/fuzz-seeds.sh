#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Sound metadata, packets and system information, and what comes of damaging them all over, through the fuzz targets.
set -eu

# The targets load no plugins, and thousands of small traces take minutes with the slow unwinder.
unset ASAN_OPTIONS
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$O/tests/make-seeds" "$folder"
number=0
for target in metadata packets system; do
	number=$((number + 1))
	status=0
	"$O/tests/fuzz-$target" "$folder/$target"/* >"$folder/log" || status=$?
	sed 's/^/# /' "$folder/log"
	# What is wrong with one seed leaves it and those behind it without a line.
	wanted=$(find "$folder/$target" -type f | wc -l)
	if [ "$status" = 0 ] && [ "$(grep -c '^ok' "$folder/log")" = "$wanted" ]; then
		echo "ok $number - $wanted seeds of $target, sound and damaged"
	else
		echo "not ok $number - seeds of $target, status $status"
	fi
done
echo "1..$number"
