#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests missing streams of CPUs that have a stream in another channel. Nothing lists such a stream,
# so it may never have existed. Conclusions that its events could change must be undetermined.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# CPU 1 allocates each object again between the two frees by CPU 0.
awk 'BEGIN {
	print "cpu 0"
	for (i = 0; i < 40; i++)
		printf "%d slab_kmalloc tid=5 call_site=0x110 ptr=%d bytes_req=60 size_class=6\n", 1000 + 10 * i, 4096 * (i + 1)
	for (i = 0; i < 40; i++)
		printf "%d slab_kfree tid=5 call_site=0x210 ptr=%d\n", 2000 + 10 * i, 4096 * (i + 1)
	for (i = 0; i < 40; i++)
		printf "%d slab_kfree tid=5 call_site=0x210 ptr=%d\n", 8000 + 10 * i, 4096 * (i + 1)
	print "cpu 1"
	for (i = 0; i < 40; i++)
		printf "%d slab_kmalloc tid=6 call_site=0x110 ptr=%d bytes_req=60 size_class=6\n", 3000 + 10 * i, 4096 * (i + 1)
}' >two.trace
{ echo 'cpu 0'; echo '900 slab_statedump_cache cache=1 object_size=64 size=64 alive=1 name=a_cache'
	echo '900 slab_statedump_path path=3 hooked=1 function=kmem_cache_alloc_bulk'
	echo '900 slab_statedump_path path=4 hooked=0'; } >state.trace
# fresh: makes a trace that nothing lists, with a channel of events and a channel of failed
# allocations, and a trace of state dumps.
fresh() {
	rm -rf t
	mkdir t
	make_slab --no-state two.trace t/ring && make_slab --state state.trace t/state || exit 2
	second_channel "$top/tests/metadata/slab.tsdl" slab_kmalloc_failed 'slab_kmalloc_failed tid=5 call_site=0x110 bytes_req=60' t/ring
}
# anomalies: prints the number of anomalies.
anomalies() {
	outcomes <out | sed -n 's/^Outcomes: .*anomalies \([0-9]*\).*/\1/p'
}
# knows NAME COMPLETE MISSING ANOMALIES: checks reports on the trace t by both readers and by the
# sink: their completeness, the streams that may be missing, and the number of anomalies. Unless
# COMPLETE is true, every command with --require-complete must exit with 3.
knows() {
	status=3
	[ "$2" != true ] || status=0
	for reader in $readers; do
		"$mm" report slab --json --reader="$reader" t >"out.$reader" 2>err
		is "$1, $reader: completeness, streams that may be missing, and anomalies" "$2 0 $3 $4" \
			"$(jq -r '.coverage | "\(.complete) \(.streams_missing) \([.missing[] | "\(.stream) \(.cpu)"] | join(","))"' "out.$reader") $(
				"$mm" report slab --all --wide --reader="$reader" t 2>&1 >out | cat; anomalies)"
		"$mm" report slab --require-complete --reader="$reader" t >out 2>&1
		is "$1, $reader: status with --require-complete" "$status" $?
	done
	with_plugin babeltrace2 t -c sink.lttng-mm.slab -p json=yes >out.sink 2>err
	# Notes of the sink do not name the folder, so insert its name.
	sed -i "s|\"babeltrace2's graph: |\"t: |" out.sink
	same "$1: the same by the sink" out.fast out.sink
	same "$1: the same by both readers" out.fast out.babeltrace2
	for command in print verify info; do
		"$mm" $command --require-complete t >out 2>&1
		is "$1: $command --require-complete" "$status" $?
	done
	is "$1: info" "$2 0" "$("$mm" info --json t | jq -r '.coverage | "\(.complete) \(.streams_missing)"')"
}

fresh
knows 'all are there' null '' 0
# A report about some events of a trace covers the time range of the whole trace.
mkdir t/kernel && mv t/ring t/kernel/ring
# The first packets of channel "rare" were overwritten, so its streams start later than others.
for cpu in 0 1; do
	printf '\5' | dd of=t/kernel/ring/rare_$cpu bs=1 seek=64 conv=notrunc 2>/dev/null
done
"$tests/test-certify" t 1700000000000009000 >json && mv json t/snapshot.json || exit 2
is 'the time range of a report of one channel, of two, and of info' '7350 7350 7350' "$(
	"$mm" report why --pair=slab_kmalloc,slab_kfree --json t | jq .coverage.duration_ns) $(
	"$mm" report slab --json t | jq .coverage.duration_ns) $("$mm" info --json t | jq .coverage.duration_ns)"
fresh
rm t/ring/channel_1
knows 'a stream is gone' null 'channel_1 1' 0
"$mm" report slab --all --wide t >out
is 'a stream is missing: the report says so' \
	'Complete unless a stream is missing: no events discarded, no packets lost, truncated or damaged (not checked inside packets); trace has 125 events
