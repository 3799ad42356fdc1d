#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests report slab on synthetic traces (slab/NAME.trace, with the expected output in NAME.expected
# and NAME.json). UPDATE=1 replaces these files by the actual output. Read that output before you
# commit it.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# Add checksums. Without them, the impossible values of some events would count as damage.
slab_checksums=1
export TZ=UTC0

# sysinfo NAME FOLDER: adds the system information of the trace NAME.
sysinfo() {
	mkdir -p "$2/sysinfo"
	cp "$here/slab/symbols.txt" "$here/slab/slab-aliases.json" "$2/sysinfo/"
	[ ! -d "$here/slab/$1.sysinfo" ] || cp "$here/slab/$1.sysinfo"/* "$2/sysinfo/"
}
for script in "$here"/slab/*.trace; do
	name=$(basename "$script" .trace)
	make_slab "$script" "$name"
	sysinfo "$name" "$name"
	expected=$here/slab/$name.expected
	{ "$mm" report slab --all --wide "$name"; "$mm" report slab --all --wide --leaks "$name"; } >"$name.actual" 2>&1
	[ -z "${UPDATE:-}" ] || cp "$name.actual" "$expected"
	same "$name: as expected" "$expected" "$name.actual"
	# Compare the complete JSON form, one object per line.
	"$mm" report slab --json "$name" | flat_json >"$name.json"
	[ -z "${UPDATE:-}" ] || cp "$name.json" "$here/slab/$name.json"
	same "$name: JSON as expected" "$here/slab/$name.json" "$name.json"
	is "$name: each object of a row has one outcome" 0 "$("$mm" report slab --json "$name" |
		jq '[.tables[] | arrays[] | objects | select(has("anomalies")) |
			select(.allocations != .paired + .live + .freed_untraced + .anomalies + .undetermined)] | length')"
	# The same events, in the layout of another kind of machine, must give the same report.
	make_slab --big-endian "$script" "$name-be"
	sysinfo "$name" "$name-be"
	{ "$mm" report slab --all --wide "$name-be"; "$mm" report slab --all --wide --leaks "$name-be"; } >"$name-be.actual" 2>&1
	same "$name: the same of a big-endian trace" "$name.actual" "$name-be.actual"
	# The report must not depend on the order of fields or on the numbers of events and flags.
	make_slab --other-kernel "$script" "$name-other"
	sysinfo "$name" "$name-other"
	{ "$mm" report slab --all --wide "$name-other"; "$mm" report slab --all --wide --leaks "$name-other"; } >"$name-other.actual" 2>&1
	same "$name: the same of another kernel" "$name.actual" "$name-other.actual"
done

# If a kernel hid its addresses from the snapshot, the report must state that, with the remedy.
cp -R outcomes no-addresses
: >no-addresses/sysinfo/symbols.txt
echo '{"symbols": "hidden"}' >no-addresses/sysinfo/system.json
says='Call sites have no names: .*kernel.kptr_restrict=1'
is 'hidden symbols: the report states it' 1 "$("$mm" report slab --all --wide no-addresses | grep -c "$says")"
rm no-addresses/sysinfo/system.json
is 'hidden symbols: ... of an older snapshot, whose list is empty' 1 "$("$mm" report slab --all --wide no-addresses | grep -c "$says")"
echo '{"symbols": "shown"}' >no-addresses/sysinfo/system.json
is 'shown symbols: it does not' 0 "$("$mm" report slab --all --wide no-addresses | grep -c "$says")"

# Tests the layouts of 32-bit machines of both byte orders. Addresses that do not fit in their
# pointers are replaced.
for name in outcomes losses nodes; do
	sed 's/ptr=0x10000000000/ptr=0xa0000000/; s/ptr=0x100000000/ptr=0xf8000000/; s/pfn_end=0x100000/pfn_end=0xf0000/' \
		"$here/slab/$name.trace" >near.trace
	for kind in '' --32-bit '--32-bit --big-endian'; do
		rm -rf near
		# shellcheck disable=SC2086
		make_slab $kind near.trace near
		mkdir near/sysinfo
		cp "$here/slab/symbols.txt" near/sysinfo/
		{ "$mm" report slab --json near; "$mm" report slab --all --wide --leaks near; } >"near$kind.actual" 2>&1
		[ -z "$kind" ] || is "$name: the same of a trace with $kind" '' \
			"$(diff near.actual "near$kind.actual")"
	done
done

# Uses larger pages. This changes the bytes of pages, and the node of an object.
sed 's/page_statedump_node.*/& page_size=65536/' "$here/slab/outcomes.trace" >wide.trace
make_slab wide.trace wide
is 'pages of 64 KiB: bytes by order' ' 0 1 109890 1 64.0 KiB 64.0 KiB 7.69 0 B 0.00 0 0 B 64.0 KiB
 2 1 109890 1 256.0 KiB 256.0 KiB 30.77 0 B 0.00 0 0 B 256.0 KiB
 3 1 109890 0 512.0 KiB 512.0 KiB 61.54 0 B 0.00 1 512.0 KiB 512.0 KiB' "$("$mm" report slab --wide --by order wide |
	sed -n '/^Page allocations by order/,/^$/p' | grep '^ *[0-9]' | tr -s ' ' | cut -d ' ' -f 2-18 | sed 's/^/ /')"
is 'pages of 64 KiB: objects of the first 32 GiB are on node 0' 'not known 1 0 25 1 0' \
	"$("$mm" report slab --wide --by node wide | sed -n '/^Memory by/,/^$/s/^  \(not known\|[01]\)  *\([0-9]*\) .*/\1 \2/p' |
		tr '\n' ' ' | sed 's/ $//')"

# A bulk path that could not be hooked, or was unhooked for a while, must count as untraced. If its
# state is unknown, the report must say so.
paths_of() {
	"$mm" report slab --json "$1" | flat_json |
		sed -n 's/.*"path":"\(PAGE_ALLOC_BULK\|ALLOC_CONTIG\|COMPACTION\)".*"state":"\([a-z]*\)".*/\1=\2/p' |
		sort | tr '\n' ' '
}
while read -r state change; do
	sed "$change" "$here/slab/pages.trace" >unhooked.trace
	rm -rf unhooked
	make_slab unhooked.trace unhooked
	is "paths: $change" "ALLOC_CONTIG=nottraced COMPACTION=nottraced PAGE_ALLOC_BULK=$state " \
		"$(paths_of unhooked)"
