#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests report page-ref on scripts of events, with both readers, with time ranges and with losses.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"
export TZ=UTC0

# metrics TRACE [OPTION...]: prints in one line the metrics whose values are not 0, except
# pageref.needed_* and the sample of all pages.
metrics() {
	metrics_trace=$1
	shift
	"$mm" report page-ref --json "$@" "$metrics_trace" 2>err | jq -r '[.metrics[] |
		select(.value != null and .value != 0 and [.name, .value] != ["pageref.sample", 1] and
			(.name | test("pageref.needed_") | not)) |
		"\(.name | sub("pageref."; ""))\(.labels | [.[]] | join(",") | if . == "" then "" else "{\(.)}" end)=\(.value)"] | join(" ")'
}
# processes / mappings TRACE [OPTION...]: prints columns of the rows of that table.
processes() {
	processes_trace=$1
	shift
	"$mm" report page-ref --json "$@" "$processes_trace" 2>err |
		jq -r '[.tables.processes[] | "\(.process) \(.pid) \(.touches) \(.pages)"] | join(", ")'
}
mappings() {
	mappings_trace=$1
	shift
	"$mm" report page-ref --json "$@" "$mappings_trace" 2>err |
		jq -r '[.tables.mappings[] | "\(.mapping) \(.touches) \(.pages) \(.address_spaces)"] | join(", ")'
}

# Two address spaces, three passes. The child ends before the last pass.
heap='start=0x10000 end=0x20000 readable=1 writable=1 pgoff=0x10 name=[heap]'
code='start=0x400000 end=0x410000 readable=1 executable=1 dev_major=254 dev_minor=1 ino=0x1003 name=program'
cat >two.trace <<EVENTS
cpu 0
1000 pageref_mm mm=1 pid=50 name=parent
2000 pageref_pass mm=1
2100 pageref_mapping mm=1 $heap
2200 pageref_mapping mm=1 $code
2900 pageref_pass mm=1 end=1 looked_at=100 armed=20 left_out=4
3000 pageref_touch tid=50 mm=1 address=0x10010 kind=ARMED write=1 user=1
3100 pageref_touch tid=50 mm=1 address=0x11010 kind=ARMED user=1
3200 pageref_touch tid=51 mm=1 address=0x400010 kind=DEMAND user=1
3250 pageref_around tid=51 mm=1 address=0x401000 pages=15
3300 pageref_mm mm=2 pid=60 parent=1 name=child
3400 pageref_mapping mm=2 $code
3500 pageref_touch tid=60 mm=2 address=0x400010 kind=DEMAND user=1
4000 pageref_pass mm=1
4100 pageref_pass mm=1 end=1 armed=3 left_out=4
4200 pageref_pass mm=2
4300 pageref_pass mm=2 end=1 armed=1 left_out=2
5000 pageref_touch tid=50 mm=1 address=0x10020 kind=ARMED user=1
5100 pageref_touch tid=50 mm=1 address=0x10030 kind=COPY user=1 write=1
5200 pageref_touch tid=60 mm=2 address=0x400020 kind=ARMED user=1
5300 pageref_touch tid=60 mm=2 address=0x401020 kind=ARMED user=1
5400 pageref_gone mm=2 address=0 pages=17592186044415 cause=EXIT
6000 pageref_pass mm=1
6100 pageref_pass mm=1 end=1 armed=3 left_out=4
7000 pageref_touch tid=50 mm=1 address=0x12000 kind=ARMED user=1
EVENTS
make_profile page-ref two.trace two
all='processes=2 touches{ARMED}=6 touches{DEMAND}=2 touches{COPY}=1 pages=6 most_pages=21 bytes=24576 most_bytes=86016 written_bytes=4096 resident_bytes=16384 passes=3 working_set_bytes{interval,0.5}=12288 most_working_set_bytes{interval,0.5}=12288 working_set_bytes{interval,1}=16384 most_working_set_bytes{interval,1}=77824 armed_pages=27 around_pages=15 left_out_pages=6'
for reader in $readers; do
	is "two processes, reader $reader: metrics" "$all" "$(metrics two --reader=$reader)"
	is '... processes' 'parent 50 6 4, child 60 3 2' "$(processes two --reader=$reader)"
	is '... mappings' '[heap] 5 3 1, program 4 3 2' "$(mappings two --reader=$reader)"
done
is 'the result is the same with several threads' "$("$mm" report page-ref --json --jobs=1 two | jq -S .)" \
	"$("$mm" report page-ref --json --jobs=4 two | jq -S .)"
"$mm" report page-ref two >out 2>err
is 'the first screen: nothing on standard error' '0 0' "$? $(wc -c <err)"
is '... how many processes, pages and passes' 1 "$(grep -c '^2 processes touched 24.0 to 84.0 KiB (6 to 21 pages) in 3 passes, and wrote at least 4.0 KiB of it\.$' out)"
"$mm" report page-ref --json two | jq -r '.answer[]' >answer
is '... the working set' 1 "$(grep -c '^Between two passes, they touched 12.0 KiB (median of 2 intervals; maximum 16.0 to 76.0 KiB)\.$' answer)"
is '... the process and the mapping with the most pages' 1 \
	"$(grep -c '^Of these pages, process parent (pid 50) touched 66.7 % (16.0 KiB), and 50.0 % (12.0 KiB) are in \[heap\]\.$' answer)"
