#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests report slab --compare on snapshots of synthetic events. Also tests which comparisons it
# refuses.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# snapshot NAME START BOOT <EVENTS: makes a snapshot of a kernel with boot id BOOT, which is unknown
# if empty. The state dump is at START.
snapshot() {
	sed "${3:+s/name = \"monotonic\";/&\\n\\tuuid = \"$3\";/}" "$top/tests/metadata/slab.tsdl" >"$1.tsdl"
	cat >"$1.events" <<END
$2 callsite_statedump_range start=0 size=16777216 alive=1 name=kernel
$2 callsite_statedump_range start=0x1000000 size=65536 alive=1 name=ext4
$2 slab_statedump_cache cache=7 object_size=600 size=640 align=8 alive=1 accounted=1 name=dentry
$2 slab_statedump_path path=1 hooked=1 function=kmem_cache_free_bulk
$2 slab_statedump_path path=5 hooked=1 function=kvfree_call_rcu
END
	cat >>"$1.events"
	"$tests/make-trace" "$1.tsdl" "$1.events" "$1" || exit 2
	mkdir "$1/sysinfo"
	cp "$here/slab/symbols.txt" "$1/sysinfo/"
	echo "{\"boot_id\": \"$3\"}" >"$1/sysinfo/system.json"
}
boot=11111111-2222-3333-4444-555555555555
# `old` covers 1 ms from 0 ms on, and has two leak candidates. `new` covers 2 ms from 5 ms on.
# `overlapping` starts while `old` still lasts.
snapshot old 2000 $boot <<'END'
2000 slab_kmalloc tid=10 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6
3000 slab_kmalloc tid=10 call_site=0x120 ptr=0x2000 bytes_req=60 size_class=6
4000 slab_cache_alloc tid=10 call_site=0x130 ptr=0x3000 cache=7 accounted=1
5000 slab_cache_alloc tid=10 call_site=0x1000040 ptr=0x4000 cache=7 accounted=1
1001000 slab_cache_free tid=10 call_site=0x330 ptr=0x4000 cache=7
END
snapshot new 5002000 $boot <<'END'
5002000 slab_kmalloc tid=10 call_site=0x110 ptr=0x11000 bytes_req=60 size_class=6
5003000 slab_kmalloc tid=10 call_site=0x110 ptr=0x12000 bytes_req=60 size_class=6
5004000 slab_kmalloc tid=10 call_site=0x110 ptr=0x13000 bytes_req=60 size_class=6
5005000 slab_kmalloc tid=10 call_site=0x140 ptr=0x14000 bytes_req=90 size_class=14
5006000 slab_cache_alloc tid=10 call_site=0x130 ptr=0x15000 cache=7 accounted=1
7002000 slab_cache_free tid=10 call_site=0x330 ptr=0x15000 cache=7
END
snapshot overlapping 501000 $boot <<'END'
501000 slab_kmalloc tid=10 call_site=0x110 ptr=0x11000 bytes_req=60 size_class=6
2001000 slab_kmalloc tid=10 call_site=0x110 ptr=0x12000 bytes_req=60 size_class=6
END
sed '/statedump/d' old.events >plain.events
snapshot other 2000 11111111-2222-3333-4444-666666666666 <plain.events
snapshot unknown 2000 '' <plain.events

"$mm" report slab --compare --json old new >compare.json
is 'status' 0 $?
is 'both traces are read completely' '{"complete":null,"events":21}' "$(jq -c '.coverage | {complete, events}' compare.json)"
# rows TABLE KEY...: prints the values of these columns, one row per line.
rows() {
	rows_of=$1
	shift
	jq -r ".tables[\"$rows_of\"][] | [$(printf '.%s,' "$@" | sed 's/,$//')] | map(tostring) | join(\" \")" compare.json
}
is 'caches' 'dentry 1 0 -1 640 0 -640
kmalloc-64 2 3 1 128 192 64
kmalloc-96 0 1 1 0 96 96' "$(rows compare-caches cache old_live new_live live_growth old_live_bytes \
	new_live_bytes bytes_growth | sort)"
is 'caches: most growth first' 'kmalloc-96 kmalloc-64 dentry' "$(rows compare-caches cache | xargs)"
is 'call sites' 'alloc_thing+0x10 1 3 2 128
alloc_thing+0x20 1 0 -1 -64
alloc_thing+0x30 1 0 -1 -640
alloc_thing+0x40 0 1 1 96
ext4_init+0x40 [ext4] 0 0 0 0' "$(rows compare-call-sites call_site old_live new_live live_growth bytes_growth | sort)"
is 'leak candidates: call sites that have some in both' 'alloc_thing+0x10 272 kmalloc-64 1 3 2 192 128' \
	"$(rows compare-leaks call_site call_site_number kind old_live new_live live_growth new_live_bytes bytes_growth)"