done <<'END'
traced s/unchanged//
nottraced s/hooked=1 missed=2/hooked=0/
nottraced s/^1000.*path=9.*/&\n1000 slab_statedump_path path=9 hooked=0/
traced /path=9/d
traced /statedump_path/d
notknown /statedump_path/d; /page_alloc_bulk/d
END
sed '/ page_/d; /path=9/d; /path=1[01]/d' "$here/slab/pages.trace" >unhooked.trace
rm -rf unhooked
make_slab unhooked.trace unhooked
is 'paths: of a trace without pages' '' "$(paths_of unhooked)"

# Uses more events, at repeated addresses, than the report looks ahead, so that the fast path is
# used.
awk 'BEGIN {
	print "1000 process_statedump_thread tid=5 pid=5 name=five"
	print "1000 process_statedump_thread tid=6 pid=6 name=six"
	print "1000 page_statedump_node node=0 pfn_start=0x0 pfn_end=0x8000 page_size=4096"
	print "1001 page_statedump_node node=1 pfn_start=0x8000 pfn_end=0x10000 page_size=4096"
	print "1002 page_statedump_cpu cpu=0 node=0"
	print "1003 page_statedump_cpu cpu=1 node=1"
	for (round = 0; round < 100; round++)
		for (what = 0; what < 2; what++)
			for (i = 0; i < 40; i++)
				if (!what || round < 99 || i % 8)
					printf "%d %s tid=%d call_site=%d ptr=%d%s\n",
						2000 + round * 1000 + what * 500 + i,
						what ? "slab_kfree" : "slab_kmalloc", 5 + what,
						256 + what, 64 * i + (i % 2) * 134217728,
						what ? "" : " bytes_req=50 size_class=6"
}' >usual.trace
make_slab usual.trace usual
"$mm" report slab --all --wide usual >usual.actual
[ -z "${UPDATE:-}" ] || cp usual.actual "$here/slab/usual.txt"
same 'fast path: 4000 objects, 40 at a time at addresses of two nodes' "$here/slab/usual.txt" usual.actual
is 'fast path: the same with two jobs' '' "$("$mm" report slab --all --wide --jobs 2 usual | diff usual.actual -)"

# The memory of node 0 is on both sides of node 1, and is listed twice, as in two dumps. Memory
# after node 1 must belong to node 0.
awk '/page_statedump_node node=1/ {
		print
		print "1001 page_statedump_node node=0 pfn_start=0x0 pfn_end=0x8000 page_size=4096"
		print "1001 page_statedump_node node=0 pfn_start=0x10000 pfn_end=0x18000 page_size=4096"
		next
	}
	{ print }' usual.trace >between.trace
# moved FROM: moves addresses at and above FROM by a section.
moved() {
	awk -v from="$1" 'match($0, /ptr=[0-9]+/) {
			ptr = substr($0, RSTART + 4, RLENGTH - 4) + 0
			if (ptr >= from)
				sub(/ptr=[0-9]+/, "ptr=" ptr + 134217728)
		}
		{ print }'
}
moved 134217728 <between.trace >around.trace
# cross_node TRACE: prints the allocations by node, and the number of cross-node allocations.
cross_node() {
	"$mm" report slab --json "$1" | jq -r '[(.tables.nodes[] | .node, .allocations), "cross-node", (.metrics[] |
		select(.name == "slab.node_of_memory" and .labels.event == "allocation" and
			.labels.of == "object" and .labels.node == "other").value)] | join(" ")'
}
make_slab around.trace around
is 'a node around another: memory belongs to the right node' '0 4000 cross-node 0' "$(cross_node around)"
sed '/node=1/d' around.trace >alone.trace
make_slab alone.trace alone
is 'two ranges are one node: others are not mentioned' Outcomes \
	"$("$mm" report slab --all --wide alone | grep -io 'cross-node\|^Outcomes' | tr '\n' ' ' | sed 's/ $//')"

# The memory range of a node grows while the trace is recorded, at either end, after nodes and CPUs
# are known. Objects are in the new part.
first='pfn_start=0x10000 pfn_end=0x18000' second='pfn_start=0x18000 pfn_end=0x20000'
for grows in down up; do
	case $grows in
	down) sed "s|.*$first|1001 page_statedump_node node=0 $second|
		s|^1003 .*|&\n1004 page_statedump_node node=0 $first page_size=4096|" around.trace ;;
	up) sed "s|^1003 .*|&\n1004 page_statedump_node node=0 $second page_size=4096|" around.trace |
		moved 268435456 ;;
	esac >grows.trace
	make_slab grows.trace grows
	is "memory that grows: $grows" '0 4000 cross-node 0' "$(cross_node grows)"
done

# There are more ranges than any machine has, then a node, and an invalid range.
awk '/page_statedump_node node=1/ {
		for (i = 0; i < 3000; i++)
			printf "1001 page_statedump_node node=0 pfn_start=%d pfn_end=%d page_size=4096\n",
				1048576 + 65536 * i, 1048576 + 65536 * i + 32768
		print "1001 page_statedump_node node=2 pfn_start=0x8100 pfn_end=0x8000 page_size=4096"
		print "1001 page_statedump_node node=3 pfn_start=0x8100 pfn_end=0x8100 page_size=4096"
	}
	{ print }' usual.trace >ranges.trace
make_slab ranges.trace ranges
is 'a node after more ranges than are kept has its memory' '0 2000 1 2000 cross-node 2000' "$(cross_node ranges)"

# pairing TRACE [OPTION...]: prints the outcomes in one line.
pairing() {
	pairing_trace=$1
	shift
	"$mm" report slab --all --wide "$@" "$pairing_trace" | outcomes
}
is 'outcomes: each object has exactly one' \
	'Outcomes: paired 18, live 6, before trace 2, freed untraced 2, anomalies 3, undetermined 1' "$(pairing outcomes)"