is '... in this order: needed, resident, missed, touched' 'Needs Of Missed: 2' \
	"$("$mm" report page-ref --json two | jq -r '.answer[] | select(test("^(Needs|Of the touched memory, at least 16.0 KiB was resident at the end\\.$|Missed: 15 pages mapped by faults on other pages may have been touched without an event; ranges include them\\.$|2 processes touched 24.0)")) | split(" ")[0]' | xargs)"
is '... what is not counted' 1 "$(grep -c '^Not counted: pages that only read() and write() use (no such call was recorded); mappings of 24.0 KiB that are never marked; file pages that the kernel reads ahead\.$' answer)"
is '... 25 lines at most' yes "$([ "$(wc -l <out)" -le 25 ] && echo yes)"

is '--pid: one process' 'processes=1 touches{ARMED}=4 touches{DEMAND}=1 touches{COPY}=1 pages=4 most_pages=19 bytes=16384 most_bytes=77824 written_bytes=4096 resident_bytes=16384 passes=3 working_set_bytes{interval,0.5}=4096 most_working_set_bytes{interval,0.5}=4096 working_set_bytes{interval,1}=12288 most_working_set_bytes{interval,1}=73728 armed_pages=26 around_pages=15 left_out_pages=4' \
	"$(metrics two --pid=50)"
is '... its mappings' '[heap] 5 3 1, program 1 1 1' "$(mappings two --pid=50)"
is '... that no event has' 'There are no touches by process 99 in the trace.' \
	"$("$mm" report page-ref --json --pid=99 two | jq -r '.findings[]')"

# The memory of the recorded cgroup, as the recorder stores it. Its name is hostile.
mkdir -p two/sysinfo
printf '%s\n' '[{"cgroup": "/db\u001b[2J", "anon_bytes": 1048576, "file_bytes": 5242880, "file_mapped_bytes": 2097152, "kernel_bytes": 65536}]' >two/sysinfo/cgroup.json
for reader in $readers; do
	is "a cgroup, reader $reader: what a limit also includes" 'When the trace was written, the cgroup /db\x1b[2J also had 3.0 MiB of page cache that was not mapped and 64.0 KiB of kernel memory; its limit includes them.' \
		"$("$mm" report page-ref --reader=$reader two | tr '\n' ' ' | sed -n 's/.*\(When the trace was written, the cgroup.*includes them\.\).*/\1/p')"
done
is '... metrics' 'anon=1048576 file=5242880 file_mapped=2097152 kernel=65536' "$("$mm" report page-ref --json two |
	jq -r '[.metrics[] | select(.name == "pageref.cgroup_bytes") | "\(.labels.kind)=\(.value)"] | join(" ")')"
is '... not for one process' 0 "$("$mm" report page-ref --json --pid=50 two | grep -c cgroup)"
echo '[{"cgroup": "/db", "file_bytes": 5242880, "file_mapped_bytes": -1, "kernel_bytes": "x"}]' >two/sysinfo/cgroup.json
is '... values that are not valid are not known' 'file=5242880' "$("$mm" report page-ref --json two 2>err |
	jq -r '([.metrics[] | select(.name == "pageref.cgroup_bytes") | "\(.labels.kind)=\(.value)"] | join(" ")), ([.answer[] | select(test("cgroup"))] | join(" "))' | xargs)"
rm -r two/sysinfo

# Earlier events name the mappings and processes of a time range. A script's times start at
# 1700000000 s, the offset of the clock.
range='--begin=1700000000.000004950 --end=1700000000.000005350'
for reader in $readers; do
	# shellcheck disable=SC2086 # words
	is "a time range, reader $reader: names from before it" \
		'child 60 2 2, parent 50 2 1 / program 2 2 1, [heap] 2 1 1' "$(processes two $range --reader=$reader) / $(mappings two $range --reader=$reader)"
done
# shellcheck disable=SC2086 # words
is '... no interval is complete' 'The working set is not known: the trace has fewer than two passes.' \
	"$("$mm" report page-ref --json $range two | jq -r '.answer[] | select(test("^The working set"))')"

# shellcheck disable=SC2086 # words
is '... all pages are marked at its start' 'Missed: nothing, as far as is known.' \
	"$("$mm" report page-ref --json $range two | jq -r '.answer[] | select(test("^Missed"))')"
for reader in $readers; do
	is "... pages that are not marked at its start, reader $reader" \
		'Missed: 17 pages not marked at the start of the time range may have been touched without an event; ranges include them. / pages=4 most_pages=21 unmarked_pages=17 / [heap] 2 3, program 2 18' "$(
		"$mm" report page-ref --json --reader=$reader --begin=1700000000.000003550 two >unmarked.json
		jq -r '[(.answer[] | select(test("^Missed"))),
			([.metrics[] | select(.name | IN("pageref.pages", "pageref.most_pages", "pageref.unmarked_pages")) |
				"\(.name | sub("pageref."; ""))=\(.value)"] | join(" ")),
			([.tables.mappings[] | "\(.mapping) \(.pages) \(.most_bytes / 4096)"] | sort | join(", "))] | join(" / ")' unmarked.json)"
