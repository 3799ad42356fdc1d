#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Damages every part of traces with checksums. No command may use an event of a damaged packet. No
# report about damage may be complete, or list anomalies that the intact trace does not have.
# add-checksums, which shares no code with the readers, writes the checksums.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# Makes packets of about 8 KiB in four streams. Each object is freed on another CPU.
awk 'BEGIN {
	for (cpu = 0; cpu < 4; cpu++) {
		print "cpu " cpu
		for (packet = 0; packet < 8; packet++) {
			print "packet seq=" packet
			for (i = 0; i < 500; i++) {
				time = 1000000 + (packet * 500 + i) * 1000 + cpu
				object = packet * 500 + i
				if (i % 2 == 0)
					printf "%d slab_kmalloc tid=10 call_site=0x110 ptr=0x%x bytes_req=64 size_class=6\n",
						time, 65536 + (object * 4 + cpu) * 64
				else
					printf "%d slab_kfree tid=10 call_site=0x310 ptr=0x%x\n",
						time, 65536 + ((object - 1) * 4 + (cpu + 1) % 4) * 64
			}
		}
	}
}' >script
make_slab --no-state script intact
stream=$(cd intact && echo *_0)
"$tests/add-checksums" intact || exit 2

# fresh: copies the intact trace to `made`.
fresh() {
	rm -rf made
	cp -r intact made
}

# zero FILE BLOCK: overwrites a block of 4 KiB with zeros.
zero() {
	zero_size=$(wc -c <"$1")
	dd if=/dev/zero of="$1" bs=1 seek=$(($2 * 4096)) conv=notrunc status=none \
		count=$(($2 * 4096 + 4096 > zero_size ? zero_size - $2 * 4096 : 4096))
}

# anomalies FILE: prints the number of anomalies in a JSON report.
anomalies() {
	jq '[.metrics[] | select(.name == "slab.anomalies") | .value // 0] | add' "$1"
}

"$mm" report slab --json intact >intact.json 2>err
is 'the intact trace is complete' '0 null' "$? $(jq .coverage.complete intact.json)"
is 'the intact trace: no anomalies' 0 "$(anomalies intact.json)"
is 'the intact trace: no note' '' "$(cat err)"
"$mm" verify intact >out 2>err
is 'verify finds it intact' '0 0' "$? $(grep -c '^damaged' out)"

