#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests which folders count as one recording. Every command, reader and sink must refuse a folder
# that contains several recordings, or a copied stream.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

boot=11111111-2222-3333-4444-555555555555

# packets SCRIPT FIRST LAST: writes a script of one CPU's ring buffer with packets FIRST to LAST.
# The object of each packet is freed in the next one.
packets() {
	awk -v first="$2" -v last="$3" 'BEGIN {
		print "cpu 0"
		for (i = first; i <= last; i++) {
			printf "packet seq=%d discarded=0\nbegin %d\n", i, 1000 * i
			printf "%d slab_kmalloc tid=5 call_site=0x110 ptr=%d bytes_req=60 size_class=6\n", 1000 * i + 100, 4096 * (i + 1)
			if (i > first)
				printf "%d slab_kfree tid=5 call_site=0x210 ptr=%d\n", 1000 * i + 200, 4096 * i
			printf "end %d\n", 1000 * (i + 1)
		}
	}' >"$1"
}
# trace FIRST LAST FOLDER [UUID [HOST [BOOT]]]: makes the trace of these packets. UUID is the first
# group of the trace's UUID.
trace() {
	packets script "$1" "$2"
	mkdir -p "$(dirname -- "$3")"
	make_slab --no-state script "$3"
	sed -i "s/uuid = \"00112233-/uuid = \"${4:-00112233}-/; s/hostname = \"guest\"/hostname = \"${5:-guest}\"/
		s/^clock {/clock { uuid = \"${6:-$boot}\";/" "$3/metadata"
	# Change the UUID of each packet, too.
	[ -z "${4:-}" ] || fix_uuid "$3/channel_0" "$4"
}
# certify FOLDER: makes the folder's snapshot.json.
certify() {
	"$tests/test-certify" "$1" 1700000000000000500 >json && mv json "$1/snapshot.json" || exit 2
}
# refused NAME PATTERN: checks that every command and reader refuses t with status 2, one matching
# line, and no other output. (A sink cannot see the second folder of a trace that babeltrace2 has
# joined.)
refused() {
	for command in 'report slab' 'report slab --require-complete' 'report slab --reader=babeltrace2' info \
		'info --require-complete' print 'print --reader=babeltrace2' verify; do
		# shellcheck disable=SC2086 # words
		"$mm" $command t >out 2>err
		is "$1: $command" '2  1' "$? $(cat out) $(grep -c -e "$2" err)"
		is "$1: $command: nothing else" 1 "$(wc -l <err)"
	done
}
# sink_refuses NAME PATTERN: checks that the sink refuses t, too.
sink_refuses() {
	with_plugin babeltrace2 t -c sink.lttng-mm.slab >out 2>err
	is "$1: the sink" '1 0' "$? $(wc -l <out)"
	is "$1: the sink says so" 1 "$(tr -s '\n ' ' ' <err | grep -c -e "$2")"
}
# joined NAME EVENTS LOST: checks that every command reads t as one recording.
joined() {
	for reader in $readers; do
		"$mm" report slab --json --reader="$reader" t >out 2>err
		is "$1, $reader: events and lost packets" "0 $2 $3" \
			"$? $(jq -r '.coverage | "\(.events) \(.packets_lost)"' out)"
	done
	is "$1: print" "$2" "$("$mm" print t 2>err | wc -l)"
	"$mm" info --all t >out 2>err
	is "$1: info" 0 $?
}
several='^lttng-mm: trace: t: contains [0-9]* recordings, .*; give the path of one of them (listed from new to old): '

# Tests snapshots taken by lttng-mm.
trace 0 5 t/b/kernel && certify t/b
trace 3 8 t/a/kernel && certify t/a
refused 'two snapshots that overlap' "${several}t/a, t/b\$"
trace 10 12 t/c/kernel && certify t/c
refused 'three snapshots' "${several}t/c, t/a, t/b\$"
is 'one of them can be read' 0 "$("$mm" report slab t/a >out; echo $?)"
rm -r t/a t/c
trace 20 22 t/a/kernel && certify t/a
refused 'two snapshots that do not overlap' "${several}t/a, t/b\$"
rm -r t/a
trace 20 22 t/a/kernel 44556677 guest 99999999-2222-3333-4444-555555555555 && certify t/a
refused 'snapshots of two boots' "${several}t/a, t/b\$"
sink_refuses 'snapshots of two boots' "contains 2 recordings, .*t/a, .*t/b "
mv t t.kept
trace 20 22 t/kernel && trace 0 2 t/state 44556677 guest 99999999-2222-3333-4444-555555555555
refused 'a state dump of another boot' 't/kernel and t/state were recorded in different boots of a machine'
rm -r t && mv t.kept t
rm -r t/a
cp -R t/b t/a
refused 'a copy of a snapshot' "${several}t/a, t/b\$"
rm -r t/a
mkdir t/b/older
trace 20 22 t/b/older/kernel && certify t/b/older
refused 'a snapshot within another' "${several}t/b/older, t/b\$"
rm -r t
mkdir -p t/a/sysinfo t/b/sysinfo
trace 0 2 t/a/kernel && trace 20 22 t/b/kernel
refused 'snapshots without a certificate' "${several}t/b, t/a\$"
rm -r t
for i in 1 2 3 4 5 6 7 8 9; do
	trace $i $i t/$i/kernel && certify t/$i
done
refused 'many' "contains 9 recordings, .*from new to old): t/9, t/8, t/7, t/6, t/5, t/4, t/3, t/2, and 1 more\$"

# Tests snapshots taken by `lttng snapshot record`, with LTTng's names.
rm -r t
trace 0 2 t/snapshot-1-20261128-120000-0/kernel && trace 20 22 t/snapshot-1-20261128-120100-1/kernel
refused "LTTng's own" "${several}t/snapshot-1-20261128-120100-1, t/snapshot-1-20261128-120000-0\$"
rm -r t/snapshot-1-20261128-120100-1
trace 0 2 t/rescue/kernel && certify t/rescue
refused "a snapshot by lttng-mm and one by LTTng of the same session" "${several}t/rescue, t/snapshot-1-20261128-120000-0\$"
rm -r t
trace 0 5 t/a/kernel && trace 3 8 t/b/kernel
refused 'snapshots with other names: their packets overlap' "${several}t/b, t/a\$"

# Tests two sessions that record the same events of one kernel.
rm -r t
trace 0 2 t/one/kernel && trace 1 3 t/two/kernel 44556677
refused 'two sessions with the same events' "${several}t/two, t/one\$"
sink_refuses 'two sessions with the same events' "contains 2 recordings, .*t/two, .*t/one "

# Tests two boots of one host. Only the boot ids show that these are two recordings.
rm -r t
trace 0 2 t/one && trace 20 22 t/two 44556677 guest 99999999-2222-3333-4444-555555555555
refused 'the traces of two boots' "${several}t/two, t/one\$"
rm -r t/two
trace 20 22 t/two 44556677 other 99999999-2222-3333-4444-555555555555
joined 'the traces of two hosts' 10 0

# Tests one recording in several folders, and several recordings with different events.
rm -r t
trace 0 2 t/archives/20261128T000000+0000-20261128T000003+0000-0/kernel
trace 3 4 t/archives/20261128T000003+0000-20261128T000006+0000-1/kernel
trace 5 6 t/kernel
joined 'a rotated session' 11 0
rm -r t
trace 0 2 t/1 && trace 5 6 t/2
joined 'chunks with other names' 8 2
rm -r t
trace 0 2 t/a/kernel && certify t/a
ln -s a t/latest
joined 'a snapshot and a link to it' 5 0
trace 0 2 t/b/kernel 44556677 other 99999999-2222-3333-4444-555555555555 && certify t/b
joined 'snapshots of two hosts' 10 0
rm -r t/b
trace 0 2 t/session/ust/uid/0/64-bit 44556677
sed -i 's/domain = "kernel"/domain = "ust"/' t/session/ust/uid/0/64-bit/metadata
joined 'user space of the same host' 10 0
rm -r t/session/ust
trace 0 2 t/session/kernel 44556677
sed -i 's/name = "\([a-z]*_\)/name = "other_\1/' t/session/kernel/metadata
is 'a session with other events' 0 "$("$mm" info --all t >out 2>&1; echo $?)"
rm -r t
trace 0 2 t/kernel/one && trace 0 2 t/kernel/two 44556677 && certify t
joined 'two sessions of one snapshot' 10 0
rm t/snapshot.json
joined '... without its certificate' 10 0

# A session rotates over two trace files. In the second chunk, packets 3 and 4 were overwritten.
rm -r t
first=t/archives/20261128T000000+0000-20261128T000003+0000-0/kernel
second=t/archives/20261128T000003+0000-20261128T000006+0000-1/kernel
# ring FOLDER PACKET PACKET: makes a chunk of two files with one packet each.
ring() {
	trace "$2" "$2" "$1" && mv "$1/channel_0" "$1/ring_0_0"
	packets script "$3" "$3" && rm -rf other && make_slab --no-state script other
	cp other/channel_0 "$1/ring_0_1"
}
ring "$first" 2 1
ring "$second" 5 6
joined 'a ring of trace files' 4 2
for reader in $readers; do
	"$mm" report slab --wide --require-complete --reader="$reader" t >out 2>err
	is "a ring of trace files, $reader: the losses are reported" '3 1' "$? $(grep -c \
		'trace: t: packets were overwritten in the ring of trace files; record with more or larger trace files ' err)"
	# shellcheck disable=SC2016 # backquotes of the report
	is "a ring of trace files, $reader: the remedy" \
		'Remedy: record with more or larger trace files (`lttng enable-channel --tracefile-count`, --tracefile-size).' \
		"$(sed -n 's/^Remedy/&/p' out)"
done
is 'a ring of trace files: the remedy of info' 1 "$("$mm" info --all t | grep -c '^Remedy: record with more or larger trace files ')"
# Packets that are missing within a file were lost because no sub-buffer was free.
packets script 6 9 && rm -rf other && sed '/seq=7/,/end 8000/d' script >gap && make_slab --no-state gap other
cp other/channel_0 "$second/ring_0_1"
is 'a ring of trace files, and a loss in a file' 1 "$("$mm" report slab t | grep -c '^Remedy: record with more or larger sub-buffers ')"

# Tests a copied stream.
copied='^lttng-mm: trace: t/kernel/[a-z_0-9.]*: has packets of the same stream and time as t/kernel/[a-z_0-9.]*: one of the two files is a copy; remove the copy$'
for name in channel_1 channel_0.bak; do
	rm -rf t
	trace 0 4 t/kernel && certify t
	cp t/kernel/channel_0 "t/kernel/$name"
	refused "a stream, copied as $name" "$copied"
	sink_refuses "a stream, copied as $name" 'has packets of the same stream and time as .*: one of the two files is a copy; remove the copy'
done
rm -r t/kernel/channel_0.bak t/snapshot.json
packets script 2 3 && make_slab --no-state script part
cp part/channel_0 t/kernel/channel_0_old
refused 'a copy of a part of it' "$copied"
rm -r t
trace 0 4 t/kernel
cp -R t/kernel t/copy
refused 'a copy of the trace' "${several}t, t/copy\$"
rm -r t
trace 0 4 t/kernel
mkdir -p t/kernel/more
cp t/kernel/* t/kernel/more 2>/dev/null
is 'a folder within a trace is not read' 0 "$("$mm" report slab t >out; echo $?)"

# Without a stream id, channel and CPU distinguish LTTng's streams.
rm -r t
trace 0 4 t/kernel
sed -i 's/uint64_t stream_instance_id;/uint64_t unnamed;/' t/kernel/metadata
cp t/kernel/channel_0 t/kernel/channel_9
refused 'a stream without an id' "$copied"
# Tests streams of another tracer without an id and a CPU. Such streams count as copies if they
# start with the same bytes.
sed -i 's/tracer_name = ".*"/tracer_name = "barectf"/; s/uint32_t cpu_id;/uint32_t unnamed;/' t/kernel/metadata
refused 'a stream without id and CPU' "$copied"
packets script 0 1 && sed -i 's/tid=5/tid=6/' script && make_slab --no-state script other
cp other/channel_0 t/kernel/channel_9
is '... that differs' '0 12' "$("$mm" print t >out 2>err; echo $?) $(wc -l <out)"
tap_end