done
is '... only if a pass before it is known' '1 0' "$(for begin in 1700000000.000001500 1700000000.000002500; do
	"$mm" report page-ref --json --begin=$begin two | jq -r '.answer[]' | grep -c '^Not in the ranges: all pages may be used without a touch until the first pass'; done | xargs)"

# Possible pages in a time range belong to the mapping from before the range. A possible page that
# is touched later counts as touched.
sed 's/^3250.*/3250 pageref_around tid=51 mm=1 address=0x402000 pages=4/
	s/^5100/5050 pageref_around tid=51 mm=1 address=0x404000 pages=5\n&/
	s/^5200.*/5200 pageref_touch tid=50 mm=1 address=0x405000 kind=ARMED/' two.trace >possible.trace
make_profile page-ref possible.trace possible
for reader in $readers; do
	is "possible pages of an earlier mapping, reader $reader" '[heap] 2 2, program 2 6' "$(
		"$mm" report page-ref --json --begin=1700000000.000004950 --reader=$reader possible | jq -r '[.tables.mappings[] |
			"\(.mapping) \(.pages) \(.most_bytes / 4096)"] | sort | join(", ")')"
done

# A stream ends before the others. The events that the last intervals lack affect all figures.
{
	grep -v '^cpu' two.trace | sed '1i cpu 0' | sed '$a 8000 pageref_pass mm=1\n8100 pageref_pass mm=1 end=1'
	printf 'cpu 1\n2500 pageref_touch tid=70 mm=1 address=0x10000 kind=ARMED user=1\n'
} >ends.trace
"$tests/make-trace" "$top/tests/metadata/page-ref.tsdl" ends.trace ends || exit 2
for reader in $readers; do
	is "a stream that ends early, reader $reader: lower bounds, and unknown resident memory" 'null null true 1 1' "$(
		"$mm" report page-ref --json --reader=$reader ends | jq -r '[(.metrics[] | select(.name == "pageref.most_pages", .name == "pageref.resident_bytes") | .value),
			(.metrics[] | select(.name == "pageref.pages") | .at_least),
			([.answer[] | select(test("^Missed: events are or may be missing, so figures are lower bounds"))] | length),
			([.answer[] | select(test("^At least 2 processes touched at least"))] | length)] | map(tostring) | join(" ")')"
done

# Pages that are gone count again when they are touched: after whole page tables or parts of them
# were discarded, and in a new mapping.
big='start=0x200000 end=0x10000000 readable=1 writable=1 pgoff=0x200 name='
cat >gone.trace <<EVENTS
1000 pageref_mm mm=1 pid=50 name=p
1100 pageref_mapping mm=1 $big
2000 pageref_touch tid=50 mm=1 address=0x200000 kind=DEMAND
2100 pageref_touch tid=50 mm=1 address=0x201000 kind=DEMAND
2200 pageref_touch tid=50 mm=1 address=0x400000 kind=DEMAND
2300 pageref_touch tid=50 mm=1 address=0x5ff000 kind=DEMAND
2400 pageref_touch tid=50 mm=1 address=0x600000 kind=DEMAND
2500 pageref_touch tid=50 mm=1 address=0x601000 kind=DEMAND
3000 pageref_gone mm=1 address=0x201000 pages=1024 cause=DISCARD
4000 pageref_touch tid=50 mm=1 address=0x200000 kind=DEMAND
4100 pageref_touch tid=50 mm=1 address=0x201000 kind=DEMAND
4200 pageref_touch tid=50 mm=1 address=0x400000 kind=DEMAND
4300 pageref_touch tid=50 mm=1 address=0x5ff000 kind=DEMAND
4400 pageref_touch tid=50 mm=1 address=0x600000 kind=DEMAND
4500 pageref_touch tid=50 mm=1 address=0x601000 kind=DEMAND
5000 pageref_gone mm=1 address=0x200000 pages=1 cause=UNMAP
5100 pageref_mapping mm=1 start=0x200000 end=0x201000 dev_minor=7 ino=9 name=f
5200 pageref_touch tid=50 mm=1 address=0x200000 kind=DEMAND
5300 pageref_gone mm=1 address=0x201000 pages=1 cause=UNMAP
5400 pageref_touch tid=50 mm=1 address=0x201000 kind=DEMAND
6000 pageref_gone mm=1 address=0x0 pages=0x7ffffffff cause=RECLAIM
6100 pageref_touch tid=50 mm=1 address=0x200000 kind=DEMAND
6200 pageref_gone mm=1 address=0xfffffffffffff000 pages=0xffffffffffffffff cause=UNMAP
EVENTS
make_profile page-ref gone.trace gone
for reader in $readers; do
	# 6 pages; other counts are of pages that came back: 4 discarded, 2 unmapped, 1 reclaimed.
	is "pages that are gone count again, reader $reader" \
		'touches{DEMAND}=15 pages=13' "$(metrics gone --reader=$reader | grep -o 'touches{DEMAND}=[0-9]* pages=[0-9]*')"
	is '... mappings that were replaced' 'anonymous 12 10 1, f 2 2 1, unknown 1 1 1' "$(mappings gone --reader=$reader)"