is 'losses: only what a loss explains is undetermined' \
	'Outcomes: paired 4, live 1, before trace 1, freed untraced 0, anomalies 1, undetermined 8' "$(pairing losses)"
is 'losses: nothing that a loss explains is a leak candidate' '1' \
	"$("$mm" report slab --all --wide --leaks losses | grep -c '^  alloc_thing\|^  other_thing')"

# A packet is removed. Objects that were live at that time must become undetermined, and a second
# free after that time must not count as a double free.
{ cat "$here/slab/outcomes.trace"; cat <<'EVENTS'; } >cut.trace
packet
20000 slab_kfree tid=1 call_site=1 ptr=0xff000
20010 slab_kmalloc tid=1 call_site=1 ptr=0xff100 bytes_req=8 size_class=3
packet
30000 slab_kmalloc tid=1 call_site=1 ptr=0xff000 bytes_req=8 size_class=3
30010 slab_kfree tid=1 call_site=1 ptr=0xff100
30020 slab_kmalloc tid=1 call_site=1 ptr=0xff200 bytes_req=8 size_class=3
packet
40000 slab_kfree tid=1 call_site=1 ptr=0xff000
40010 slab_kmalloc tid=1 call_site=1 ptr=0xff100 bytes_req=8 size_class=3
40020 slab_kfree tid=1 call_site=1 ptr=0xff200
cpu 0
packet
40000 slab_kfree tid=1 call_site=1 ptr=0xff300
EVENTS
make_slab cut.trace whole
echo 'cpu 1
cut 2' >>cut.trace
make_slab cut.trace cut
"$mm" report slab --all --wide cut >cut.actual
is 'complete: no packet is lost, and all objects are paired' 'Outcomes: paired 21, live 7, before trace 4, freed untraced 2, anomalies 3, undetermined 1' \
	"$(pairing whole)"
is 'missing packet: it is reported' 1 "$(grep -c '1 packet lost' cut.actual)"
is 'missing packet: objects that it may concern are undetermined' \
	'Outcomes: paired 18, live 0, before trace 3, freed untraced 2, anomalies 3, undetermined 12' "$(pairing cut)"
"$mm" report slab --all --wide --leaks cut >cut.leaks
is 'missing packet: no leak candidates' 0 "$(grep -c 'Leak candidates, by' cut.leaks)"

# The state dump is in a separate trace, as from the recorder. It is written after all events,
# started later, and has its own losses. The report must be the same.
sed -n 's/^[0-9]* \([a-z_]*_statedump_\)/90000000 \1/p' "$here/slab/outcomes.trace" >dumps
{ head -n 5 dumps; echo 'packet seq=9 discarded=3'; tail -n +6 dumps | sed '$s/^/cpu 1\n/'; } >state.trace
mkdir apart apart/sysinfo
cp "$here/slab/symbols.txt" "$here/slab/slab-aliases.json" apart/sysinfo/
make_slab --no-state "$here/slab/outcomes.trace" apart/kernel && make_slab --state state.trace apart/state || exit 2
is 'separate state trace: it has losses' 1 "$("$mm" info --all apart/state | grep -c '8 packets lost')"
# whole_report TRACE: prints the report without the parts that differ: the reason why streams are
# not verifiable, and the note that a folder with state/ should have a certificate.
whole_report() {
	{ "$mm" report slab --all --wide "$1"; "$mm" report slab --all --wide --leaks "$1"; } 2>&1 |
		sed "s/^\(Streams: not verifiable\): .*/\1/; /^  $1: snapshot.json is missing: the time range/d"
}
sed 's/^\(Streams: not verifiable\): .*/\1/' outcomes.actual >outcomes.unverified
sed 's/^Complete[^:]*: .* damaged/Events complete, state dumps incomplete: no events discarded, no packets lost, truncated or damaged; state dumps were lost/' \
	outcomes.unverified >outcomes.lost
is 'separate state trace: both reports state its losses' 2 "$(grep -c 'state dumps were lost; trace' outcomes.lost)"
is 'separate state trace: no certificate' 1 "$("$mm" report slab --all apart | grep -c '^  apart: snapshot.json is missing')"
whole_report apart >apart.actual
same 'separate state trace: the same report, except for that' outcomes.lost apart.actual
"$mm" report slab --all --wide --require-complete apart >out 2>err
is 'separate state trace: its losses are not losses of events' '3 1' "$? $(grep -c 'streams may be missing: no system information' err)"
is 'separate state trace: nor are they for info, whose coverage has the same counts' "$(
	"$mm" report slab --json apart | jq -c '.coverage | [.events_discarded, .packets_lost, .packets_without_count, .complete]')" "$(
	"$mm" info --json apart | jq -c '.coverage | [.events_discarded, .packets_lost, .packets_without_count, .complete]')"
# window TRACE [OPTION...]: prints the named caches in the middle of the trace.
window() {
	window_trace=$1
	shift
	"$mm" report slab --wide "$@" --by cache --begin 1700000000.0000036 --end 1700000000.0000044 "$window_trace" |
		grep -o 'dentry\|cache 7'
}
is 'state in the trace: a time range that begins later has no names' 'cache 7' "$(window outcomes)"
is 'separate state trace: names apply to a time range, too' dentry "$(window apart)"
is 'separate state trace: names apply with babeltrace2, too' dentry "$(window apart --reader babeltrace2)"
is 'separate state trace: babeltrace2 gives the same outcomes' "$(pairing apart)" \
	"$(pairing apart --reader babeltrace2)"
# With a tracker, events of other processes are missing. This is no anomaly.
echo '{ "selection": "part" }' >apart/sysinfo/system.json
is 'part: no anomalies, and live objects may have been freed' \
	'Outcomes: paired 18, live 6, before trace 2, freed untraced 3, anomalies 0, undetermined 3' "$(pairing apart)"
"$mm" report slab --all --wide --leaks apart >apart.leaks
is 'tracker: no leak candidates' '1 0' "$(grep -c '^Leak candidates: none is certain: an excluded process may have freed [0-9]* object' apart.leaks) $(
	grep -c 'Leak candidates, by' apart.leaks)"
