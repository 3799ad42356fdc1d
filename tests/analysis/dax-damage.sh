#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests that report dax draws the same conclusions from truncated and damaged packets as from lost
# ones: a pair during which events of any CPU are missing is not certain.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

file='pid=1 dev_major=259 ino=0x1003'
pmd="$file vm_start=0x10200000 vm_end=0x10c00000 vm_flags=8 address=0x10505000 pgoff=0x305 max_pgoff=0x1400 flags=1"
pte="$file vm_flags=8 address=0x10505000 pgoff=0x305"

# fault TID BEGIN END
fault() {
	echo "$2 dax_pmd_fault procname=t$1 tid=$1 $pmd"
	echo "$3 dax_pmd_fault_done procname=t$1 tid=$1 $pmd result=0x100"
}

# CPU 0 has a packet, one from 300 to 8000, and another one.
{
	echo 'cpu 0'
	echo "100 dax_pte_fault procname=t9 tid=9 $pte"
	echo "200 dax_pte_fault_done procname=t9 tid=9 $pte result=0x100"
} >first
{
	cat first
	printf 'packet seq=1\nbegin 300\n'
	echo "3000 dax_pte_fault procname=t9 tid=9 $pte"
} >second
{
	cat second
	printf '%s\nend 8000\n' "6000 dax_pte_fault_done procname=t9 tid=9 $pte result=0x100"
} >whole
{
	cat whole
	printf 'packet seq=2\nbegin 8000\n'
	echo "8100 dax_pte_fault procname=t9 tid=9 $pte"
	echo "8200 dax_pte_fault_done procname=t9 tid=9 $pte result=0x100"
} >third
{
	echo 'cpu 1'
	fault 5 210 280
	fault 1 1000 2000
	fault 2 2500 3500
	fault 3 4000 5000
	fault 4 8500 9000
} >others
for name in first second whole third; do
	cat "$name" others >script
	make_dax script "t-$name"
done
second_at=$(wc -c <t-first/channel_0)
event_at=$(wc -c <t-second/channel_0)

# counts TRACE: huge-page faults, those that are uncertain, undetermined by loss, unpaired entries
# and exits.
counts() {
	"$mm" report dax --json "$1" 2>/dev/null >out.json
	jq -r '.metrics as $all | [("dax.pmd_faults", "dax.pairs_uncertain") as $name | $all[] |
		select(.name == $name).value] + [("undetermined_by_loss", "unpaired_entries", "unpaired_exits") as $what |
		$all[] | select(.name == "dax.pairing" and .labels.what == $what).value] | join(" ")' out.json
	for jobs in 1 8; do
		"$mm" report dax --json --jobs=$jobs "$1" 2>/dev/null | cmp -s - out.json || echo "--jobs=$jobs differs"
	done
}

# spoil FILE AT BYTES: overwrites them.
spoil() {
	head -c "$3" /dev/zero | tr '\0' '\377' | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}

is 'complete: every pair is certain' '5 0 0 0 0' "$(counts t-third)"
cp -R t-whole truncated
truncate -s "$((event_at + 10))" truncated/channel_0
is 'truncated: the stream ends with its last event; a pair around that is undetermined, those after it are uncertain' '4 2 2 0 0' \
	"$(counts truncated)"
cp -R t-third damaged
spoil damaged/channel_0 "$event_at" 8
is 'damaged event: the events of its whole packet are missing' '2 0 3 0 0' "$(counts damaged)"
cp -R t-third passed
spoil passed/channel_0 "$second_at" 80
is 'damaged packet: events are missing up to the next packet' '1 0 4 0 0' "$(counts passed)"
cp -R t-whole last
spoil last/channel_0 "$second_at" 80
is 'damaged last packet: the stream ends with the event before it' '5 5 0 0 0' "$(counts last)"
cp -R t-third start
spoil start/channel_0 0 80
is 'damaged first packet: the stream starts with the next packet' '5 1 0 0 0' "$(counts start)"
cp -R t-third file
spoil file/channel_0 0 "$(wc -c <file/channel_0)"
is 'damaged file: the complete stream is missing' '5 5 0 0 0' "$(counts file)"
tap_end
