#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests certificates of snapshots with several channels: channels of rare events, and channels with
# missing streams.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"
# shellcheck source=tests/certified.sh
. "$top/tests/certified.sh"
export TZ=UTC0

cat >state.trace <<'END'
cpu 0
900 slab_statedump_cache cache=1 object_size=64 size=64 alive=1 name=a_cache
900 slab_statedump_path path=3 hooked=1 function=kmem_cache_alloc_bulk
900 slab_statedump_path path=4 hooked=0
END


# late NUMBER: prints a script of a stream that starts late. Its first packet has this number.
late() {
	busy | sed "/^cpu 1/q"
	echo "packet seq=$1"
	busy | sed -n '/^begin 3200/,$p'
}
# shellcheck disable=SC2119 # without the optional arguments
late 0 | certified
is 'without facts, a stream whose packet 0 starts late covers the time before it' 3000 "$(field shared_duration_ns)"
# shellcheck disable=SC2119
late 7 | certified
is '... but not if packets preceded it' 800 "$(field shared_duration_ns)"

# channels RARE MAIN: makes a snapshot of two channels from scripts. The channel of rare events has
# lost nothing.
channels() {
	rm -rf t
	mkdir -p t/sysinfo t/kernel
	# Give each folder its own UUID. Otherwise, both would be parts of one trace.
	awk '/^event \{/ { event = ""; in_event = 1 }
		in_event { event = event $0 "\n" }
		!in_event { print }
		in_event && /^};/ { in_event = 0; if (event ~ /name = "[a-z_]*_failed"/) printf "%s", event }
	' "$top/tests/metadata/slab.tsdl" | sed 's/uuid = "00/uuid = "ff/' >rare.tsdl
	"$tests/make-trace" rare.tsdl --no-state "$1" t/kernel/rare || exit 2
	make_slab --no-state "$2" t/kernel/slab
	[ ! -e state.trace ] || make_slab --state state.trace t/state
	"$tests/test-sysinfo-traces" t >t/sysinfo/traces.json || exit 2
	for channel in rare slab; do
		overwritten=$([ "$channel" = slab ] && echo true || echo false)
		cpus=
		for cpu in 0 1; do
			cpus="$cpus${cpus:+,} { 'file': 'channel_$cpu', 'channel': 'c', 'cpu': $cpu, 'online': true,
				'overwritten': $overwritten, 'packets_missed': 0 }"
		done
		# Print the time without jq, which would round it.
		echo "'kernel/$channel': { 'streams': [$cpus ], 'watched_since_ns': $((origin + 100)),
			'active': true, 'changes': [] }" | sed "s/'/\"/g" >"$channel.json"
	done
	echo "{ $(cat rare.json), $(cat slab.json) }" >facts.json
	"$tests/test-certify" t "$((origin + 3900))" facts.json >t/snapshot.json || exit 2
}
# findings [OPTION...]: prints the report without its coverage.
findings() {
	"$mm" report slab --json "$@" t | jq 'del(.coverage)'
}
# rare: prints a script of two CPUs. One has a rare event. The other has no event: the freeze ended
# its only packet.
rare() {
	cat <<END
cpu 0
packet seq=0
begin $1
$(($1 + 50)) slab_kmalloc_failed tid=1 call_site=0x110 bytes_req=60 gfp_flags=IO
end 4000
cpu 1
packet seq=0
begin 4000
end 4000
END
}
live='2150 slab_kmalloc tid=1 call_site=0x110 ptr=0x4000 bytes_req=60 size_class=6'
busy | sed "/^2100/a $live" >main.trace
sed '/^3100/a 3250 slab_kmalloc_failed tid=1 call_site=0x110 bytes_req=60 gfp_flags=IO' main.trace >one.trace
trace <one.trace
"$tests/test-certify" t "$((origin + 3900))" >t/snapshot.json
findings >one
rare 3200 >rare.trace
channels rare.trace main.trace
is 'a channel of rare events: the snapshot is complete, and the files match' 'complete true' "$(field verdict) $(field matches)"
is '... the channel covers the time before its first event' 2800 "$(field shared_duration_ns)"
findings >two
same '... the report equals the report of a single channel' one two
is '... a live object counts as live' 64 "$(jq '[.metrics[] | select(.name == "slab.live_bytes").value] | add' two)"
findings --reader=babeltrace2 >of-two
same '... both readers agree' two of-two
"$mm" report slab --json --begin 1700000000.000001 --end 1700000000.000003 t >out
is '... the same in a time range without a packet of the channel' 64 "$(jq '[.metrics[] | select(.name == "slab.live_bytes").value] | add' out)"
rare 200 >rare.trace
channels rare.trace main.trace
is 'a channel that reaches back further: the shared interval is unchanged' 2800 "$(field shared_duration_ns)"
is '... the report covers the time range of the frequent events' 3000 \
	"$("$mm" report slab --json t | jq .coverage.duration_ns)"