# Zeros each block of a stream in turn.
size=$(wc -c <intact/$stream)
blocks=$(((size + 4095) / 4096)) block=0 bad='' packets=0
while [ "$block" -lt "$blocks" ]; do
	fresh
	zero made/$stream "$block"
	if cmp -s intact/$stream made/$stream; then
		block=$((block + 1))
		continue
	fi
	"$mm" report slab --json made >out.json 2>err
	status=$?
	[ "$status $(jq .coverage.complete out.json) $(anomalies out.json)" = '2 false 0' ] ||
		bad="$bad $block: $status"
	packets=$((packets + $(jq .coverage.packets_damaged out.json)))
	"$mm" verify made >out 2>err
	status=$?
	[ "$status" = 2 ] || bad="$bad verify $block: $status"
	[ "$(grep -c "^damaged: made/$stream: packet .*: the packet's checksum is wrong" out)" -ge 1 ] ||
		bad="$bad verify $block: $(head -n 1 out)"
	block=$((block + 1))
done
is "zeros in each of $blocks blocks: status 2, not complete, no anomalies" '' "$bad"
is '... one or two packets each' 1 "$((packets >= blocks && packets <= 2 * blocks))"

# Damages one packet: all ways of reading must give the same report.
fresh
zero made/$stream 0
"$mm" report slab --json --jobs 1 made >one.json 2>err
is 'the damage is named' "trace: made/$stream: packet 0, byte 0: the packet's checksum is wrong" \
	"$(jq -r '.coverage.damage[].message | sub("; .*"; "")' one.json)"
"$mm" report slab --json --jobs 3 made >three.json 2>err
is 'three threads report the same' 0 "$(cmp one.json three.json >/dev/null; echo $?)"
events=$(jq .coverage.events one.json)
is 'no event of the packet is counted' "$(($(jq .coverage.events intact.json) - 500))" "$events"
"$mm" print made >out 2>err
is 'print shows no event of the packet' "2 $events" "$? $(wc -l <out)"
"$mm" report slab --json --begin 1700000000.004 --end 1700000000.0045 made >out.json 2>err
is 'a time range without the packet is complete' "0 null" "$? $(jq .coverage.complete out.json)"
fails 'libbabeltrace2 does not read damaged packets' 2 \
	"made/$stream: packet 0, byte 0: the packet's checksum is wrong" \
	report slab --reader babeltrace2 made
fresh
printf '\377' | dd of=made/$stream bs=1 seek=2000 conv=notrunc status=none
# Outside the time range, a report reads only events that name threads, and print reads no event.
for range in '--begin 1700000000.004 --end 1700000000.0045' '--begin 1700000000.004'; do
	# shellcheck disable=SC2086 # words
	"$mm" print $range made >fast.out 2>err
	# shellcheck disable=SC2086 # words
	"$mm" print --reader babeltrace2 $range made >out 2>err
	is "libbabeltrace2, $range: the same lines as of the fast reader" '0 0' \
		"$? $(cmp out fast.out >/dev/null; echo $?)"
done
fails 'libbabeltrace2 does not read a time range with a damaged packet' 2 \
	"made/$stream: packet 0, byte 0: the packet's checksum is wrong" \
	print --reader babeltrace2 --end 1700000000.0012 made
fails 'libbabeltrace2 does not read what precedes the time range from a damaged packet' 2 \
	"made/$stream: packet 0, byte 0: the packet's checksum is wrong" \
	report slab --reader babeltrace2 --begin 1700000000.004 made
"$mm" report slab --reader babeltrace2 --json intact >out.json 2>err
is 'libbabeltrace2 reads the intact trace' '0 null' "$? $(jq .coverage.complete out.json)"

# Changes single bytes in the header, in an event, and in the padding.
for byte in 32 40 48 56 64 72 80 2000 9999; do
	fresh
	printf '\377' | dd of=made/$stream bs=1 seek="$byte" conv=notrunc status=none
	"$mm" report slab --json made >out.json 2>err
	is "a changed byte $byte: status, complete, damaged, anomalies" '2 false 1 0' \
		"$? $(jq .coverage.complete out.json) $(jq .coverage.packets_damaged out.json) $(anomalies out.json)"
done

# Exchanges two packets.
fresh
first=$(sed -n '2s/ .*//p' made/index/$stream.crc32c)
second=$(sed -n '3s/ .*//p' made/index/$stream.crc32c)
{
	dd if=intact/$stream bs=1 skip="$first" count="$second" status=none
	dd if=intact/$stream bs=1 count="$first" status=none
	tail -c +$((first + second + 1)) intact/$stream
} >made/$stream
"$mm" report slab --json made >out.json 2>err
is 'packets that changed places are read as recorded: status, complete, anomalies' '0 null 0' \
	"$? $(jq .coverage.complete out.json) $(anomalies out.json)"
is '... all events' "$(jq .coverage.events intact.json)" "$(jq .coverage.events out.json)"
moved="trace: made/$stream: packet 0 is not where it was recorded; packets are read in the recorded order"
is '... the report names the packet' "$moved." "$(jq -r '.notes[]' out.json | grep -F "$stream")"
is '... so does verify' 1 "$("$mm" verify made | grep -cFx "note: $moved")"

# Tests time ranges that include the last packets, which are damaged or exchanged. (A packet that
# cannot be read may belong to any time.)
fresh
zero made/$stream $((blocks - 1))
"$mm" report slab --json --begin 1700000000.0047 made >out.json 2>err
is 'a time range of a damaged last packet: status, complete, damaged, anomalies' '2 false 1 0' \
	"$? $(jq .coverage.complete out.json) $(jq .coverage.packets_damaged out.json) $(anomalies out.json)"
fresh
at=$(sed -n '8s/ .*//p' made/index/$stream.crc32c)
{
	head -c $((at - second)) intact/$stream
	tail -c +$((at + 1)) intact/$stream
	tail -c +$((at - second + 1)) intact/$stream | head -c "$second"
} >made/$stream
"$mm" report slab --json --begin 1700000000.0042 made >out.json 2>err
is 'a time range of packets that changed places: status, complete, anomalies' '0 null 0' \
	"$? $(jq .coverage.complete out.json) $(anomalies out.json)"

# Tests packets that are removed, added, repeated and moved. packet N: prints packet N of the intact
# stream.
packet() {
	packet_at=$(awk -v n="$1" 'NR > 1 && NR <= n + 1 { at += $1 } END { print at + 0 }' \
		intact/index/$stream.crc32c)
	packet_bytes=$(sed -n "$(($1 + 2))s/ .*//p" intact/index/$stream.crc32c)
	tail -c +$((packet_at + 1)) intact/$stream | head -c "$packet_bytes"
}
# changed NAME WHAT...: makes a stream of packets. Each WHAT is the number of a packet, `foreign`
# for a packet of another stream, or `junk` for zeros.
changed() {
	name=$1
	shift
	fresh
	for what in "$@"; do
		case $what in
		foreign) head -c "$(sed -n '3s/ .*//p' intact/index/${stream%_0}_1.crc32c)" intact/${stream%_0}_1 ;;
		junk) head -c 3000 /dev/zero ;;
		*) packet "$what" ;;
		esac
	done >made/$stream
}
# counted LOST DAMAGED STATUS: checks that report, info and verify give these counts, and that the
# report lacks the 500 events of each lost packet.
counted() {
	for command in 'report slab' info; do
		# shellcheck disable=SC2086 # words
		"$mm" $command --json made >out.json 2>err
		is "$name: $command: status, lost, damaged, missing" "$(($3 == 2 ? 2 : 0)) $1 $2 0" \
			"$? $(jq -r '.coverage | "\(.packets_lost) \(.packets_damaged) \(.streams_missing)"' out.json)"
	done
	"$mm" report slab --json made >out.json 2>err
	is "$name: events, anomalies" "$(($(jq .coverage.events intact.json) - $1 * 500)) 0" \
		"$(jq .coverage.events out.json) $(anomalies out.json)"
	"$mm" verify --json made >out.json 2>err
	is "$name: verify: status, lost, damaged" "$3 $1 $2" \
		"$? $(jq -r '"\(.counts.packets_lost + .counts.packets_missing) \(.counts.damaged)"' out.json)"
	"$mm" verify made >out 2>err
}
changed 'the first packet is missing' 1 2 3 4 5 6 7
counted 1 0 3
is "$name: verify says which one" 1 \
	"$(grep -c "^lost: made/$stream: packet 0, byte 0: 1 packet was lost before this one, which was packet 1 when recorded" out)"
