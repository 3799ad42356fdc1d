#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests that losses are counted for the stream in which they occurred, whatever the trace's path.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# Each of two CPUs has a lost packet and a damaged packet. The time of each stream's loss determines
# which pairs are undetermined.
cat >two.trace <<'EVENTS'
cpu 0
1000 slab_kmalloc tid=1 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6
1010 slab_kmalloc tid=1 call_site=0x110 ptr=0x2000 bytes_req=60 size_class=6
cpu 1
1005 slab_kmalloc tid=2 call_site=0x110 ptr=0x3000 bytes_req=60 size_class=6
1200 slab_kfree tid=2 call_site=0x210 ptr=0x1000
cpu 0
packet seq=4 discarded=3
5000 slab_kmalloc tid=1 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6
5100 slab_kfree tid=1 call_site=0x210 ptr=0x1000
5200 slab_kfree tid=1 call_site=0x210 ptr=0x1000
9000 slab_kfree tid=1 call_site=0x210 ptr=0x9000
cpu 1
packet seq=2
6000 slab_kfree tid=2 call_site=0x210 ptr=0x2000
6010 slab_kfree tid=2 call_site=0x210 ptr=0x3000
9000 slab_kfree tid=2 call_site=0x210 ptr=0x9100
EVENTS
make_slab two.trace short

part=$(printf '%0100d' 0 | tr 0 x)
deep=$part/$part/$part/trace
mkdir -p "$(dirname "$deep")" && cp -R short "$deep"
for reader in fast babeltrace2; do
	"$mm" report slab --json --reader=$reader short >out.short 2>&1
	"$mm" report slab --json --reader=$reader "$work/$deep" >out.deep 2>&1
	is "$reader: each stream has its own losses" 'channel_0 3 3
channel_1 0 1' "$(jq -r '.coverage.losses[] | "\(.stream) \(.events_discarded) \(.packets_lost)"' out.deep)"
	same "$reader: the same report of a path of 300 bytes" out.short out.deep
	# Use a relative path to the trace.
	(cd "$(dirname "$deep")" && "$mm" report slab --json --reader=$reader trace) >out.near 2>&1
	same "$reader: the same report of a relative path" out.short out.near
done

# Packets were lost between two packets. The requested time range ends in this gap, so its end may
# lack events.
cat >between.trace <<'EVENTS'
cpu 0
1000 slab_kmalloc tid=1 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6
1010 slab_kfree tid=1 call_site=0x210 ptr=0x1000
packet seq=1 discarded=3
5000 slab_kmalloc tid=1 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6
5500 slab_kmalloc tid=1 call_site=0x110 ptr=0x2000 bytes_req=60 size_class=6
packet seq=4 discarded=3
8000 slab_kfree tid=1 call_site=0x210 ptr=0x1000
cpu 1
1001 slab_kmalloc tid=2 call_site=0x110 ptr=0x3000 bytes_req=60 size_class=6
9000 slab_kfree tid=2 call_site=0x210 ptr=0x3000
EVENTS
make_slab between.trace between
# up_to NANOSECONDS: prints the losses up to that time, and any difference between the readers.
up_to() {
	"$mm" report slab --json --jobs=3 "--end=1700000000.00000$1" between >out.fast 2>&1
	"$mm" report slab --json --reader=babeltrace2 "--end=1700000000.00000$1" between >out.slow 2>&1
	jq -r '[.coverage.complete, (.coverage.losses[0] | .events_discarded, .packets_lost)] | join(" ")' out.fast
	diff out.fast out.slow
}
is 'up to a packet: nothing is lost' ' 0 0' "$(up_to 1005)"
is 'up to a time before the packet that reports the loss' 'false 3 0' "$(up_to 3000)"
is 'up to a time in that packet' 'false 3 0' "$(up_to 5200)"
is 'up to a time before the second such packet' 'false 3 2' "$(up_to 6000)"
"$mm" report slab --wide --require-complete --end=1700000000.000003000 between >out 2>&1
is '... and the report is not complete' 3 $?

# The lost packet is between two packets of known time, so later events are certain.
printf '%s\n' 'cpu 0' '1000 slab_kmalloc tid=1 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6' \
	'packet seq=2' '5000 slab_kmalloc tid=1 call_site=0x110 ptr=0x2000 bytes_req=60 size_class=6' \
	'5500 slab_kfree tid=1 call_site=0x210 ptr=0x2000' \
	'6000 slab_kfree tid=1 call_site=0x210 ptr=0x1000' >gap.trace