# metric NAME [SNAPSHOT]
metric() {
	jq ".metrics[] | select(.name == \"slab.compare.$1\" and ${2:+.labels.snapshot == \"$2\" and} true) | .value" compare.json
}
is 'the gap' '4001000 0' "$(metric gap_ns) $(metric overlap_ns)"
is 'the durations' '999000 2000000' "$(metric duration_ns old) $(metric duration_ns new)"
is 'rates: allocations by the duration' '4004 2500' \
	"$(metric allocation_rate old | cut -d . -f 1) $(metric allocation_rate new | cut -d . -f 1)"
is 'live objects and bytes' '3 768 4 288' \
	"$(metric live old) $(metric live_bytes old) $(metric live new) $(metric live_bytes new)"
is 'leak candidates in both' '1 64 3 192' \
	"$(metric leaks old) $(metric leaks_bytes old) $(metric leaks new) $(metric leaks_bytes new)"

# There is no event in the last 1 ms.
{ grep -v '_statedump_' new.events; echo 'end 8002000'; } >quiet.events.in
snapshot quiet 5002000 $boot <quiet.events.in
"$mm" report slab --compare --json old quiet >compare.json
is 'leak candidates: the age of the oldest one at the end of the newer snapshot' 3000000 "$(rows compare-leaks oldest_ns)"

"$mm" report slab --compare old new >text
is 'text: the gap' 1 "$(grep -c '^The snapshots cover 0\.001 s and 0\.002 s; between them is a gap of 0\.004 s' text)"
is 'text: live objects' 1 "$(grep -c '^Live slab objects that were allocated in each snapshot: 768 B (3 objects) in OLD, 288 B (4) in NEW\.$' text)"
is 'text: the largest growth' 1 "$(grep -c '^Largest increase from OLD to NEW of a call site: alloc_thing+0x10, 128 B (2 objects) in kmalloc-64\.$' text)"
is 'text: leak candidates in both' 1 "$(grep -c '^Call sites with leak candidates in both: 1 object (64 B) in OLD, 3 (192 B) in NEW\.$' text)"
is 'text: the table has the call sites that grew' 'alloc_thing+0x10 alloc_thing+0x40' \
	"$(sed -n '/^Growth by call site/,/more;/s/^  \(alloc_thing[^ ]*\).*/\1/p' text | xargs)"
is 'text: counts of figures are for --all' '0 1' "$(grep -c '^Of [0-9]* figures' text) $("$mm" report slab --compare --all old new |
	grep -c '^Of [0-9]* figures')"
is 'text: less is negative' 1 "$("$mm" report slab --compare --table compare-caches old new | grep -c '^  dentry .* -640 B')"
"$mm" report slab --compare old overlapping >text
is 'text: an overlap' 1 "$(grep -c '^The snapshots cover .* and overlap by 0\.001 s: both ' text)"
"$mm" report slab --compare --json old overlapping >compare.json
is 'the overlap' '0 500000' "$(metric gap_ns) $(metric overlap_ns)"

# Both snapshots reach back to the start of the session. By the clock of the newer snapshot, this
# start is 706 ns earlier.
sed 's/^[0-9]* //; s/^/1294 /; $s/^1294/3001000/' old.events | grep -v _statedump_ >same-start.in
snapshot same-start 1294 $boot <same-start.in
"$mm" report slab --compare --json old same-start >compare.json
is 'both start with the session: status' 0 $?
is '... the overlap is what the older one covers' '0 999000 999000' \
	"$(metric gap_ns) $(metric overlap_ns) $(metric duration_ns old)"
is '... the range of both' '2999706' "$(jq .coverage.duration_ns compare.json)"
"$mm" report slab --compare old same-start >text
is 'text: the newer one does not start noticeably earlier' '1 0' \
	"$(grep -c '^The snapshots cover .* and overlap by 0\.001 s' text) $(grep -c 'starts .* before' text)"
is 'text: both start together: the difference is growth' '1 1' "$("$mm" report slab --compare --all old same-start | grep -c '^ *Both snapshots start together') $(
	grep -c '^Live slab objects [a-z ]*' text)"
fails 'both start with the session, the wrong order' 2 \
	'--compare: old does not end later than same-start; give the older snapshot first' \
	report slab --compare same-start old
# The newer snapshot reaches back further, so it has objects from before the older snapshot's start.
{ grep -v _statedump_ old.events; echo '9002000 slab_kmalloc tid=10 call_site=0x110 ptr=0x5000 bytes_req=60 size_class=6'; } >longer.in
snapshot longer 2000 $boot <longer.in
"$mm" report slab --compare --json new longer >compare.json
is 'the newer one starts earlier: the overlap' '0 2000000' "$(metric gap_ns) $(metric overlap_ns)"
"$mm" report slab --compare new longer >text
is 'text: the newer one starts earlier' 1 \
	"$(grep -c '^The newer snapshot starts 0\.005 s before the older one: memory that was allocated in that time' text)"
