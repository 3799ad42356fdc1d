#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests that report dax draws the same conclusions from truncated, damaged and lost packets. A pair
# must not be certain if events of any CPU are missing between its entry and its exit.
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

# CPU 0 has a first packet, a second packet from 300 to 8000, and a third packet.
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

# counts TRACE: prints the numbers of huge-page faults, uncertain pairs, pairs undetermined by loss,
# unpaired entries and unpaired exits.
counts() {
	"$mm" report dax --json "$1" 2>/dev/null >out.json
	jq -r '.metrics as $all | [("dax.pmd_faults", "dax.pairs_uncertain") as $name | $all[] |
		select(.name == $name).value] + [("undetermined_by_loss", "unpaired_entries", "unpaired_exits") as $what |
		$all[] | select(.name == "dax.pairing" and .labels.what == $what).value] | join(" ")' out.json
	for jobs in 1 8; do
		"$mm" report dax --json --jobs=$jobs "$1" 2>/dev/null | cmp -s - out.json || echo "--jobs=$jobs differs"
	done
}

# spoil FILE AT BYTES: overwrites these bytes.
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

# As in the recorder's profile, two rare events are in a separate channel. If this channel loses
# events, pairs must remain certain, and so must causes that depend on the absence of other events.
rare='dax_pmd_load_hole_fallback|dax_insert_pfn_mkwrite_no_entry'
awk -v rare="^\t*name = \"($rare)\"" '
	/^event \{/ { event = ""; in_event = 1; is_rare = 0 }
	/^stream \{/ { in_stream = 1 }
	in_event { event = event $0 "\n" }
	in_event && $0 ~ rare { is_rare = 1 }
	in_stream { sub("id = 0", "id = 1"); stream = stream $0 "\n" }
	in_stream && /^};/ { in_stream = 0; print stream }
	in_event && /^};/ { in_event = 0; sub("stream_id = 0", "stream_id = 1", event); if (is_rare) printf "%s", event }
	' "$top/tests/metadata/dax.tsdl" >rare-class
{
	awk '/^stream \{/ { exit } { print }' "$top/tests/metadata/dax.tsdl"
	cat rare-class
} >rare.tsdl
awk -v rare="^\t*name = \"($rare)\"" '
	/^event \{/ { event = ""; in_event = 1; is_rare = 0 }
	in_event { event = event $0 "\n" }
	in_event && $0 ~ rare { is_rare = 1 }
	!in_event { print }
	in_event && /^};/ { in_event = 0; if (!is_rare) printf "%s", event }
	' "$top/tests/metadata/dax.tsdl" >main.tsdl
range='vm_start=0x10000000 vm_end=0x20000000 vm_flags=8 pgoff=0x400 max_pgoff=0x8000'
key="$file address=0x10400000"
cat >main.trace <<END
cpu 0
begin 100
1000 dax_pmd_fault tid=1 $key $range
1100 dax_fault_extent tid=1 $file pos=0x400000 extent_offset=0x400000 extent_length=0x200000 extent_type=HOLE
1300 dax_pmd_fault_done tid=1 $key $range result=0x800
1400 dax_pmd_fallback tid=1 $file
2000 dax_pmd_fault tid=1 $key $range
2300 dax_pmd_fault_done tid=1 $key $range result=0x800
2400 dax_pmd_fallback tid=1 $file radix_entry=5
3000 dax_pte_fault tid=1 $pte
3200 dax_pte_fault_done tid=1 $pte result=0x100
end 4000
cpu 1
begin 100
1050 dax_pte_fault tid=9 $pte
1060 dax_pte_fault_done tid=9 $pte result=0x100
end 4000
END
cat >rare.trace <<END
cpu 0
begin 100
1200 dax_pmd_load_hole_fallback tid=1 $file zero_pfn=0
end 2000
packet seq=1
begin 2000
2010 dax_pmd_load_hole_fallback tid=7 $file
end 4000
cpu 1
begin 100
3100 dax_insert_pfn_mkwrite_no_entry tid=1 $file
end 4000
END
"$tests/make-trace" main.tsdl --no-state main.trace split && "$tests/make-trace" rare.tsdl --no-state rare.trace rare || exit 2
cat rare-class >>split/metadata
for cpu in 0 1; do
	cp rare/channel_$cpu split/rare_$cpu
done