make_slab gap.trace gap
for reader in fast babeltrace2; do
	is "$reader: a pair after lost packets, and one around them" 'false 1 1 1' \
		"$("$mm" report slab --json --reader=$reader gap | jq -r '[.coverage.complete, .coverage.packets_lost,
			(.metrics[] | select(.name == "slab.outcomes" and .labels.of == "objects" and
				(.labels.outcome | test("^(paired|undetermined)"))).value)] | join(" ")')"
done

# Several consecutive packets have no count of discarded events, so events may be missing up to the
# end of each.
printf '%s\n' 'cpu 0' '1000 slab_kmalloc tid=1 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6' \
	'packet seq=1 discarded=5' '2000 slab_kfree tid=1 call_site=0x210 ptr=0x7000' \
	'packet seq=2 discarded=0' '3000 slab_kfree tid=1 call_site=0x210 ptr=0x8000' \
	'packet seq=3 discarded=0' '5000 slab_kmalloc tid=1 call_site=0x110 ptr=0x2000 bytes_req=60 size_class=6' \
	'5500 slab_kfree tid=1 call_site=0x210 ptr=0x2000' \
	'6000 slab_kfree tid=1 call_site=0x210 ptr=0x1000' >uncounted.trace
make_slab uncounted.trace uncounted
for reader in fast babeltrace2; do
	is "$reader: packets without a count: which pairs are certain" 'false 2 0 4' \
		"$("$mm" report slab --json --reader=$reader uncounted | jq -r '[.coverage.complete,
			.coverage.packets_without_count,
			(.metrics[] | select(.name == "slab.outcomes" and .labels.of == "objects" and
				(.labels.outcome | test("^(paired|undetermined)"))).value)] | join(" ")')"
done

# If a sequence number goes backwards, the number of lost packets is unknown.
sed 's/^packet seq=1 /packet seq=7 /; s/^packet seq=4 /packet seq=2 /' between.trace >backward.trace
make_slab backward.trace backward
"$mm" report slab --json backward >out 2>err
is 'a sequence number that goes backwards' '2 false 6 1' \
	"$? $(jq -r '.coverage | [.complete, .packets_lost, .packets_damaged] | join(" ")' out)"
"$mm" report slab --reader=babeltrace2 backward >out 2>err
is 'a sequence number that goes backwards: libbabeltrace2 does not read it' '2 1' \
	"$? $(grep -c 'packet_seq_num goes from' err)"

# A flush without new events, as in a snapshot of a stopped session, adds an empty packet to each
# file. LTTng's kernel tracer numbers this packet by how often the buffer was filled. flushed FOLDER
# LINE...: makes a trace with such a flush. The lines follow packet 2 of CPU 0.
flushed() {
	folder=$1
	shift
	cat >flush.trace <<'EVENTS'
cpu 0
1000 slab_kmalloc tid=1 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6
packet seq=1
2000 slab_kfree tid=1 call_site=0x210 ptr=0x1000
2100 slab_kmalloc tid=1 call_site=0x110 ptr=0x2000 bytes_req=60 size_class=6
packet seq=2
2900 slab_kmalloc tid=1 call_site=0x110 ptr=0x3000 bytes_req=60 size_class=6
cpu 1
1001 slab_kmalloc tid=2 call_site=0x110 ptr=0x4000 bytes_req=60 size_class=6
packet seq=1
3000 slab_kfree tid=2 call_site=0x210 ptr=0x4000
packet seq=1
empty 3000070000
cpu 0
EVENTS
	printf '%s\n' "$@" >>flush.trace
	make_slab flush.trace "$folder"
}
# figures READER TRACE: prints status, events, discarded events, lost packets, damaged packets,
# possible pauses and live objects.
figures() {
	"$mm" report slab --json --reader="$1" "$2" >out 2>err
	echo "$? $(jq -r '[(.coverage | .events, .events_discarded, .packets_lost, .packets_damaged,
		.possible_pauses), (.metrics[] | select(.name == "slab.outcomes" and
			.labels == { outcome: "live", of: "objects" }).value)] | join(" ")' out)"
}
for number in 0 1 2; do
	flushed flush "packet seq=$number" 'empty 3000050000'
	for reader in fast babeltrace2; do
		is "flush, number $number, $reader: no packet is lost or damaged" '0 6 0 0 0 0 2' "$(figures $reader flush)"
	done
	is "flush, number $number: verify" '0 0' "$("$mm" verify flush >out 2>&1; echo $?) $(grep -c '^damaged' out)"
