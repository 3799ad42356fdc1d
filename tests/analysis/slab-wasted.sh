#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests the complete list of allocations by internal fragmentation, and the time series of wasted
# bytes.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# Process 10 allocates the 150 sizes that waste most. Process 20 allocates three sizes that waste
# less. Both allocate 600 bytes once. Process 20 does so later, in its thread 21. All objects are
# freed.
{
	cat <<'END'
1000 callsite_statedump_range start=0 size=16777216 alive=1 name=kernel
1000 slab_statedump_path path=1 hooked=1 function=kmem_cache_free_bulk
1000 process_statedump_thread tid=10 pid=10 name=most
1000 process_statedump_thread tid=20 pid=20 name=least
1000 process_statedump_thread tid=21 pid=20 name=helper
END
	awk 'function allocate(tid, address, bytes, class) {
			printf "%d slab_kmalloc tid=%d call_site=0x110 ptr=%d bytes_req=%d size_class=%d\n", time += 10,
				tid, address, bytes, class
			addresses[++count] = address
		}
		BEGIN {
			time = 2000
			for (i = 0; i < 150; i++)
				allocate(10, 65536 + 1024 * i, 520 + i, 10)
			allocate(20, 4096, 60, 6)
			allocate(20, 8192, 61, 6)
			allocate(20, 12288, 62, 6)
			allocate(20, 20480, 64, 6)
			allocate(21, 16384, 600, 10)
			for (i = 1; i <= count; i++)
				printf "%d slab_kfree tid=10 call_site=0x310 ptr=%d\n", time += 10, addresses[i]
			print "3000000 slab_kmalloc tid=20 call_site=0x120 ptr=4096 bytes_req=64 size_class=6"
			print "5000000 slab_kfree tid=20 call_site=0x310 ptr=4096"
		}'
} >wasted.trace
make_slab wasted.trace wasted
mkdir wasted/sysinfo
cp "$here/slab/symbols.txt" wasted/sysinfo/

# rows OPTION...: prints requested size, slack, count and process of each row.
rows() {
	"$mm" report slab --json "$@" wasted | jq -r '.tables["most-wasted"][] |
		[.object_size, .slack, .count, .process] | join(" ")'
}
rows >all.rows
is 'all sizes are listed' 153 "$(wc -l <all.rows)"
is 'the largest internal fragmentation first, by count times slack' '600 424 2 most
520 504 1 most' "$(head -n 2 all.rows)"
is 'wasted bytes of a row: count times slack' 848 "$("$mm" report slab --json wasted | jq '.tables["most-wasted"][0].wasted')"
is 'the smallest last' '62 2 1 least' "$(tail -n 1 all.rows)"
is 'equal allocations are one row, of the process that was first' '600 424 2 most' "$(grep '^600 ' all.rows)"
is 'a process: all of its sizes, by the name of the process' '600 424 1 least
60 4 1 least
61 3 1 least
62 2 1 least' "$(rows --pid=20)"
is 'two jobs: the same' "$(cat all.rows)" "$(rows --jobs=2)"
is 'text: as many as requested' 12 "$("$mm" report slab --wide --by=call-site --top=12 wasted |
	awk '/^Internal fragmentation of call sites/ { table = 1; next } /^$/ { table = 0 } table && / most *$/' | wc -l)"

# wasted_at TIME: prints the value of the time series at that time.
wasted_at() {
	"$mm" report slab --json wasted | jq -r --argjson at "$1" '.series[] |
		select(.name == "slab.live_wasted") | .values[.times_ns | index($at)]'
}
is 'series: null while nothing is live' 'null' "$(wasted_at 1000000)"
is 'series: 0 while no live bytes are wasted' '0' "$(wasted_at 4000000)"
tap_end
