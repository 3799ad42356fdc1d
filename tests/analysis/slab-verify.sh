#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests the rules by which verify checks slab and page events. Uses intact traces, and the same
# traces with an additional event that violates a rule.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# Events that every rule must accept: each kind of event, and values at the limits.
cat >base <<'EVENTS'
cpu 1
1000 slab_statedump_cache cache=7 object_size=600 size=640 align=8 alive=1 name=dentry
1000 slab_statedump_cache cache=8 object_size=64 size=64 align=8 alive=1 name=kmalloc-64
1000 slab_statedump_cache cache=9 object_size=64 size=0 align=0 alive=0 name=of_unknown_size
1000 slab_statedump_cache cache=7 object_size=600 size=640 align=8 alive=0 name=dentry
1000 slab_statedump_kmalloc size_class=6 bytes_alloc=64 bytes_req_min=33 bytes_req_max=64
1000 slab_statedump_kmalloc size_class=14 bytes_alloc=96 bytes_req_min=65 bytes_req_max=96
1000 slab_statedump_path path=1 hooked=1 function=kmem_cache_free_bulk
1000 slab_statedump_path path=6 hooked=1 function=krealloc
1000 page_statedump_node node=0 pfn_start=0x10 pfn_end=0x80000
1000 page_statedump_node node=1 pfn_start=0x80000 pfn_end=0xffff0
2000 slab_kmalloc tid=10 call_site=0x110 ptr=0x10000 bytes_req=64 size_class=6
2010 slab_kfree tid=10 call_site=0x310 ptr=0xfffefff8
2020 slab_kmalloc tid=10 call_site=0x110 ptr=0x1000000 bytes_req=192 size_class=15
2030 slab_kmalloc_wide tid=10 call_site=0x110 ptr=0x2000000 bytes_req=16384 bytes_alloc=16384 node=1
2040 slab_kfree_wide tid=10 call_site=0x310 ptr=0x2000000
2050 slab_kmalloc_failed tid=10 call_site=0x110 bytes_req=0xffffffffffffffff node=-1
2060 slab_cache_alloc tid=10 call_site=0x110 ptr=0x20000 cache=7
2070 slab_cache_free tid=10 call_site=0x310 ptr=0x20000 cache=7
2080 slab_cache_alloc tid=10 call_site=0x110 ptr=0x20000
2090 slab_cache_alloc_wide tid=10 call_site=0x110 ptr=0x30000 cache=8 node=1
2100 slab_cache_free_wide tid=10 call_site=0x310 ptr=0x30000 cache=8
2110 slab_alloc_bulk tid=10 call_site=0x110 ptr=0x30000 cache=8 path=3
2120 slab_alloc_bulk tid=10 call_site=0x110 ptr=0x30040 path=4 bytes_req=8
2130 slab_free_bulk tid=10 call_site=0x310 ptr=0x30000 path=1
2140 slab_free_bulk tid=10 call_site=0x310 ptr=0x30040 path=2
2150 slab_kfree_rcu tid=10 call_site=0x310 ptr=0x30080
2160 slab_krealloc_in_place tid=10 call_site=0x310 ptr=0x300c0 bytes_req=7
2170 page_alloc tid=10 pfn=0xf0000 order=15
2180 page_free tid=10 pfn=0xf8000 order=2
2190 page_free_batched tid=10 pfn=0xfffef
2200 page_alloc_failed tid=10 order=15
EVENTS

# check NAME STATUS FINDINGS: checks that verify of the trace `made` exits with STATUS and finds
# FINDINGS. Ignores the text from `; ` on.
check() {
	"$mm" verify made >out 2>err
	is "$1: exit status" "$2" $?
	is "$1: findings" "$3" \
		"$(sed -n 's/^\(damaged\|note\): \([^;]*\).*/\1: \2/p' out)"
	is "$1: nothing on standard error" '' "$(cat err)"
	rm -rf made
}

make_slab base made
check 'intact' 0 ''
make_slab base made
"$mm" verify made >out
is 'intact: the events are counted' 'Slab and page events: 30 checked against their rules, 0 damaged, 0 notes' "$(tail -n 1 out)"
rm -rf made
make_slab --big-endian base made
check 'intact, big-endian' 0 ''

