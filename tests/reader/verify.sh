#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests verify on an intact trace, and on the same trace with a different error in each case.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# poke FILE OFFSET BYTES VALUE
poke() {
	number "$3" "$4" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# Offsets of fields in the packets of these traces.
packet=1048576
begin=24 end=32 content=40 size=48 seq=56 discarded=64 first_event=76

make_ctf --shape slab --events 100000 --streams 1 sound
file=channel0_0

# finds NAME STATUS PATTERN...: checks that verify of the trace `damaged` exits with STATUS and
# prints a line for each pattern. libbabeltrace2 must neither accept damaged data as valid nor fail
# an assertion.
finds() {
	finds_name=$1 finds_status=$2
	shift 2
	"$mm" verify damaged >out 2>err
	is "$finds_name: exit status" "$finds_status" $?
	for pattern; do
		is "$finds_name: $pattern" 1 "$(grep -c -e "$pattern" out)"
	done
	is "$finds_name: no error output" '' "$(cat err)"
	"$mm" verify --jobs 1 damaged >out.1 2>&1
	"$mm" verify --jobs 3 damaged >out.3 2>&1
	same "$finds_name: the same on one thread and on three" out.1 out.3
	"$mm" report slab --reader=babeltrace2 damaged >out 2>err
	finds_slow=$?
	case $finds_status:$finds_name in
	2:'an index with a packet less' | 2:'an invalid index') ;; # which it does not use
	2:*) is "$finds_name: libbabeltrace2 does not read it" '2 0' "$finds_slow $(wc -c <out)" ;;
	esac
	is "$finds_name: libbabeltrace2 does not abort" 0 "$((finds_slow > 4))"
	# Without checksums, reports must check what `verify` checks, except an index that they do
	# not use. Info ignores the times of events.
	case $finds_name in
	'an index with a wrong offset' | 'an index with a packet less' | 'an invalid index') ;;
	*)
		# Nothing lists the streams of these traces, so completeness is unknown.
		finds_required=$((finds_status ? finds_status : 3))
		"$mm" report slab --require-complete damaged >out 2>err
		is "$finds_name: the report has the same status" "$finds_required" $?
		"$mm" info --all --events --require-complete damaged >out 2>err
		finds_slow=$?
		[ "$finds_name" = 'events after the end of their packet' ] ||
			is "$finds_name: info has the same status" "$finds_required" $finds_slow
		;;
	esac
	rm -rf damaged
}

cp -r sound damaged
finds 'intact' 0 \
	'^No errors, complete: 100000 events in 4 packets, 1 stream, 1 file, 1 trace, 4194304 bytes$' \
	'^Findings: 0 damaged, 0 lost (0 events discarded, 0 packets lost, 0 packets truncated)$'

cp -r sound damaged
poke damaged/$file $packet 1 0
finds 'magic number' 2 \
	"^damaged: damaged/$file: packet 1, byte $packet: wrong magic number; skipped up to byte $((2 * packet))\$" \
	'^Damaged: [1-9][0-9]* events in 3 packets' '^Findings: 1 damaged, 0 lost'

cp -r sound damaged
poke damaged/$file $((3 * packet + size)) 8 $((8 * packet + 8))
finds 'a last packet that is a byte longer than the file' 3 \
	"^lost: damaged/$file: packet 3, byte 3145728: the file ends within the packet: 1048576 bytes of it are present\$"

cp -r sound damaged
poke damaged/$file $((packet + 20)) 4 9
finds 'stream class' 2 \
	"^damaged: damaged/$file: packet 1, byte $packet: no stream class has the stream's id; skipped up to byte $((2 * packet))\$" \
	"^lost: damaged/$file: packet 2, byte $((2 * packet)): 1 packet was lost before this one\$" \
	'^Findings: 1 damaged, 1 lost (0 events discarded, 1 packet lost, 0 packets truncated)$'

cp -r sound damaged
poke damaged/$file $((2 * packet + 4)) 1 0
finds 'UUID' 2 "packet 2, byte $((2 * packet + 4)): the UUID is not the trace's\$"

cp -r sound damaged
poke damaged/$file $((2 * packet + first_event)) 1 5
finds 'unknown event' 2 "^damaged: .*: packet 2, byte $((2 * packet + first_event)): an event's id, 5 (0x5), is not in the metadata\$" \
	'^Findings: 1 damaged, 0 lost'

