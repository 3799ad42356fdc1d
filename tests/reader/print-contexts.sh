#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests print on events of other tracers. Also tests event ids that the metadata lack, and event
# names that match no event.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# le BYTES VALUE: writes an unsigned little-endian number.
le() {
	le_left=$1 le_value=$2
	while [ "$le_left" -gt 0 ]; do
		# shellcheck disable=SC2059
		printf "\\$(printf %03o $((le_value % 256)))"
		le_value=$((le_value / 256)) le_left=$((le_left - 1))
	done
}

types='typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 32; align = 8; signed = true; } := int32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;'

# metadata FOLDER DOMAIN CONTEXT EVENT-CONTEXT: declares one event, app:work, with the field n.
metadata() {
	mkdir -p "$1"
	cat >"$1/metadata" <<EOT
/* CTF 1.8 */
$types
trace { major = 1; minor = 8; byte_order = le; packet.header := struct { uint32_t magic; }; };
env { hostname = "h"; domain = "$2"; tracer_name = "lttng-$2"; tracer_major = 2; tracer_minor = 13; };
clock { name = c; freq = 1000000000; };
typealias integer { size = 64; align = 8; signed = false; map = clock.c.value; } := ts_t;
stream {
  event.header := struct { ts_t timestamp; uint8_t id; };
  event.context := struct { $3 };
  packet.context := struct { uint64_t packet_size; uint64_t content_size; uint32_t cpu_id; };
};
event { name = "app:work"; id = 0; $4 fields := struct { uint32_t _n; }; };
EOT
}

# stream FILE ID COUNT BYTES: writes a packet of COUNT events. The function `contexts` writes BYTES
# bytes of contexts per event.
stream() {
	stream_bits=$(((24 + $3 * (9 + $4 + 4)) * 8))
	{
		le 4 3254525889 && le 8 "$stream_bits" && le 8 "$stream_bits" && le 4 3
		stream_at=0
		while [ $stream_at -lt "$3" ]; do
			le 8 $((10000 + 1000 * stream_at)) && le 1 "$2"
			contexts $stream_at && le 4 $stream_at
			stream_at=$((stream_at + 1))
		done
	} >"$1"
}

contexts() {
	le 4 100 && le 4 $((101 + $1)) && le 8 $((5000 + $1)) && printf 'ap\033\0' && le 4 $((20 + $1))
}

# prints NAME EXPECTED TRACE: checks that both readers print these lines.
prints() {
	for reader in fast babeltrace2; do
		is "$1, $reader" "$2" "$("$mm" print --reader $reader "$3" 2>&1)"
	done
}

members='int32_t _vpid; int32_t _vtid; uint64_t _cycles; integer { size = 8; align = 8; encoding = UTF8; } _procname[4];'
metadata ust ust "$members" 'context := struct { uint32_t _prio; };'
stream ust/stream 0 2 24
prints 'contexts of user space' 'ap\x1b-101 [003] 0.000010: app:work: { vpid=100 cycles=5000 prio=20 } n=0
ap\x1b-102 [003] 0.000011: app:work: { vpid=100 cycles=5001 prio=21 } n=1' ust
metadata kernel kernel "$(echo "$members" | sed 's/_vpid/_pid/; s/_vtid/_tid/')" 'context := struct { uint32_t _vtid; };'
stream kernel/stream 0 1 24
prints 'contexts of the kernel: vtid is not the id of the line' \
	'ap\x1b-101 [003] 0.000010: app:work: { pid=100 cycles=5000 vtid=20 } n=0' kernel
metadata plain kernel "$(echo "$members" | sed 's/_vpid/_tid/; s/_vtid/_x/')" ''
is 'no stream: no line is printed' '' "$("$mm" print plain 2>/dev/null)"

# Contexts that the line already shows must not be repeated, and no empty braces may be printed.
metadata known kernel 'int32_t _tid; integer { size = 8; align = 8; encoding = UTF8; } _procname[4];' ''
contexts() { le 4 7 && printf 'app\0'; }
stream known/stream 0 1 8
prints 'no other contexts' 'app-7 [003] 0.000010: app:work: n=0' known

# The metadata lacks an event, as if a newer tracer had written the trace.
stream known/stream 32 1 8
"$mm" print known >out 2>err
is 'an unknown event: its id' "2 1" "$? $(grep -c "an event's id, 32 (0x20), is not in the metadata" err)"
"$mm" print --reader babeltrace2 known >out 2>err
is '... with the other reader' "2 1" "$? $(grep -c "an event's id, 32 (0x20), is not in the metadata" err)"
"$mm" verify known >out 2>err
is '... verify' 1 "$(cat out err | grep -c "an event's id, 32 (0x20), is not in the metadata")"

# Tests event names that the trace does not have.
for format in ftrace babeltrace; do
	"$mm" print --format $format --events app:wrok ust >out 2>err
	is "$format: an event name that matches nothing" \
		"2 0 lttng-mm: print: --events: the trace has no event 'app:wrok'; similar names: app:work" \
		"$? $(wc -c <out) $(cat err)"
	"$mm" print --format $format --events 'x*,y?' ust >out 2>err
	is "$format: patterns that match nothing" \
		"2 0 lttng-mm: print: --events: the trace has no event 'x*,y?'; similar names: app:work" \
		"$? $(wc -c <out) $(cat err)"
	is "$format: a pattern that matches nothing, beside one that does" '0 2' \
		"$("$mm" print --format $format --events 'x*,app:*' ust >out; echo $?) $(wc -l <out)"
done
tap_end