is 'tracker: the objects are listed separately' 2 "$(grep -c "recorder's tracker or filter" apart.leaks)"
"$mm" report slab --all apart >out
is 'tracker: the lines about coverage and growth mention excluded events and processes' '1 1' "$(
	grep -c '^[A-Z].* for a part of the events, because a tracker or a filter excluded others: ' out) $(
	grep -c '^Growth: .*, unless freed by a process that a tracker or a filter excluded' out)"
is 'tracker: JSON' true "$("$mm" report slab --json apart |
	jq '.coverage | .complete != true and (.limited_to | startswith("a part of the events"))')"
is 'tracker: growth, live objects and older objects are upper bounds, and the peak is not exact' '1 1 1 1' "$("$mm" report slab --all --wide apart >apart.text
	grep -c '^Growth: page memory (with page cache and memory of processes) grew by at most .*, slab memory grew by at most .*, unless freed by a process that a tracker or a filter excluded' apart.text) $(
	grep -c '^  live at the end, at most  *[0-9]' apart.text) $(
	grep -c '^  allocated before the trace, at most  *[0-9]' apart.text) $(
	"$mm" report slab --json apart | jq '[.metrics[] | select(.name == "slab.peak_is_exact" and .value == false)] | length')"
is 'tracker: the report states it' 1 "$("$mm" report slab --all --wide apart | grep -c '^Recorded through a tracker or a filter')"
echo '{ "selection": "all" }' >apart/sysinfo/system.json
whole_report apart >apart.actual
same 'no tracker: the same report as without the entry' outcomes.lost apart.actual
is 'state alone: a report of nothing' 1 "$("$mm" report slab --all --wide apart/state | outcomes | grep -c '^Outcomes: paired 0, live 0')"

# Long texts must be complete: names of kworkers, as /proc shows them, and lists of many flags.
cat >long.trace <<'EVENTS'
2000 slab_kmalloc tid=7 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6
2100 slab_kfree tid=8 call_site=0x120 ptr=0x1000
2200 page_alloc tid=7 pfn=8 order=0 gfp_flags=IO|FS|DIRECT_RECLAIM|KSWAPD_RECLAIM
EVENTS
# The metadata is changed below, so the checksums would be wrong.
(
	slab_checksums=
	make_slab long.trace long
) || exit 2
mkdir long/sysinfo
worker=kworker/u8:1-a_workqueue_with_a_very_long_name_that_is_all_here
echo "[{\"tid\":7,\"pid\":7,\"comm\":\"$worker\"},{\"tid\":8,\"pid\":8,\"comm\":\"${worker}2\"}]" >long/sysinfo/processes.json
flags=$(printf 'A%0150d' 0)
sed -i "s/\"DIRECT_RECLAIM\"/\"$flags\"/" long/metadata
"$mm" report slab --json long >long.json
is 'long names: of two kworkers, in all tables' '3 2' \
	"$(grep -c "\"$worker\"" long.json) $(grep -c "\"${worker}2\"" long.json)"
is 'long names: of flags' 1 "$(grep -c "\"gfp_flags\": \"IO|FS|$flags|KSWAPD_RECLAIM\"" long.json)"

# The idle thread and ksoftirqd work for interrupts.
cat >irq.trace <<'EVENTS'
1000 process_statedump_thread tid=15 pid=15 name=ksoftirqd/1
1000 process_statedump_thread tid=20 pid=20 name=reader
2000 slab_kmalloc tid=0 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6
2100 slab_kfree tid=15 call_site=0x120 ptr=0x1000
2200 slab_kmalloc tid=20 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6
2300 slab_kfree tid=0 call_site=0x120 ptr=0x1000
EVENTS
make_slab irq.trace irq
is 'interrupt context: rows of processes and of cross-process frees state it' \
	'swapper (interrupt context)|0|1
reader|20|1
ksoftirqd/1 (interrupt context)|15|0
swapper (interrupt context)|0|ksoftirqd/1 (interrupt context)
reader|20|swapper (interrupt context)' \
	"$("$mm" report slab --wide --by process irq | sed 's/   */|/g' | awk -F '|' -v OFS='|' '
		/^Processes/ || /^Cross-process/ { title = NR }
		/^$/ { title = 0 }
		title && NR > title + 1 && NF > 2 { print $2, $3, $4 }')"
is 'interrupt context: JSON has names as they are, and the context' '"swapper" "interrupt" "reader" null "ksoftirqd/1" "interrupt"' \
	"$("$mm" report slab --json irq | sed -n '/"processes"/,/\]/s/ *"\(process\|context\)": \(.*\),/\2/p' | tr '\n' ' ' | sed 's/ $//')"

# Tests the order of a report: findings, tables, diagnostics. The list of leaks is separate.
"$mm" report slab --all --wide outcomes >order.actual
is 'order: findings, tables, diagnostics' '5 anomalies
Failures:
Most allocated (freed memory included):
Most allocated slab memory:
Growth:
Largest growth:
Largest growth of slab objects:
Internal fragmentation of slab objects, freed ones included:
Remote frees:
Totals
Call sites,
Untraced allocation and free paths
Outcomes' "$(grep -o '^\([0-9]* anomalies\|Failures:\|Most allocated (freed memory included):\|Most allocated slab memory:\|Growth:\|Largest growth[a-z ]*:\|Internal fragmentation of slab[^:]*:\|Remote frees:\|Totals$\|Call sites,\|Untraced allocation.*\|Outcomes$\)' order.actual)"
is 'findings: none in the list of leaks' 0 "$("$mm" report slab --all --leaks outcomes | grep -c '^Largest consumer')"
is 'findings: nothing to report of failures, remote frees and pages' 0 \
	"$("$mm" report slab --all irq | grep -c '^Failures\|^Remote frees\|pages of order')"
is 'findings: the numbers of the largest consumer' \
	'Most allocated (freed memory included): pages of order 3, 32.0 KiB of 52.0 KiB (62 %), all by writer (pid 10); at most 32.0 KiB were live at one time.
