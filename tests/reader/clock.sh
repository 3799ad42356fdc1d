#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests traces whose packets are not in time order. The packets of dumped ring buffers must be
# sorted. If a clock goes backwards, every command must report that first, as damage. Also tests
# packets of other traces, and packets whose end timestamps cannot be trusted.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

export TZ=UTC0

# --- this script's own trace writer ---

# metadata FOLDER [MINOR [WIDTH]]: writes metadata of LTTng 2.MINOR whose packet timestamps have
# WIDTH bits.
metadata() {
	metadata_width=${3:-64}
	mkdir -p "$1"
	cat >"$1/metadata" <<END
/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := u8;
typealias integer { size = 16; align = 8; signed = false; } := u16;
typealias integer { size = 32; align = 8; signed = false; } := u32;
typealias integer { size = 64; align = 8; signed = false; } := u64;
trace { major = 1; minor = 8; uuid = "00000000-0000-4000-8000-000000000001"; byte_order = le;
packet.header := struct { u32 magic; u8 uuid[16]; u32 stream_id; }; };
env { hostname = "h"; domain = "kernel"; tracer_name = "lttng-modules"; tracer_major = 2;
tracer_minor = ${2:-13}; tracer_patchlevel = 0; };
clock { name = c; freq = 1000000000; };
typealias integer { size = 64; align = 8; signed = false; map = clock.c.value; } := ts;
typealias integer { size = $metadata_width; align = 8; signed = false; map = clock.c.value; } := pts;
stream { id = 0; event.header := struct { u16 id; ts timestamp; };
packet.context := struct { pts timestamp_begin; pts timestamp_end; u64 content_size;
u64 packet_size; u64 packet_seq_num; u64 events_discarded; u32 cpu_id; }; };
event { name = "e"; id = 0; stream_id = 0; fields := struct { u32 v; }; };
END
}

