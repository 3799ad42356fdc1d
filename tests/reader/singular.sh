#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests that reports and messages use the singular for a count of one.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# One failed allocation, one page allocation, one object on a node other than its CPU's, one lost
# event, one lost packet, and one cache that the state dump does not have.
cat >slab.trace <<'EVENTS'
cpu 0
1000 slab_statedump_cache cache=7 object_size=600 size=640 align=8 alive=1 name=dentry
1000 page_statedump_node node=0 pfn_start=0 pfn_end=0x80000 page_size=4096
1000 page_statedump_node node=1 pfn_start=0x80000 pfn_end=0x100000 page_size=4096
1000 page_statedump_cpu cpu=0 node=0
1000 page_statedump_cpu cpu=1 node=1
packet seq=2 discarded=1
2000 slab_kmalloc tid=10 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6
2100 slab_cache_alloc tid=10 call_site=0x120 ptr=0x90000000 cache=9
2200 slab_kfree tid=10 call_site=0x210 ptr=0x1000
2300 slab_kfree tid=10 call_site=0x210 ptr=0x1000
2400 page_alloc tid=10 pfn=8 order=0
2500 page_alloc_failed tid=10 order=4 migrate_type=0 gfp_flags=IO
9000 slab_kmalloc tid=10 call_site=0x110 ptr=0x2000 bytes_req=60 size_class=6
cpu 1
8000 slab_cache_free tid=10 call_site=0x210 ptr=0x90000000 cache=9
EVENTS
make_slab slab.trace slab
cat >one.trace <<'EVENTS'
1000 slab_kmalloc tid=10 call_site=0x110 ptr=0x1000 bytes_req=1 size_class=3
EVENTS
make_slab one.trace one
sed 's/size_class=3/size_class=0/' one.trace >rule.trace
make_slab rule.trace rule
cat >dax.trace <<'EVENTS'
1000 dax_pmd_fault ino=0x1003 tid=7
1100 dax_pmd_fault_done ino=0x1003 tid=7 result=FALLBACK
EVENTS
make_dax dax.trace dax

{
	for trace in slab one; do
		"$mm" report slab --all --wide "$trace"
		"$mm" report slab --all --wide --leaks "$trace"
		"$mm" verify "$trace"
		"$mm" print "$trace"
	done
	"$mm" verify rule
	"$mm" report dax --all --wide dax
} >all 2>&1
nouns='allocation|anomalie|byte|cache|CPU|event|fault|file|name|note|number|object|packet|stream|time|trace'
is 'the texts are there' '1 1 1' "$(grep -c '(1 event, 1 packet so far' all) $(grep -c '^Failures: at least 1 allocation failed, of ' all) $(grep -c ' 1 event in 1 packet, .* 1 damaged\|^No errors, complete: 1 event in' all)"
is 'one of a kind is not in the plural' '' "$(grep -nE "(^|[^0-9.])1 ([a-z-]+ )?($nouns)s([^a-z]|\$)" all)"
tap_end