cp -r sound damaged
dd if=sound/$file of=damaged/$file bs=8 count=1 skip=$((begin / 8)) seek=$((end / 8)) \
	conv=notrunc status=none
finds 'events after the end of their packet' 2 \
	"^damaged: .*: packet 0, byte [0-9]*: event slab_k[a-z]*: its timestamp, [0-9]*, is later than the packet's end" \
	'^Findings: 1 damaged, 0 lost'

cp -r sound damaged
poke damaged/$file $((begin + 8)) 8 5
finds 'an end before the start' 2 ': packet 0, byte 0: the packet ends at 5, before its start'

cp -r sound damaged
poke damaged/$file $((packet + content)) 8 $((8 * packet + 8))
finds 'content larger than the packet' 2 ': content_size is larger than packet_size'

cp -r sound damaged
poke damaged/$file $((packet + content)) 8 $((8 * first_event + 40))
finds 'content that ends in an event' 2 \
	"^damaged: .*: packet 1, byte $((packet + first_event)): .*truncated\$"

cp -r sound damaged
poke damaged/$file $((packet + size)) 8 $((8 * packet + 4))
finds 'a size that is not a multiple of a byte' 2 ': packet_size is not a multiple of 8 bits'

cp -r sound damaged
poke damaged/$file $((3 * packet + seq)) 8 6
finds 'lost packets' 3 ': packet 3, byte 3145728: 3 packets were lost before this one$' \
	'^No errors, incomplete: ' '^Findings: 0 damaged, 1 lost (0 events discarded, 3 packets lost'

cp -r sound damaged
poke damaged/$file $((3 * packet + size + 7)) 1 128
finds 'a size that no file has' 3 'packet 3, byte 3145728: the file ends within the packet'

# Writes values by which libbabeltrace2 represents `no value`.
for field in $begin $end $seq $discarded; do
	cp -r sound damaged
	poke damaged/$file $((2 * packet + field)) 8 -1
	"$mm" report slab --reader=babeltrace2 damaged >out 2>err
	is "2^64 - 1 at byte $field of a packet: not read" '2 0 1' \
		"$? $(wc -c <out) $(grep -c "^lttng-mm: trace: damaged/$file: packet [123], byte .*libbabeltrace2 would" err)"
	rm -rf damaged
done

cp -r sound damaged
poke damaged/$file $((2 * packet + seq)) 8 1
finds 'a duplicate sequence number' 2 ': packet_seq_num goes from 1 to 1; the number of this packet or of the previous one is wrong$' \
	': packet 3, byte 3145728: 1 packet was lost'

cp -r sound damaged
poke damaged/$file $((3 * packet + discarded)) 8 7
finds 'discarded events' 3 ': packet 3, byte 3145728: 7 events were discarded' \
	'^Findings: 0 damaged, 1 lost (7 events discarded, 0 packets lost'

cp -r sound damaged
poke damaged/$file $((packet + discarded)) 8 7
poke damaged/$file $((2 * packet + discarded)) 8 6
finds 'a counter that goes backwards' 2 ': packet 1, .*: 7 events were discarded' \
	': packet 2, byte 2097152: events_discarded goes backwards, from 7 to 6$'

cp -r sound damaged
poke damaged/$file $((packet + discarded)) 8 7
poke damaged/$file $((3 * packet + discarded)) 8 9
finds 'a counter that LTTng omitted' 3 ': packet 1, .*: 7 events were discarded since the previous packet$' \
	': packet 2, byte 2097152: events may have been discarded since the previous packet: LTTng did not store their count$' \
	': packet 3, .*: 2 events were discarded since the last count, which is 2 packets earlier$' \
	'(9 events discarded, 0 packets lost, 0 packets truncated, 1 without a discarded-event count)$'

cp -r sound damaged
truncate -s $((packet + 1000)) damaged/$file
finds 'a truncated last packet' 3 \
	": packet 1, byte $packet: the file ends within the packet: 1000 bytes of it are present\$" \
	'^Findings: 0 damaged, 1 lost (0 events discarded, 0 packets lost, 1 packet truncated)$'

cp -r sound damaged
truncate -s $((packet + 20)) damaged/$file
finds 'a last packet without a complete header' 3 \
	': packet 1, .*the file ends within the packet.s header or context; the rest of the file is skipped$' \
	'^Findings: 0 damaged, 1 lost (0 events discarded, 0 packets lost, 1 packet truncated)$'