done
flushed flush 'packet seq=5' 'empty 3000050000'
is 'flush: a number that jumps ahead is a loss' '0 6 0 2 0' "$(figures fast flush | cut -d' ' -f1-5)"
flushed flush 'packet seq=1 discarded=3' 'empty 3000050000'
is 'flush: discarded events' '0 6 3 0 0' "$(figures fast flush | cut -d' ' -f1-5)"
flushed flush 'packet seq=2' '4000 slab_kfree tid=1 call_site=0x210 ptr=0x5000'
is 'a repeated number of a packet with events is damage' '2 7 0 0 1' "$(figures fast flush | cut -d' ' -f1-5)"
flushed flush 'packet seq=2' 'empty 3000' 'end 4000'
is 'a repeated number of an empty packet with a duration is damage' '2 6 0 0 1' "$(figures fast flush | cut -d' ' -f1-5)"
flushed flush 'packet seq=2' 'empty 3000' 'packet seq=3' '4000 slab_kfree tid=1 call_site=0x210 ptr=0x5000'
is 'a repeated number of an empty packet before others is damage' '2 7 0 0 1' "$(figures fast flush | cut -d' ' -f1-5)"

# The next snapshot of the session has a packet that started before the flush.
for number in 3 5; do
	rm -rf snapshots && mkdir snapshots
	flushed snapshots/1 'packet seq=1' 'empty 3500'
	printf '%s\n' 'cpu 0' "packet seq=$number" 'begin 3200' \
		'4000 slab_kfree tid=1 call_site=0x210 ptr=0x3000' 'packet seq=2' 'empty 3000050000' >flush.trace
	make_slab flush.trace snapshots/2
	is "flush, snapshots: $((number - 3)) packets are lost" "0 7 0 $((number - 3)) 0" \
		"$(figures fast snapshots | cut -d' ' -f1-5)"
done
# There was no event before the first snapshot. The second snapshot has a packet with the number of
# the first snapshot's only packet.
rm -rf snapshots && mkdir snapshots
printf '%s\n' 'cpu 0' 'packet seq=1' 'empty 900' >flush.trace
make_slab flush.trace snapshots/1
flushed snapshots/2
is 'flush, snapshots: of an empty buffer first' '0 6 0 0 0' "$(figures fast snapshots | cut -d' ' -f1-5)"

# One CPU has no packet. The file with this CPU's number contains the stream of another CPU.
mkdir named
printf 'cpu %s\n1000 slab_kfree tid=1 call_site=0x210 ptr=0x%s000\n' 1 1 2 2 >kernel.trace
printf 'cpu %s\n1000 slab_statedump_cache cache=%s object_size=8 size=8 alive=1 name=a\n' 0 1 1 2 2 3 >state.trace
make_slab --no-state kernel.trace named/kernel && make_slab --state state.trace named/state || exit 2
mv named/kernel/channel_2 named/kernel/channel_0
for reader in fast babeltrace2; do
	is "$reader: a missing stream after one of the same name" '0 1' "$("$mm" report slab --json --reader=$reader named |
		jq -r '[.coverage.losses[] | select(.stream == "channel_0").missing] | .[:2] | join(" ")')"
done

# Files without a packet: one has damaged events, others end in their first header. Truncated
# packets of state dumps do not count.
head -c 4096 /dev/zero | tr '\0' x >named/kernel/channel_0
head -c 20 named/kernel/channel_1 >named/kernel/channel_3
head -c 20 named/state/channel_0 >named/state/channel_4
counts='"\(.coverage | "\(.packets_truncated) \(.packets_damaged)")"'
is 'files without a packet: report' '1 1' "$("$mm" report slab --json named 2>err | jq -r "$counts")"
is 'files without a packet: info, as the report' '1 1' "$("$mm" info --json named 2>err | jq -r "$counts")"

