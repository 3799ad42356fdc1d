#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests ages and growth of leak candidates. The expected values were worked out by hand from the
# events below.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# Each line has a step and the event of that step. There are 40 steps, 10 in each quarter. Call
# sites 0x150 and 0x110 have an object in each quarter that is never freed. 0x120 allocates only at
# the start, as a warm-up does. Objects of 0x130 are freed later. 0x140 has no object in the third
# quarter.
cat >steps <<'END'
0 slab_kmalloc call_site=0x110 ptr=0x1000 bytes_req=500 size_class=9
1 slab_kmalloc call_site=0x120 ptr=0x2000 bytes_req=500 size_class=9
2 slab_cache_alloc call_site=0x150 ptr=0x5000 cache=7
3 slab_kmalloc call_site=0x130 ptr=0x3000 bytes_req=60 size_class=6
4 slab_kmalloc call_site=0x120 ptr=0x2100 bytes_req=500 size_class=9
5 slab_cache_alloc call_site=0x140 ptr=0x4000 cache=7
6 slab_kmalloc call_site=0x120 ptr=0x2200 bytes_req=500 size_class=9
9 slab_kmalloc call_site=0x120 ptr=0x2300 bytes_req=500 size_class=9
10 slab_kmalloc call_site=0x110 ptr=0x1100 bytes_req=500 size_class=9
12 slab_cache_alloc call_site=0x150 ptr=0x5100 cache=7
13 slab_kfree call_site=0x310 ptr=0x3000
13 slab_kmalloc call_site=0x130 ptr=0x3000 bytes_req=60 size_class=6
15 slab_cache_alloc call_site=0x140 ptr=0x4100 cache=7
20 slab_kmalloc call_site=0x110 ptr=0x1200 bytes_req=500 size_class=9
22 slab_cache_alloc call_site=0x150 ptr=0x5200 cache=7
23 slab_kfree call_site=0x310 ptr=0x3000
23 slab_kmalloc call_site=0x130 ptr=0x3000 bytes_req=60 size_class=6
30 slab_kmalloc call_site=0x110 ptr=0x1300 bytes_req=500 size_class=9
32 slab_cache_alloc call_site=0x150 ptr=0x5300 cache=7
33 slab_kfree call_site=0x310 ptr=0x3000
33 slab_kmalloc call_site=0x130 ptr=0x3000 bytes_req=60 size_class=6
35 slab_cache_alloc call_site=0x140 ptr=0x4200 cache=7
38 slab_kmalloc call_site=0x130 ptr=0x3100 bytes_req=60 size_class=6
39 slab_kmalloc call_site=0x110 ptr=0x1400 bytes_req=500 size_class=9
39 slab_kmalloc call_site=0x110 ptr=0x1500 bytes_req=500 size_class=9
40 slab_kmalloc call_site=0x130 ptr=0x3200 bytes_req=60 size_class=6
END
cat >dump <<'END'
1000 callsite_statedump_range start=0 size=16777216 alive=1 name=kernel
1000 slab_statedump_cache cache=7 object_size=600 size=640 align=8 alive=1 name=dentry
1000 slab_statedump_path path=1 hooked=1 function=kmem_cache_free_bulk
1000 slab_statedump_path path=5 hooked=1 function=kvfree_call_rcu
END
# events STEP [LOSS]: prints events with steps of STEP ns. With LOSS, steps 16 to 20 are lost.
events() {
	awk -v step="$1" -v loss="${2:-}" '
		loss && $1 == 20 && !done++ {
			printf "end %.0f\npacket discarded=3\nbegin %.0f\n", 2000 + 16 * step, 2000 + 16 * step
			printf "%.0f slab_kfree tid=10 call_site=0x310 ptr=0x9000\n", 2000 + 17 * step
			printf "end %.0f\npacket\nbegin %.0f\n", 2000 + 20 * step, 2000 + 20 * step
		}
		{ time = $1; $1 = ""; sub(/slab_[a-z_]*/, "& tid=10"); printf "%.0f%s\n", 2000 + time * step, $0 }' steps
}
# trace NAME: makes the trace of NAME.trace.
trace() {
	make_slab "$1.trace" "$1" || exit 2
	mkdir "$1/sysinfo"
	cp "$here/slab/symbols.txt" "$1/sysinfo/"
}
# quarters NAME OPTION...: prints call site, objects, steady bytes and objects; then objects and
# bytes by quarter.
quarters() {
	quarters_of=$1
	shift
	"$mm" report slab --json "$@" "$quarters_of" | jq -r '.tables.leaks[] | [.call_site_number, .live,
		.steady_bytes, .steady_objects, .live_quarter_1, .live_quarter_2, .live_quarter_3,
		.live_quarter_4, .bytes_quarter_1, .bytes_quarter_2, .bytes_quarter_3, .bytes_quarter_4] |
		map(tostring) | join(" ")'
}
# metric NAME OF OPTION...: prints the value.
metric() {
	metric_name=$1 metric_of=$2
	shift 2
	"$mm" report slab --json "$@" "$metric_of" | jq ".metrics[] | select(.name == \"slab.leaks.$metric_name\").value"
}