is "$name: larger buffers are no remedy" 1 \
	"$("$mm" report slab --all made | grep -c '^Remedy: copy the whole trace again')"
fails "$name: libbabeltrace2 would not notice" 2 \
	"made/$stream: packets of the file were removed, added or moved, which libbabeltrace2 would not notice" \
	report slab --reader babeltrace2 made
changed 'packets at both ends and in the middle are missing' 2 3 5 6
counted 4 0 3
changed 'a packet of another stream precedes all others' foreign 0 1 2 3 4 5 6 7
counted 0 1 2
is "$name: verify names it" 1 \
	"$(grep -c "^damaged: made/$stream: packet 0, byte 0: no packet of the recorded file has this size and checksum" out)"
changed 'a packet of another stream replaces the last one' foreign 0 1 2 3 4 5 6
counted 1 1 2
changed 'bytes that are no packet are between packets' 0 1 junk 2 3 4 5 6 7
counted 0 1 2
changed 'a packet is repeated' 0 1 0 2 3 4 5 6 7
counted 0 1 2
is "$name: verify names it" 1 \
	"$(grep -c "^damaged: made/$stream: packet 2, byte [0-9]*: the packet repeats packet 0 of the recorded file" out)"
changed 'a packet moved, and another one is missing' 1 2 0 4 5 6 7
counted 1 0 3
is "$name: verify names both" '1 1' \
	"$(grep -c "^note: .*made/$stream: packet 2 is not where it was recorded" out) $(grep -c 'which was packet 4 when recorded' out)"
changed 'the first packet is missing, and the next one is damaged' 1 2 3 4 5 6 7
printf '\377' | dd of=made/$stream bs=1 seek=4000 conv=notrunc status=none
"$mm" report slab --json made >out.json 2>err
is "$name: status, lost, damaged, anomalies" '2 1 1 0' \
	"$? $(jq -r '.coverage | "\(.packets_lost) \(.packets_damaged)"' out.json) $(anomalies out.json)"
changed 'the first packet is missing, and the file is cut' 1 2 3 4 5 6 7
truncate -s -100 made/$stream
"$mm" report slab --json made >out.json 2>err
is "$name: status, lost, truncated, anomalies" '0 1 1 0' \
	"$? $(jq -r '.coverage | "\(.packets_lost) \(.packets_truncated)"' out.json) $(anomalies out.json)"

