#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests that zeros instead of events count as damage in traces without checksums, even if the zeros
# decode as events with id 0.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# The first half of the second packet is before 2^27 ns, and the second half is after it. Zeros
# instead of the first half therefore decode as events with a valid time.
awk 'BEGIN {
	print "cpu 0\npacket seq=0"
	print "1000 slab_cache_alloc tid=10 call_site=0x110 ptr=0x10000 cache=7"
	print "packet seq=1"
	for (i = 0; i < 200; i++)
		printf "%d slab_cache_alloc tid=10 call_site=0x110 ptr=0x%x cache=7\n", \
			(i < 100 ? 2000 : 134218000) + 10 * i, 131072 + 64 * i
	print "packet seq=2"
	print "136000000 slab_cache_alloc tid=10 call_site=0x110 ptr=0x30000 cache=7"
}' >script
make_slab script intact
file=intact/channel_0
# Finds the offset of the second packet, the end of its content, and the size of each event.
packet=$(LC_ALL=C grep -obUaP '\xc1\x1f\xfc\xc1' "$file" | LC_ALL=C cut -d : -f 1 | sed -n 2p)
content=$(($(od -An -t u8 -j $((packet + 48)) -N 8 "$file") / 8 + packet))
size=$(((content - packet - $(od -An -t u8 -j 48 -N 8 "$file") / 8) / 199))

# zero TRACE FROM BYTES: copies the trace with BYTES zeros in the stream from byte FROM on.
zero() {
	rm -rf made
	cp -r "$1" made
	dd if=/dev/zero of=made/channel_0 bs=1 seek="$2" count="$3" conv=notrunc 2>/dev/null
}

# An event of id 0 with only zeros has 14 bytes. The zeros replace whole events, and are as long as
# 190 events of id 0.
reported='' verified='' listed=''
for bytes in $(seq $((size * 140)) $((size * 140 + 15))); do
	zero intact $((content - bytes)) $bytes
	"$mm" report slab --json made >out 2>err
	reported="$reported $? $(jq -r '.coverage | "\(.events) \(.packets_damaged) \(.complete)"' out)"
	"$mm" verify made >out 2>err
	verified="$verified $? $(grep -c ': events have been overwritten with zeros$' out)"
	"$mm" info --all --events made >out 2>err
	listed="$listed $? $(grep -c '^Lost: .* 1 packet damaged' out)"
done
is 'zeros to the end of a packet: report slab' "$(printf ' 2 2 1 false%.0s' $(seq 16))" "$reported"
is 'zeros to the end of a packet: verify' "$(printf ' 2 1%.0s' $(seq 16))" "$verified"
is 'zeros to the end of a packet: info --events' "$(printf ' 2 1%.0s' $(seq 16))" "$listed"

# Writes a few zeros, at any offset.
verified=''
for from in $(seq 0 31); do
	zero intact $((content - size * 114 + from)) 110
	"$mm" verify made >out
	verified="$verified $? $(grep -c ': events have been overwritten with zeros$' out)"
done
is 'few zeros between events: verify' "$(printf ' 2 1%.0s' $(seq 32))" "$verified"

# Writes zeros that replace one kernel event and parts of two others.
verified=''
for from in $(seq 0 31); do
	zero intact $((content - size * 114 + from)) 64
	"$mm" verify made >out
	verified="$verified $? $(grep -c ': events have been overwritten with zeros$' out)"
done
is 'zeros in place of an event: verify' "$(printf ' 2 1%.0s' $(seq 32))" "$verified"

# The zeros replace 28 events. This is exactly the length of some number of events with id 0, so the
# next event decodes correctly.
zero intact $((content - size * 114)) $((size * 28))
"$mm" report slab --json made >out 2>err
is 'zeros between events: report slab: exit status' 2 $?
is 'zeros between events: report slab: the packet is left out' \
	"2 trace: made/channel_0: packet 1, byte $((content - size * 114)): events have been overwritten with zeros; the whole packet is skipped" \
	"$(jq '.coverage.events' out) $(sed -n 's/^ *"message": "\(.*\)"$/\1/p' out)"
"$mm" report slab --json --begin=1700000000.1342195 --end=1700000000.1342199 made >out 2>err
is 'zeros before the time range: exit status' 2 $?
is 'zeros before the time range: the packet is left out' '0 1' \
	"$(jq -r '.coverage | "\(.events) \(.packets_damaged)"' out)"
"$mm" report slab --json --end=1700000000.0000015 made >out 2>err
is 'zeros in a packet outside the time range' '0 1 0' \
	"$? $(jq -r '.coverage | "\(.events) \(.packets_damaged)"' out)"
"$mm" print made >out 2>err
is 'print: exit status' 2 $?
is 'print: the events before the zeros' "88 events have been overwritten with zeros; the rest of the packet is skipped" \
	"$(grep -c slab_cache_alloc out) $(sed -n 's/.*: \(events have\)/\1/p' err)"
"$mm" report slab --reader=babeltrace2 made >out 2>err
is 'libbabeltrace2 does not read it' '2 1' "$? $(grep -c 'events have been overwritten with zeros; libbabeltrace2 would' err)"

# Tests reports about events for which verify has no rules.
awk 'BEGIN {
	print "cpu 0\npacket seq=0"
	for (i = 0; i < 200; i++)
		printf "%d dax_fault_extent_wide tid=10 pid=10 len=4096\n", \
			(i < 100 ? 2000 : 134218000) + 10 * i
}' >script
make_dax_packed script dax
content=$(($(od -An -t u8 -j 48 -N 8 dax/channel_0) / 8))
size=$(((content - 84) / 200))
found='' n=0
for events in $(seq 105 165); do
	zero dax $((content - events * size)) $((events * size))
	"$mm" report dax --json made >out 2>err
	found="$found $? $(jq -r '.coverage | "\(.events) \(.packets_damaged)"' out)"
	n=$((n + 1))
done
is 'zeros to the end of a packet: report dax' "$(printf ' 2 0 1%.0s' $(seq $n))" "$found"

# Events with many zeros are intact. An event consists of zeros only at a multiple of 2^27 ns, and
# two such events never follow each other.
{ sed '/^event {/,$d' "$top/tests/metadata/slab.tsdl"
	cat <<'TSDL'; } >dump.tsdl
event { name = "page_dump"; id = 0; stream_id = 0;
	fields := struct { integer { size = 8; align = 8; signed = 0; encoding = UTF8; } _bytes[1000]; }; };
TSDL
for time in 100 200 300 134217728 134217729 134217800 268435456 268435457; do
	echo "$time page_dump"
done | "$tests/make-trace" dump.tsdl - dumps || exit 2
is 'events with long arrays of zeros' 8 "$("$mm" print dumps 2>err | grep -c page_dump)"
"$mm" verify dumps >out 2>err
is 'verify: they are intact' '0 No errors, complete: 8 events' \
	"$? $(sed -n 's/^\(No errors.*events\) in .*/\1/p' out)"
zero dumps $(($(od -An -t u8 -j 48 -N 8 dumps/channel_0) / 8 - 2008)) 2008
"$mm" verify made >out 2>err
is 'verify: two of them in a row at the same time are damage' '2 1' \
	"$? $(grep -c ': events have been overwritten with zeros$' out)"

tap_end