# split_says TRACE: prints the uncertain pairs, the causes, the counts of mkwrite_no_entry, and
# whether intervals of report why may lack events.
split_says() {
	"$mm" report dax --json "$1" 2>/dev/null >out.json
	echo "$(jq -r '[(.metrics[] | select(.name == "dax.pairs_uncertain").value), (.tables.causes[] | "\(.cause) \(.first_failed)")] +
		[.tables.files[].mkwrite_no_entry | tostring] | join(", ")' out.json), $(jq '[.notes[] |
		select(startswith("Events dax_pmd_load_hole_fallback and dax_insert_pfn_mkwrite_no_entry may be missing: "))] | length' out.json
		), $("$mm" report why --json "$1" 2>/dev/null | jq -c '[.tables.intervals[].may_lack] | unique')"
	for jobs in 1 8; do
		"$mm" report dax --json --jobs=$jobs "$1" 2>/dev/null | cmp -s - out.json || echo "--jobs=$jobs differs"
	done
}
is 'rare events: all are there' '0, pte-entry 1, hole-no-zero-page 1, 1, 0, [false]' "$(split_says split)"
cp -R split rare-file && spoil rare-file/rare_0 0 "$(wc -c <split/rare_0)"
cp -R split rare-header && spoil rare-header/rare_0 0 50
cp -R split rare-size && spoil rare-size/rare_0 30 50
sed 's/uuid = "00/uuid = "ff/' rare.tsdl >foreign.tsdl
"$tests/make-trace" foreign.tsdl --no-state rare.trace foreign || exit 2
cp -R split rare-foreign && cp foreign/channel_0 rare-foreign/rare_0
cp -R split rare-gone && rm rare-gone/rare_0
for name in file foreign gone; do
	is "rare events, $name: only these may be missing" '0, pte-entry 1, undetermined 1, 1, 1, [true]' "$(split_says rare-$name)"
done
for name in header size; do
	is "rare events, $name: ... before the next packet" '0, pte-entry 1, undetermined 1, 1, 1, [false,true]' "$(split_says rare-$name)"
done
cp -R split rare-other && spoil rare-other/rare_1 0 "$(wc -c <split/rare_1)"
is 'rare events of the other kind' '0, pte-entry 1, hole-no-zero-page 1, null, 1, [true]' "$(split_says rare-other)"
cp -R split rare-main && spoil rare-main/channel_1 0 "$(wc -c <split/channel_1)"
is 'rare events are there, and others may be missing' '3, hole-no-zero-page 1, undetermined 1, 1, 0, [true]' "$(split_says rare-main)"

# Overwrites BYTES bytes at OFFSET in a packet. For any such damage, the remedy must be to copy the
# trace again.
whole_size=$(wc -c <t-third/channel_0)
remedies() {
	for command in 'report dax --all' 'report why' info; do
		# shellcheck disable=SC2086 # a command of two words
		"$mm" $command damaged-so 2>/dev/null | sed -n 's/^Remedy: //p'
	done | sort -u
}
copy='copy the whole trace again (`lttng-mm verify` names the files).'
while read -r what at bytes; do
	for packet in 0 "$second_at"; do
		rm -rf damaged-so
		cp -R t-third damaged-so
		spoil damaged-so/channel_0 $((packet + at)) "$bytes"
		is "remedy: the packet at $packet, $what" "$copy" "$(remedies)"
		"$mm" verify damaged-so >out 2>err
		is '... verify knows of damage and no buffer' '2 0' "$? $(cat out err | grep -c 'subbuf')"
	done
done <<'END'
magic 0 4
UUID 4 16
stream 20 4
end 40 8
content 48 8
size 56 8
count 72 8
CPU 80 4
header 0 84
context 50 34
event 90 30
END
for what in cut header; do
	rm -rf damaged-so
	cp -R t-third damaged-so
	truncate -s "$([ $what = cut ] && echo $((whole_size - 10)) || echo $((second_at + 10)))" damaged-so/channel_0
	is "remedy: truncated, $what" "$copy" "$(remedies)"
done
cp -R t-whole lossy
printf '\011' | dd of=lossy/channel_0 bs=1 seek=$((second_at + 64)) conv=notrunc 2>/dev/null
"$mm" report dax --all lossy >out
is 'remedy: lost packets' 1 "$(grep -c '^Remedy: .*num-subbuf' out)"
tap_end