Streams: not verifiable: no file lists the streams, and some channels lack the stream of a CPU that other channels, the state dump or the system information show.
channel_1 may be missing: other channels have streams of this CPU.' "$(sed -n '2,4p' out)"
is 'a stream is missing: the report names it with the reason' 'may be missing: other channels have streams of this CPU' \
	"$(jq -r '.coverage.missing[].what' out.fast)"
is 'a stream is missing: print says so' 1 "$("$mm" print t 2>&1 >out |
	grep -c 'trace: t/ring/channel_1: may be missing: its CPU appears in other channels, the state dump or the system information$')"
is 'a stream is missing: verify says so' '0 1 1' "$("$mm" verify t >out; echo $?) $(
	grep -c '^note: t/ring/channel_1: may be missing: other channels have streams of this CPU$' out) $(
	grep -c '^Streams: not verifiable: no file lists the streams' out)"
is 'a stream is missing: info says so' 1 "$("$mm" info --all --wide t | grep -c 'channel_1 .*may be missing: other channels')"
is 'a stream is missing: leak candidates are undetermined' 0 "$("$mm" report slab --json --leaks t |
	jq '[.tables.leaks[]? | select(.certain == true)] | length')"
: >t/ring/channel_1
knows 'its file is empty' null 'channel_1 1' 0
mkdir t/ring/index
# An index without an entry: magic number, version 1.1, 72 bytes per entry.
printf '\301\361\334\301\0\0\0\1\0\0\0\1\0\0\0\110' >t/ring/index/channel_1.idx
knows 'its index says that it has no packet' null '' 40

fresh
rm t/ring/channel_0
is 'the stream of the other CPU' 'null channel_0 0' "$("$mm" report slab --json t |
	jq -r '.coverage | "\(.complete) \([.missing[] | "\(.stream) \(.cpu)"] | join(","))"')"
fresh
rm t/ring/rare_1
knows 'a stream on which no other depends' null 'rare_1 1' 0
fresh
rm t/ring/rare_*
knows 'a whole channel' null '(channel 1, CPU 0) 0,(channel 1, CPU 1) 1' 0
fresh
rm t/ring/*_1
knows 'a CPU missing in all channels cannot be noticed' null '' 40

# The state dump lists the CPUs of the machine.
fresh
{ cat state.trace; echo '910 page_statedump_cpu cpu=0 node=0'; echo '910 page_statedump_cpu cpu=1 node=0'; } >states.trace
rm -r t/state
make_slab --state states.trace t/state || exit 2
sed -i 's/^clock {/clock { uuid = "11111111-2222-3333-4444-555555555555";/' t/*/metadata
rm t/ring/*_1
knows 'a CPU missing in all channels: the state dump lists it' null 'channel_1 1,rare_1 1,channel_1 1' 0
is 'a CPU missing in all channels: the reason' 'may be missing: the state dump lists this CPU' "$(jq -r '.coverage.missing[].what' out.fast | uniq)"
rm t/ring/*_0
for reader in $readers; do
	"$mm" report slab --json --reader="$reader" t >"out.$reader"
	is "all streams, $reader: the state dump lists the CPUs" '0 0 1 1 1' "$(jq -r '[.coverage.missing[].cpu] | sort | join(" ")' "out.$reader")"
	"$mm" report slab --require-complete --reader="$reader" t >out 2>&1
	is "all streams, $reader: status with --require-complete" 3 $?
	is "all streams, $reader: nothing is certain" '1 1 0' "$(grep -c '^No allocation is certain' out) $(
		grep -c '^It is not known what is live at the end: events are missing\.$' out) $(grep -c '^0 allocations\|nothing is live' out)"
done
same 'all streams: the same by both readers' out.fast out.babeltrace2

# The system information of the same boot has the number of CPUs that were online at the snapshot.
# system BOOT COUNT: writes system.json for the traces in t.
system() {
	sed -i "s/^clock {/clock { uuid = \"11111111-2222-3333-4444-555555555555\";/" t/*/metadata
	mkdir t/sysinfo
	echo "{\"format\": 1, \"boot_id\": \"$1\", \"nr_cpus\": $2}" >t/sysinfo/system.json
}
boot=11111111-2222-3333-4444-555555555555
fresh
system $boot 2
knows 'every CPU that was online has a stream, except in state dumps' null 'channel_1 1' 0
fresh
rm t/ring/*_1
system $boot 2
knows 'a CPU missing in all channels: the system information has more' null 'channel_1 1,rare_1 1,channel_1 1' 0
is 'a CPU missing in all channels: the reason' 'may be missing: the system information lists more CPUs than the trace' "$(jq -r '.coverage.missing[].what' out.fast | uniq)"
is 'a CPU missing in all channels: the first line' '1 CPU or more' "$("$mm" report slab --all t | sed -n '1s/.*, \(1 CPU[^,]*\).*/\1/p')"
is 'a CPU missing in all channels: the first line of info' '1 CPU or more' "$("$mm" info --all t | sed -n '1s/.*, \(1 CPU[^,]*\).*/\1/p')"
fresh
rm t/ring/*_0
system $boot 2
is 'a CPU with a lower number' 'channel_0 0,channel_1 1,rare_0 0' "$("$mm" report slab --json t |
	jq -r '[.coverage.missing[] | "\(.stream) \(.cpu)"] | sort | join(",")')"
fresh
rm t/ring/*_1
system $boot 1
knows 'a CPU that was not online' null '' 40
fresh
rm t/ring/*_1
system 99999999-2222-3333-4444-555555555555 2
knows 'a CPU of another boot' null '' 40

fresh
mv t/ring t/kernel
rm t/*/channel_* t/*/rare_*
for command in 'report slab' print verify info; do
	# shellcheck disable=SC2086 # the command's words
	"$mm" $command --require-complete t >out 2>err
	is "no stream at all: $command --require-complete" '3 1' "$? $(grep -c 'there is metadata, but no stream' err)"
done
is 'no stream at all: complete' null "$("$mm" report slab --json t | jq .coverage.complete)"
is 'no stream at all: no session has streams' 0 "$("$mm" verify t 2>&1 | grep -c 'streams of the same CPUs')"

# A list of the streams takes precedence over the number of CPUs. It shows that the CPU was offline.
fresh
rm t/ring/channel_1
mkdir t/sysinfo
"$tests/test-sysinfo-traces" t >t/sysinfo/traces.json || exit 2
knows 'the list has no such stream' true '' 40

# The streams of CPU 1 exist only in another session of the same kernel, which records state dumps.
fresh
rm -r t/ring/channel_1 t/ring/rare_1 t/state
{ cat state.trace; echo 'cpu 1'; echo '901 slab_statedump_path path=4 hooked=0'; } >states.trace
make_slab --state states.trace t/state
sed -i 's/^clock {/clock { uuid = "11111111-2222-3333-4444-555555555555";/' t/*/metadata
is 'a CPU that another session has' 'null channel_1 1,rare_1 1' "$("$mm" report slab --json t |
	jq -r '.coverage | "\(.complete) \([.missing[] | "\(.stream) \(.cpu)"] | join(","))"')"

