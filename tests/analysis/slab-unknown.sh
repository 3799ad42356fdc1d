#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests report slab on traces that lack packets, the end of a stream, or all or a part of the state
# dump. Unknown values must not be numbers. The report must not present as a fact what the missing
# data could explain.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# flat TRACE [OPTION...]: prints the JSON form, one object per line, without blanks.
flat() {
	flat_trace=$1
	shift
	"$mm" report slab --json "$@" "$flat_trace" 2>/dev/null | flat_json
}
# metric NAME LABELS FILE: prints the metric's value in the output of flat().
metric() {
	sed -n 's/.*{"name":"'"$1"'","labels":<'"$2"'>,.*"value":\([^}]*\)}.*/\1/p' "$3"
}
# series_at TIME TRACE: prints the bytes of caches at that time, and whether their sizes are known.
series_at() {
	"$mm" report slab --json "$2" | jq -r --argjson at "$1" '[.series[] |
		select(.name == "slab.live_sizes_known" or
			(.name == "slab.live_bytes_allocated" and .labels.of == "caches")) |
		.values[.times_ns | index($at)]] | map(tostring) | join(" ")'
}
# row TABLE KEY FILE: prints the table's row that begins with "KEY".
row() {
	sed -n '/"'"$1"'":\[/,/^\]/p' "$3" | sed 's/^.*"'"$1"'":\[//' | grep -o '^{"[a-z_]*":"'"$2"'".*'
}
cell() {
	sed 's/.*"'"$1"'":\([^,}]*\).*/\1/'
}
pairing() {
	"$mm" report slab --all --wide "$@" | outcomes
}

# --- sizes of caches ---

cat >caches.events <<'EVENTS'
2000 slab_kmalloc tid=5 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6
2001 slab_cache_alloc tid=5 call_site=0x120 ptr=0x2000 cache=7
2002 slab_cache_alloc tid=6 call_site=0x130 ptr=0x3000 cache=8
2003 slab_cache_alloc tid=6 call_site=0x130 ptr=0x4000 cache=8
3000000 slab_cache_free tid=6 call_site=0x140 ptr=0x4000 cache=8
3000001 slab_kfree tid=5 call_site=0x140 ptr=0x1000
EVENTS
paths='1000 slab_statedump_path path=3 hooked=1 function=kmem_cache_alloc_bulk
1000 slab_statedump_path path=4 hooked=0'
dump7='slab_statedump_cache cache=7 object_size=90 size=100 align=8 alive=1 name=seven'
dump8='slab_statedump_cache cache=8 object_size=180 size=200 align=8 alive=1 name=eight'
{ echo "1000 $dump7"; echo "1000 $dump8"; cat caches.events; } >known.trace
cp caches.events none.trace
{ echo "1000 $dump7"; cat caches.events; } >part.trace
{ cat caches.events; echo "4000000 $dump7"; echo "4000000 $dump8"; } >late.trace
for name in known none part late; do
	make_slab $name.trace $name
	flat $name >$name.flat
	"$mm" report slab --all --wide $name >$name.text
done

is 'sizes known: bytes of caches' '450 500 300 0' \
	"$(for m in bytes_requested bytes_allocated live_bytes size_unknown; do
		metric slab.$m '"of":"caches"' known.flat
	done | tr '\n' ' ' | sed 's/ $//')"
is 'sizes known: the peak is exact' true "$(metric slab.peak_is_exact '' known.flat)"
is 'no state dump: bytes of caches are not known, not 0' 'null null null 3' \
	"$(for m in bytes_requested bytes_allocated live_bytes size_unknown; do
		metric slab.$m '"of":"caches"' none.flat
	done | tr '\n' ' ' | sed 's/ $//')"
is 'no state dump: the reason comes first' 1 \
	"$(sed '/^$/,$d' none.text | grep -c '^Slab caches of unknown name and size: 2, with 3 of 4 allocations: the trace has no state dump')"
is 'no state dump: percentages are of the bytes that are known' \
	'Most allocated (freed memory included): kmalloc-64, 64 B of 64 B of slab objects, all at 0x110 by thread 5; 3 of unknown size.
