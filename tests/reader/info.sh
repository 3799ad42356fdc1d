#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests the report of info on a synthetic trace, from headers and with events, intact and damaged.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

export TZ=UTC0

# has NAME LINE: checks that the file `out` has LINE exactly once. Several spaces count as one.
has() {
	is "$1" "$2" "$(tr -s ' ' <out | sed 's/^ //' | grep -x -F -e "$2")"
}

make_ctf --shape slab --events 100000 --streams 2 trace

"$mm" info --all --wide trace >out 2>err
is 'headers: exit status' 0 $?
is 'headers: nothing on standard error' '' "$(cat err)"
bytes=$(cat trace/channel0_* | wc -c)
is 'headers: totals of the trace' "trace: 1 trace, 2 streams, 4 packets, $bytes bytes" \
	"$(sed -n 's/^\(trace: .*\) ([0-9]* of content).*/\1/p' out)"
is 'headers: events are not listed' 0 "$(grep -c -e '^Events' -e 'slab_kfree' out)"
is 'headers: the stream table has the header type' 2 "$(grep -c '^  channel0_[01] .* compact ' out)"
has 'headers: environment' 'machine tracer_name lttng-modules'
has 'headers: no loss is reported' 'Complete unless a stream is missing: no events discarded, no packets lost, truncated or damaged (not checked inside packets)'

"$mm" info --wide trace >brief 2>err
is 'brief: exit status' 0 $?
is 'brief: the sentence' 'All 2 streams that are present cover the same 209 ms; nothing is known to be lost, but streams may be missing, because no file lists them, and packets have no checksums, and events were not decoded (--events decodes them).' \
	"$(head -n 1 brief)"
is 'brief: then the time range, anything unusual, and how to see more' \
	'Recorded: 2023-11-14T22:13:21.123Z to 22:13:21.333Z (210.0 ms), 2 CPUs, Linux 6.1.0, host machine;A missing stream would not be noticed: no system information, certificate or index lists the streams.;;More: --all shows everything: streams, coverage, clocks, environment' \
	"$(tail -n +2 brief | paste -sd ';')"
is 'brief: the JSON form has the sentence' "$(head -n 1 brief)" "$("$mm" info --json trace | jq -r '.answer[]')"
is 'all: it has the sentence, too' 1 "$(grep -c -x -F -e "$(head -n 1 brief)" out)"
is 'brief: with --events, these' 2 "$("$mm" info --events trace | grep -c '^  slab_k')"

"$mm" info --all --wide trace// >out.slashes
same 'slashes at the end of a path do not appear in paths' out out.slashes

"$mm" info --all --wide --events trace >out
kmalloc=$("$mm" print --events slab_kmalloc trace | wc -l)
is 'events: counts per class agree with print' "$kmalloc $((100000 - kmalloc))" \
	"$(awk '/^  slab_kmalloc / { a = $2 } /^  slab_kfree / { b = $2 } END { print a, b }' out)"
is 'events: bytes per event' '36.00 30.00' \
	"$(awk '/^  slab_kmalloc / { a = $NF } /^  slab_kfree / { b = $NF } END { print a, b }' out)"
has 'events: no loss is reported' 'Complete unless a stream is missing: no events discarded, no packets lost, truncated or damaged (not checked inside packets); trace has 100000 events'
"$mm" info --all --events --jobs 1 trace >out.1
"$mm" info --all --events --jobs 5 trace >out.5
same 'events: the same on one thread and on five' out.1 out.5

start=$("$mm" info --json trace | sed -n 's/.*"start_ns": \([0-9]*\).*/\1/p' | head -n 1)
offset=$(LC_ALL=C sed -n 's/^\toffset = \([0-9]*\);$/\1/p' trace/metadata)
is 'times: start of the first packet' "$(od -An -t u8 -j 24 -N 8 trace/channel0_0 | tr -d ' ')" \
	$((start - offset))
is 'times: UTC' 1 "$("$mm" info --all trace | grep -c '^From 2023-11-14T22:13:21\.')"
is 'times: local' 1 "$(TZ=XXX-2 "$mm" info --all trace | grep -c '^From 2023-11-15T00:13:21\.')"
is 'times: UTC with --clock-gmt' 1 \
	"$(TZ=XXX-2 "$mm" info --all --clock-gmt trace | grep -c '^From 2023-11-14T22:13:21\.')"