Most allocated slab memory: kmalloc-large, 32.0 KiB of 35.6 KiB (90 %), all at alloc_thing+0x20 by reader (pid 20).' \
	"$(grep '^Most ' order.actual)"
# The answer must have at most eight sentences: anomalies and failures, or that there is neither;
# the largest consumers; growth; and internal fragmentation. It must not repeat other findings. For
# example, in nodes.trace 4 of 7 pairs (57 %) are remote, and 6 of 14 objects with a node (43 %) are
# cross-node.
is 'answer: eight sentences at most, of all traces' '' "$(for script in "$here"/slab/*.trace; do
	name=$(basename "$script" .trace)
	"$mm" report slab --json "$name" | jq -r --arg name "$name" 'select(.answer | length > 8) | $name'
	"$mm" report slab --json --leaks "$name" | jq -r --arg name "$name" 'select(.answer | length > 4) | $name'
done)"
# starts TRACE KEY: prints the subjects of the trace's answer or of its other findings.
starts() {
	"$mm" report slab --json "$1" | jq -r "[.$2[] | sub(\":.*\"; \"\") | sub(\"^[0-9]+ \"; \"\")] | join(\", \")"
}
is 'answer: that nothing is wrong comes first, then the largest consumer' \
	'No anomaly, Most allocated (freed memory included), Most allocated slab memory, Growth, Largest growth, Largest growth of slab objects, Internal fragmentation of slab objects, freed ones included' "$(starts nodes answer | sed 's/ (double.*checked\.//')"
is 'findings: the largest share first' 'Peak of live objects, Remote frees, Cross-node' "$(starts nodes findings)"
is 'answer: anomalies come first' \
	'anomalies (double free, wrong cache, ...), Failures, Most allocated (freed memory included), Most allocated slab memory, Growth, Largest growth, Largest growth of slab objects, Internal fragmentation of slab objects, freed ones included' \
	"$(starts outcomes answer)"
is 'findings: what the answer does not have' 'Peak of live objects' "$(starts outcomes findings | sed 's/, Remote.*//')"
is 'answer: the growth of objects and of pages' \
	'Growth: page memory (with page cache and memory of processes) grew by 28.0 KiB, slab memory grew by at most 928 B; only a bound, because 1 free released an unknown amount of memory from before the trace.
Largest growth: pages of order 3, 32.0 KiB, all by writer (pid 10).
Largest growth of slab objects: dentry, at most 640 B, all at other_thing+0x20 by writer (pid 10).' \
	"$(grep 'rowth' order.actual | grep -i '^[a-z ]*growth.*:')"
is 'the head states allocations of the recorder; a finding states how many bytes are live' '1 1' "$("$mm" report slab --all recorder | sed '/^$/,$d' |
	grep -c "^The recorder's own 1\.8 KiB in objects and 32\.0 KiB in pages are left out\.$") $("$mm" report slab --json recorder |
	jq -r '.findings[]' | grep -c "^Of the recorder's own allocations, 1\.0 KiB in objects and 32\.0 KiB in pages are live at the end\.$")"

is 'untraced paths: the text has those that may be missing from the trace' 'ALLOC_CONTIG COMPACTION' \
	"$(sed -n '/^Untraced alloc/,/^$/s/^  \([A-Z_]*\)  .*/\1/p' order.actual | paste -sd ' ')"

# Tests which lists are shown, and their lengths.
is 'by cpu: only that table' 'CPUs' "$("$mm" report slab --wide --by cpu outcomes | grep -o '^CPUs\|^Call sites,\|^Caches')"
is 'by call-site: as many rows as requested' 2 \
	"$("$mm" report slab --wide --by call-site --top 2 outcomes | sed -n '/^Call sites,/,/more;/p' | grep -c 'thing\|ext4')"
is 'since: older objects are not leak candidates' 1 \
	"$("$mm" report slab --all --wide --leaks --since 1700000000.0000058 outcomes | grep -c 'other_thing+0x10 *kmalloc-64 *2 ')"
fails 'top 0' 2 "report slab: --top: '0' is not a number from 1 to 100" report slab --top 0 outcomes
is 'top 1: one row of each list' 1 \
	"$("$mm" report slab --all --wide --top 1 outcomes | sed -n '/^Call sites,/,/more;/p' | grep -c 'thing\|ext4')"
is 'leaks by call-site: as without' "$("$mm" report slab --all --wide --leaks outcomes)" \
	"$("$mm" report slab --all --wide --leaks --by call-site outcomes)"
for bad in '--by colour' '--since 12:00' '--leaks --by cache' '--leaks --by process'; do
	# shellcheck disable=SC2086
	"$mm" report slab --all --wide $bad outcomes >out 2>err
	is "report slab $bad: status" 2 $?
	is "report slab $bad: one line" 1 "$(wc -l <err)"
done
"$mm" report dax --wide --leaks outcomes >out 2>err
is 'report dax --leaks: status' 2 $?