# A file that ends early is a loss, as without checksums. The packet in which the file ends must not
# be read.
fresh
head -c "$((first + second - 1))" intact/$stream >made/$stream
"$mm" report slab --json made >out.json 2>err
is 'a file that ends early: status, complete, truncated, anomalies' '0 false 1 0' \
	"$? $(jq .coverage.complete out.json) $(jq .coverage.packets_truncated out.json) $(anomalies out.json)"
is 'a file that ends early: events' $(($(jq .coverage.events intact.json) - 3500)) \
	"$(jq .coverage.events out.json)"

"$mm" report slab --require-complete made >out 2>err
is 'a file that ends early, --require-complete' 3 $?
for cut in $((first + second - 1)) $((first / 2)) 20; do
	head -c "$cut" intact/$stream >made/$stream
	"$mm" report slab --reader babeltrace2 --require-complete made >out 2>err
	is "... read by libbabeltrace2, cut at byte $cut" '3 0' "$? $(wc -c <out)"
done

# A file ends between packets, so only the list of checksums shows that more packets existed.
head -c "$first" intact/$stream >made/$stream
"$mm" report slab --json made >out.json 2>err
is 'a file that ends between packets: status, complete, lost, anomalies' '0 false 7 0' \
	"$? $(jq .coverage.complete out.json) $(jq .coverage.packets_lost out.json) $(anomalies out.json)"
"$mm" verify made >out 2>err
is 'a file that ends between packets: verify' '3 1' \
	"$? $(grep -c "^lost: made/$stream: .*incomplete: it is shorter than recorded, 7 packets" out)"

# Damages the metadata.
fresh
printf 'X' | dd of=made/metadata bs=1 seek=300 conv=notrunc status=none
for command in 'report slab --all' verify print info 'report slab --reader babeltrace2'; do
	# shellcheck disable=SC2086 # words
	"$mm" $command made >out 2>err
	is "$command: damaged metadata" '2 1' \
		"$? $(grep -c 'made/metadata: the file is damaged: its checksum is wrong' err)"
done

# Damages the checksums themselves, so that the packets cannot be checked.
fresh
printf 'X' | dd of=made/index/$stream.crc32c bs=1 seek=40 conv=notrunc status=none
damaged="made/index/$stream.crc32c: the checksums are damaged: not checked for damage inside packets"
"$mm" report slab --all made >out 2>err
is 'damaged checksums: status' 0 $?
is 'damaged checksums: the report says so first' "$damaged." "$(head -n 1 out)"
is 'damaged checksums: the verdict' 1 \
	"$(grep -c '^Undetermined, checksums of packets are damaged or missing: ' out)"
"$mm" report slab --json made >out.json 2>err
is 'damaged checksums: complete' null "$(jq .coverage.complete out.json)"
"$mm" info --json made >out.json 2>err
is 'damaged checksums: info: complete, note' "null $damaged." \
	"$(jq -r '"\(.coverage.complete) \(.notes[0])"' out.json)"
for command in 'report slab --all' info 'print'; do
	# shellcheck disable=SC2086 # words
	"$mm" $command --require-complete made >out 2>err
	is "damaged checksums: $command --require-complete" '3 1' \
		"$? $(grep -c "$damaged; copy the whole trace again" err)"
done
"$mm" verify made >out 2>err
is 'damaged checksums: verify counts them as damage' "2 1" \
	"$? $(grep -c "^damaged: made/index/$stream.crc32c: packet 0, byte 0: the checksums are damaged" out)"

# Tests damage without checksums. It is noticed where bytes no longer decode as events. No event of
# the damaged packet may be used. Writes zeros of different lengths, starting within an event.
rm -rf plain
cp -r intact plain
rm -r plain/index
at=4000 bad='' found=0 decoded=0
while [ "$at" -lt 4600 ]; do
	for length in 37 500 1000; do
		rm -rf made
		cp -r plain made
		dd if=/dev/zero of="made/$stream" bs=1 seek="$at" count="$length" conv=notrunc status=none
		"$mm" verify made >out 2>err
		grep -q "^damaged: made/$stream: packet" out || continue
		found=$((found + 1))
		"$mm" info --require-complete made >out 2>err
		[ "$?" != 2 ] || decoded=$((decoded + 1))
		for jobs in 1 3; do
			"$mm" report slab --json --jobs "$jobs" made >out.json 2>err
			what="$? $(jq .coverage.complete out.json) $(anomalies out.json) $(jq .coverage.events out.json)"
			[ "$what" = "2 false 0 $events" ] || bad="$bad $at+$length: $what"
		done
		"$mm" report slab --reader babeltrace2 made >out 2>err
		[ "$?" = 2 ] && [ ! -s out ] || bad="$bad libbabeltrace2 $at+$length"
	done
	at=$((at + 53))
