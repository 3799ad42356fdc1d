#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests the first screen of report slab, and the figures of its answer: consumers with pages,
# growth, fragmentation and failures. The expected values were worked out by hand from the events
# below.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

export TZ=UTC0

cat >dump <<'END'
1000 process_statedump_thread tid=812 pid=812 name=dd
1000 process_statedump_thread tid=30 pid=30 name=kworker/u8:3
1000 process_statedump_thread tid=31 pid=31 name=kworker/u8:5
1000 callsite_statedump_range start=0 size=16777216 alive=1 name=kernel
1000 slab_statedump_cache cache=7 object_size=600 size=640 align=8 alive=1 name=dentry
1000 slab_statedump_cache cache=8 object_size=100 size=128 align=8 alive=1 name=fixed
1000 slab_statedump_path path=1 hooked=1 function=kmem_cache_free_bulk
1000 slab_statedump_path path=5 hooked=1 function=kvfree_call_rcu
1000 page_statedump_node node=0 pfn_start=0x0 pfn_end=0x100000 page_size=4096
1000 page_statedump_cpu cpu=0 node=0
END
# Pages: dd allocates 2 MiB (order 9) and 4 KiB (order 0), and frees 4 KiB that were allocated
# before the trace. Two kworkers of one pool allocate 12 KiB (order 0), and free 4 KiB of these.
# Objects: three dentries are allocated. One of them and an older dentry are freed. 50 allocations
# at one call site waste 12 bytes each, and one allocation at another call site wastes 300 bytes.
# One kfree() frees an object of unknown size.
{ cat dump; cat <<'END'; } >events.trace
2000 page_free tid=812 pfn=0x900 order=0
2010 page_alloc tid=812 pfn=0x200 order=9 gfp_flags=IO|FS
2020 page_alloc tid=30 pfn=0x600 order=0 gfp_flags=IO
2021 page_alloc tid=31 pfn=0x601 order=0 gfp_flags=IO
2022 page_alloc tid=30 pfn=0x602 order=0 gfp_flags=IO
2023 page_alloc tid=812 pfn=0x603 order=0 gfp_flags=IO
2024 page_free tid=31 pfn=0x602 order=0
2100 slab_cache_alloc tid=812 call_site=0x150 ptr=0x5000 cache=7
2101 slab_cache_alloc tid=812 call_site=0x150 ptr=0x5300 cache=7
2102 slab_cache_alloc tid=812 call_site=0x150 ptr=0x5600 cache=7
2103 slab_cache_alloc tid=812 call_site=0x150 ptr=0x5900 cache=8
2110 slab_cache_free tid=812 call_site=0x250 ptr=0x5600 cache=7
2111 slab_cache_free tid=812 call_site=0x250 ptr=0x6600 cache=7
2112 slab_kfree tid=812 call_site=0x250 ptr=0x7600
2200 page_alloc_failed tid=812 order=9 gfp_flags=IO|FS
2201 page_alloc_failed tid=812 order=9 gfp_flags=IO|FS
2202 page_alloc_failed tid=31 order=4 gfp_flags=IO
END
awk 'BEGIN {
	for (i = 0; i < 50; i++)
		printf "%d slab_kmalloc tid=812 call_site=0x110 ptr=%d bytes_req=500 size_class=9\n", 3000 + i, 1048576 + 512 * i
	print "3100 slab_kmalloc tid=812 call_site=0x120 ptr=0x90000 bytes_req=212 size_class=9"
}' >>events.trace
make_slab events.trace t
mkdir t/sysinfo
cp "$here/slab/symbols.txt" t/sysinfo/
echo '[{"name": "dentry", "reclaimable": true}, {"name": "fixed", "reclaimable": false}]' >t/sysinfo/slab-caches.json
"$mm" report slab t >first
"$mm" report slab --json t >json