# Tests shares and rates. The trace has two seconds. Three of four objects (192 of 256 bytes) come
# from one call site and one thread. Three of four frees come from one call site. One of two page
# allocations (4 of 12 KiB) has order 0. Two of the four pairs span two CPUs.
cat >rates.trace <<'EVENTS'
1000 page_statedump_node node=0 pfn_start=0x0 pfn_end=0x8000 page_size=4096
cpu 1
begin 1000
2000 slab_kfree tid=6 call_site=0x220 ptr=0x9000
5000 slab_kfree tid=6 call_site=0x210 ptr=0x1000
5001 slab_kfree tid=6 call_site=0x210 ptr=0x2000
end 2000001000
cpu 0
begin 1000
3000 slab_kmalloc tid=5 call_site=0x110 ptr=0x1000 bytes_req=64 size_class=6
3001 slab_kmalloc tid=5 call_site=0x110 ptr=0x2000 bytes_req=64 size_class=6
3002 slab_kmalloc tid=5 call_site=0x110 ptr=0x3000 bytes_req=64 size_class=6
3003 slab_kmalloc tid=6 call_site=0x120 ptr=0x4000 bytes_req=64 size_class=6
3100 page_alloc tid=5 pfn=8 order=0
3101 page_alloc tid=5 pfn=16 order=1
6000 slab_kfree tid=5 call_site=0x210 ptr=0x3000
6001 slab_kfree tid=5 call_site=0x230 ptr=0x4000
end 2000001000
EVENTS
make_slab rates.trace rates
"$mm" report slab --json rates >rates.json
# cells TABLE KEY...: prints the values of these columns, one row per line.
cells() {
	cells_table=$1
	shift
	jq -r --arg table "$cells_table" '.tables[$table][] | [.[$ARGS.positional[]]] | join(" ")' rates.json --args "$@"
}
is 'shares and rates: call sites' '272 75 1.5
288 25 0.5' "$(cells call-sites call_site_number allocated_percent allocations_per_second)"
is 'shares and rates: size classes' '4 100 2' "$(cells size-classes allocations allocated_percent allocations_per_second)"
is 'shares and rates: totals, no share of pages among objects' 'kmalloc 100 2
pages  1' "$(cells totals what allocated_percent allocations_per_second)"
is 'shares and rates: page orders' '0 33.3 0.5
1 66.7 0.5' "$(cells page-orders order allocated_percent allocations_per_second | sed 's/33\.3[0-9]*/33.3/; s/66\.6[0-9]*/66.7/')"
is 'shares and rates: processes' '5 75 1.5
6 25 0.5' "$(cells processes tid allocated_percent allocations_per_second)"
is 'shares and rates: CPUs' '0 100 2
1 0 0' "$(cells cpus cpu allocated_percent allocations_per_second)"
is 'shares and rates: freeing call sites' '528 60 1.5
544 20 0.5
560 20 0.5' "$(cells freeing-call-sites call_site_number percent frees_per_second)"
is 'shares and rates: CPUs of pairs' '0 0 50
0 1 50' "$(cells cpu-matrix allocated_on freed_on percent)"
is 'shares and rates: the text has them, too' 1 "$("$mm" report slab --all rates |
	grep -c '^  0x110  *kmalloc-64  *3  *1\.50  .* 75\.00 ')"

# Merged caches come from the state dump and from the system information. A new cache has the name
# of a destroyed cache.
"$mm" report slab --json outcomes >aliases.json
is 'json: a cache has its name, and the others in a list' \
	'"cache": "dentry", "aliases": [ "a_cache", "b\u001B[31m", "c_cache", "d_cache" ]' \
	"$(sed -n '/"cache": "dentry"/,/]/p' aliases.json | sed -n '1p; /"aliases"/,$p' | tr -s ' \n' ' ' |
		sed 's/^ //; s/ $//')"
is 'text: merged caches are listed' '  dentry (+4: a_cache, b\x1b[31m, c_cache, ...)
  buffer_head (+2: merged_one, other_head)
  gone ' "$("$mm" report slab --wide --by cache outcomes | grep -o '^  \(dentry\|buffer_head\|gone\)\( (.*)\| \)')"
is 'text: the number at a call site is limited' 2 \
	"$("$mm" report slab --wide --by call-site outcomes | grep -c ' dentry (+4 merged)  ')"

is 'hostile: no control character but newline reaches the terminal' 0 \
	"$("$mm" report slab --all --wide hostile 2>&1 | LC_ALL=C tr -d '\n' | LC_ALL=C grep -c '[[:cntrl:]]')"

"$mm" report slab --json --jobs 1 nodes >one.json
for how in '--jobs 3' '--reader babeltrace2'; do
	# shellcheck disable=SC2086
	"$mm" report slab --json $how nodes >others.json
	is "nodes, $how: the same bytes" "$(cksum <one.json)" "$(cksum <others.json)"
done
sed '/page_statedump_node node=1/d; /page_statedump_cpu/d' "$here/slab/nodes.trace" >single.trace
make_slab single.trace single
is 'one node: no memory of another, as a metric; without the nodes of CPUs it is not known' \
	'4 0 4 null' "$(for name in single outcomes; do
		"$mm" report slab --json $name | jq '.metrics[] |
			select(.name == "slab.node_of_memory" and .labels.node == "other").value' | sort | uniq -c | tr -s ' \n' ' '
	done | tr -s ' ' | sed 's/^ //; s/ $//')"
is 'one node: nothing is cross-node' 0 "$("$mm" report slab --json outcomes | grep -ci '"cross-node":')"

# The list of the recorder's processes must change all figures.
for how in '--jobs 3' '--reader babeltrace2'; do
	# shellcheck disable=SC2086
	"$mm" report slab --json $how recorder | flat_json >others.json
	is "recorder, $how: the same bytes" "$(cksum <recorder.json)" "$(cksum <others.json)"
done
is 'recorder: the listed processes' 'work lttng-mm lttng-sessiond thread lttng' \
	"$("$mm" report slab --wide --by process recorder | sed -n '/^Processes/,/^  (frees/s/^  \([a-z-]*\).*  [-0-9]* .*/\1/p' |
		grep -v '^process$' | paste -sd ' ')"
# A thread of the recorder must count like any other thread if its process is unknown. The processes
# of four threads are known from forks and from the names in exits.
cp -R recorder nameless && rm nameless/sysinfo/processes.json
for reader in fast babeltrace2; do
	is "recorder: allocations that may be its own, $reader" \
		"The figures include 20 allocations and 2 page allocations of threads whose process is unknown, possibly the recorder's." \
		"$("$mm" report slab --all --wide --reader=$reader nameless | grep 'process is unknown')"
done
# recorder_report OPTION...: prints the tables.
recorder_report() {
	"$mm" report slab --json "$@" recorder | sed -n '/"tables"/,$p'
}
recorder_report --include-recorder >included.json
mv recorder/sysinfo/recorder.json aside.json
recorder_report >unlisted.json
is 'recorder: without the list nothing is hidden' '' "$(diff included.json unlisted.json | head -n 20)"
is 'recorder: without the list the report says that it is included' 1 "$("$mm" report slab --all --wide recorder | grep -c "^The recorder's own allocations are included in all figures: no system information says which")"
mv aside.json recorder/sysinfo/recorder.json
"$mm" report slab --json recorder >listed.json
is 'recorder: totals, CPUs and nodes are the sums of the processes' '848 848 848 848' \
	"$(jq -r '[.tables | .processes, (.totals | map(select(.what != "pages"))), .cpus, .nodes |
		map(.bytes_allocated) | add] | join(" ")' listed.json)"