done

is 'the answer names anonymous memory' 1 "$("$mm" report page-ref --json gone | jq -r '.answer[]' | grep -c ' are in anonymous memory other than heap and stack\.$')"

# A huge page is 512 pages, and the same memory as its pages of 4 KiB.
cat >huge.trace <<EVENTS
1000 pageref_mm mm=1 pid=50 name=p
1100 pageref_mapping mm=1 $big
1200 pageref_pass mm=1
1300 pageref_pass mm=1 end=1
2000 pageref_touch tid=50 mm=1 address=0x201000 kind=ARMED
2100 pageref_touch tid=50 mm=1 address=0x2ff000 kind=ARMED huge=1
2200 pageref_touch tid=50 mm=1 address=0x202000 kind=ARMED
2300 pageref_touch tid=50 mm=1 address=0x412345 kind=DEMAND huge=1
3000 pageref_pass mm=1
3100 pageref_pass mm=1 end=1
EVENTS
make_profile page-ref huge.trace huge
is 'huge pages: 2 MiB each, no page twice' \
	'processes=1 touches{ARMED}=3 touches{DEMAND}=1 pages=1024 most_pages=1024 bytes=4194304 most_bytes=4194304 huge_bytes=4194304 resident_bytes=4194304 passes=2 working_set_bytes{interval,0.5}=4194304 most_working_set_bytes{interval,0.5}=4194304 working_set_bytes{interval,1}=4194304 most_working_set_bytes{interval,1}=4194304' "$(metrics huge)"

is '... the answer: all of both huge pages, as mrc states it' '1 1' \
	"$("$mm" report page-ref --json huge | jq -r '.answer[]' | grep -c '4.0 MiB are huge pages, each counted as 2 MiB\.$') $("$mm" mrc huge | grep -c '^4.0 MiB are huge pages, each counted as 2 MiB\.$')"

# Values that do not fit in the packed fields are in the wide variant before the packed event.
cat >wide.trace <<EVENTS
1000 pageref_mm mm=2000000 pid=50 name=p
1100 pageref_mapping mm=2000000 start=0x100000000000000 end=0x100000000010000 name=
2000 pageref_touch_wide tid=50 mm=2000000 address=0x100000000001000 kind=DEMAND
2000 pageref_touch tid=50 mm=0xfffff address=0xffffffffffff kind=DEMAND
2100 pageref_touch tid=51 mm=0xfffff address=0xffffffffffff kind=DEMAND
EVENTS
make_profile page-ref wide.trace wide
is 'wide variants; a touch without one is counted, and makes counts lower bounds' \
	'processes=1 touches{DEMAND}=1 pages=1 bytes=4096 resident_bytes=4096 events_incomplete=1' "$(metrics wide)"
is '... the mapping' 'anonymous' "$("$mm" report page-ref --json wide | jq -r '.tables.mappings[].mapping')"

# A process without a pageref_mm event has the name of its thread.
cat >unnamed.trace <<EVENTS
500 process_statedump_thread tid=51 pid=50 name=thread
1000 pageref_touch tid=51 mm=3 address=0x1000 kind=ARMED
1100 pageref_touch tid=77 mm=4 address=0x1000 kind=ARMED
EVENTS
make_profile page-ref unnamed.trace unnamed
is 'processes without an event that names them' 'thread 50 1 1, null null 1 1' "$(processes unnamed)"
is '... mappings without an event' 'unknown 2 2 2' "$(mappings unnamed)"

# The state dump at the end of the trace names what no earlier event names.
cat >dumped.trace <<EVENTS
1000 pageref_touch tid=50 mm=1 address=0x10010 kind=ARMED
1100 pageref_mapping mm=1 start=0x10000 end=0x11000 dev_minor=7 ino=9 name=f
1200 pageref_touch tid=50 mm=1 address=0x10010 kind=ARMED
1300 pageref_touch tid=50 mm=2 address=0x10010 kind=ARMED
5000 pageref_statedump_mm mm=1 pid=50 name=first
5100 pageref_statedump_mm mm=3 pid=52 name=third
5200 pageref_statedump_mapping mm=1 $heap
5300 pageref_statedump_mapping mm=3 $heap
EVENTS
for folder in dumped dumped-state; do
	mkdir -p $folder
	if [ $folder = dumped ]; then
		make_profile page-ref dumped.trace $folder/kernel
	else
		make_profile page-ref --no-state dumped.trace $folder/kernel
		make_profile page-ref --state dumped.trace $folder/state
	fi
	for reader in $readers; do
		is "$folder, reader $reader: names from the state dump" 'first 50 2 1, null null 1 1 / unknown 1 1 1, [heap] 1 1 1, f 1 0 1' \
			"$(processes $folder --reader=$reader) / $(mappings $folder --reader=$reader)"
	done
done