# says KIND STATUS EVENT FINDING: adds one event, and checks the finding about it.
says() {
	{ cat base; echo "3000 $3"; } >script
	make_slab script made
	check "$3" "$2" "$1: ${3%% *} at 1700000000.000003000, CPU 1: $4"
}
# The trace has no checksums, so a report must find the damage that verify finds, and omit the
# packet.
breaks() {
	says damaged 2 "$@"
	make_slab script made
	"$mm" report slab --json made >out 2>err
	is "$1: report slab: exit status" 2 $?
	is "$1: report slab: the packet counts as damaged" \
		"trace: made/channel_1: ${1%% *}: $2; the whole packet is skipped" \
		"$(sed -n 's/^ *"message": "\(.*: \)packet 0, byte [0-9]*: \(.*\)"$/\1\2/p' out | sed 's/; tid[^;]*//')"
	is "$1: report slab: none of its events is used" 0 "$(jq '.coverage.events' out)"
	rm -rf made
}
notes() { says note 0 "$@"; }
where='tid=10 call_site=0x110'
requested='bytes requested,'
breaks "slab_kmalloc $where ptr=0x10000 bytes_req=1 size_class=2" 'size class 2 does not exist'
# The kernel never allocates less than was requested. If an event says so, the report must list it.
anomalous() {
	notes "$@"
	make_slab script made
	"$mm" report slab --json made >out
	is "$1: report slab: exit status" 0 $?
	is "$1: report slab: an anomaly" 1 "$(jq '.tables.anomalies | length' out)"
	rm -rf made
}
anomalous "slab_kmalloc $where ptr=0x10000 bytes_req=65 size_class=6" "65 $requested 64 allocated"
anomalous "slab_kmalloc $where ptr=0x10000 bytes_req=97 size_class=14" "97 $requested 96 allocated"
anomalous "slab_kmalloc $where ptr=0x10000 bytes_req=193 size_class=15" "193 $requested 192 allocated"
anomalous "slab_kmalloc_wide $where ptr=0x10000 bytes_req=16385 bytes_alloc=16384" "16385 $requested 16384 allocated"
for event in kmalloc_wide kfree kfree_wide cache_alloc cache_alloc_wide cache_free cache_free_wide kfree_rcu \
	krealloc_in_place; do
	breaks "slab_$event $where" 'null pointer'
done
breaks "slab_kmalloc $where size_class=6" 'null pointer'
breaks "slab_alloc_bulk $where path=3" 'null pointer'
breaks "slab_free_bulk $where path=1" 'null pointer'
breaks "slab_kfree_wide $where ptr=0xffff888000001000" 'no memory has this address'
breaks "slab_free_bulk $where ptr=0x10000 path=3" 'path 3 does not free'
breaks "slab_free_bulk $where ptr=0x10000" 'path 0 does not free'
breaks "slab_free_bulk $where ptr=0x10000 path=9" 'path 9 does not free'
breaks "slab_alloc_bulk $where ptr=0x10000 path=2" 'path 2 does not allocate'
breaks "slab_alloc_bulk $where ptr=0x10000 path=16" 'path 16 does not allocate'
breaks 'slab_statedump_path path=255' 'path 255 has no name'
breaks 'page_alloc tid=10 pfn=0xf8001 order=1' 'a block of order 1 cannot start at this page frame'
breaks 'page_free tid=10 pfn=0xf8008 order=4' 'a block of order 4 cannot start at this page frame'
breaks 'page_alloc_failed tid=10 order=16' 'order 16 is more than 15'
breaks 'page_alloc_failed tid=4194305 order=3' 'no thread has an id above 4194304'
breaks "slab_kfree_wide tid=35735040 call_site=0x110 ptr=0x10000" 'no thread has an id above 4194304'
breaks 'page_alloc_bulk tid=10 pfn=0xf8000 order=1' 'order 1 is not 0 in a bulk allocation'
breaks 'slab_statedump_cache cache=10 object_size=65 size=64 name=x' \
	'an object size of 65 bytes exceeds the slot size of 64'
breaks 'slab_statedump_cache object_size=64 size=64 name=x' 'no cache has the number 0'
for other in 'object_size=601 size=640 name=dentry' 'object_size=600 size=648 name=dentry' \
	'object_size=600 size=640 name=inode'; do
	breaks "slab_statedump_cache cache=7 $other" 'cache 7 was another cache earlier in the state dump'
done
breaks 'slab_statedump_kmalloc size_class=6 bytes_alloc=65 bytes_req_max=64' \
	'size class 6 does not fit its 65 bytes'
breaks 'slab_statedump_kmalloc size_class=6 bytes_alloc=64 bytes_req_max=65' \
	'size class 6 does not fit its 64 bytes'
breaks 'page_statedump_node node=2 pfn_start=2 pfn_end=1' 'node 2 ends before it starts'
breaks 'page_statedump_node node=2 pfn_start=1 pfn_end=2 page_size=5000' 'the page size of 5000 bytes is not a power of two'
# verify must accept bulk page allocations, and the numbers of the untraced paths of pages.
{ cat base; echo '3000 page_alloc_bulk tid=10 pfn=0xf8001 call_site=0x110'
	for path in 9 10 11; do echo "3001 slab_statedump_path path=$path"; done; } >script