Internal fragmentation of slab objects, freed ones included: 4 B (6.2 %), 4 B of it in kmalloc-64 at 0x110: 4 B in 1 allocation.' \
	"$(grep '^Most allocated (freed memory included):\|^Internal fragmentation of slab' none.text)"
is 'no state dump: no cell of the text is 0 bytes for an unknown value' \
	'caches 3 1001 1 - - - - - 2 - < 3.0 ms 0' "$(grep '^  caches ' none.text | tr -s ' ' | sed 's/^ //; s/3\.1 ms/3.0 ms/; s/4\.2 ms/3.0 ms/')"
is 'no state dump: a process with both kinds has a lower bound' '5 64 1' \
	"$(row processes 'thread5' none.flat | sed 's/.*"tid":\([^,]*\),.*"bytes_allocated":\([^,]*\),.*"size_unknown":\([^,}]*\).*/\1 \2 \3/')"
is 'no state dump: ... which the text shows' 1 "$(grep -c '^  thread 5 .* >= 64 B' none.text)"
is 'no state dump: a process with nothing else has none' null \
	"$(row processes 'thread6' none.flat | cell bytes_allocated)"
{ echo "$paths"; cat caches.events; } >sizeless.trace
make_slab sizeless.trace sizeless
flat sizeless >sizeless.flat
is 'sizes not known: bytes of leak candidates are not' 'null 2' \
	"$(metric slab.leaks.bytes '' sizeless.flat) $(metric slab.leaks.size_unknown '' sizeless.flat)"
is 'sizes not known: ... nor in the text' 1 \
	"$("$mm" report slab --all --wide --leaks sizeless | grep -c '^Leak candidates: 2 objects of unknown sizes')"
is 'no state dump: the peak is a lower bound' 'false 1' \
	"$(metric slab.peak_is_exact '' none.flat) $(grep -c '^Peak of live objects: at least ' none.text)"
is 'no state dump: the series has no values for caches' 'null false' "$(series_at 1000000 none)"
is 'one cache without a state dump: a lower bound' '100,"at_least":true 2 >= 100 B' \
	"$(metric slab.bytes_allocated '"of":"caches"' part.flat) $(
		metric slab.size_unknown '"of":"caches"' part.flat) $(grep '^  caches ' part.text | grep -o '>= 100 B' | sed -n 1p)"
is 'one cache without a state dump: the reason' 1 \
	"$(sed '/^$/,$d' part.text | grep -c '^Slab caches .*: 1, with 2 of 4 allocations: the state dump does not list these caches')"
is 'one cache without a state dump: its row has no sizes' 'null null null' \
	"$(row caches 'cache8' part.flat | sed 's/.*"slot_size":\([^,]*\),.*"bytes_allocated":\([^,]*\),.*"peak_bytes":\([^,]*\).*/\1 \2 \3/')"
is 'state dump at the end: bytes are known, the peak is a lower bound' '500 false 1' \
	"$(metric slab.bytes_allocated '"of":"caches"' late.flat) $(metric slab.peak_is_exact '' late.flat) $(
		grep -c '^Peak of live objects: at least ' late.text)"
is 'state dump at the end: the series has no values before it' 'null false' "$(series_at 1000000 late)"
is 'metrics: the same names with and without a state dump' '' \
	"$(for name in known none part late; do
		sed -n 's/.*{"name":"\([^"]*\)","labels":<\(.*\)>,"unit.*/\1{\2}/p' $name.flat >$name.names
		diff known.names $name.names
	done)"

# An older probe truncated names. Two caches with the same name must remain two caches.
sed 's/name=seven/name=the_same/; s/name=eight/name=the_same/' known.trace >same.trace
make_slab same.trace same
flat same >same.flat
is 'caches of one name remain two' '8 200 2
7 100 1' "$(row caches the_same same.flat | sed 's/.*"number":\([0-9]*\),.*,"slot_size":\([0-9]*\),"allocations":\([0-9]*\),.*/\1 \2 \3/')"

# --- outcomes that are undetermined without a state dump ---