done
is 'without checksums: no event of a packet that is damaged in the middle is used' '' "$bad"
is '... in most places' 1 "$((found > 10))"
is '... info --require-complete decodes the events, and notices most of it' 1 \
	"$((2 * decoded > found))"
"$mm" info --wide made >out 2>err
is '... without that, info says that it does not' '0 1' \
	"$? $(head -n 1 out | grep -c 'packets have no checksums, and events were not decoded (--events decodes them)')"

# Tests damaged headers without checksums. If the times of a packet contradict its neighbours'
# times, the times of its events are unknown, so the packet is skipped. start_of N: prints the start
# of packet N, the sum of the sizes before it.
start_of() {
	awk -v n="$1" 'NR > 1 && NR <= n + 1 { at += $1 } END { print at + 0 }' intact/index/$stream.crc32c
}
# header_is OFFSET BYTES: writes BYTES (in printf's notation) to the header of packet $packet.
header_is() {
	# shellcheck disable=SC2059 # the bytes are a format
	printf "$2" | dd of="made/$stream" bs=1 seek="$(($(start_of "$packet") + $1))" \
		conv=notrunc status=none
}
# reported_as NAME EXPECTED: compares exit status, completeness, damaged packets and anomalies, with
# one and three jobs.
reported_as() {
	for jobs in 1 3; do
		"$mm" report slab --json --jobs "$jobs" made >"$jobs.json" 2>err
		is "$1, --jobs $jobs" "$2" \
			"$? $(jq .coverage.complete $jobs.json) $(jq .coverage.packets_damaged $jobs.json) $(anomalies $jobs.json)"
	done
	is "$1: the same report" 0 "$(cmp 1.json 3.json >/dev/null; echo $?)"
}
plain() {
	rm -rf made
	cp -r plain made
}
for packet in 0 1 2; do
	plain
	header_is 45 '\004'
	reported_as "packet $packet ends much too late" '2 false 1 0'
	is "packet $packet ends much too late: the message" 1 "$(jq -r '.coverage.damage[].message' 1.json |
		grep -c "packet $packet, byte $(start_of $packet): the packet's times contradict its neighbours' times; skipped up to byte")"
	fails "packet $packet ends much too late: libbabeltrace2 does not read it" 2 \
		"the packet's times contradict its neighbours' times" \
		report slab --reader babeltrace2 made
done

# The end timestamp is beyond any possible time. This must not count as an end that was not
# recorded.
for packet in 0 3 7; do
	plain
	header_is 40 '\377\377\377\377\377\377\377\377'
	reported_as "packet $packet ends later than any time" '2 false 1 0'
	"$mm" verify made >out 2>err
	is "packet $packet ends later than any time: verify" '2 1' \
		"$? $(grep -c "packet $packet, byte $(start_of $packet): timestamp_end, 18446744073709551615, is later than any possible time" out)"
done

# The start timestamp is beyond any possible time.
for packet in 0 3 7; do
	plain
	header_is 32 '\377\377\377\377\377\377\377\377'
	reported_as "packet $packet starts later than any time" '2 false 1 0'
	"$mm" verify made >out 2>err
	is "packet $packet starts later than any time: verify" '2 1 1' \
		"$? $(grep -c '^damaged:' out) $(grep -c "packet $packet, byte $(start_of $packet): timestamp_begin, 18446744073709551615, is later than any possible time" out)"
done

# A sequence number that is larger than possible must count as damage, and not as lost packets.
for packet in 0 3 7; do
	plain
	header_is 64 '\377\377\377\377\377\377\377\377'
	"$mm" report slab --json made >out.json 2>err
	is "the sequence number of packet $packet is too large: report" '2 false 0 0' \
		"$? $(jq -r '.coverage | "\(.complete) \(.packets_lost)"' out.json) $(anomalies out.json)"
	"$mm" verify made >out 2>err
	is "the sequence number of packet $packet is too large: verify" '2 1 0 1' \
		"$? $(grep -c '^damaged:' out) $(grep -c '^lost:' out) $(grep -c "packet $packet, byte $(start_of $packet): packet_seq_num, 18446744073709551615, is impossibly large" out)"