# Pages that a pass found without a mark: they belong to the interval before the pass.
sed 's/^6100/6050 pageref_unseen mm=1 address=0x14000 pages=3\n&/' two.trace >unseen.trace
make_profile page-ref unseen.trace unseen
is 'unseen pages widen the ranges' \
	'pages=6 most_pages=24 bytes=24576 most_bytes=98304 written_bytes=4096 resident_bytes=16384 passes=3 working_set_bytes{interval,0.5}=12288 most_working_set_bytes{interval,0.5}=24576 working_set_bytes{interval,1}=16384 most_working_set_bytes{interval,1}=77824 armed_pages=27 around_pages=15 unseen_pages=3' \
	"$(metrics unseen | grep -o 'pages=.* unseen_pages=3')"
is '... the answer' 'Missed: 18 pages (3 on which a pass found no mark, 15 mapped by faults on other pages) may have been touched without an event; ranges include them.' \
	"$("$mm" report page-ref --json unseen | jq -r '.answer[] | select(test("^Missed"))')"
is '... a touch of such a page is no longer missed' 'pages=7 most_pages=24' \
	"$(sed 's/^7000/6900 pageref_touch tid=50 mm=1 address=0x14000 kind=ARMED\n&/' unseen.trace >seen.trace
	make_profile page-ref seen.trace seen
	metrics seen | grep -o ' pages=[0-9]* most_pages=[0-9]*' | cut -c2-)"
is '... the text form' '1 1' "$("$mm" report page-ref unseen |
	awk '/^2 processes touched 24.0 to 96.0 KiB/ { a++ } /^  parent *50 .*>= 16.0 KiB/ { b++ } END { print a, b }')"

# Events were discarded in the first interval, so the working set must exclude this interval.
sed 's/^3300/packet discarded=2\n&/; s/^4000/packet\n&/' two.trace >lost.trace
make_profile page-ref lost.trace lost
for reader in $readers; do
	is "losses, reader $reader: counts are lower bounds, the interval is excluded" \
		'processes=2 touches{ARMED}=6 touches{DEMAND}=2 touches{COPY}=1 pages=6 bytes=24576 written_bytes=4096 passes=3 working_set_bytes{interval,0.5}=12288 most_working_set_bytes{interval,0.5}=12288 working_set_bytes{interval,1}=12288 most_working_set_bytes{interval,1}=12288 intervals_excluded=1 armed_pages=27 around_pages=15 left_out_pages=6' \
		"$(metrics lost --reader=$reader)"
	"$mm" report page-ref --all --require-complete --reader=$reader lost >out 2>err
	is '... the trace is not complete' '3 1 1' "$? $(grep -c '^At least 2 processes touched at least 24.0 KiB' out) $(grep -c '^  parent *50 .*>= 16.0 KiB ' out)"
	is '... passes, too; what is resident is not known, because pages may be gone' '1 1 null,null' \
		"$(grep -c '(6 pages) in at least 3 passes' out) $(grep -c '^It is not known how much of the touched memory was resident at the end: ' out) $(
		"$mm" report page-ref --json --reader=$reader lost | jq -r '[.tables.processes[].resident_bytes | tostring] | join(",")')"
done

# All processes have ended: nothing is resident, and no memory is called cold or not cold.
sed '$a 8000 pageref_gone mm=1 address=0 pages=17592186044415 cause=EXIT' two.trace >ended.trace
make_profile page-ref ended.trace ended
is 'all processes have ended: the answer says so' 1 \
	"$("$mm" report page-ref --json ended | jq -r '.answer[]' | grep -c '^All processes had exited before the end of the trace, so none of the touched memory was resident then\.$')"
is 'written memory is a lower bound in tables' true "$("$mm" report page-ref --json two |
	jq '[.tables.processes, .tables.mappings, .tables.threads | .[].at_least | index("written_bytes")] | all')"

# Fields of newer probes: passes that gave up, and faults whose ends were not hooked.
if grep -q _missed_ends "$top/tests/metadata/page-ref.tsdl"; then
	cp "$top/tests/metadata/page-ref.tsdl" newer.tsdl
else
	awk '/name = "pageref_pass"/ { on = 1 } { print } on && / _left_out;/ {
		sub(/_left_out/, "_skipped"); print; sub(/_skipped/, "_missed_ends"); print; on = 0 }' \
		"$top/tests/metadata/page-ref.tsdl" >newer.tsdl
fi
newer() {
	sed "$1" two.trace >newer.trace
	"$tests/make-trace" newer.tsdl --flush newer.trace newer || exit 2
	metrics newer | grep -Eo '(^| )(most_)?pages=[0-9]*|intervals_excluded=[0-9]*|missed_faults=[0-9]*|skipped_passes=[0-9]*' | xargs
}
is 'nothing is skipped or missed' 'pages=6 most_pages=21' "$(newer '')"
is 'a pass that gave up: its interval is excluded, totals have no upper bound' \
	'pages=6 intervals_excluded=1 skipped_passes=1' "$(newer '/^4100/s/$/ skipped=1/')"
is 'faults whose ends were not hooked, before the second pass' \
	'pages=6 intervals_excluded=1 missed_faults=2' "$(newer '/^4000/s/$/ missed_ends=2/')"
# If only the end of a pass reports missed ends, the pass has already started another interval.
is '... as the end of the pass reports them: also the interval after it' \
	'pages=6 intervals_excluded=2 missed_faults=2' "$(newer '/^4100/s/$/ missed_ends=2/')"