# A file that ends early must be a loss for all commands. Larger sub-buffers are not its remedy.
cp -R short cut
truncate -s -20 cut/channel_1
"$mm" print cut >out 2>err
is 'truncated: print' '0 1' "$? $(grep -c 'the file ends within the packet' err)"
"$mm" verify cut >out 2>err
is 'truncated: verify' 3 $?
"$mm" report slab --wide cut >out 2>err
is 'truncated: report' 0 $?
sed '/^packet/d' two.trace >whole.trace
make_slab whole.trace whole
truncate -s -20 whole/channel_1
"$mm" report slab --wide --require-complete whole >out 2>err
is 'truncated: --require-complete' '3 0 1' "$? $(grep -c 'sub-buffers' err) $(grep -c 'copy the whole trace again' err)"
"$mm" report slab --wide --require-complete short >out 2>err
is 'lost when it was recorded: larger sub-buffers' '3 1' "$? $(grep -c 'sub-buffers' err)"

# All damage must be reported, whatever the trace's path.
for trace in short "$deep"; do
	printf '\377\377' | dd of="$trace/channel_1" bs=1 seek=47 conv=notrunc status=none
done
"$mm" report slab --json "$work/short" 2>err | sed "s|$work/short|TRACE|" >out.short
"$mm" report slab --json "$work/$deep" 2>err | sed "s|$work/$deep|TRACE|" >out.deep
is 'damaged: the packet is reported' 1 "$(jq '.coverage.damage | length' out.deep)"
same 'damaged: the same report of a path of 300 bytes' out.short out.deep

# A rotated session has several folders. Their streams belong to one trace, and packets may be lost
# between two folders.
cat >chunk1.trace <<'EVENTS'
cpu 0
1000 slab_kmalloc tid=1 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6
packet seq=1 discarded=2
1100 slab_kmalloc tid=1 call_site=0x110 ptr=0x2000 bytes_req=60 size_class=6
cpu 1
1050 slab_kmalloc tid=1 call_site=0x110 ptr=0x3000 bytes_req=60 size_class=6
EVENTS
cat >chunk2.trace <<'EVENTS'
cpu 0
packet seq=2 discarded=2
2000 slab_kfree tid=1 call_site=0x120 ptr=0x1000
packet seq=3 discarded=5
3000 slab_kfree tid=1 call_site=0x120 ptr=0x2000
cpu 1
packet seq=4
3050 slab_kfree tid=1 call_site=0x120 ptr=0x3000
EVENTS
for chunk in 1 2; do
	mkdir -p rotated
	make_slab chunk$chunk.trace rotated/$chunk
done
"$mm" report slab --json rotated >out.fast 2>&1
is 'rotated: one record for each stream' 'channel_0 5 0
channel_1 0 3' "$(jq -r '.coverage.losses[] | "\(.stream) \(.events_discarded) \(.packets_lost)"' out.fast)"
"$mm" report slab --json --reader=babeltrace2 rotated >out.bt2 2>&1
same 'rotated: babeltrace2 gives the same report' out.fast out.bt2
with_plugin babeltrace2 rotated -c sink.lttng-mm.slab -p json=yes >out.sink 2>&1
same 'rotated: so does the sink' out.fast out.sink

# Chunks contain state dumps. The state of each chunk must be read before all other events.
for chunk in 1 2; do
	printf 'packet seq=%d\n%d000 slab_statedump_cache cache=%d object_size=90 size=100 align=8 alive=1 name=cache_of_%d\n' \
		$chunk $((chunk * 9)) $chunk $chunk >state.trace
	printf 'packet seq=%d\n%d000 slab_cache_alloc tid=1 call_site=0x110 ptr=0x%d000 cache=%d\n' \
		$chunk $((chunk * 6)) $chunk $chunk >kernel.trace
	mkdir -p chunks/kernel chunks/state
	make_slab --no-state kernel.trace chunks/kernel/$chunk && make_slab --state state.trace chunks/state/$chunk || exit 2
	sed -i 's/uint32_t stream_id; };/integer { size = 16; align = 8; signed = false; } stream_id; integer { size = 16; align = 8; signed = false; } stream_instance_id; };/' \
		chunks/*/$chunk/metadata
done
"$mm" report slab --json --reader=fast chunks >out.fast 2>&1
is 'chunks with state dumps: the state of each' 'cache_of_1 100
cache_of_2 100 200' "$(jq -r '.tables.caches[] | "\(.cache) \(.bytes_allocated)"' out.fast) $(
	jq '.metrics[] | select(.name == "slab.peak_bytes") | .value' out.fast)"
"$mm" report slab --json --reader=babeltrace2 chunks >out.bt2 2>&1
same 'chunks with state dumps: babeltrace2 gives the same report' out.fast out.bt2

tap_end