make_slab script made
check 'bulk page allocations and all path numbers' 0 ''
breaks 'slab_statedump_path path=12' 'path 12 has no name'
# These events are unusual but not damaged. For example, a state dump may have been overwritten, or
# memory added.
notes "slab_cache_free $where ptr=0x10000 cache=3" 'cache 3 is not in the state dump (1 event names it)'
notes "slab_cache_free_wide $where ptr=0x10000 cache=70000" \
	'cache 70000 is not in the state dump (1 event names it)'
{ cat base; echo "3000 slab_cache_free_wide $where ptr=0x10000 cache=70000"
	echo '3001 slab_statedump_cache cache=70000 object_size=64 size=64 name=far'; } >script
make_slab script made
check 'a cache number of more than 16 bits' 0 ''
notes "slab_kfree $where ptr=0xf000" 'outside the NUMA nodes in the state dump'
notes "slab_kfree $where ptr=0x100000000" 'outside the NUMA nodes in the state dump'
notes 'page_alloc tid=10 pfn=0xfff80 order=7' 'outside the NUMA nodes in the state dump'
notes 'page_alloc_bulk tid=10 pfn=0xffff0' 'outside the NUMA nodes in the state dump'
notes 'page_free tid=10 pfn=0xffff0' 'outside the NUMA nodes in the state dump'

# Without a state dump, caches and memory are unknown. A state dump may also follow the events.
grep -v statedump base >script
make_slab script made
check 'no state dump' 0 ''
{ grep -v '^1000' base; sed -n 's/^1000/5000/p' base; } >script
make_slab script made
check 'a late state dump' 0 ''

# Uses pages of 64 KiB.
sed 's/page_statedump_node.*/& page_size=65536/; s/pfn_start=0x10 /pfn_start=2 /' base >wide
{ cat wide; echo "3000 slab_kfree $where ptr=0xffff00000"; } >script
make_slab wide made
check 'pages of 64 KiB' 0 'note: slab_kmalloc at 1700000000.000002000, CPU 1: outside the NUMA nodes in the state dump'
sed -i 's/pfn_start=2 /pfn_start=1 /' script
make_slab script made
check 'pages of 64 KiB: an address beyond the nodes' 0 \
	'note: slab_kfree at 1700000000.000003000, CPU 1: outside the NUMA nodes in the state dump'

# Adjacent ranges must be joined. If there are too many ranges, no address is reported as outside.
many() {
	cat base
	awk -v count="$1" -v each="$2" 'BEGIN { for (i = 0; i < count; i++)
		printf "2500 page_statedump_node node=2 pfn_start=%d pfn_end=%d\n", 4194304 + 16 * i, 4194304 + 16 * i + each }'
	echo "3000 slab_kfree $where ptr=$3"
}
for case in '1000 8 0x400000ff8' '1000 8 0x400008000' '1100 8 0x400008000' '1100 16 0x400008000' '1100 16 0x404500000'; do
	# shellcheck disable=SC2086 # two words
	many $case >script
	make_slab script made
	case $case in
	'1000 8 0x400008000' | '1100 16 0x404500000')
		noted='note: slab_kfree at 1700000000.000003000, CPU 1: outside the NUMA nodes in the state dump' ;;
	*) noted='' ;;
	esac
	check "ranges of memory: $case" 0 "$noted"
done
# A range between two others joins all three: there are at most 1000 separate ones at a time.
{
	cat base
	awk 'BEGIN {
		for (i = 0; i < 1000; i++) printf "2500 page_statedump_node node=2 pfn_start=%d pfn_end=%d\n", 4194304 + 16 * i, 4194304 + 16 * i + 8
		for (i = 0; i < 1000; i++) printf "2500 page_statedump_node node=3 pfn_start=%d pfn_end=%d\n", 4194304 + 16 * i + 8, 4194304 + 16 * i + 16
		for (i = 0; i < 1000; i++) printf "2500 page_statedump_node node=4 pfn_start=%d pfn_end=%d\n", 8388608 + 16 * i, 8388608 + 16 * i + 8
	}'
	echo "3000 slab_kfree $where ptr=0x800008000"
} >script
make_slab script made
check 'ranges of memory that are joined' 0 \
	'note: slab_kfree at 1700000000.000003000, CPU 1: outside the NUMA nodes in the state dump'

# Tests the complete line, and JSON.
{ cat base; echo "3000 slab_kmalloc tid=20 call_site=0x180 ptr=0xa0000 size_class=2"
	echo "3100 slab_cache_free tid=20 call_site=0x180 ptr=0xa0000 cache=5"; } >script