is '... the answer' 'Missed: the touches of some faults may be missing, so figures are lower bounds, and no page is certainly cold.' \
	"$("$mm" report page-ref --json newer | jq -r '.answer[] | select(test("^Missed"))')"

# Lists, and the pages of a file in the order of their first touch.
is '--by=mapping' 'parent [heap] 3, child program 2, parent program 1' "$("$mm" report page-ref --json two |
	jq -r '[.tables.mappings_by_process[] | "\(.process) \(.mapping) \(.pages)"] | join(", ")')"
is '--by=thread: who touched first' '50 5 3 1, 60 3 2 0, 51 1 1 0' "$("$mm" report page-ref --json two |
	jq -r '[.tables.threads[] | "\(.tid) \(.touches) \(.pages) \(.written_bytes / 4096)"] | join(", ")')"
is '--by=kind' 'anonymous 5 3 3, file 4 3 18' "$("$mm" report page-ref --json two |
	jq -r '[.tables.memory[] | "\(.memory) \(.touches) \(.pages) \(.most_bytes / 4096)"] | join(", ")')"
for by in process file mapping thread kind; do
	table=$("$mm" report page-ref --by=$by --all two | grep ', most memory first$')
	case $by in
	process) expected='Processes' ;;
	file) expected='Files and other memory' ;;
	mapping) expected='Mappings of each process' ;;
	thread) expected='Threads' ;;
	kind) expected='Kinds of memory' ;;
	esac
	is "--by=$by: only this list" "$expected, most memory first" "$table"
done
first() {
	"$mm" report page-ref --json --first-touch="$1" "$2" | jq -r '[.tables.first_touches[]? |
		"\(.order) \(.time_ns) \(.offset) \(.tid) \(.pid) \(.kind)"] | join(", ")'
}
for reader in $readers; do
	is "--first-touch, reader $reader" '1 2200 0 51 50 DEMAND, 2 4300 4096 60 60 ARMED' "$(first program two)"
done
is '--first-touch: a file of which no page was touched' \
	'There are no touches of a file named none in the trace; --by=file lists the files.' \
	"$("$mm" report page-ref --json --first-touch=none two | jq -r '.answer[1]')"
is '--first-touch: a mapping of the state dump, offsets in the file' '1 0 8192 50 50 ARMED' "$(
	sed 's/\(pageref_statedump_mapping mm=1\).*/\1 start=0x10000 end=0x20000 pgoff=2 dev_minor=7 ino=8 name=g/' dumped.trace >offsets.trace
	make_profile page-ref offsets.trace offsets
	first g offsets)"
"$mm" report page-ref --first-touch=program two >out
is '--first-touch: the text form repeats the option' 1 \
	"$(grep -c '^To get all pages: lttng-mm report page-ref --json --first-touch=program two$' out)"
for options in '--by=file --first-touch=x' '--compare --by=file two'; do
	# shellcheck disable=SC2086 # words
	"$mm" report page-ref $options two >out 2>err
	is "$options is refused in one line" '2 1' "$? $(wc -l <err)"
done

# Comparison: rows by name, memory, working set.
sed 's/^7000.*/&\n7100 pageref_touch tid=50 mm=1 address=0x13000 kind=ARMED\n7200 pageref_touch tid=50 mm=1 address=0x14000 kind=ARMED/' two.trace >more.trace
make_profile page-ref more.trace more
"$mm" report page-ref --compare --json two more >compare.json
is '--compare: rows by name' 'bytes mapping [heap] 12288 20480|bytes process parent 16384 24576' "$(jq -r '
	[(.tables.differences[] | select(.name == "bytes" and (.labels | tostring | test("heap|parent"))) |
		"bytes \(.labels | if type == "array" then join(" ") else tostring end) \(.old) \(.new)")] | join("|")' compare.json)"

# Events whose reads of user memory fail on marked pages.
is 'no note on readers of user memory' 0 "$("$mm" report page-ref two | grep -c 'marked page')"
sed 's/pageref_around/syscall_entry_openat/' "$top/tests/metadata/page-ref.tsdl" >calls.tsdl
grep -v pageref_around two.trace >calls.trace
"$tests/make-trace" calls.tsdl --flush calls.trace calls || exit 2
for reader in $readers; do
	is "a note on strings of system calls, reader $reader" 1 "$("$mm" report page-ref --reader=$reader calls |
		grep -c "^Strings in the trace's system-call events may be empty or cut: LTTng cannot read a marked")"
done