# The same steps take 2 s or 10 min. The same leaks must stand out.
whole='336 4 640 1 1 1 1 1 640 640 640 640
272 6 512 1 1 1 1 3 512 512 512 1536
288 4 0 0 4 0 0 0 2048 0 0 0
320 3 0 0 1 1 0 1 640 640 0 640
304 3 0 0 0 0 0 3 0 0 0 192'
while read -r name step quarter; do
	{ cat dump; events "$step"; } >"$name.trace"
	trace "$name"
	is "$name: steady growth first, then bytes" "$whole" "$(quarters "$name")"
	is "$name: length of a quarter" "$quarter" "$(metric quarter_ns "$name")"
	is "$name: call sites of steady growth" 2 "$(metric steady_call_sites "$name")"
done <<'END'
short 50000000 500000000
long 15000000000 150000000000
END
is 'oldest and youngest' '1900000000 400000000' \
	"$("$mm" report slab --json short | jq -r '.tables.leaks[] | select(.call_site_number == 336) |
		"\(.oldest_ns - 0) \(.youngest_ns)"')"

# Quarters divide only the time in which all allocations are known: the time after a loss, after the
# start of each stream, and after --since. Here, 20 steps are divided into quarters of 5 steps.
half='320 1 0 0 0 0 0 1 0 0 0 640
336 2 0 0 1 0 1 0 640 0 640 0
272 4 0 0 1 0 1 2 512 0 512 1024
304 3 0 0 0 0 1 2 0 0 64 128'
half=$(echo "$half" | sort)
is 'since: the rest in quarters' "$half" "$(quarters short --leaks --since=1700000001.000002 | sort)"
is 'since: length of a quarter' 250000000 "$(metric quarter_ns short --leaks --since=1700000001.000002)"
{ cat dump; events 50000000 loss; } >lossy.trace
trace lossy
is 'events lost up to there: the rest in quarters' "$half" "$(quarters lossy | sort)"
{ printf 'cpu 0\nbegin 900\ncpu 1\nbegin 1000002000\ncpu 0\n'; cat dump; events 50000000; echo 'cpu 1'
	echo '2000001999 slab_kfree tid=10 call_site=0x310 ptr=0x9000'; } >late.trace
trace late
is 'a stream that starts there: the rest in quarters' \
	"$(echo "$half" | sed 's/^304 .*/304 2 0 0 0 0 1 1 0 0 64 64/')" "$(quarters late | sort)"
is 'a stream that starts there: length of a quarter' 250000000 "$(metric quarter_ns late)"

# The age of an object counts up to the earliest end of a stream, even if that stream has no event
# then, or up to an earlier requested end. Here, these ends are after 80, 60 or 30 steps, and the
# last event is in step 40.
ages() {
	"$mm" report slab --json "$@" | jq -r '[(.tables.leaks[] | select(.call_site_number == 336) |
		.live, .oldest_ns, .youngest_ns, .live_quarter_1, .live_quarter_4),
		(.metrics[] | select(.name == "slab.leaks.quarter_ns").value)] | join(" ")'
}
{ printf 'cpu 1\nbegin 900\nend 5000002000\ncpu 0\nbegin 900\n'; cat dump; events 50000000; echo 'end 4000002000'; } >quiet.trace
trace quiet
is 'no event before the end: ages are up to the end' '4 3900000000 2400000000 2 0 1000000000' "$(ages quiet)"
is 'a requested end before that: up to it' '4 2900000000 1400000000 2 0 750000000' \
	"$(ages --end=1700000003.000002000 quiet)"