done

# Destroys the sizes, sequence number and counts of a header. The packets after it must still be
# read.
for packet in 0 3; do
	plain
	header_is 48 '\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377'
	reported_as "the header of packet $packet is destroyed" '2 false 1 0'
	is "the header of packet $packet is destroyed: all other packets are read" \
		"$(($(jq .coverage.events intact.json) - 500)) 0" "$(jq -r '.coverage | "\(.events) \(.packets_without_count)"' 1.json)"
done

# A packet that occurs twice in a file counts once.
plain
{
	head -c "$(start_of 2)" intact/$stream
	tail -c +$(($(start_of 1) + 1)) intact/$stream
} >made/$stream
reported_as 'a copy of a packet' '2 false 1 0'
is 'a copy of a packet: its events count once' "$(jq .coverage.events intact.json)" "$(jq .coverage.events 1.json)"
is 'a copy of a packet: the message' 1 "$(jq -r '.coverage.damage[].message' 1.json |
	grep -c "packet 2, byte $(start_of 2): the packet is a copy of packet 1: remove it; skipped up to byte $(($(start_of 2) + $(start_of 2) - $(start_of 1)))")"
"$mm" verify made >out 2>err
is 'a copy of a packet: verify' '2 1' "$? $(grep -c 'the packet is a copy of packet 1' out)"

# A copy of the first packet is at the end of the file, as an additional packet or instead of the
# last one.
plain
head -c "$(start_of 1)" intact/$stream >>made/$stream
reported_as 'a copy at the end' '2 false 1 0'
is 'a copy at the end: its events count once' "$(jq .coverage.events intact.json)" "$(jq .coverage.events 1.json)"
is 'a copy at the end: the message' 1 "$(jq -r '.coverage.damage[].message' 1.json |
	grep -c "packet 8, byte $(start_of 8): the packet is a copy of packet 0: remove it")"
is 'a copy at the end: nothing is said of the order' 0 "$("$mm" report slab --all made 2>&1 | grep -c 'not in the order of time')"
plain
{
	head -c "$(start_of 7)" intact/$stream
	head -c "$(start_of 1)" intact/$stream
} >made/$stream
reported_as 'a copy in place of the last packet' '2 false 1 0'

# A copy of a packet, and a packet of another stream.
plain
{
	head -c "$(start_of 2)" intact/$stream
	head -c "$(awk 'NR == 2 { print $1 }' "intact/index/${stream%_0}_1.crc32c")" "intact/${stream%_0}_1"
	tail -c +$(($(start_of 1) + 1)) intact/$stream
} >made/$stream
reported_as 'a copy and a packet of another stream' '2 false 2 0'
is 'a copy and a packet of another stream: all events count once' \
	"$(jq .coverage.events intact.json)" "$(jq .coverage.events 1.json)"

# A wrong magic number.
packet=1
plain
header_is 0 '\000'
reported_as 'a wrong magic number' '2 false 1 0'

# A count of discarded events that goes backwards, or is too large, must be damage for all commands.
plain
packet=0 && header_is 72 '\005'
packet=1 && header_is 72 '\003'
"$mm" report slab --json made >out.json 2>err
is 'a count that goes backwards: report' '2 false 0' "$? $(jq .coverage.complete out.json) $(anomalies out.json)"
is 'a count that goes backwards: the message' 1 "$(jq -r '.coverage.damage[].message' out.json |
	grep -c "packet 1, byte $(start_of 1): events_discarded goes backwards, from 5 to 3")"
fails 'a count that goes backwards: libbabeltrace2 does not read it' 2 \
	'events_discarded goes backwards, from 5 to 3' report slab --reader babeltrace2 made
for packet in 0 1; do
	plain
	header_is 72 '\377\377\377\377\377\377\377\377'
	"$mm" report slab --json made >out.json 2>err
	is "a count that is too large, packet $packet: report" '2 false 0' \
		"$? $(jq .coverage.complete out.json) $(anomalies out.json)"
	"$mm" verify made >out 2>err
	is "a count that is too large, packet $packet: verify" '2 1' \
		"$? $(grep -c "events_discarded, 18446744073709551615, is impossibly large" out)"
	fails "a count that is too large, packet $packet: libbabeltrace2 does not read it" 2 \
		'is impossibly large' report slab --reader babeltrace2 made