# consumer KIND KEY...: prints these values of the consumer.
consumer() {
	consumer_kind=$1
	shift
	for consumer_key; do
		jq -c ".tables.consumers[] | select(.kind == \"$consumer_kind\") |
			if has(\"$consumer_key\") then .$consumer_key else error(\"no such column\") end" json
	done | xargs
}
metric() {
	jq -c "[.metrics[] | select(.name == \"$1\") | .value]" "${2:-json}"
}
is 'consumers: pages and objects, by allocated bytes' \
	'pages of order 9,kmalloc-512,pages of order 0,dentry,fixed' \
	"$(jq -r '[.tables.consumers[].kind] | join(",")' json)"
is 'consumers: pages of order 9' '1 2097152 2097152 null dd 812 2097152 null' \
	"$(consumer 'pages of order 9' allocations bytes_allocated growth_bytes reclaimable process pid process_bytes call_site)"
is 'consumers: workers of one pool count as one process, and frees reduce the growth' '4 16384 8192 kworker/u8 null 12288' \
	"$(consumer 'pages of order 0' allocations bytes_allocated growth_bytes process pid process_bytes)"
is 'consumers: frees of older objects reduce the growth of a cache' '3 1920 640 true alloc_thing+0x50 336 1920' \
	"$(consumer dentry allocations bytes_allocated growth_bytes reclaimable call_site call_site_number call_site_bytes)"
is 'consumers: a cache that is not reclaimable' '128 false' "$(consumer fixed growth_bytes reclaimable)"
is 'growth: of kmalloc, caches and pages; one size is not known' '[26112,768,2105344] [1]' \
	"$(metric slab.growth_bytes) $(metric slab.frees_size_unknown)"
is 'caches: reclaimable or not' 'dentry true fixed false' \
	"$(jq -r '[.tables.caches[] | .cache, .reclaimable] | map(tostring) | join(" ")' json)"

# With a filter, growth is uncertain, because kfree() has no cache, and no free has the call site of
# its allocation.
for option in --cache=kmalloc-512 --call-site=0x110; do
	"$mm" report slab --json "$option" t >filtered.json
	is "$option: growth is an upper bound" 2 "$(jq -r '.answer[]' filtered.json |
		grep -c -e '^Growth: .*slab memory grew by at most 25\.[05] KiB; only a bound, because ' -e '^Largest growth.*: kmalloc-512, at most 25\.[05] KiB, ')"
done
is '--cache: each kfree() of an object from before may be of the cache' '[1]' \
	"$("$mm" report slab --json --cache=kmalloc-512 t >filtered.json; metric slab.frees_size_unknown filtered.json)"
is '--call-site: each free of an object from before may be of the call site' '[2]' \
	"$("$mm" report slab --json --call-site=0x110 t >filtered.json; metric slab.frees_size_unknown filtered.json)"
is '--call-site: frees at a call site do not reduce its growth' 0 \
	"$("$mm" report slab --json --call-site=0x250 t >filtered.json; metric slab.growth_bytes filtered.json | jq 'add')"
is '--cache of pages: growth is exact' '1 [0]' "$("$mm" report slab --json '--cache=pages of order 0' t >filtered.json
	jq -r '.answer[]' filtered.json | grep -c '^Growth: page memory (with page cache and memory of processes) grew by 8\.0 KiB\.') $(metric slab.frees_size_unknown filtered.json)"

# The answer must contain sentences with the numbers above.
is 'answer: a fact in each of seven sentences' 7 "$(jq '.answer | length' json)"
is 'answer: failures, with process and time' \
	'Failures: 3 allocations failed, 2 of them of pages of order 9 by dd (pid 812), first at 2023-11-14T22:13:20.000002200Z.' \
	"$(jq -r '.answer[0]' json)"
is 'answer: the largest consumers' \
	'Most allocated (freed memory included): pages of order 9, 2.0 MiB of 2.0 MiB (99 %), all by dd (pid 812); at most 2.0 MiB were live at one time.
Most allocated slab memory: kmalloc-512, 25.5 KiB of 27.5 KiB (93 %), most at alloc_thing+0x10, all by dd (pid 812).' \
	"$(jq -r '.answer[1, 2]' json)"
is 'answer: growth, and what grew most' \
	'Growth: page memory (with page cache and memory of processes) grew by 2.0 MiB, slab memory grew by at most 26.2 KiB; only a bound, because 1 free released an unknown amount of memory from before the trace.
Largest growth: pages of order 9, 2.0 MiB, all by dd (pid 812).
Largest growth of slab objects: kmalloc-512, at most 25.5 KiB, most at alloc_thing+0x10, all by dd (pid 812).' \
	"$(jq -r '.answer[3, 4, 5]' json)"
is 'answer: the worst fragmentation by count and slack' \
	'Internal fragmentation of slab objects, freed ones included: 1.0 KiB (3.7 %), 600 B of it in kmalloc-512 at alloc_thing+0x10: 12 B in each of 50 allocations.' \
	"$(jq -r '.answer[6]' json)"
is 'fragmentation: a list by wasted bytes' '600 12 50 300 300 1' \
	"$(jq -r '[.tables["most-wasted"][] | .wasted, .slack, .count] | join(" ")' json)"