is 'recorder: the peak and the last sample of the series are without it' '576 448' \
	"$(jq -r '[(.metrics[] | select(.name == "slab.peak_bytes") | .value),
		([.series[] | select(.name == "slab.live_bytes_allocated") | .values[-1]] | add)] | join(" ")' listed.json)"
is 'recorder: a process that does not exist is not found' "$("$mm" report slab --wide --by process recorder)" \
	"$(sed -i 's/"processes": \[/& { "pid": 7000, "start_ns": 1 },/' recorder/sysinfo/recorder.json
		"$mm" report slab --wide --by process recorder)"

# The number of threads must change only the time.
make_slab_load 200000 load
"$mm" report slab --json --jobs 1 load >one.json
for jobs in 2 3; do
	"$mm" report slab --json --jobs "$jobs" load >more.json
	is "--jobs $jobs: the same bytes" "$(cksum <one.json)" "$(cksum <more.json)"
done
"$mm" report slab --json --reader babeltrace2 load >more.json
is 'by babeltrace2: the same bytes' "$(cksum <one.json)" "$(cksum <more.json)"
"$mm" report slab --json --reader babeltrace2 losses >more.json
"$mm" report slab --json losses >one.json
is 'losses, by babeltrace2: the same bytes' "$(cksum <one.json)" "$(cksum <more.json)"

# Tests a series up to the end of time. Its samples must be in order, at equal intervals.
cat >late.trace <<'EVENTS'
1000 slab_kmalloc tid=1 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6
7523372036854775000 slab_kmalloc tid=1 call_site=0x110 ptr=0x2000 bytes_req=60 size_class=6
7523372036854775800 slab_kfree tid=1 call_site=0x110 ptr=0x2000
EVENTS
make_slab late.trace late
"$mm" report slab --json late | sed -n '/"times_ns"/,/]/s/^ *\([0-9][0-9]*\),*$/\1/p;/"values"/q' >late.times
is 'the end of time: the series is in order, to its end' 'sorted 1' "$(sort -nc late.times && printf 'sorted ')$(
	awk 'NR > 1 { step = $1 - last } { last = $1 } END { print (last + step > 7523372036854770000) }' late.times)"

# A block is split. Its first page is freed and allocated again while its other pages are in use. No
# untraced path is involved.
cat >split.trace <<'EVENTS'
1000 slab_statedump_path path=3 hooked=1 function=kmem_cache_alloc_bulk
1000 slab_statedump_path path=4 hooked=0
2000 page_alloc tid=1 pfn=8 order=2
2100 page_free tid=1 pfn=8 order=0
2200 page_alloc tid=2 pfn=8 order=0
2300 page_free tid=2 pfn=8 order=0
EVENTS
make_slab split.trace split
is 'split: the block was split and partly freed' 'Outcomes: paired 2, live 0, before trace 0, freed untraced 0, anomalies 0, undetermined 0' \
	"$(pairing split)"

# The object may have been freed, and another one allocated, by an untraced path or before a
# stream's start.
cat >twice.trace <<'EVENTS'
1000 slab_statedump_path path=3 hooked=1 function=kmem_cache_alloc_bulk
1000 slab_statedump_path path=4 hooked=0
2000 slab_cache_alloc tid=1 call_site=0x110 ptr=0x1000 cache=7
3000 slab_cache_free tid=1 call_site=0x120 ptr=0x1000 cache=9
4000 slab_kmalloc tid=1 call_site=0x130 ptr=0x2000 bytes_req=60 size_class=6
5000 slab_krealloc_in_place tid=1 call_site=0x140 ptr=0x2000 bytes_req=100
6000 slab_kfree tid=1 call_site=0x150 ptr=0x2000
EVENTS
sed 's/hooked=1/hooked=0/' twice.trace >hidden.trace
{ cat twice.trace; echo 'cpu 1'; echo '5500 slab_kfree tid=1 call_site=0x150 ptr=0x3000'; } >begun.trace
for name in twice hidden begun; do
	make_slab $name.trace $name
	"$mm" report slab --all --wide $name >$name.actual
	echo "$name $(grep -c 'freed through another cache' $name.actual) $(
		grep -c 'more requested than allocated' $name.actual) $(pairing $name)"
done >undetermined.actual
is 'events that are not in the trace may explain a mismatch' \
	'twice 1 1 Outcomes: paired 1, live 0, before trace 0, freed untraced 0, anomalies 1, undetermined 0
hidden 0 0 Outcomes: paired 1, live 0, before trace 0, freed untraced 1, anomalies 0, undetermined 0
begun 0 0 Outcomes: paired 1, live 0, before trace 1, freed untraced 0, anomalies 0, undetermined 1' "$(cat undetermined.actual)"

# A stream starts late. babeltrace2 reports the stream only at that time.
cat >joins.trace <<'EVENTS'
1000 slab_statedump_path path=3 hooked=1 function=kmem_cache_alloc_bulk
1000 slab_statedump_path path=4 hooked=0
2000 slab_kmalloc tid=1 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6
2500 slab_kmalloc tid=1 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6
9000 slab_kfree tid=1 call_site=0x110 ptr=0x1000
cpu 1
3000 slab_kmalloc tid=1 call_site=0x110 ptr=0x2000 bytes_req=60 size_class=6
9000 slab_kfree tid=1 call_site=0x110 ptr=0x2000
EVENTS
make_slab joins.trace joins
"$mm" report slab --json joins >one.json
"$mm" report slab --json --reader babeltrace2 joins >more.json
is 'a stream starts late: objects before are undetermined' 'Outcomes: paired 2, live 0, before trace 0, freed untraced 0, anomalies 0, undetermined 1' \
	"$(pairing joins)"