# Changes the second packet of one stream: three packets were lost before it, and seven events were
# discarded.
printf '\004' | dd of=trace/channel0_0 bs=1 seek=$((1048576 + 56)) conv=notrunc status=none
printf '\007' | dd of=trace/channel0_0 bs=1 seek=$((1048576 + 64)) conv=notrunc status=none
# Truncates the last packet of the other stream.
truncate -s $((1048576 + 5000)) trace/channel0_1
"$mm" info --all --wide trace >out
is 'damage: exit status' 0 $?
is 'brief: losses' 'The trace is incomplete: 7 events discarded, 3 packets lost, 1 packet truncated; streams may be missing, because no file lists them, and packets have no checksums, and events were not decoded (--events decodes them).' \
	"$("$mm" info --wide trace | head -n 1)"
is 'brief: the damaged place, and not the streams' '1 0' \
	"$("$mm" info --wide trace | grep -c '^  trace/channel0_1 .* the file ends within the packet') $("$mm" info trace | grep -c ' compact ')"
has 'damage: losses' 'Lost: 7 events discarded, 3 packets lost, 1 packet truncated, 0 packets damaged'
is 'damage: the gap' 'channel0_0 3 7' "$(awk '/^Gaps/ { getline; getline; print $1, $2, $3 }' out)"
has 'damage: the place' \
	'trace/channel0_1 1 1048576 the file ends within the packet: 5000 bytes of it are present'
is 'damage: the JSON form reports it' 1 "$("$mm" info --json trace | grep -c '"complete": false')"

# The first packet of channel0_1 contradicts itself: its contents are larger than the packet.
printf '\377' | dd of=trace/channel0_1 bs=1 seek=47 conv=notrunc status=none
"$mm" info --all --wide trace >out
has 'damage: a packet that is skipped' \
	'Lost: 7 events discarded, 3 packets lost, 1 packet truncated, 1 packet damaged'

sed -i "s/\"machine\"/\"$(printf 'ma\033[m')\"/" trace/metadata
is 'hostile: no control character reaches the terminal' 0 \
	"$("$mm" info --all trace | LC_ALL=C tr -d '\n' | LC_ALL=C grep -c '[[:cntrl:]]')"
is 'hostile: the name is shown, escaped' 1 \
	"$("$mm" info --all trace | grep -c 'ma.x1b.m *hostname *ma.x1b.m')"

is 'hostile: nor in the short form' 0 \
	"$("$mm" info trace | LC_ALL=C tr -d '\n' | LC_ALL=C grep -c '[[:cntrl:]]')"

rm trace/metadata
"$mm" info --all --wide trace >out 2>err
is 'no metadata: exit status' 2 $?
is 'no metadata: one line with the reason' 1 "$(grep -c '^lttng-mm: .*trace' err)"
"$mm" info --all >out 2>err
is 'no trace: exit status' 2 $?


# Call stacks reveal the kernel's addresses.
echo '1000 slab_kfree tid=7 call_site=0x210 ptr=0x1000 callstack_kernel=0xffffffff81000210' >stack.trace
make_slab --callstack stack.trace stack
make_slab "$here/../analysis/slab/outcomes.trace" no-stack
is 'call stacks: the trace is not KASLR-safe' 1 "$("$mm" info --all stack | grep -c '^Not KASLR-safe: .*callstack-kernel')"
is 'call stacks: the short form says so' 1 "$("$mm" info stack | grep -c '^Not KASLR-safe: ')"
is '... another one is not marked' 0 "$("$mm" info --all no-stack | grep -c KASLR)"
mkdir no-stack/sysinfo
echo '{ "kaslr_safe": false }' >no-stack/sysinfo/system.json
is '... unless its system information says so' 1 "$("$mm" info --all no-stack | grep -c '^Not KASLR-safe: according to the system information,')"
echo '{ "kaslr_safe": true }' >no-stack/sysinfo/system.json
is '... which says that it is safe otherwise' 0 "$("$mm" info --all no-stack | grep -c KASLR)"
tap_end