cat >undetermined.events <<'EVENTS'
2000 slab_kmalloc tid=1 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6
2100 slab_cache_free tid=1 call_site=0x120 ptr=0x1000 cache=8
2200 slab_kfree tid=1 call_site=0x120 ptr=0x1000
EVENTS
{ echo "$paths"; echo "1000 $dump8"; cat undetermined.events; } >all.trace
{ echo "$paths"; cat undetermined.events; } >nocache.trace
{ echo "1000 $dump8"; cat undetermined.events; } >nopaths.trace
for name in all nocache nopaths; do
	make_slab $name.trace $name
	pairing $name
done >undetermined.actual
is 'without a state dump of caches or paths there are fewer anomalies' \
	'Outcomes: paired 0, live 0, before trace 0, freed untraced 0, anomalies 2, undetermined 0
Outcomes: paired 0, live 0, before trace 0, freed untraced 0, anomalies 1, undetermined 1
Outcomes: paired 0, live 0, before trace 0, freed untraced 0, anomalies 0, undetermined 2' "$(cat undetermined.actual)"

# Without a state dump, any path may have freed a live object. With a dump of the paths, the object
# must be a leak candidate.
cat >leak.trace <<'EVENTS'
2000 slab_kmalloc tid=1 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6
EVENTS
{ echo "$paths"; cat leak.trace; } >leaks.trace
for name in leak leaks; do
	make_slab $name.trace $name
	"$mm" report slab --all --wide --leaks $name | sed -n 's/^\(Leak candidates: [0-9]* objects\{0,1\}\|Leak candidates: .* freed [0-9]*\).*/\1/p; s/.*\(a path that may be untraced\).*/\1/p'
done >leak.actual
is 'without a state dump of paths nothing is a leak candidate' 'Leak candidates: none is certain: an untraced path may have freed 1
a path that may be untraced
Leak candidates: 1 object' "$(cat leak.actual)"

cat >page.trace <<'EVENTS'
2000 page_alloc tid=1 pfn=8 order=0
EVENTS
sed '1i1000 page_statedump_node node=0 pfn_start=0 pfn_end=0x1000 page_size=16384' page.trace >pages.trace
for name in page pages; do
	make_slab $name.trace $name
	"$mm" report slab --all --wide $name | grep -c '^  The size of pages is not known'
	"$mm" report slab --all --wide $name | sed -n 's/^  pages .* \([0-9.]* KiB\) *- .*/\1/p'
done >page.actual
is 'pages: the report says that their size is not known' '1 4.0 KiB 0 16.0 KiB' "$(tr '\n' ' ' <page.actual | sed 's/ $//')"

# --- the peak ---

# exact TRACE: prints the metric slab.peak_is_exact, and how many sentences say that the peak is not
# exact.
exact() {
	flat "$1" >exact.flat
	echo "$(metric slab.peak_is_exact '' exact.flat) $("$mm" report slab --all --wide "$1" 2>/dev/null |
		grep -c 'eak of .*: about \|^  The peak of live bytes is not exact: ')"
}
cat >whole.trace <<'EVENTS'
2000 slab_kmalloc tid=1 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6
2100 slab_kmalloc tid=1 call_site=0x110 ptr=0x2000 bytes_req=60 size_class=6
2200 slab_kfree tid=1 call_site=0x120 ptr=0x2000
packet
2300 slab_kfree tid=1 call_site=0x120 ptr=0x1000
2400 slab_kmalloc tid=1 call_site=0x110 ptr=0x2000 bytes_req=60 size_class=6
cpu 1
begin 2000
2050 slab_kfree tid=1 call_site=0x120 ptr=0x3000
end 9000
EVENTS
make_slab whole.trace whole
is 'peak: exact' 'true 0' "$(exact whole)"
cp -R whole truncated
size=$(wc -c <whole/channel_0)
head -c $((size - 20)) whole/channel_0 >truncated/channel_0
is 'peak: not exact in a truncated trace' 'false 2' "$(exact truncated)"
# Wherever the file ends, objects that were freed in the missing part must not count as leaked.
for cut in 20 30 40 50 60; do
	rm -rf cut
	cp -R whole cut
	head -c $((size - cut)) whole/channel_0 >cut/channel_0
	"$mm" report slab --json cut >cut.json
	echo "$(jq '[.metrics[] | select(.name == "slab.outcomes" and .labels.outcome == "live").value] | add' cut.json)" \
		"$(jq '.coverage.packets_truncated' cut.json)"