"$mm" report slab --compare --json --cache=dentry old new >compare.json
is 'filters apply' dentry "$(rows compare-caches cache)"
"$mm" report slab --compare --json --sort=-bytes_growth old new >compare.json
is 'the order applies' 'dentry kmalloc-64 kmalloc-96' "$(rows compare-caches cache | xargs)"

# A call-site number has another name, so its rows belong to different call sites.
cp -R new renamed
sed 's/alloc_thing/renamed_thing/' "$here/slab/symbols.txt" >renamed/sysinfo/symbols.txt
"$mm" report slab --compare --all old renamed >text
is 'another name: the report states it' 1 "$(grep -c '2 call-site numbers have different names in the snapshots' text)"
"$mm" report slab --compare --json old renamed >compare.json
is 'another name: separate rows' '1 0
0 3' "$(rows compare-call-sites call_site_number old_live new_live | sed -n 's/^272 //p' | sort -r)"
# Without symbols, call sites have other names in the report, but they must count as the same call
# sites.
cp -R new nameless
rm nameless/sysinfo/symbols.txt
"$mm" report slab --compare --json old nameless >compare.json
is 'no symbols: the same call site' '1 3' "$(rows compare-call-sites call_site_number old_live new_live | sed -n 's/^272 //p')"

# A missing stream may contain the frees of all allocated objects.
cp -R new incomplete
"$tests/test-sysinfo-traces" incomplete | jq --arg boot $boot '.boot_id = $boot | .traces[0].streams += [
	{ "file": "channel_9", "class": 0, "id": 9, "cpu": 9, "packets": 3, "packets_lost": 0, "bytes": 4096 } ]' \
	>incomplete/sysinfo/traces.json
"$mm" report slab --compare --json old incomplete >compare.json
is 'a stream is missing: live objects, their bytes and leaks of this snapshot are null' 'true null null null' "$(jq -r '[
	(.metrics[] | select(.name == "slab.compare.live" and .labels.snapshot == "old").value != null),
	(.metrics[] | select(.name == "slab.compare.live" and .labels.snapshot == "new").value),
	(.metrics[] | select(.name == "slab.compare.live_bytes" and .labels.snapshot == "new").value),
	(.metrics[] | select(.name == "slab.compare.leaks" and .labels.snapshot == "new").value)] |
	map(tostring) | join(" ")' compare.json)"
is '... the report says so' '1 0' "$("$mm" report slab --compare old incomplete >text
	grep -c '^It is not known what is live at the end of the newer snapshot: frees may be missing from it' text) $(grep -c '^Live at the end' text)"
# Makes copies that lack a stream which the system information lists. Later, makes copies with a
# damaged file.
for which in old new; do
	cp -R $which $which.lossy
	"$tests/test-sysinfo-traces" $which.lossy | jq --arg boot $boot '.boot_id = $boot | .traces[0].streams += [
		{ "file": "channel_9", "class": 0, "id": 9, "cpu": 9, "packets": 3, "packets_lost": 0, "bytes": 4096 } ]' \
		>$which.lossy/sysinfo/traces.json
	cp -R $which $which.damaged
	head -c 100 /dev/zero >$which.damaged/channel_9
done
# named OLD NEW: prints the status, and the trace that the only line on standard error names.
named() {
	"$mm" report slab --compare --require-complete "$@" >/dev/null 2>err
	echo "$? $(sed 's/^lttng-mm: trace: \([^:]*\): .*/\1/' err)"
}
is 'only the newer snapshot has losses: it is named' '3 new.lossy' "$(named old new.lossy)"
is 'only the older snapshot has losses: it is named' '3 old.lossy' "$(named old.lossy new)"
is 'both have losses: the older one is named' '3 old.lossy' "$(named old.lossy new.lossy)"
is 'only the newer snapshot is damaged: it is named' '2 new.damaged' "$(named old new.damaged)"
is 'only the older snapshot is damaged: it is named' '2 old.damaged' "$(named old.damaged new)"
is 'the newer snapshot is damaged, the older one has losses' '2 new.damaged' "$(named old.lossy new.damaged)"

fails 'other boots' 2 'report slab: --compare: old and other are of different boots;' \
	report slab --compare old other
fails 'a boot that is not known' 2 '--compare: unknown: the trace does not state its boot' \
	report slab --compare old unknown
fails 'the wrong order' 2 '--compare: old does not end later than new; give the older snapshot first' \
	report slab --compare new old
fails 'the same snapshot twice' 2 '--compare: old and old are the same trace' report slab --compare old old
fails 'one trace alone' 2 '--compare requires two snapshots' report slab --compare old
fails 'two traces without --compare' 2 'only one trace can be given without --compare' report slab old new
fails 'lists that it does not have' 2 'omit --by and --leaks' report slab --compare --by=cache old new
fails 'a key of the other report' 2 "'wasted' is not the key" report slab --compare --sort=wasted old new
tap_end