# Tests reads and writes of files: files, distinct pages of each address space, and failed calls.
cat >io.trace <<EVENTS
1000 pageref_mm mm=1 pid=50 name=a
1050 pageref_mm mm=2 pid=60 name=b
1060 pageref_file dev_major=8 dev_minor=1 ino=0x10 path=/srv/old
1100 pageref_file dev_major=8 dev_minor=1 ino=0x10 path=/srv/data
1200 pageref_file_io tid=50 mm=1 dev_major=8 dev_minor=1 ino=0x10 offset=0 length=10000 write=1 result=10000
1300 pageref_file_io tid=50 mm=1 dev_major=8 dev_minor=1 ino=0x10 offset=4095 length=2 write=0 result=2
1400 pageref_file_io tid=50 mm=1 dev_major=8 dev_minor=1 ino=0x10 offset=8192 length=4096 write=0 result=1808
1500 pageref_file_io tid=50 mm=1 dev_major=8 dev_minor=1 ino=0x10 offset=10000 length=4096 write=0 result=0
1600 pageref_file_io tid=50 mm=1 dev_major=8 dev_minor=1 ino=0x10 offset=0 length=100 write=0 result=-14
1700 pageref_file_io tid=60 mm=2 dev_major=8 dev_minor=1 ino=0x10 offset=0 length=4096 write=0 result=4096
1800 pageref_file_io tid=60 mm=2 dev_major=0 dev_minor=30 ino=0x11 offset=2097151 length=5000 write=0 result=2
1900 pageref_touch tid=50 mm=1 address=0x1000 kind=ARMED
EVENTS
make_profile page-ref io.trace io
file_io() {
	files_trace=$1
	shift
	"$mm" report page-ref --json "$@" "$files_trace" 2>err | jq -r '[.tables.file_io[] |
		"\(.file) \(.dev_major):\(.dev_minor) \(.ino) \(.bytes) \(.reads) \(.read_bytes) \(.read_pages) \(.writes) \(.written_bytes) \(.written_pages) \(.address_spaces)"] | join(", ")'
}
for reader in $readers; do
	is "reads and writes, reader $reader: files" \
		'/srv/data 8:1 16 15906 5 5906 4 1 10000 3 2, null 0:30 17 2 1 2 2 0 0 0 1' "$(file_io io --reader=$reader)"
	is '... metrics' 'file_calls{read}=6 file_bytes{read}=5908 file_pages{read}=6 file_calls{write}=1 file_bytes{write}=10000 file_pages{write}=3' \
		"$(metrics io --reader=$reader | grep -o 'file_.*')"
	is '... of one process' '/srv/data 8:1 16 4096 1 4096 1 0 0 0 1, null 0:30 17 2 1 2 2 0 0 0 1' \
		"$(file_io io --pid=60 --reader=$reader)"
	is '... with the name of a file from before the time range' '/srv/data 8:1 16 0 1 0 0 0 0 0 1' \
		"$(file_io io --begin=1700000000.000001550 --end=1700000000.000001650 --reader=$reader)"
done
"$mm" report page-ref io >out 2>err
is '... the answer' 1 "$(grep -c '^Reads and writes: 5.8 KiB of 2 files were read, 9.8 KiB of 1 file were written\.$' out)"
is '... what is not counted' 1 "$("$mm" report page-ref --json io | jq -r '.answer[]' | grep -c '^Not counted: pages that only read() and write() use, at most 36.0 KiB; file pages that the kernel reads ahead\.$')"
is '... of one process' 'Not counted: pages that only read() and write() use, at most 24.0 KiB; file pages that the kernel reads ahead.' \
	"$("$mm" report page-ref --json --pid=50 io | jq -r '.answer[] | select(test("^Not counted"))')"
is '... and without such events: no table, no metric, no sentence' '0 0 0' \
	"$("$mm" report page-ref --json two | jq '.tables.file_io | length') $(metrics two | grep -c file_) $("$mm" report page-ref --all two | grep -c 'Reads and writes')"

sed 's/pageref_file_io/pageref_file_oi/' "$top/tests/metadata/page-ref.tsdl" >undeclared.tsdl
"$tests/make-trace" undeclared.tsdl --flush two.trace undeclared || exit 2
sed 's/^1300/packet discarded=1\n&/; s/^1400/packet\n&/' io.trace >lossy-io.trace
make_profile page-ref lossy-io.trace lossy-io
for reader in $readers; do
	is "without --file-io, reader $reader: nothing is known of reads and writes" 1 "$(
		"$mm" report page-ref --json --reader=$reader undeclared | jq -r '.answer[]' |
			grep -c '^Not counted: pages that only read() and write() use (their number is unknown without --file-io); ')"
	is '... with losses: no upper bound' 1 "$(
		"$mm" report page-ref --json --reader=$reader lossy-io | jq -r '.answer[]' |
			grep -c '^Not counted: pages that only read() and write() use, at most 36.0 KiB in the recorded calls; file pages that the kernel reads ahead\.$')"
done

# Names in a trace are hostile.
printf '1000 pageref_mm mm=1 pid=50 name=a\\x1b[31m\n1100 pageref_mapping mm=1 start=0x1000 end=0x2000 dev_minor=7 ino=9 name=\\x1b]0;x\n1900 pageref_file ino=9 path=\\x1b]0;y\n1950 pageref_file_io ino=9 offset=0xffffffffffffffff result=1\n2000 pageref_touch tid=50 mm=1 address=0x1000 kind=ARMED\n' >hostile.trace
make_profile page-ref hostile.trace hostile
is 'control characters are escaped' 0 "$("$mm" report page-ref --all hostile | grep -c "$(printf '\033')")"