make_slab script made
"$mm" verify made >out
is 'a finding has the event, its time, CPU and fields' 'damaged: slab_kmalloc at 1700000000.000003000, CPU 1: size class 2 does not exist; tid=20 call_site=0x180 ptr=0xa0000' \
	"$(head -n 1 out)"
is 'the summary counts findings and events' "Damaged: 33 events in 1 packet, 1 stream, 1 file, 1 trace, $(cat made/channel_* | wc -c) bytes
Findings: 1 damaged, 0 lost (0 events discarded, 0 packets lost, 0 packets truncated)
Streams: not verifiable: no system information, certificate or index lists the streams
Slab and page events: 32 checked against their rules, 1 damaged, 1 note" "$(tail -n 4 out)"
"$mm" verify --json made >out
is 'json: each finding has the time of its event' 2 "$(grep -c '"time_ns": 17000000000000030\|"time_ns": 1700000000000003100' out)"
is 'json: findings, notes and events are counted' 3 "$(grep -c '"damaged": 1,\|"notes": 1,\|"slab_events": 32' out)"
"$mm" verify --findings 1 made >out
is '--findings: no more findings are printed' 1 "$(grep -c '^damaged\|^note' out)"
is '--findings: the rest is counted' '... and 1 more; --findings=0 shows them all' "$(sed -n 2p out)"

# The findings must not depend on the number of threads. Both CPUs have violations, and enough
# events to share.
awk 'BEGIN { for (i = 0; i < 300000; i++) {
	if (i % 50000 == 0) print "cpu " i / 50000 % 2
	t = 1000 + 10 * i
	if (i == 40000 || i == 290000)
		print t " slab_statedump_cache cache=7 object_size=64 size=64 name=dentry"
	if (i == 200000) print t " page_statedump_node pfn_start=1 pfn_end=0x100000"
	if (i % 70001 == 70000) print t " slab_kmalloc ptr=0x1000 size_class=2"
	else if (i % 90001 == 90000) print t " slab_cache_free ptr=0x1000 cache=" 3 + i % 2
	else if (i % 100001 == 100000) printf "%d slab_kfree ptr=0x1%08x\n", t, i
	else print t " slab_cache_alloc ptr=" 4096 + 64 * i " cache=7"
} }' >script
make_slab script made
"$mm" verify --jobs 1 made >one
is 'a long trace: every violation is found' 'Slab and page events: 300003 checked against their rules, 4 damaged, 4 notes' \
	"$(tail -n 1 one)"
for jobs in 2 3; do
	"$mm" verify --jobs "$jobs" made >others
	same "--jobs $jobs: the same" one others
done
# The recorder writes the state dump to a separate trace. The trace must be read once, for any
# number of threads.
mkdir apart
make_slab --no-state script apart/kernel && make_slab --state script apart/state || exit 2
for jobs in 1 3; do
	"$mm" verify --jobs "$jobs" apart >others
	is "--jobs $jobs, state dump in a separate trace: the same" "$(tail -n 1 one)" "$(tail -n 1 others)"
done

rm -rf made
# A report must omit only the damaged packet, even if just a part of the packet is in the time
# range. It must read other packets. Other time ranges are not affected.
cat >script <<'EVENTS'
cpu 0
packet seq=0
1000 slab_cache_alloc tid=10 call_site=0x110 ptr=0x10000 cache=7
2000 slab_cache_alloc tid=10 call_site=0x110 ptr=0x20000 cache=7
packet seq=1
3000 slab_cache_alloc tid=10 call_site=0x110 cache=7
4000 slab_cache_alloc tid=10 call_site=0x110 ptr=0x30000 cache=7
packet seq=2
5000 slab_cache_alloc tid=10 call_site=0x110 ptr=0x40000 cache=7
EVENTS
make_slab script made
# reads NAME STATUS EVENTS DAMAGED OPTION...: checks a report with these options.
reads() {
	"$mm" report slab --json made $5 >out 2>err
	is "$1: exit status" "$2" $?
	is "$1: events, damaged packets" "$3 $4" \
		"$(jq -r '.coverage | "\(.events) \(.packets_damaged)"' out)"
}
reads 'one packet of three' 2 3 1 ''
reads 'one packet of three, in one thread' 2 3 1 --jobs=1
reads 'the rest of that packet' 2 0 1 '--begin=1700000000.0000035 --end=1700000000.0000045'
reads 'the packet before' 0 2 0 --end=1700000000.0000025
reads 'the packet after' 0 1 0 --begin=1700000000.000005
"$mm" report slab --reader=babeltrace2 made >out 2>err
is 'libbabeltrace2 does not read it: exit status' 2 $?
is 'libbabeltrace2 does not read it' 1 "$(grep -c ': slab_cache_alloc: null pointer; .*; libbabeltrace2 would deliver events of the packet' err)"
rm -rf made

tap_end