done | sort -u >cut.actual
is 'live: nothing that the truncated part may have freed' '0 1' "$(cat cut.actual)"
# CPU 1 has one packet, whose missing part starts after its event at 5000.
cat >early.trace <<'EVENTS'
1000 slab_statedump_path path=3 hooked=1 function=kmem_cache_alloc_bulk
1000 slab_statedump_path path=4 hooked=0
begin 1000
2000 slab_kfree tid=1 call_site=0x120 ptr=0x1000
2100 page_free tid=1 pfn=8 order=0
3000 slab_kfree tid=1 call_site=0x120 ptr=0x2000
4000 slab_kmalloc tid=1 call_site=0x110 ptr=0x3000 bytes_req=60 size_class=6
6000 slab_kfree tid=1 call_site=0x120 ptr=0x4000
6100 page_free tid=1 pfn=9 order=0
end 9000
cpu 1
begin 1000
1500 slab_kmalloc tid=2 call_site=0x110 ptr=0x5000 bytes_req=60 size_class=6
1600 slab_kfree tid=2 call_site=0x120 ptr=0x5000
5000 slab_kmalloc tid=2 call_site=0x110 ptr=0x6000 bytes_req=60 size_class=6
7000 slab_kmalloc tid=2 call_site=0x110 ptr=0x7000 bytes_req=60 size_class=6
end 9000
EVENTS
{ cat early.trace; echo 'truncate 10'; } >early-cut.trace
make_slab early.trace early
make_slab early-cut.trace early-cut
before_cut() {
	"$mm" report slab --all --wide "$@" | outcomes_apart
}
is 'truncated: frees before the last event that is present are determined, those after it are not' \
	'Outcomes: paired 1+0, live 0+0, before trace 2+1, freed untraced 0+0, anomalies 0+0, undetermined 3+1' \
	"$(before_cut early-cut)"
is 'truncated: intact, all are' \
	'Outcomes: paired 1+0, live 3+0, before trace 3+2, freed untraced 0+0, anomalies 0+0, undetermined 0+0' \
	"$(before_cut early)"
is 'truncated: a time range that ends before is as of the intact trace' "$(before_cut --end=1700000000.000004500 early)" \
	"$(before_cut --end=1700000000.000004500 early-cut)"
cp -R whole damaged
head -c 64 /dev/zero | tr '\0' '\377' | dd of=damaged/channel_1 conv=notrunc 2>/dev/null
is 'peak: not exact in a damaged trace' 'false 2' "$(exact damaged)"
sed 's/^packet$/packet discarded=1/' whole.trace >lossy.trace
make_slab lossy.trace lossy
is 'peak: not exact if events were discarded' 'false 2' "$(exact lossy)"
sed 's/^packet$/packet seq=3/' whole.trace >gap.trace
make_slab gap.trace gap
is 'peak: not exact if packets were lost' 'false 2' "$(exact gap)"
sed 's/^end 9000/end 2060/' whole.trace >ended.trace
make_slab ended.trace ended
is 'peak: not exact after the first end of a stream' 'false 2' "$(exact ended)"
sed 's/^begin 2000/begin 2150/; s/^2050/2160/' whole.trace >begun.trace
make_slab begun.trace begun
is 'peak: not exact before all streams have started' 'false 2' "$(exact begun)"

# --- after the first stream's end ---

cat >end.trace <<'EVENTS'
1000 slab_statedump_path path=3 hooked=1 function=kmem_cache_alloc_bulk
1000 slab_statedump_path path=4 hooked=0
cpu 1
begin 1000
2000 page_alloc tid=1 pfn=8 order=0
end 3000
cpu 0
2500 page_free tid=1 pfn=8 order=0
2600 slab_kfree tid=1 call_site=0x120 ptr=0x1000
4000 slab_kfree tid=1 call_site=0x120 ptr=0x2000
4100 page_free tid=1 pfn=8 order=0
4200 page_free tid=1 pfn=9 order=0
EVENTS
make_slab end.trace end
is 'after a stream ended: frees without an allocation are neither of objects before the trace nor double' \
	'Outcomes: paired 1, live 0, before trace 1, freed untraced 0, anomalies 0, undetermined 3' "$(pairing end)"