is 'a stream starts late, by babeltrace2: the same bytes' "$(cksum <one.json)" "$(cksum <more.json)"

# The trace has more call sites than the report can distinguish. Call sites beyond the limit must
# have no kind.
awk 'BEGIN { for (i = 1; i <= 140000; i++) print 1000 + i, "slab_kmalloc tid=1 call_site=" i " ptr=" 64 * i " bytes_req=60 size_class=6" }' >many.trace
make_slab many.trace many
is 'many call sites: the rest are of unknown kind' 'kmalloc 131072, not known 8928' \
	"$("$mm" report slab --all --wide many | sed -n '/^Totals/,/^$/s/^  \(kmalloc\|caches\|pages\|not known\)  *\([0-9]*\) .*/\1 \2/p' | paste -sd , | sed 's/,/, /')"

# Cache numbers have 32 bits. Numbers of more than 16 bits are in wide events. The results must be
# equal.
cat >numbers.trace <<'EVENTS'
1000 slab_statedump_cache cache=7 object_size=90 size=100 align=8 alive=1 name=near
1000 slab_statedump_cache cache=65535 object_size=90 size=100 align=8 alive=1 name=last
1000 slab_statedump_cache cache=65536 object_size=180 size=200 align=8 alive=1 name=far
1000 slab_statedump_cache cache=0xffffffff object_size=360 size=400 align=8 alive=1 name=farthest
1000 slab_statedump_alias cache=65536 name=alias
1000 slab_statedump_path path=3 hooked=1 function=kmem_cache_alloc_bulk
1000 slab_statedump_path path=4 hooked=0
2000 slab_cache_alloc tid=1 call_site=0x110 ptr=0x1000 cache=7
2001 slab_cache_alloc tid=1 call_site=0x110 ptr=0x2000 cache=65535
2002 slab_cache_alloc_wide tid=1 call_site=0x110 ptr=0x3000 cache=65536
2003 slab_cache_alloc_wide tid=1 call_site=0x110 ptr=0x4000 cache=0xffffffff
2004 slab_cache_alloc_wide tid=1 call_site=0x110 ptr=0x5000 cache=70000
2005 slab_alloc_bulk tid=1 call_site=0x110 ptr=0x6000 cache=65536 path=3
2006 slab_cache_alloc_failed tid=1 call_site=0x110 cache=65536
2100 slab_cache_free_wide tid=1 call_site=0x120 ptr=0x3000 cache=65536
2101 slab_cache_free_wide tid=1 call_site=0x120 ptr=0x4000 cache=65536
2102 slab_cache_alloc_wide tid=1 call_site=0x110 ptr=0x7000
EVENTS
make_slab numbers.trace numbers
for reader in fast babeltrace2; do
	"$mm" report slab --json --reader=$reader numbers >numbers.json
	is "numbers of caches, $reader: each is separate" 'cache 70000 70000 null 0
far 65536 400 1
farthest 4294967295 400 0
last 65535 100 0
near 7 100 0
unknown cache null null 0' "$(jq -r '.tables.caches[] | "\(.cache) \(.number) \(.bytes_allocated) \(.aliases // [] | length)"' numbers.json | sort)"
	is "numbers of caches, $reader: freed through another one" 1 \
		"$(jq '[.tables.anomalies[] | select(.through == "far")] | length' numbers.json)"
	is "numbers of caches, $reader: an allocation of it that failed" far "$(jq -r '.tables.failed[0].kind' numbers.json)"
done
is 'numbers of caches, --jobs 3: the same bytes' '' "$("$mm" report slab --json --jobs 3 numbers | diff numbers.json -)"
# A reader has room for a limited number of caches. All other caches count as one cache, and the
# report must state that.
awk 'BEGIN {
	for (i = 0; i < 65540; i++) {
		if (i && i % 10000 == 0)
			print "packet"
		printf "%d slab_cache_alloc_wide tid=1 call_site=0x110 ptr=%d cache=%d\n", 2000 + i, 4096 * (i + 1), 100000 + i
	}
}' >many.trace
make_slab many.trace many
"$mm" report slab --json many >many.json
is 'many numbers of caches: the last are one unknown cache' '65537 4 1' \
	"$(jq -r '"\(.tables.caches | length) \(.tables.caches[] | select(.cache == "unknown cache") | .allocations) \([
		.notes[] | select(contains("more than 65536 slab caches with numbers above 65535"))] | length)"' many.json)"

# A thread's name in a state dump is later than its name in the fork. The system information names
# only the threads that are alive at the end.
cat >named.trace <<'END'
cpu 0
1000 sched_process_fork child_tid=50 child_pid=50 child_comm=parent
1100 slab_kmalloc tid=50 call_site=0x100 ptr=0x1000 bytes_req=64 size_class=6
1200 slab_kmalloc tid=51 call_site=0x100 ptr=0x2000 bytes_req=64 size_class=6
1300 sched_process_exit tid=51 comm=exited
1400 slab_kmalloc tid=52 call_site=0x100 ptr=0x3000 bytes_req=64 size_class=6
2000 process_statedump_thread tid=50 pid=50 name=renamed
END
mkdir -p named/sysinfo
echo '[{"tid":51,"pid":51,"comm":"another"},{"tid":52,"pid":52,"comm":"listed"}]' >named/sysinfo/processes.json
make_slab --no-state named.trace named/kernel && make_slab --state named.trace named/state || exit 2
is 'names of threads: the last one of the thread itself' 'exited listed renamed' \
	"$("$mm" report slab --json named | jq -r '.tables.processes[].process' | sort | paste -sd ' ')"

# Tests output that does not fit in 100 columns. Notes must explain only columns that are shown. A
# percentage must be omitted before a name is shortened.
is 'a note: without the parts on omitted columns' '0 1 1' "$("$mm" report slab --table call-sites outcomes | grep -c '(paired: ') $(
	"$mm" report slab --table call-sites outcomes | grep -c '^  (of page allocations, only bulk') $(
	"$mm" report slab --table call-sites --wide outcomes | grep -c '^  (paired: freed in the trace; of page allocations, only bulk')"
tap_end