cp -r sound damaged
for from in 2 1; do
	dd if=sound/$file of=damaged/$file bs=$packet count=1 skip=$from seek=$((3 - from)) \
		conv=notrunc status=none
done
finds 'packets in the wrong order' 0 \
	"^note: trace: damaged/$file: its packets are not in the order of time; they are read in the order of their sequence numbers\$" \
	'^No errors, complete: 100000 events in 4 packets' '^Findings: 0 damaged, 0 lost'

cp -r sound damaged
dd if=sound/$file of=damaged/$file bs=$packet count=1 skip=2 seek=1 conv=notrunc status=none
finds 'a copy of the next packet in place of a packet' 2 \
	': packet 2, byte 2097152: the packet is a copy of packet 1: remove it; skipped up to byte 3145728$'

cp -r sound damaged
dd if=sound/$file of=damaged/$file bs=$packet count=1 skip=0 seek=2 conv=notrunc status=none
finds 'a copy in place of another packet' 2 \
	': packet 2, byte 2097152: the packet is a copy of packet 0: remove it; skipped up to byte 3145728$' \
	': packet 3, byte 3145728: 1 packet was lost before this one$'

# A packet whose events differ from those of the original packet is not a copy.
cp -r sound damaged
dd if=sound/$file of=damaged/$file bs=$packet count=1 skip=0 seek=2 conv=notrunc status=none
poke damaged/$file $((2 * packet + first_event + 600000)) 1 170
finds 'a packet in place of another' 2 \
	': packet 2, byte 2097152: the packet starts at' ': packet_seq_num goes from 1 to 0; the number of this packet or of the previous one is wrong$' \
	': packet 2, byte [0-9]*: event at [0-9]* is earlier than the last event of the previous packet'

cp -r sound damaged
printf 'no packet' >damaged/other
finds 'a file that does not belong to the trace' 2 '^damaged: damaged/other: packet 0, byte [0-9]*: ' \
	', 1 stream, 2 files'

cp -r sound damaged && write_index damaged/$file $begin
finds 'a correct index' 0 '^No errors, complete: '
cp -r sound damaged && write_index damaged/$file $begin
poke damaged/index/$file.idx $((16 + 2 * 72 + 31)) 1 255
finds 'an index with a wrong time' 2 \
	"^damaged: damaged/index/$file.idx: packet 2, byte 160: timestamp_begin differs from the packet at byte 2097152 of $file\$"
cp -r sound damaged && write_index damaged/$file $begin
poke damaged/$file $((3 * packet + end + 5)) 1 128
finds 'a last packet that ends much later than the index has' 2 \
	"^damaged: damaged/index/$file.idx: packet 3, byte 232: timestamp_end differs from the packet at byte 3145728 of $file\$"
cp -r sound damaged && write_index damaged/$file $begin
poke damaged/$file $((2 * packet + seq)) 8 5
"$mm" report slab --json damaged >out 2>err
is 'an index with another sequence number than the packet: the report has all events' '2 100000 0 1' \
	"$? $(jq -r '.coverage | "\(.events) \(.packets_lost) \(.packets_damaged)"' out)"
is '... info: no packet is lost' '1 0' "$("$mm" info damaged 2>err |
	awk '/: 1 packet damaged;/ { damaged++ } /packets? lost/ { lost++ } END { print damaged + 0, lost + 0 }')"
finds '... verify' 2 \
	"^damaged: damaged/$file: packet 2, byte 2097152: packet_seq_num is 5, but the file's index has 2, which is right\$" \
	'^Findings: 1 damaged, 0 lost (0 events discarded, 0 packets lost'