# Only the time of the free at 2600 is known. The page that was allocated at 2000 is freed at 2500.
# The pages of the frees at 4100 and 4200 may have been allocated on CPU 1 after its stream ended.
is 'after a stream ended: objects and pages are counted separately' \
	'Outcomes: paired 0+1, live 0+0, before trace 1+0, freed untraced 0+0, anomalies 0+0, undetermined 1+2' \
	"$("$mm" report slab --all --wide end | outcomes_apart)"
is 'after a stream ended: ... in metrics, too' '1 0 1 2' "$("$mm" report slab --json end | jq -r '[.metrics[] |
	select((.name == "slab.outcomes" and .labels.outcome == "before_trace") or .name == "slab.frees_undetermined") |
	.value] | join(" ")')"
is 'after a stream ended: the same by babeltrace2' "$(pairing end)" "$(pairing end --reader babeltrace2)"
sed 's/^end 3000/end 9000/' end.trace >lasts.trace
make_slab lasts.trace lasts
is 'a stream that continues: they are counted as allocated before the trace' \
	'Outcomes: paired 1, live 0, before trace 3, freed untraced 1, anomalies 0, undetermined 0' "$(pairing lasts)"
# Two objects and a page are freed without an allocation. The freed page is freed again.
is '... of objects and of pages' \
	'Outcomes: paired 0+1, live 0+0, before trace 2+1, freed untraced 0+1, anomalies 0+0, undetermined 0+0' \
	"$("$mm" report slab --all --wide lasts | outcomes_apart)"

# --- passed to kfree_rcu() ---

cat >rcu.trace <<'EVENTS'
1000 slab_statedump_path path=3 hooked=1 function=kmem_cache_alloc_bulk
1000 slab_statedump_path path=4 hooked=0
2000 slab_kmalloc tid=1 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6
2001 slab_kmalloc tid=1 call_site=0x110 ptr=0x2000 bytes_req=60 size_class=6
2002 slab_kmalloc tid=1 call_site=0x110 ptr=0x3000 bytes_req=60 size_class=6
# another object at the address was passed to kfree_rcu() before
2003 slab_kmalloc tid=1 call_site=0x120 ptr=0x4000 bytes_req=60 size_class=6
2004 slab_kfree_rcu tid=1 call_site=0x130 ptr=0x4000
2005 slab_kfree tid=1 call_site=0x140 ptr=0x4000
2006 slab_kmalloc tid=1 call_site=0x110 ptr=0x4000 bytes_req=60 size_class=6
3000 slab_kfree_rcu tid=1 call_site=0x130 ptr=0x1000
5000 slab_kfree_rcu tid=1 call_site=0x130 ptr=0x2000
6000 slab_kfree_rcu tid=1 call_site=0x130 ptr=0x3000
7000 slab_kfree_rcu tid=1 call_site=0x130 ptr=0x4000
9000 slab_kfree tid=1 call_site=0x140 ptr=0x3000
cpu 1
begin 1000
10000 slab_kfree_rcu tid=1 call_site=0x130 ptr=0x1000
cpu 0
end 20000
EVENTS
make_slab rcu.trace rcu
mkdir rcu/sysinfo
sed '/^10000/d' rcu.trace >rcu-before.trace
make_slab rcu-before.trace before
# pending TRACE: prints the count, and ages: oldest allocation, oldest and youngest kfree_rcu().
pending() {
	flat "$1" --leaks | sed -n 's/.*"leaks-uncertain":\[//p' | sed 's/.*"live":\([0-9]*\),.*"oldest_ns":\([0-9]*\),.*"pending_oldest_ns":\([^,]*\),"pending_youngest_ns":\([^,]*\),.*/\1 \2 \3 \4/'
}
is 'kfree_rcu: ages of pending objects' '3 18000 17000 13000' "$(pending before)"
is 'kfree_rcu: a repeated call restarts the age' '3 8000 5000 0' "$(pending rcu)"
for release in '6.12.107+deb13-amd64 pending' '6.17.0 pending' '6.18.1 pending, or freed through a sheaf, without an event' \
	'7.2.0-rc1 pending, or freed through a sheaf, without an event'; do
	printf '{ "kernel_release": "%s" }\n' "${release%% *}" >rcu/sysinfo/system.json
	is "kfree_rcu: on ${release%% *}" "kfree_rcu(): ${release#* }" \
		"$("$mm" report slab --all --wide --leaks rcu | sed -n 's/.*\(kfree_rcu(): .*\)/\1/p')"
