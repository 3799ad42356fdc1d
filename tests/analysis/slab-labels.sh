#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests that both readers name flags and migrate types by the labels in the trace's metadata, which
# differ between kernels. Values without a label must be printed as numbers.
set -u
# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# flags FOLDER: prints flags of page allocations in FOLDER, once for both readers if they agree.
flags() {
	for flags_reader in fast babeltrace2; do
		"$mm" report slab --reader="$flags_reader" --json "$1" |
			jq -r '.tables["page-flags"][] | .gfp_flags + " " + .migrate_type'
	done | sort -u
}

make_slab "$here/slab/pages.trace" labelled
# One kernel's flags have other names, and another kernel's metadata names no flags at all.
cp -R labelled renamed
sed -i 's/"KSWAPD_RECLAIM" = 2048/"WAKES_KSWAPD" = 2048/; s/"UNMOVABLE" = 0/"PINNED" = 0/' \
	renamed/metadata
cp -R labelled plain
awk '/enum : integer/ { kept = $0; held = 1; text = ""; next }
	held { text = text "\n" $0
		if (!/_gfp_flags;/ && !/} _/) next
		held = 0
		if (/_gfp_flags;/) {
			sub(/enum : /, "", kept); sub(/ {$/, " _gfp_flags;", kept); print kept
		} else
			print kept text
		next }
	{ print }' labelled/metadata >plain/metadata

is 'labels of the trace' 'IO|FS|DIRECT_RECLAIM|KSWAPD_RECLAIM MOVABLE
IO|FS|DIRECT_RECLAIM|KSWAPD_RECLAIM UNMOVABLE' "$(flags labelled)"
is 'labels of another kernel' 'IO|FS|DIRECT_RECLAIM|WAKES_KSWAPD MOVABLE
IO|FS|DIRECT_RECLAIM|WAKES_KSWAPD PINNED' "$(flags renamed)"
is 'numbers where there are no labels' '3264 MOVABLE
3264 UNMOVABLE' "$(flags plain)"
tap_end