# packet SEQ BEGIN END CPU VALUE TIME...: writes a packet. Its events have the values VALUE, VALUE +
# 1, and so on. If $uuid is not 1, the packet belongs to another trace. $width is the width of the
# metadata's timestamps, and $discarded is the count of discarded events.
uuid=1 width=64 discarded=0
packet() {
	packet_seq=$1 packet_begin=$2 packet_end=$3 packet_cpu=$4 packet_value=$5
	shift 5
	packet_bits=$(((24 + 2 * width / 8 + 36 + 14 * $#) * 8))
	number 4 3254525889 # 0xc1fc1fc1
	number 6 0 && number 1 64 && number 1 0 && number 1 128 && number 6 0 && number 1 "$uuid"
	number 4 0
	number $((width / 8)) "$packet_begin" && number $((width / 8)) "$packet_end"
	number 8 $packet_bits && number 8 $packet_bits && number 8 "$packet_seq"
	number 8 "$discarded" && number 4 "$packet_cpu"
	for packet_time; do
		number 2 0 && number 8 "$packet_time" && number 4 "$packet_value"
		packet_value=$((packet_value + 1))
	done
}

# part SEQ...: writes packets of CPU 0 with two events each; packet N is at N * 1000 ns.
part() {
	for part_seq; do
		packet "$part_seq" $((1000 * part_seq)) $((1000 * part_seq + 900)) 0 $((10 * part_seq)) \
			$((1000 * part_seq + 10)) $((1000 * part_seq + 600))
	done
}

# values COMMAND...: prints the values of the events that print shows, in order.
values() {
	"$mm" print "$@" 2>err | sed -n 's/.*v = *\([0-9]*\).*/\1/p; s/.*v=\([0-9]*\).*/\1/p' | tr '\n' ' '
}

# first_says NAME PATTERN COMMAND...: checks that COMMAND exits with 2, and that the pattern matches
# the first line of its output, of its error output, or of the head of its report.
first_says() {
	says_name=$1 says_pattern=$2
	shift 2
	"$mm" "$@" >out 2>err
	is "$says_name: status" 2 $?
	cat err out >both
	is "$says_name: says so first" 1 "$(awk '/^$/ { exit } { print } FILENAME == "err" && NR > 2 { exit }' both |
		head -n 8 | grep -c -e "$says_pattern" | sed 's/^[2-9]$/1/')"
}

# --- a dumped ring ---

metadata ring
{ part 5 6 7; part 3 4; } >ring/c_0
metadata sorted
part 3 4 5 6 7 >sorted/c_0
sorted_note='c_0: its packets are not in the order of time; they are read in the order of their sequence numbers'
for format in ftrace babeltrace; do
	"$mm" print --format "$format" sorted >expected 2>err
	is "ring, $format: the sorted trace has no note" '0 ' "$? $(cat err)"
	for jobs in 1 4; do
		"$mm" print --format "$format" --jobs $jobs ring >out 2>err
		is "ring, $format, $jobs jobs: status" 0 $?
		same "ring, $format, $jobs jobs: in the order of time" expected out
		is "ring, $format, $jobs jobs: a note says so" "lttng-mm: note: trace: ring/$sorted_note" "$(cat err)"
	done
	"$mm" print --format "$format" --begin 0.0000045 --end 0.0000066 sorted >expected
	"$mm" print --format "$format" --begin 0.0000045 --end 0.0000066 ring >out 2>err
	same "ring, $format: a time range" expected out
done
is 'ring: values of a time range' '41 50 51 60 61 ' "$(values ring --begin 0.0000045 --end 0.0000066)"
gives 'ring: verify' 0 sh -c "'$mm' verify ring | grep -c '^damaged\|^lost'; exit 0"
"$mm" verify ring >out
is 'ring: verify says in which order' "0 note: trace: ring/$sorted_note" "$? $(head -n 1 out)"
"$mm" info --all ring >out
is 'ring: info' '0 1 1 1' "$? $(grep -c '^From 1970-01-01T00:00:00.000003000Z to 1970-01-01T00:00:00.000007900Z' out) $(
	grep -c "^trace: ring/$sorted_note.\$" out) $(grep -c 'no packets lost, truncated or damaged' out)"
# A packet was overwritten in the ring, so it is lost.
metadata torn
{ part 5 6; part 3; } >torn/c_0
"$mm" print torn >out 2>err
is 'ring: an overwritten packet is lost' '0 1' "$? $(grep -c 'lost here (0 events, 1 packet so far)' err)"
# Without sequence numbers, start timestamps determine the order of packets.
for folder in ring sorted; do
	cp -r "$folder" "$folder-unnumbered"
	sed -i 's/packet_seq_num/number/' "$folder-unnumbered/metadata"
done
is 'ring without numbers: in the order of time' "$(values sorted-unnumbered)" "$(values ring-unnumbered)"
is 'ring without numbers: says so' 1 "$(grep -c 'order of their start timestamps$' err)"
# Without packet timestamps, sequence numbers determine the order. They are used only if no number
# is missing, because a missing number may be a damaged one.
for folder in ring sorted wrong; do
	metadata $folder-untimed
	sed -i 's/pts timestamp_begin/u64 a/; s/pts timestamp_end/u64 b/' $folder-untimed/metadata
	[ $folder = wrong ] || cp $folder/c_0 $folder-untimed
done
{
	part 3 4
	packet 99 5000 5900 0 50 5010 5600
	part 6 7
} >wrong-untimed/c_0
is 'ring without timestamps: in the order of the numbers' "$(values sorted-untimed)" "$(values ring-untimed)"
is 'a wrong number without timestamps: in the order of the file' "$(values sorted-untimed)" "$(values wrong-untimed)"
# A stream has several files. All files have the same UUID.
metadata ring-files
sed -i 's/u8 uuid.16.;/u64 stream_instance_id; u64 rest;/' ring-files/metadata
part 4 3 >ring-files/c_0
part 6 5 >ring-files/c_0_1
part 7 >ring-files/c_0_2
is 'ring of three files: in the order of time' "$(values sorted)" "$(values ring-files)"
is 'ring of three files: names them' 1 "$(grep -c 'ring-files/c_0 and 2 other files: its packets are not' err)"
# Narrow timestamps wrap, so only the sequence numbers give the order.
width=32
metadata ring-narrow 13 32
{ part 5 6 7; part 3 4; } >ring-narrow/c_0
metadata sorted-narrow 13 32
part 3 4 5 6 7 >sorted-narrow/c_0
width=64
"$mm" print --format babeltrace sorted-narrow >expected
"$mm" print --format babeltrace ring-narrow >out 2>err
same 'ring with narrow timestamps: in the order of time' expected out
is 'ring with narrow timestamps: says so' 1 "$(grep -c "$sorted_note" err)"

# --- a clock that goes backwards ---

metadata back
{
	packet 0 1000 2000 0 10 1100 1900
	packet 1 1400 2400 0 20 1500 1600 2100
} >back/c_0
packet 0 1000 2400 1 100 1200 1550 1950 2200 >back/c_1
back='c_0: packet 1, byte 104: the packet starts at 1400, before the end of the previous packet, 2000'
first_says 'clock back: print' "$back" print back
first_says 'clock back: print as babeltrace2' "$back" print --format babeltrace back
first_says 'clock back: verify' "$back" verify back
first_says 'clock back: info' "$back" info --all back
first_says 'clock back: info --events' "$back" info --all --events back
is 'clock back: info counts the packet' 1 "$("$mm" info --json back 2>err | jq '.coverage.packets_damaged')"
is 'clock back: info does not advise to copy the trace' 0 "$("$mm" info --all back 2>err | grep -c 'Remedy: copy')"
for jobs in 1 4; do
	is "clock back, $jobs jobs: all events of a time range" '11 20 21 100 101 102 ' \
		"$(values --jobs $jobs back --begin 0.0000012 --end 0.00000195 | tr ' ' '\n' | sort -n | tr '\n' ' ' | sed 's/^ //')"
done
"$mm" print --reader babeltrace2 back >out 2>err
is 'clock back: libbabeltrace2 refuses it' 2 $?

# The clock goes back by more than a packet. The sequence numbers show that the order of packets is
# right.
metadata far
{
	packet 0 100000 200000 0 10 110000
	packet 1 1400 2400 0 20 1500 1600
} >far/c_0
far='c_0: packet 1, byte 90: the packet starts at 1400, before the end of the previous packet, 200000'
first_says 'clock far back: print' "$far" print far
is 'clock far back: all events of a time range' '20 21 ' "$(values far --begin 0.000001 --end 0.000002)"

# A damaged header has a wrong sequence number. The file must not count as a dumped ring because of
# it.
metadata back-number
{
	part 5
	packet 99 6000 6900 0 60 6010 6600
	packet 7 1000 1900 0 70 1010 1600
	packet 8 2000 2900 0 80 2010 2600
} >back-number/c_0
first_says 'clock back, and a wrong number: print' \
	'c_0: packet 2, .*; 1 packet of the stream goes back in time, .* makes time monotonic: times before it cannot be compared with times after it$' \
	print back-number
is 'clock back, and a wrong number: in the order of the file' '50 51 60 61 70 71 80 81 ' "$(values back-number)"

# The clock goes back within a packet. Only the events show that.
metadata within
packet 0 1000 2000 0 10 1100 1900 1300 1950 >within/c_0
first_says 'clock back in a packet: print' 'c_0: packet 0, byte 10[0-9]*: an event is earlier than the previous event' print within
is 'clock back in a packet: all events' '10 11 12 13 ' "$(values within)"

# --- packets of another trace ---

metadata foreign
{
	part 1
	uuid=2
	part 2
	uuid=1
	part 3
} >foreign/c_0
foreign="c_0: packet 1, byte 108: the UUID is not the trace's"
for command in print verify info 'info --events'; do
	# shellcheck disable=SC2086
	first_says "another trace's packet: $command" "$foreign" $command foreign
done
is "another trace's packet: its events are not read" '10 11 30 31 ' "$(values foreign)"
metadata stranger
part 1 >stranger/c_0
uuid=2
part 1 2 >stranger/c_1
uuid=1
first_says "another trace's file: print" "c_1: packet 0, byte 4: the UUID is not the trace's; 2 packets of the file.* skipped: copy the trace again" print stranger
is "another trace's file: its events are not read" '10 11 ' "$(values stranger)"

# --- packets of another stream ---

# other_is NAME PACKET BYTE CPU OWN-CPU FILE FOLDER: checks that every command reports that packet
# PACKET of FILE is from CPU instead of OWN-CPU.
other_is() {
	for command in print 'print --begin 0' verify; do
		# shellcheck disable=SC2086
		first_says "$1: $command" "$6: packet $2, byte $3: a packet of another stream: its cpu_id is $4, not $5" $command "$7"
	done
	is "$1: info" 1 "$("$mm" info --all --wide "$7" | grep -c "a packet of another stream: ")"
	fails "$1: libbabeltrace2" 2 "$6: packet $2, byte $3: a packet of another stream" \
		report slab --reader babeltrace2 "$7"
}
metadata stray
{
	part 0
	packet 1 1000 1900 1 70 1010 1600
	part 2
} >stray/c_0
other_is "another CPU's packet" 1 104 1 0 c_0 stray
is "another CPU's packet: its events are not read" '0 1 20 21 ' "$(values stray)"
metadata begins
{
	packet 0 0 900 1 70 10 600
	part 1 2
} >begins/c
other_is "another CPU's packet first" 0 0 1 0 c begins
is "another CPU's packet first: the others are read" '10 11 20 21 ' "$(values begins)"
# c_1 starts with a copy of the packet in c_0. The other packet of c_1 exists only once.
metadata copied
part 1 >copied/c_0
{
	part 1
	packet 2 2000 2900 1 20 2010 2600
} >copied/c_1
other_is "another file's packet" 0 0 0 1 c_1 copied
is "another file's packet: all is read once" '10 11 20 21 ' "$(values copied)"
packet 3 3000 3900 2 30 3010 3600 >>copied/c_1
fails "another file's packet, unknown which: is not called a copy" 2 \
	'one of the files is damaged; copy the trace again' print copied

# --- time ranges of damaged traces ---

# big BYTES VALUE: writes a big-endian number.
big() {
	big_left=$1
	while [ "$big_left" -gt 0 ]; do
		big_left=$((big_left - 1))
		number 1 $(($2 >> (8 * big_left)))
	done
}

# index FOLDER SEQ...: writes LTTng's index file for `part SEQ...`.
index() {
	mkdir -p "$1/index"
	index_file=$1/index/c_0.idx index_at=0
	shift
	{
		big 4 3253853377 && big 4 1 && big 4 1 && big 4 72
		for index_seq; do
			big 8 $index_at && big 8 832 && big 8 832
			big 8 $((1000 * index_seq)) && big 8 $((1000 * index_seq + 900))
			big 8 0 && big 8 0 && big 8 0 && big 8 "$index_seq"
			index_at=$((index_at + 104))
		done
	} >"$index_file"
}
metadata ends
part 1 2 3 >ends/c_0
printf XXXX | dd of=ends/c_0 bs=1 seek=228 conv=notrunc status=none
for files in headers index; do
	[ $files = headers ] || index ends 1 2 3
	for jobs in 1 4; do
		first_says "a damaged last packet, by $files, $jobs jobs" 'c_0: packet 2, byte 2' \
			print --jobs $jobs --begin 0.0000031 ends
	done
	"$mm" print --end 0.0000015 ends >out 2>err
	is "a damaged last packet, by $files: earlier events are complete" '0 ' "$? $(cat err)"
done
metadata swapped
part 3 2 1 4 >swapped/c_0
index swapped 1 2 3 4
is 'packets that changed places, not in the index: to a time' '10 11 20 ' \
	"$(values --end 0.0000025 swapped)"
is 'packets that changed places, not in the index: from a time' '21 30 31 40 41 ' \
	"$(values --begin 0.0000025 swapped)"

# --- unreliable end timestamps ---

for minor in 13 10; do
	metadata "old-$minor" $minor
	for cpu in 0 1; do
		{
			packet 0 1000 2000 $cpu 0 1100 1900
			discarded=4
			packet 2 2000 3000 $cpu 2 2100 2900
			discarded=0
		} >"old-$minor/c_$cpu"
	done
	"$mm" info --json "old-$minor" >"info-$minor"
	"$mm" print --begin 0.000002 "old-$minor" >"part-$minor" 2>"err-$minor"
done
is 'old LTTng: the time range ends with the last event' '1000 2900' \
	"$(jq -r '.coverage | "\(.start_ns) \(.end_ns)"' info-10)"
is 'old LTTng: losses are the same' "$(jq -c '.coverage.losses' info-13)" "$(jq -c '.coverage.losses' info-10)"
same 'old LTTng: a time range' part-13 part-10
sed -i 's/old-13/old-10/' err-13
same 'old LTTng: losses in it' err-13 err-10
is 'old LTTng: every stream has its coverage' 0 "$("$mm" info --all old-10 | grep -c 'without timestamps')"
# A crash left a packet unfinished. The packet ends with its last event.
metadata crash
{
	packet 0 1000 2000 0 0 1100 1900
	packet 1 2000 0 0 2 2100 2900
} >crash/c_0
is 'crash: the time range' '1000 2900' "$("$mm" info --json crash | jq -r '.coverage | "\(.start_ns) \(.end_ns)"')"
is 'crash: status of print' 0 "$("$mm" print crash >out 2>err; echo $?)"

# --- reports ---

# Tests three packets of slab events, in order and out of order. If they are out of order, a free
# before its allocation must not be a finding.
for number in 0 1 2; do
	cat >part.trace <<END
cpu 0
packet seq=$number
begin $((1000 + number * 2000))
$((1500 + number * 2000)) slab_kmalloc tid=30 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6
$((1600 + number * 2000)) slab_kfree tid=30 call_site=0x120 ptr=0x1000
$((1700 + number * 2000)) slab_kmalloc tid=30 call_site=0x110 ptr=0x$((number + 2))000 bytes_req=60 size_class=6
end $((2000 + number * 2000))
END
	make_slab part.trace "part-$number"
done
for order in '0 1 2' '1 2 0'; do
	name=slab-$(echo "$order" | tr -d ' ')
	cp -r part-0 "$name"
	rm -rf "$name/index"
	set -- part-0/channel*
	file=${1##*/}
	for number in $order; do cat "part-$number/$file"; done >"$name/$file"
done
"$mm" report slab --json slab-012 | jq 'del(.notes)' >expected
"$mm" report slab --json slab-120 2>err | jq 'del(.notes)' >out
same 'report: a ring gives the report of the sorted trace' expected out
is 'report: a note says that it is a ring' '0 1' "$("$mm" report slab --all slab-120 >out; echo $?) $(grep -c 'read in the order of their sequence numbers' out)"
cat >twice.trace <<'END'
cpu 0
packet seq=0
begin 5000
5500 slab_kmalloc tid=30 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6
5700 slab_kfree tid=30 call_site=0x120 ptr=0x1000
end 6000
END
make_slab twice.trace first
cat >twice.trace <<'END'
cpu 0
packet seq=1
begin 1000
1500 slab_kfree tid=30 call_site=0x120 ptr=0x1000
1700 slab_kfree tid=30 call_site=0x120 ptr=0x2000
end 2000
END
make_slab twice.trace second
cat "second/$file" >>"first/$file"
rm -rf first/index
first_says 'report: a clock that goes back' "$file: packet 1, byte .*: the packet starts at 1000, before the end" report slab first
is 'report: conclusions from the order of its events are undetermined' 0 "$("$mm" report slab --json first 2>err |
	jq '[.metrics[] | select(.name == "slab.double_frees").value] | add // 0')"
is 'report: its coverage is not complete' false "$("$mm" report slab --json first 2>err | jq .coverage.complete)"

# The graph has no muxer, because libbabeltrace2's muxer refuses a clock that goes back.
graph run -c s:source.ctf.fs -p "inputs=[\"$work/first\"]" -c k:sink.lttng-mm.slab -p json=yes -x s:k >out
is "the sink: a clock that goes back" 'false 1 0' "$(jq -r '"\(.coverage.complete) \(.coverage.packets_damaged) \(
	[.metrics[] | select(.name == "slab.double_frees").value] | add // 0)"' out)"
graph first -c sink.lttng-mm.slab >out
is 'the sink: libbabeltrace2 refuses it' 1 $?

# The clock goes back within a packet.
cat >within.trace <<'END'
cpu 0
begin 5000
5500 slab_kmalloc_wide tid=30 call_site=0x110 ptr=0x1000 bytes_req=60 bytes_alloc=64
5400 slab_kfree tid=30 call_site=0x120 ptr=0x1000
5700 slab_kfree tid=30 call_site=0x120 ptr=0x1000
end 6000
END
make_slab within.trace slab-within
"$mm" report slab --json slab-within >out 2>err
is 'report: an event that goes back in a packet' '2 false 0' "$? $(jq -r '"\(.coverage.complete) \(
	[.metrics[] | select(.name == "slab.double_frees").value] | add // 0)"' out)"
tap_end