is 'a requested end after that: up to the first end of a stream' "$(ages quiet)" \
	"$(ages --end=1700000004.500002000 quiet)"
is 'a requested end between two events: up to it' '3 1399999000 399999000 1 0 374999750' \
	"$(ages --end=1700000001.500001000 quiet)"
is 'ages: the same by babeltrace2' "$(ages --end=1700000003.000002000 quiet)" \
	"$(ages --end=1700000003.000002000 --reader=babeltrace2 quiet)"

# If a time range ends before the trace, candidates that are freed later in the trace are not leaks.
# At step 12, the object of call site 0x130 is live, and it is freed at step 13. The other
# candidates are never freed.
later() {
	"$mm" report slab --json --leaks "$@" short | jq -r '[.tables.leaks[] | .call_site_number, .live, .freed_later] |
		map(tostring) | join(" ")'
}
is 'a range that ends earlier: candidates that are freed later' '288 4 0 336 2 0 272 2 0 320 1 0 304 1 1' \
	"$(later --end=1700000000.610)"
is '... how many, in the answer' 1 "$("$mm" report slab --leaks --end=1700000000.610 short |
	grep -c '^Leak candidates: 10 objects, .* KiB; 1 of them is freed later in the trace\.$')"
is '... by babeltrace2, too' "$(later --end=1700000000.610)" "$(later --end=1700000000.610 --reader=babeltrace2)"
is '... of a cache' '304 1 1' "$(later --end=1700000000.610 --cache=kmalloc-64)"
is 'no end of a range: nothing is said of it' 'null' "$("$mm" report slab --json short | jq -c '[.tables.leaks[].freed_later] | unique[]')"

# If the size of a cache is unknown, only the number of objects shows that the cache grows.
grep -v slab_statedump_cache short.trace >unsized.trace
trace unsized
is 'sizes not known: no bytes, and ranked by objects' '272 6 512 1 1 1 1 3 512 512 512 1536
336 4 null 1 1 1 1 1 null null null null
288 4 0 0 4 0 0 0 2048 0 0 0
304 3 0 0 0 0 0 3 0 0 0 192
320 3 null 0 1 1 0 1 null null 0 null' "$(quarters unsized)"

# Nothing is live at the end, and there are no events.
{ cat dump; echo '2000 slab_kmalloc tid=10 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6'; } >one.trace
trace one
is 'no time: the last quarter of none' '272 1 0 0 1 0 0 0 64 0 0 0' "$(quarters one)"
is 'no time: no length' 'null' "$(metric quarter_ns one)"

# Tests the output on a terminal of 100 columns.
"$mm" report slab --all --leaks short >short.text
is 'text: the finding' 'Steady growth: 2 call sites have leak candidates from each quarter of the 2.000 s; the first is alloc_thing+0x50, with at least 1 object per quarter.' \
	"$(grep '^Steady growth' short.text)"
is 'text: quarters' 'alloc_thing+0x50 dentry 4 2.5 KiB 640 B 1 1 1 1
alloc_thing+0x10 kmalloc-512 6 3.0 KiB 512 B 1 1 1 3' \
	"$(sed -n 's/^  \(alloc_thing+0x[15]0 .*\)/\1/p' short.text | tr -s ' ' | sed -E 's/ [0-9.]+ m?s [0-9.]+ m?s / /')"
is 'text: columns of 100' '' "$(awk '/^Leak candidates, by/ { table = 1 } /^  [(]/ { table = 0 }
	table && length > 100' short.text)"
is 'text: objects that are live only for a short time are no growth' 0 "$("$mm" report slab --leaks one | grep -c '^Steady growth')"
tap_end
