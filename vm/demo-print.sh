#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Prints the results of `make demo`: the first screens of both reports, and the certificate of the
# triggered snapshot: vm/demo-print.sh FOLDER PROGRAM
#
# Writes both reports to FOLDER, as complete text and as JSON.
set -eu
# shellcheck source=vm/lib.sh
. "$(dirname -- "$0")/lib.sh"

[ $# = 2 ] || die 'usage: vm/demo-print.sh FOLDER PROGRAM'
demo=$1 lttng_mm=$2
for name in dax slab triggered; do
	[ -s "$demo/snapshot-$name" ] ||
		die "$demo: the guest has written no snapshot-$name; see guest.log and console.log there" 4
done
# The paths as a user would type them in the current folder.
shown=${demo#"$(pwd)"/} program=${lttng_mm#"$(pwd)"/}

[ ! -s "$demo/dmesg.log" ] || grep -q 'Hypervisor detected: KVM' "$demo/dmesg.log" ||
	echo "The guest's CPU was emulated (no usable KVM), so times are longer than those of hardware."
for analysis in dax slab; do
	snapshot=$(cat "$demo/snapshot-$analysis")
	"$lttng_mm" report "$analysis" --json "$demo/$snapshot" >"$demo/$analysis.json"
	"$lttng_mm" report "$analysis" --all "$demo/$snapshot" >"$demo/$analysis.txt"
	echo "\$ $program report $analysis $shown/$snapshot"
	"$lttng_mm" report "$analysis" "$demo/$snapshot"
	echo
done
triggered=$(cat "$demo/snapshot-triggered")
echo "A trigger took a snapshot at a fallback. Its certificate says what the trace covers:"
"$lttng_mm" info --all "$demo/$triggered" | sed -n '/^Certificate/p'
echo "In these commands, lttng-mm is $program. All tables are in dax.txt and slab.txt in $shown/, too."
echo "  DAX faults:     $program report dax --all $shown/$(cat "$demo/snapshot-dax") | less"
echo "  allocations:    $program report slab --leaks $shown/$(cat "$demo/snapshot-slab")"
echo "  of the trigger: $program info --all $shown/$triggered | less"