is 'failures: each process has a row' '812 2 kworker/u8 null 1' \
	"$(jq -r '[(.tables.failed[0] | .pid, .count), (.tables.failed[1] | .process, .pid, .count)] | map(tostring) | join(" ")' json)"
is 'failures: when' '"first_ns": 1700000000000002200 "last_ns": 1700000000000002201' \
	"$(grep -o '"\(first\|last\)_ns": 170000000000000220[01]' json | paste -sd ' ')"
is 'processes: by bytes of pages' '812 2101248 2101248 30 8192 4096 31 4096 4096' \
	"$(jq -r '[.tables.processes[] | .pid, .page_bytes, .page_live_bytes] | join(" ")' json)"
is 'processes: a kworker is shown by its pool' 2 "$("$mm" report slab --table processes t | grep -c '^  kworker/u8 ')"

# Tests the first screen.
is 'first screen: at most 30 lines' yes "$([ "$(wc -l <first)" -le 30 ] && echo yes)"
is 'first screen: the sentences' 1111 "$(for start in Failures: 'Most allocated (freed memory included):' Growth: 'Internal fragmentation of slab'; do
	grep -c "^$start" first
done | tr -d '\n')"
is 'first screen: one table, sorted by what its title says' \
	'Memory by cache, size and page order, by allocated bytes' "$(grep -E '^[A-Z].*, by ' first)"
is 'first screen: the rows' 'pages of order 9 1 2.0 MiB 2.0 MiB dd
kmalloc-512 51 25.5 KiB <= 25.5 KiB dd' "$(sed -n 's/^  \(\(pages of order 9\|kmalloc-512\) .* dd\) .*/\1/p' first | tr -s ' ')"
is 'first screen: the command that follows' 1 "$(grep -c '^To see all failed allocations: lttng-mm report slab --table failed t$' first)"
is '--all: the answer is there once, and no finding repeats it' 1111 "$("$mm" report slab --all t >all
	for start in Failures: 'Most allocated (freed memory included):' Growth: 'Internal fragmentation of slab'; do grep -c "^$start" all; done | tr -d '\n')"
is '--all: tables of one node, one CPU and one pair of CPUs are left out' 0 \
	"$(grep -c '^CPUs$\|^Memory by NUMA node$\|^Frees of objects and pages by CPU' all)"
is '--by=cpu: but not if they are asked for' 1 "$("$mm" report slab --by=cpu t | grep -c '^CPUs$')"
is '--by: the sentences are there, and all lists' '1 1' "$("$mm" report slab --by=cache t >out; grep -c '^Most allocated (freed memory included):' out) $(
	grep -c '^Size classes of kmalloc' out)"