done
rm rcu/sysinfo/system.json
is 'kfree_rcu: on an unknown kernel the report states both' 1 \
	"$("$mm" report slab --all --wide --leaks rcu | grep -c 'kfree_rcu(): pending; since Linux 6.18 possibly freed')"

# --- paths without a state dump ---

cat >no-dump.events <<'EVENTS'
2000 slab_kmalloc tid=1 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6
2100 slab_kfree tid=1 call_site=0x120 ptr=0x1000
2200 page_alloc tid=1 pfn=8 order=0
2300 slab_kmalloc tid=1 call_site=0x110 ptr=0x2000 bytes_req=60 size_class=6
2400 slab_kmalloc tid=1 call_site=0x110 ptr=0x3000 bytes_req=60 size_class=6
2500 slab_kfree_rcu tid=1 call_site=0x130 ptr=0x3000
EVENTS
make_slab no-dump.events no-dump
# paths TRACE READER: prints the table, one path per line, for the kernel release in the trace's
# metadata.
paths() {
	if [ "$2" = sink ]; then
		with_plugin babeltrace2 "$1" -c sink.lttng-mm.slab -p json=yes,sysinfo=no
	else
		"$mm" report slab --json --reader="$2" "$1"
	fi 2>/dev/null | tee paths.json | jq -r '.tables["untraced-paths"][] | "\(.path) \(.function) \(.state) \(.missed)"'
}
# kernel TRACE RELEASE: adds the environment to the metadata, as LTTng writes it.
kernel() {
	printf 'env {\n\tkernel_release = "%s";\n\ttracer_name = "lttng-modules";\n};\n' "$2" >>"$1/metadata"
}
for release in '' 6.1.0-30-amd64 6.12.107+deb13-amd64 7.2.0-rc1; do
	rm -rf no-dump-on
	cp -R no-dump no-dump-on
	bulk=null contig=null rcu='pending; since Linux 6.18 possibly freed through a sheaf, without an event'
	[ -z "$release" ] || kernel no-dump-on "$release"
	case $release in
	6.1.*) bulk=__alloc_pages_bulk contig=alloc_contig_range rcu=pending ;;
	6.12.*) bulk=alloc_pages_bulk_noprof contig=alloc_contig_range_noprof rcu=pending ;;
	7.*) bulk=alloc_pages_bulk_noprof contig=alloc_contig_range_noprof
		rcu='pending, or freed through a sheaf, without an event' ;;
	esac
	for reader in fast babeltrace2 sink; do
		is "paths without a state dump, kernel '$release', $reader: nothing is guessed" \
			"ALLOC_BULK null not known null
KFREE_NOLOCK null not known null
KMALLOC_NOLOCK null not known null
KREALLOC null not known null
FREE_BULK null not known null
KFREE_RCU null not known null
PAGE_ALLOC_BULK $bulk not known null
ALLOC_CONTIG $contig not traced null
COMPACTION compact_zone not traced null" "$(paths no-dump-on $reader)"
		is "... $reader: the reason" 1 \
			"$(jq -r '.notes[]' paths.json | grep -c 'it is not known whether 7 of them were traced: the trace has no state dump')"
		is "... $reader: kfree_rcu() on that kernel" "kfree_rcu(): $rcu" \
			"$(jq -r '.tables["leaks-uncertain"][] | .path' paths.json | grep '^kfree_rcu')"
	done