done

# An event is later than the end of its packet, or earlier than its start.
for case in '40:\001' '32:\377'; do
	packet=1
	plain
	header_is "${case%%:*}" "${case#*:}"
	reported_as "times of packet $packet, byte $case" '2 false 1 0'
done

# print cannot take back lines that it has printed. It must report events that contradict their
# packet even if it finds the contradiction only after the time range.
packet=1
plain
header_is 40 '\001'
message="^lttng-mm: trace: made/$stream: packet 1, byte [0-9]*: an event is later than the packet's end; "
for range in '' '--begin 1700000000.0018' '--end 1700000000.0017' '--begin 1700000000.003'; do
	for format in ftrace babeltrace; do
		for jobs in 1 3; do
			# shellcheck disable=SC2086 # words
			"$mm" print --format $format --jobs $jobs $range made >out 2>err
			status=$?
			case $range in
			*.003) expected='0 0 0' ;;
			*) expected='2 1 1' ;;
			esac
			is "print --format $format --jobs $jobs $range: an event later than its packet" "$expected" \
				"$status $(grep -c "$message" err) $(wc -l <err)"
		done
	done
done
for command in print 'print --end 1700000000.0017'; do
	# shellcheck disable=SC2086 # words
	fails "$command: libbabeltrace2 does not read such a packet" 2 "an event is later than the packet's end" \
		$command --reader babeltrace2 made
done
"$mm" report slab --json --end 1700000000.0017 made >out.json 2>err
is 'a report about the time before the contradiction treats the whole packet as damaged' '2 false 1 0' \
	"$? $(jq .coverage.complete out.json) $(jq .coverage.packets_damaged out.json) $(anomalies out.json)"

# Makes a snapshot without checksums, as older versions did.
snapshot() {
	rm -rf snap
	mkdir snap
	cp -r intact snap/kernel
	echo "{ \"version\": 1, $1 \"requested_trace_ns\": null }" >snap/snapshot.json
}
snapshot ''
rm -r snap/kernel/index
for command in 'report slab --all' verify 'info --all'; do
	# shellcheck disable=SC2086 # words
	"$mm" $command snap >out 2>err
	is "$command: a snapshot without checksums" 1 \
		"$(grep -c 'snap: the snapshot has no checksums: not checked for damage inside packets' out)"
done
snapshot '"checksums": { "algorithm": "crc32c", "of": "memory" },'
"$mm" report slab --all snap >out 2>err
is 'a snapshot with checksums' 0 "$(grep -c 'not checked' out)"
is 'a snapshot with checksums: verify' 0 "$("$mm" verify snap | grep -c 'the checksums')"
rm snap/kernel/index/${stream%_0}_3.crc32c
missing="snap/kernel/index/${stream%_0}_3.crc32c: the checksums are missing: not checked for damage inside packets"
"$mm" report slab --all snap >out 2>err
is 'a snapshot that lacks some checksums' 1 "$(grep -c "^$missing\.$" out)"
"$mm" report slab --json snap >out.json 2>err
is 'a snapshot that lacks some checksums: complete' null "$(jq .coverage.complete out.json)"
"$mm" verify snap >out 2>err
is 'a snapshot that lacks some checksums: verify counts a loss' '3 1' \
	"$? $(grep -c '^lost: snap/kernel/index/.*: the checksums are missing' out)"
for command in print 'report fn --graph'; do
	# shellcheck disable=SC2086 # words
	"$mm" $command snap 2>&1 >out | cat >err
	is "a snapshot that lacks some checksums: $command" 1 "$(grep -c "^lttng-mm: note: $missing\.$" err)"
done

# Some checksums could not be computed when the snapshot was taken.
sed -i 's/"memory"/"memory", "complete": false/' snap/snapshot.json
unmade='the checksums are missing (some could not be computed when the snapshot was taken): not checked for damage inside packets'
for command in 'report slab --all' 'info --all' verify; do
	# shellcheck disable=SC2086 # words
	"$mm" $command snap >out 2>err
	is "checksums that could not be made: $command" 1 "$(cat out err | grep -cF "$unmade")"