is '... info says that the traces cover different times' \
	'The 2 traces cover different times; `Recorded` states the time that all of them cover. A report covers the time of the traces that it reads, at most 3.9 us.' \
	"$("$mm" info t | sed -n '/^The 2 traces/{N;s/\n/ /p;}')"
is '... but not for a single trace' 0 "$("$mm" info t/kernel/slab | grep -c '^The .* traces cover')"
is '... the report lists the rare event' 1 "$("$mm" report slab --json t | jq '[.tables.failed[]?.count] | add')"

# Tests a missing stream: findings that do not depend on the stream must remain certain.
metric() {
	"$mm" report slab --json t | jq -c "[.metrics[] | select(.name == \"$1\").value]"
}
outcomes_before=$(metric slab.outcomes)
mv t/kernel/rare/channel_0 aside
is 'without a stream of rare events: it is missing' '1 false' \
	"$("$mm" report slab --json t | jq -r '.coverage | "\(.streams_missing) \(.complete)"')"
is '... objects do not depend on it' "$outcomes_before" "$(metric slab.outcomes)"
is '... the number of failed allocations is not known' 'null null 1' "$("$mm" report slab --json t | jq -r '[.metrics[] |
	select(.name | endswith("allocations_failed")).value | tostring] | join(" ")') $(
	"$mm" report slab --all t | grep -c '^It is not known whether allocations failed: ')"
is '... live bytes remain certain' 64 "$(metric slab.live_bytes | jq add)"
mv aside t/kernel/rare/channel_0
mv t/kernel/slab/channel_1 aside
is 'without a stream of frequent events, live bytes are not known' '[null,null,null,null] [null] [null]' \
	"$(metric slab.live_bytes) $(metric slab.leaks.objects) $(metric slab.leaks.bytes)"
is '... the report says so' '1 1 0' "$("$mm" report slab --all t >out; grep -c 'it is not known what is live at the end: 4 objects and 0 page allocations may be' out) $(
	"$mm" report slab --all --leaks t | grep -c '^Leak candidates: not known: the frees of 4 objects may be missing') $(grep -c 'nothing is live' out)"
jq '.traces[1:][].uuid = "99999999-0000-0000-0000-000000000000"' t/sysinfo/traces.json >list && mv list t/sysinfo/traces.json
is '... with system information of another snapshot of the same session, the certificate lists it' '1 false true' \
	"$("$mm" report slab --json t | jq -r '.coverage | "\(.streams_missing) \(.complete) \(.streams_verified)"')"
rm -r t/sysinfo
is '... without system information, the certificate lists it' '1 false true' \
	"$("$mm" report slab --json t | jq -r '.coverage | "\(.streams_missing) \(.complete) \(.streams_verified)"')"
is '... for verify, too' '3 1' "$("$mm" verify t >out; echo $?) $(grep -c 'missing: there is no such file, 3 packets (the certificate of coverage lists it)' out)"
cp -R t gone && rm -r gone/kernel/rare && mv gone t.gone
is '... a removed folder of a trace counts as missing, too' 2 "$("$mm" report slab --json t.gone | jq .coverage.streams_missing)"
cp aside t.gone/kernel/slab/channel_1 && rm t.gone/kernel/slab/channel_0
echo more | tee -a t.gone/kernel/slab/channel_1 >>t.gone/state/channel_0
is '... a certificate of other files is not used' false "$("$mm" report slab --json t.gone | jq .coverage.streams_verified)"
mv t/snapshot.json kept.json
is '... without both, completeness is unknown' 'null false' \
	"$("$mm" report slab --json t | jq -r '.coverage | "\(.complete) \(.streams_verified)"')"
is '... the head of the report' 1 "$("$mm" report slab --all t | grep -c '^Complete unless a stream is missing: ')"
mv kept.json t/snapshot.json
head -c -10 aside >t/kernel/slab/channel_1
channels_start=$("$mm" report slab --json t | jq .coverage.start_ns)
mv aside t/kernel/slab/channel_1
is 'a truncated stream does not change the start of the time range' "$channels_start" \
	"$("$mm" report slab --json t | jq .coverage.start_ns)"

tap_end