done
# Traces of one kernel have a release, but traces of different kernels have no common release.
mkdir kernels
cp -R no-dump-on kernels/a && cp -R no-dump-on kernels/b
sed -i 's/00112233/99112233/' kernels/b/metadata
for stream in kernels/b/channel*; do
	fix_uuid "$stream" 99112233
done
is 'kernel: of two traces with one release' alloc_pages_bulk_noprof "$(paths kernels fast | sed -n 's/^PAGE_ALLOC_BULK \([^ ]*\) .*/\1/p')"
sed -i 's/7\.2\.0-rc1/6.1.0/' kernels/b/metadata
for reader in fast babeltrace2; do
	is "kernel: of two traces with different releases, $reader" null \
		"$(paths kernels $reader | sed -n 's/^PAGE_ALLOC_BULK \([^ ]*\) .*/\1/p')"
done
# Bulk allocations in the trace show that their path was hooked, but not whether all of its calls
# were recorded.
{ cat no-dump.events; echo '2600 page_alloc_bulk tid=1 pfn=9 order=0 call_site=0x140'; } >seen.trace
make_slab seen.trace seen
is 'paths without a state dump: one that has events is traced' 'PAGE_ALLOC_BULK null traced null' \
	"$(paths seen fast | grep PAGE_ALLOC_BULK)"
# A path that is not hooked has no count of missed calls.
{ echo '1000 slab_statedump_path path=1 hooked=0 function=kmem_cache_free_bulk'
	echo '1000 slab_statedump_path path=3 hooked=1 missed=0 function=kmem_cache_alloc_bulk'; cat no-dump.events; } >hooks.trace
make_slab hooks.trace hooks
is 'paths: untraced ones have no count of missed calls' 'FREE_BULK kmem_cache_free_bulk not traced null
ALLOC_BULK kmem_cache_alloc_bulk traced 0' "$(paths hooks fast | grep _BULK | grep kmem_cache)"
# If a state dump lost events, it may have lost the path that freed an object.
{ echo "$paths" | sed '1apacket seq=9 discarded=3'; } >dump.trace
mkdir lost
sed '/page_/d; /kfree_rcu/d; /0x3000/d' no-dump.events >leak.events
make_slab --no-state leak.events lost/kernel && make_slab --state dump.trace lost/state || exit 2
is 'state dump that lost events: no leak candidates' 'Leak candidates: none is certain: an untraced path may have freed 1
a path that may be untraced' "$("$mm" report slab --all --wide --leaks lost |
	sed -n 's/^\(Leak candidates: .* freed [0-9]*\).*/\1/p; s/.*\(a path that may be untraced\).*/\1/p')"

# The size of pages is also in the snapshot's system information.
mkdir page/sysinfo
echo '{ "page_size": 65536 }' >page/sysinfo/system.json
is 'pages: their size is in the system information' '0 64.0 KiB' \
	"$("$mm" report slab --all --wide page | grep -c '^  The size of pages is not known') $(
	"$mm" report slab --all --wide page | sed -n 's/^  pages .* \([0-9.]* KiB\) *- .*/\1/p')"

# The recorder's own allocations may come from caches, too.
mkdir none/sysinfo
echo '{ "processes": [ { "pid": 6, "start_ns": 0 } ] }' >none/sysinfo/recorder.json
echo '[ { "tid": 6, "pid": 6, "comm": "lttng-sessiond" } ]' >none/sysinfo/processes.json
flat none >none.flat
is 'recorder: bytes of caches of unknown size are not 0' '2 null 1 null' \
	"$(for m in allocations bytes_allocated live live_bytes; do
		metric slab.recorder.$m '' none.flat
	done | tr '\n' ' ' | sed 's/ $//')"
rm -r none/sysinfo
flat none >none.flat
is 'recorder: without the list its metrics exist, without values' 'null null null null null' \
	"$(for m in allocations bytes_allocated live live_bytes page_allocations; do
		metric slab.recorder.$m '' none.flat
	done | tr '\n' ' ' | sed 's/ $//')"
tap_end