done
sed -i 's/, "complete": false/, "complete": true/' snap/snapshot.json
is 'all checksums were made' 1 "$("$mm" report slab --all snap | grep -c "^$missing\.$")"

rm snap/kernel/index/*.crc32c
"$mm" report slab --all snap >out 2>err
is 'a snapshot that lacks all checksums: one line' 1 \
	"$(grep -c 'the checksums are missing: .*; the same applies to [0-9]* more file' out)"

# If snapshot.json is missing or damaged, there must be one note about that. notes TEXT: counts the
# lines of report, verify and info that end with TEXT.
notes() {
	for command in 'report slab --all' verify 'info --all'; do
		# shellcheck disable=SC2086 # words
		"$mm" $command snap 2>err | grep -c "$1\$"
	done | paste -sd ' '
}
snapshot '"checksums": { "algorithm": "crc32c", "of": "memory" },'
echo '900 slab_statedump_path path=3 hooked=1 function=kmem_cache_alloc_bulk' >state.script
make_slab --state state.script snap/state && "$tests/add-checksums" snap/state || exit 2
is 'a whole snapshot' '0 0 0' "$(notes 'snapshot.json is missing.*')"
rm snap/snapshot.json
is 'snapshot.json is missing' '1 1 1' "$(notes 'snap: snapshot.json is missing: the time range comes from the packets')"
is 'snapshot.json is missing: the checksums are used' '0 0 0' "$(notes 'not checked for damage.*')"
echo '{ "version": ' >snap/snapshot.json
is 'snapshot.json is damaged' '1 1 1' "$(notes 'snap/snapshot.json: .*: this file is not used: the time range comes from the packets')"
rm snap/kernel/index/*.crc32c snap/state/index/*.crc32c
is 'snapshot.json is damaged, and there are no checksums' '1 1 1' \
	"$(notes 'snap/snapshot.json: .*: this file is not used: the time range comes from .*, and the trace is not checked for damage inside packets')"
rm snap/snapshot.json
is 'snapshot.json is missing, and there are no checksums' '1 1 1' \
	"$(notes 'snap: snapshot.json is missing: the time range comes from .*, and the trace is not checked for damage inside packets')"
snapshot '"checksums": { "algorithm": "crc32c", "of": "memory" },'
make_slab --state state.script snap/state && "$tests/add-checksums" snap/state || exit 2
rm snap/snapshot.json snap/kernel/index/${stream%_0}_3.crc32c
is 'snapshot.json is missing, and some checksums' 1 "$("$mm" report slab --all snap | grep -c "^$missing\.$")"

# Other traces of the snapshot have checksums, or its list of traces shows that this trace had some.
# lost: prints the exit status with --require-complete, and what the report says about completeness.
lost() {
	"$mm" report slab --json --require-complete snap >out.json 2>err
	echo "$? $(jq .coverage.complete out.json) $("$mm" report slab snap | grep -c '^Undetermined, checksums of packets are')"
}
rm snap/kernel/index/*.crc32c
is 'snapshot.json is missing, and the checksums of one trace' '3 false 1' "$(lost)"
rm snap/state/index/*.crc32c
mkdir snap/sysinfo
"$tests/test-sysinfo-traces" snap >snap/traces.json || exit 2
cp snap/traces.json snap/sysinfo/
is 'snapshot.json and all checksums are missing' '0 true 0' "$(lost)"
jq '.files = { "system.json": "00000000" }' snap/traces.json >snap/sysinfo/traces.json
is '... and the list of traces shows that there were some' '3 null 1' "$(lost)"

# Tests checksums that cannot be read. Root can read every file, unless it has no capabilities.
drop=
[ "$(id -u)" != 0 ] || drop='setpriv --bounding-set=-all --inh-caps=-all'
snapshot '"checksums": { "algorithm": "crc32c", "of": "memory" },'
chmod 0 snap/kernel/index/$stream.crc32c
# shellcheck disable=SC2086 # words
$drop "$mm" report slab --all snap >out 2>err
is 'unreadable checksums: the note has the reason' 1 \
	"$(grep -c "^snap/kernel/index/$stream.crc32c: the checksums cannot be read: Permission denied: not checked for damage inside packets\.$" out)"
# shellcheck disable=SC2086 # words
$drop "$mm" verify snap >out 2>err
is 'unreadable checksums: verify counts a loss' '3 1' "$? $(grep -c '^lost: .*: the checksums cannot be read: Permission denied' out)"
tap_end