is 'percentages of a table have one denominator: none of pages among objects' 'true true' \
	"$(jq -r '[(.tables.totals[] | select(.what == "pages") | .allocated_percent == null),
		([.tables.totals[].allocated_percent // 0] | add > 99.9)] | join(" ")' json)"

# Pages are allocated again after they were freed, so the sum exceeds what was live at one time. No
# process has more than half of the growth.
{ cat dump; cat <<'END'; } >again.trace
2010 page_alloc tid=812 pfn=0x200 order=9
2011 page_free tid=812 pfn=0x200 order=9
2012 page_alloc tid=812 pfn=0x400 order=9
2013 page_free tid=812 pfn=0x400 order=9
2014 page_alloc tid=812 pfn=0x601 order=0
2015 page_alloc tid=30 pfn=0x602 order=0
END
make_slab again.trace again
is 'pages: what was live at one time, and the process with the largest part of the growth' \
	'Most allocated (freed memory included): pages of order 9, 4.0 MiB of 4.0 MiB (100 %), all by dd (pid 812); at most 2.0 MiB were live at one time.
Largest growth: pages of order 0, 8.0 KiB, the largest part by dd (pid 812), 4.0 KiB.' \
	"$("$mm" report slab --json again | jq -r '.answer[]' | grep '^Most allocated\|^Largest growth')"

# The largest call site of pages is named only if it has at least as many bytes as the pages without
# a call site. Only pages that are allocated in bulk have a call site.
{
	cat dump
	echo '2010 page_alloc_bulk tid=812 pfn=0x200 call_site=0x110'
	echo '2011 page_alloc tid=812 pfn=0x201 order=0'
} >bulk.trace
make_slab bulk.trace bulk
echo '2012 page_alloc tid=812 pfn=0x202 order=0' | cat bulk.trace - >few.trace
make_slab few.trace few
is 'pages: a call site with as many bytes as those without one, and one with fewer' '[["kernel+0x110",4096]] [[null,null]]' \
	"$(for trace in bulk few; do "$mm" report slab --json $trace | jq -c '[.tables.consumers[] | [.call_site, .call_site_bytes]]'; done | paste -sd ' ')"

# Without the list of caches, the report does not know what can be reclaimed.
rm t/sysinfo/slab-caches.json
"$mm" report slab --json t >json
is 'no list of caches: not known' 'null null' "$(consumer dentry reclaimable) $(consumer fixed reclaimable)"
is 'no list of caches: the column is not shown' 0 "$("$mm" report slab t | grep -c reclaimable)"
# If the growth is in a cache that the kernel can reclaim, the answer must say so.
{ cat dump; echo '2000 slab_cache_alloc tid=812 call_site=0x150 ptr=0x5000 cache=7'; } >one.trace
make_slab one.trace one
mkdir one/sysinfo
echo '[{"name": "dentry", "reclaimable": true}]' >one/sysinfo/slab-caches.json
is 'answer: a reclaimable cache' 2 "$("$mm" report slab --json one | jq -r '.answer[]' |
	grep -c -x -e 'Growth: slab memory grew by 640 B\.' -e 'Largest growth: dentry (reclaimable), 640 B, all at kernel+0x150 by dd (pid 812)\.')"
is 'next: --leaks is suggested' 1 "$("$mm" report slab one | grep -c '^To see .*: lttng-mm report slab --leaks one$')"

# Failures for which callers have a fallback must be a finding, but must suggest no command.
{ cat one.trace; echo '2100 page_alloc_failed tid=812 order=9 gfp_flags=IO|NOWARN'; } >nowarn.trace
make_slab nowarn.trace nowarn
"$mm" report slab nowarn >out
is 'expected failures: the first sentence counts them' 'No anomaly (double free, wrong cache, ...) and no failed allocation, except 1 expected (NOWARN), unless a stream is missing, or a packet is damaged, which cannot be checked.' \
	"$("$mm" report slab --json nowarn | jq -r '.answer[0]')"
is 'expected failures: a finding' \
	'Failures: 1 allocation failed, of pages of order 9 by dd (pid 812), at 2023-11-14T22:13:20.000002100Z; all with NOWARN: the callers can do without the memory.' \
	"$("$mm" report slab --json nowarn | jq -r '.findings[]' | grep '^Failures')"
{ cat one.trace; printf 'packet discarded=3\n4000 slab_kfree tid=812 call_site=0x250 ptr=0x90000\n'; } >missed.trace
make_slab missed.trace missed
is 'nothing wrong: events are missing' 'No anomaly (double free, wrong cache, ...) is certain, because events are missing.' \
	"$("$mm" report slab --json missed | jq -r '.answer[0]')"
make_slab one.trace unrecorded
sed -i 's/"page_alloc_failed"/"page_alloc_fail"/' unrecorded/metadata
is 'nothing wrong: failures were not recorded' 'No anomaly (double free, wrong cache, ...), unless a stream is missing, or a packet is damaged, which cannot be checked.' \
	"$("$mm" report slab --json unrecorded | jq -r '.answer[0]')"
# Two call sites allocate from one cache. The answer's share, allocations and call site must belong
# together.
{ cat dump; for i in 1 2 3 4 5; do echo "200$i slab_cache_alloc tid=812 call_site=0x$((i > 2 ? 160 : 150)) ptr=0x${i}0000 cache=7"; done; } >sites.trace
make_slab sites.trace sites
is 'fragmentation: of one call site of a cache' 'Internal fragmentation of slab objects, freed ones included: 200 B (6.2 %), 120 B of it in dentry at kernel+0x160: 40 B in each of 3 allocations.' \
	"$("$mm" report slab --json sites | jq -r '.answer[], .findings[]' | grep '^Internal')"
# The sum of all caches shrank, but one cache grew.
{
	cat dump
	for i in 1 2 3 4 5 6; do echo "199$i slab_cache_free tid=812 call_site=0x250 ptr=0x${i}0000 cache=8"; done
	sed -n '/slab_cache_alloc/p' one.trace
} >shrunk.trace
make_slab shrunk.trace shrunk
is 'answer: no growth in total' 'In total, slab memory shrank by 128 B.
Largest growth: dentry, 640 B, all at kernel+0x150 by dd (pid 812).' \
	"$("$mm" report slab --json shrunk | jq -r '.answer[] | select(test("rowth|total"))')"
is 'next: --leaks is suggested despite expected failures' 1 "$(grep -c '^To see .*: lttng-mm report slab --leaks nowarn$' out)"

# Growth counts from the time when all streams have started. Allocations and frees before this time
# do not count. Frees after it count, and reduce the growth, even if the object was allocated
# earlier.
{ printf 'cpu 0\nbegin 900\ncpu 1\nbegin 5000\ncpu 0\n'; cat dump; cat <<'END'; } >late.trace
2000 slab_cache_alloc tid=812 call_site=0x150 ptr=0x1000 cache=7
2100 slab_cache_alloc tid=812 call_site=0x150 ptr=0x3000 cache=7
2200 slab_kmalloc tid=812 call_site=0x110 ptr=0x8000 bytes_req=500 size_class=9
3000 page_free tid=812 pfn=0x20 order=1
3001 slab_cache_free tid=812 call_site=0x250 ptr=0x9900 cache=7
4000 page_alloc tid=812 pfn=0x40 order=2
6000 slab_cache_free tid=812 call_site=0x250 ptr=0x1000 cache=7
6050 slab_kfree tid=812 call_site=0x250 ptr=0x8000
6100 slab_cache_alloc tid=812 call_site=0x150 ptr=0x2000 cache=7
6101 slab_cache_alloc tid=812 call_site=0x150 ptr=0x2300 cache=7
6102 slab_cache_alloc tid=812 call_site=0x150 ptr=0x2600 cache=7
6200 page_free tid=812 pfn=0x10 order=1
6300 page_free tid=812 pfn=0x40 order=1
6301 page_free tid=812 pfn=0x42 order=0
cpu 1
7000 slab_cache_free tid=812 call_site=0x250 ptr=0x2300 cache=7
END
make_slab late.trace late
"$mm" report slab --json late >json
is 'a stream starts late: growth from then on' '[-512,640,-20480]' "$(metric slab.growth_bytes)"
"$mm" report slab --json --jobs 3 late >other
is '... with more jobs: the same' "$(metric slab.growth_bytes)" "$(metric slab.growth_bytes other)"
"$mm" report slab --json --reader=babeltrace2 late >other
same '... by babeltrace2: the same' json other
# babeltrace2's reader finds the stream that starts late only after a whole batch of events.
{ printf 'cpu 0\nbegin 900\ncpu 1\nbegin 5000\ncpu 0\n'; cat dump; awk 'BEGIN {
	print "2000 slab_cache_alloc tid=812 call_site=0x150 ptr=0x1000 cache=7"
	print "2001 slab_cache_alloc tid=812 call_site=0x150 ptr=0x1300 cache=7"
	print "2002 slab_cache_free tid=812 call_site=0x250 ptr=0x1300 cache=7"
	for (i = 0; i < 2500; i++)
		printf "%d slab_cache_free tid=812 call_site=0x250 ptr=%d cache=7\n", 2100 + i, 1048576 + 640 * i
	print "6000 slab_cache_free tid=812 call_site=0x250 ptr=0x1000 cache=7"
	print "6001 slab_cache_free tid=812 call_site=0x250 ptr=0x9000 cache=7"
	for (i = 0; i < 5; i++)
		printf "%d slab_cache_alloc tid=812 call_site=0x150 ptr=%d cache=7\n", 6100 + i, 8192 + 640 * i
	print "cpu 1\n7000 slab_cache_free tid=812 call_site=0x250 ptr=8832 cache=7"
}'; } >later.trace
make_slab later.trace later
for reader in $readers; do
	"$mm" report slab --json --reader="$reader" later >"out.$reader"
	is "a stream starts after many events, $reader: growth from then on" '[0,1280,0]' \
		"$(metric slab.growth_bytes "out.$reader")"
done
same 'a stream starts after many events: the same by both readers' out.fast out.babeltrace2

# If events are missing, the growth is unknown.
{ cat events.trace; printf 'packet discarded=3\n4000 slab_kfree tid=812 call_site=0x250 ptr=0x90000\n'; } >lossy.trace
make_slab lossy.trace lossy
"$mm" report slab --json lossy >json
is 'losses: growth is not known' '[null,null,null] 0' "$(metric slab.growth_bytes) $(jq '[.answer[] | select(startswith("Growth: "))] | length' json)"
tap_end