# keeps NAME FIELD: checks a trace whose index contradicts itself or has a longer time range: the
# values in the packets must count.
keeps() {
	"$mm" report slab --json damaged >out 2>err
	is "$1: the report has all events" '0 100000 0 0' \
		"$? $(jq -r '.coverage | "\(.events) \(.packets_damaged) \(.streams_damaged // 0)"' out)"
	is "$1: the report has one note" 1 \
		"$(grep -c "\"trace: damaged/$file: the index of the file is damaged, and not used" out)"
	"$mm" info --all --wide damaged >out 2>err
	is "$1: info has the note, and no loss" '0 1 0' \
		"$? $(grep -c "^trace: damaged/$file: .*: the index of the file is damaged, and not used" out) $(grep -c '^Lost: ' out)"
	"$mm" verify damaged >out 2>err
	is "$1: verify" '2 1' "$? $(grep -c "^damaged: damaged/index/$file.idx: packet [23], .*: $2 differs from" out)"
	rm -rf damaged
}
cp -r sound damaged && write_index damaged/$file $begin
dd if=/dev/zero of=damaged/index/$file.idx bs=1 seek=$((16 + 3 * 72 + 24)) count=48 conv=notrunc status=none
keeps 'an index whose rest is zeros' timestamp_begin
for wrong in '3 24 timestamp_begin 0' '3 32 timestamp_end 0' '3 32 timestamp_end 281474976710656' \
	'2 16 content_size 0' '2 40 events_discarded 7' '2 48 stream_id 1' '2 64 packet_seq_num 0'; do
	# shellcheck disable=SC2086 # the entry, its byte, the field and its value
	set -- $wrong
	cp -r sound damaged && write_index damaged/$file $begin
	poke damaged/index/$file.idx $((16 + $1 * 72 + $2)) -8 "$4"
	keeps "an index with a wrong $3: $4" "$3"
done

cp -r sound damaged && write_index damaged/$file $begin
poke damaged/index/$file.idx $((16 + 72)) 1 32
"$mm" report slab --reader=babeltrace2 damaged >out 2>err
is 'an index with a wrong offset, libbabeltrace2: a line with the remedy' '2 1' \
	"$? $(grep -c "^lttng-mm: trace: damaged/index/$file.idx: offset differs from .*; remove the index file" err)"
finds 'an index with a wrong offset' 2 "^damaged: damaged/index/$file.idx: packet 1, byte 88: offset differs from"
cp -r sound damaged && write_index damaged/$file $begin
truncate -s -72 damaged/index/$file.idx
finds 'an index with a packet less' 2 "^damaged: damaged/index/$file.idx: packet 3, byte 0: its 3 packets do not end where"
cp -r sound damaged && write_index damaged/$file $begin
truncate -s -10 "damaged/$file"
finds 'a truncated file with a correct index: nothing is damaged' 3 "^lost: damaged/index/$file.idx: packet 4, byte 0: its 4 packets go up to byte [0-9]*, but $file has only [0-9]* bytes: this file is truncated\$"
cp -r sound damaged && mkdir damaged/index && echo nothing >damaged/index/$file.idx
finds 'an invalid index' 2 "^damaged: damaged/index/$file.idx: .*: not an index"

# Packets are small, so that each thread takes several at once. All but one are truncated within an
# event.
cp -r sound damaged
: >damaged/$file
for i in 0 1 2 3; do
	dd if=sound/$file bs=4096 count=1 skip=$((i * packet / 4096)) status=none >>damaged/$file
	poke damaged/$file $((4096 * i + content)) 8 $((8 * 4096))
	poke damaged/$file $((4096 * i + size)) 8 $((8 * 4096))
done
poke damaged/$file $((2 * 4096 + seq)) 8 3
"$mm" verify damaged >out
is 'small packets: findings in the order of the file' \
	'damaged 1, lost 2, damaged 2, damaged 3, damaged 3' \
	"$(sed -n 's/^\([a-z]*\): .*: packet \([0-9]*\), .*/\1 \2/p' out | paste -s -d , | sed 's/,/, /g')"
rm -rf damaged

mkdir damaged
finds_name='a folder without metadata'
"$mm" verify damaged >out 2>err
is "$finds_name: exit status" 2 $?
is "$finds_name: nothing on standard output" '' "$(cat out)"
is "$finds_name: one line with the reason" 1 "$(grep -c 'damaged' err)"
rm -rf damaged

cp -r sound damaged
for i in 0 1 2 3; do
	poke damaged/$file $((i * packet + end)) 8 5
done
"$mm" verify --findings 2 damaged >out
is '--findings limits the findings printed' 2 "$(grep -c '^damaged: ' out)"
is '--findings: the number of further findings is printed' 1 "$(grep -c -e '^\.\.\. and [0-9]* more; --findings=0' out)"
"$mm" verify --findings 0 damaged >out
is '--findings 0 prints all findings' "$(sed -n 's/^Findings: \([0-9]*\) damaged.*/\1/p' out)" "$(grep -c '^damaged: ' out)"
"$mm" verify --json --findings 1 damaged >out
is 'JSON: exit status' 2 $?
is 'JSON: one finding' 1 "$(grep -c '"kind": "damaged"' out)"
is 'JSON: events' 1 "$(grep -c '"events": 100000' out)"

tap_end