# The needed memory must be as mrc states it, for all processes and for one.
for seed in 1 2 3 4; do
	awk -v seed=$seed -f "$top/tests/utils/make-page-ref-random.awk" >random.trace
	make_profile page-ref random.trace random-$seed
	for reader in $readers; do
		"$mm" mrc --json --reader=$reader random-$seed >mrc.json
		"$mm" report page-ref --json --reader=$reader random-$seed >report.json
		is "random trace $seed, reader $reader: the answer of mrc comes first" \
			"$(jq -r '[.answer[] | select(test("^(Needs|With) "))] | join(" ")' mrc.json)" \
			"$(jq -r '[.answer[] | select(test("^(Needs|With) "))] | join(" ")' report.json)"
		is '... its metrics' "$(jq -c '[.metrics[] | select(.name | test("^mrc.(needed|valid_from)")) | .value] | sort' mrc.json)" \
			"$(jq -c '[.metrics[] | select(.name | test("^pageref.needed_")) | .value] | sort' report.json)"
	done
	is '... of one process: as if it were alone' "$("$mm" mrc --json --by process random-$seed |
		jq -c '[.tables.processes[] | select(.pid == 102) | .needed_low_bytes, .needed_high_bytes, .valid_from_bytes]')" \
		"$("$mm" report page-ref --json --pid=102 random-$seed | jq -c '[.metrics[] | select(.name | test("^pageref.needed_")) | .value]')"
done
is '--pid: the answer names the process' 1 "$("$mm" report page-ref --pid=102 random-4 | tr '\n' ' ' | grep -c 'Process p2 (pid 102) needs at most ')"
is '... and there is none without touches' 0 "$("$mm" report page-ref --json --pid=999 random-4 | jq -r '.answer[]' | grep -c 'needs')"
is 'a time range' "$("$mm" mrc --json --begin=-60s random-4 | jq -r '.answer[0]')" \
	"$("$mm" report page-ref --json --begin=-60s random-4 | jq -r '.answer[0]')"
is '--first-touch: no such answer' 0 "$("$mm" report page-ref --json --first-touch=file0 random-4 | jq -r '.answer[]' | grep -c '^Needs')"

# A trace without a touch.
echo '1000 pageref_pass mm=1' >empty.trace
make_profile page-ref empty.trace empty
is 'no touch' 'No page was touched.' "$("$mm" report page-ref --json empty | jq -r '.findings[]')"

# print must name the mapping that contains an address, even if the mapping itself is not printed.
for options in '--reader=fast --jobs=1' '--reader=fast --jobs=4' --reader=babeltrace2; do
	# shellcheck disable=SC2086 # words
	"$mm" print $options two >out 2>err
	is "print, $options: a touch" 1 "$(grep -c 'pageref_touch: mm 1 0x10010 .*ARMED write user 4K node 0 in \[heap\]$' out)"
	is '... of another address space' 1 "$(grep -c 'pageref_touch: mm 2 0x401020 .*ARMED read user 4K node 0 in program$' out)"
	is '... a mapping' 1 "$(grep -c 'pageref_mapping: mm 1 0x400000-0x410000 r-xp pgoff 0x0 dev 254:1 ino 0x1003 program$' out)"
	is '... pages mapped untouched' 1 "$(grep -c 'pageref_around: mm 1 0x401000 pages 15 in program$' out)"
	# shellcheck disable=SC2086 # words
	is '... mappings before a time range' '1 1' "$("$mm" print $options $range two |
		awk '/0x10020 .* in \[heap\]$/ { a++ } /0x401020 .* in program$/ { b++ } END { print a + 0, b + 0 }')"
	# shellcheck disable=SC2086 # words
	is '... mappings that are not printed' '9 0' "$("$mm" print $options --events=pageref_touch two |
		awk '/ in program$| in \[heap\]$/ { a++ } !/pageref_touch/ { b++ } END { print a, b + 0 }')"
done
is 'print: anonymous memory, and a mapping over a part of another one' '13 2' "$("$mm" print gone |
	awk '/touch.* in anonymous$/ { a++ } /touch.* in f$/ { b++ } END { print a, b }')"
for options in '--reader=fast --jobs=1' '--reader=fast --jobs=4' --reader=babeltrace2; do
	# shellcheck disable=SC2086 # words
	"$mm" print $options io >out 2>err
	is "print, $options: a write with the file's last path" 1 \
		"$(grep -c 'pageref_file_io: mm 1 write dev 8:1 ino 0x10 offset 0 length 10000 result 10000 /srv/data$' out)"
	is '... a failed read' 1 "$(grep -c 'mm 1 read dev 8:1 ino 0x10 offset 0 length 100 result -14 /srv/data$' out)"
	is '... of a file without a name' 1 "$(grep -c 'mm 2 read dev 0:30 ino 0x11 offset 2097151 length 5000 result 2$' out)"
	is '... the name itself' 1 "$(grep -c 'pageref_file: dev 8:1 ino 0x10 /srv/data$' out)"
	# shellcheck disable=SC2086 # words
	is '... names that are not printed' '6 1' "$("$mm" print $options --events=pageref_file_io io |
		awk '/ \/srv\/data$/ { a++; next } { b++ } END { print a, b }')"
done
is 'print --numeric: no names' 0 "$("$mm" print --numeric two | grep -c ' in ')"
is 'print: control characters are escaped' 0 "$("$mm" print hostile | grep -c "$(printf '\033')")"
tap_end