# In user space, a buffer belongs to a CPU of one application, or to no CPU.
fresh
rm t/ring/channel_1
sed -i 's/lttng-modules/lttng-ust/; s/"kernel"/"ust"/' t/ring/metadata
knows 'a channel of user space' null 'channel_1 1' 0
sed -i 's/uint32_t cpu_id;/uint32_t unnamed;/' t/ring/metadata
is 'buffers without a CPU' '[]' "$("$mm" report slab --json t | jq -c .coverage.missing)"
fresh
rm t/ring/channel_1
sed -i 's/lttng-modules/barectf/' t/ring/metadata
is 'streams of another tracer' '[]' "$("$mm" report slab --json t | jq -c .coverage.missing)"

# A fault or call may have its other half in the missing stream.
dax_halves >dax.trace
rm -rf t
make_dax dax.trace t
second_channel "$work/.dax-unpacked.tsdl" dax_load_hole 'dax_load_hole tid=7' t
rm t/channel_1
for reader in $readers; do
	is "faults, $reader: their halves are undetermined" 1 "$("$mm" report dax --all --wide --reader="$reader" t |
		grep -c '^Pairing: .*unpaired entries 0, unpaired exits 0, undetermined by loss 2')"
done
cat >fn.trace <<'EVENTS'
declare fn_kick_entry fn_kick_exit fn_deep_entry fn_deep_exit sched_switch
cpu 0
1000 fn_kick_entry tid=7 mode=BUSY
1100 fn_deep_exit tid=8
cpu 1
1050 fn_deep_entry tid=8
1200 fn_kick_exit tid=7
EVENTS
rm -rf t
make_profile fn-calls fn.trace t
second_channel "$top/tests/metadata/fn-calls.tsdl" sched_process_exit 'sched_process_exit tid=9' t
rm t/channel_1
for reader in $readers; do
	"$mm" report fn --json --reader="$reader" t >out
	is "calls, $reader: complete" null "$(jq .coverage.complete out)"
	is "calls, $reader: their other halves are undetermined" 2 "$(jq -r '[.metrics[] |
		select(.name == "fn.outcomes" and .labels.what == "undetermined") | .value][]' out)"
done
tap_end
