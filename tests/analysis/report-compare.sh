#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests report --compare of every analysis: with traces, stored reports, or one of each. The script
# computes the expected figures from the events.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"
export TZ=UTC0
origin=1700000000000000000

# faults START EVERY COUNT LATENCY STEP RESULT PROCESS: prints COUNT huge-page faults, one every
# EVERY ns. Each takes STEP ns longer than the previous fault.
faults() {
	awk -v at="$1" -v every="$2" -v count="$3" -v latency="$4" -v step="$5" -v result="$6" -v who="$7" 'BEGIN {
		fields = "procname=" who " tid=7 pid=7 dev_major=259 ino=0x1003 vm_start=0x10200000 vm_end=0x10c00000 vm_flags=8 address=0x10505000 pgoff=0x305 max_pgoff=0x1400"
		for (i = 0; i < count; i++) {
			printf "%.0f dax_pmd_fault %s\n", at, fields
			printf "%.0f dax_pmd_fault_done %s result=%s\n", at + latency, fields, result
			at += every
			latency += step
		}
	}'
}
mapped=0x100 fell_back=0x800
# snapshot NAME END <EVENTS: makes a complete snapshot with a stream of CPU 1 from 1 ms to END, and
# a stream of CPU 2 that has one fault.
snapshot() {
	{
		printf 'cpu 1\nbegin 1000000\n'
		cat
		printf 'end %s\ncpu 2\nbegin 1000000\n' "$2"
		faults 1500000 1 1 700 0 $mapped idle
		echo "end $2"
	} >"$1.events"
	mkdir -p "$1/sysinfo"
	make_dax "$1.events" "$1/kernel"
	"$tests/test-sysinfo-traces" "$1" >"$1/sysinfo/traces.json" || exit 2
	"$tests/test-certify" "$1" "$((origin + $2 - 1000))" >"$1/snapshot.json" || exit 2
}
# OLD has 2 s, and NEW has 4 s. The rates of mapped faults are equal, but the rate of fallbacks
# triples.
{
	faults 2000000 10000000 60 2000 10 $mapped fio
	faults 1000000000 10000000 5 9000 0 $fell_back fio
	faults 1500000000 1000000 7 500 0 $mapped gone
} | snapshot old 2001000000
{
	faults 2000000 10000000 120 2600 10 $mapped fio
	faults 2000000000 10000000 30 9000 0 $fell_back fio
	faults 3000000000 1000000 9 400 0 $mapped new
} | snapshot new 4001000000
# Both sides end at the same time, so set the clock of NEW to a later time.
cp -R new over
sed -i 's/"realtime_ns": 1700000000/"realtime_ns": 1700000005/' new/snapshot.json
for side in old new over; do
	"$mm" report dax --json $side >$side.json
	json "$side is complete" true .coverage.complete $side.json
done

"$mm" report dax --compare --json old new >compare.json
is 'status' 0 $?
# latencies SIDE RESULT: prints the latencies of faults that ended with RESULT, ascending.
latencies() {
	awk -v result="result=$2" '$2 == "dax_pmd_fault" { start = $1 }
		$2 == "dax_pmd_fault_done" && $NF == result { print $1 - start }' "$1.events" | sort -n
}
# sum: adds up the numbers on standard input.
sum() { awk '{ sum += $1 } END { printf "%.0f\n", sum }'; }
# quantile PERCENT: prints the nearest-rank quantile of the sorted numbers on standard input.
quantile() { awk -v p="$1" '{ all[NR] = $1 } END { print all[int((NR * p + 99) / 100)] }'; }
# figure WHAT KEY...: prints the values of the keys in the row of figure WHAT.
figure() {
	figure_of=$1
	shift
	jq -r --arg what "$figure_of" ".tables.differences[] | select(.what == \$what) |
		[$(printf '.%s,' "$@" | sed 's/,$//')] | map(tostring) | join(\" \")" compare.json
}
# rates OLD NEW: prints both counts per second, with six digits.
rates() { awk -v old="$1" -v new="$2" 'BEGIN { printf "%.6f %.6f\n", old / 2, new / 4 }'; }
found_rates() {
	figure "$1" old_per_second new_per_second | awk '{ printf "%.6f %.6f\n", $1, $2 }'
}
old_count=$(latencies old $fell_back | wc -l) new_count=$(latencies new $fell_back | wc -l)
is 'a count' "$old_count $new_count worse" "$(figure dax.pmd_fallbacks old new verdict)"
is '... per second' "$(rates "$old_count" "$new_count")" "$(found_rates dax.pmd_fallbacks)"
is 'a count: the change of its rate' "$(awk -v o="$old_count" -v n="$new_count" 'BEGIN { printf "%.6f", (n / 4 - o / 2) * 100 / (o / 2) }')" \
	"$(figure dax.pmd_fallbacks change_percent | awk '{ printf "%.6f", $1 }')"
old_ns=$(latencies old $fell_back | sum) new_ns=$(latencies new $fell_back | sum)
is 'a sum of times' "$old_ns $new_ns worse sum" "$(figure dax.fallback_ns old new verdict scaling)"
is '... per second' "$(rates "$old_ns" "$new_ns")" "$(found_rates dax.fallback_ns)"
# Statistics must be compared unscaled, with the number of samples.
q='faults.p50_ns{kind="pmd",outcome="mapped"}'
is 'a median' "$(latencies old $mapped | quantile 50) $(latencies new $mapped | quantile 50) null worse" \
	"$(figure "$q" old new old_per_second verdict)"
is '... with its samples' "$(latencies old $mapped | wc -l) $(latencies new $mapped | wc -l)" \
	"$(figure "$q" old_samples new_samples)"
q='faults.p99_ns{kind="pmd",outcome="mapped"}'
is 'a quantile of too few observations' 'undetermined samples' "$(figure "$q" verdict reason)"
q='faults.max_ns{kind="pmd",outcome="mapped"}'
is 'a maximum cannot be scaled' 'undetermined duration null' "$(figure "$q" verdict reason old_per_second)"
is 'a process in OLD only' "gone $((7 * 500)) null" \
	"$(figure 'processes.fault_ns{process="gone"}' verdict old new)"
is 'a process in NEW only' "new null $((9 * 400))" \
	"$(figure 'processes.fault_ns{process="new"}' verdict old new)"
is 'equal rates are not listed' '' "$(figure 'dax.recorder.faults' verdict)"
json 'the sides' 'old true 2000000000 2 false
new true 4000000000 2 false' '.tables.sides[] | [.side, .complete, .duration_ns, .cpus, .stored] | map(tostring) | join(" ")' compare.json
json 'the comparison is conclusive' 'true dax-compare' '"\(.metrics[] | select(.name == "compare.conclusive").value) \(.analysis)"' compare.json
json 'the list has as many rows as the metric counts, the worst first' 'true worse' '.tables.differences as $list |
	"\(([.metrics[] | select(.name == "compare.figures" and .labels.verdict == "worse").value] | add) ==
		([$list[] | select(.verdict == "worse")] | length)) \($list[0].verdict)"' compare.json

"$mm" report dax --compare old new >text
is 'the first screen: both sides, and that sums are per second' '1 1 1 1' \
	"$(grep -c '^OLD: complete, 2023-11-14T22:13:18\.000Z to 22:13:20\.000Z (2\.00 s), 2 CPUs: old$' text) $(
		grep -c '^NEW: complete, 2023-11-14T22:13:20\.001Z to 22:13:24\.001Z (4\.00 s), 2 CPUs: new$' text) $(
		grep -c 'counts and sums are compared per second' text) $(grep -c 'cannot be distinguished from noise' text)"
is 'the first screen: no counts of the events of all probes' 0 "$(grep -c 'has [0-9]* events' text)"
is 'the first screen: the answer comes first' 1 "$(sed -n '/^$/{n;p;q;}' text |
	grep -c "^Fallbacks took $(awk -v ns="$old_ns" 'BEGIN { printf "%.1f", ns / 2000 }') us/s, then $(
		awk -v ns="$new_ns" 'BEGIN { printf "%.1f", ns / 4000 }') us/s: worse, +200 %\.$")"
is 'the list of differences' 1 "$("$mm" report dax --compare --table=differences old new | grep -c '^  worse  *pmd fallbacks  *2\.50/s  *7\.50/s  *+200 %')"
is 'the list of differences: labels come first' 1 "$("$mm" report dax --compare --wide --table=differences old new |
	grep -c '^  worse  *pmd, mapped: p50 (faults)  .*  68, 130  ')"
is '--all: as many rows as JSON' "$(jq '.tables.differences | length' compare.json)" \
	"$("$mm" report dax --compare --all old new | awk '/^  verdict/ { on = 1; next } on && !/^  [a-z]/ { exit } on { n++ } END { print n }')"
is '--top limits it' 3 "$("$mm" report dax --compare --all --top=3 old new | awk '/^  verdict/ { on = 1; next } on && !/^  [a-z]/ { exit } on { n++ } END { print n }')"
json 'a verdict lists sums of times first, the largest difference first' true '.tables.differences as $all |
	[$all[] | select(.verdict == "worse" and .unit == "ns" and .scaling == "sum") | .change] as $changes |
	([$all[] | select(.verdict == "worse")][:($changes | length)] | all(.unit == "ns" and .scaling == "sum")) and
	($changes | length > 2 and . == (sort | reverse))' compare.json
json 'each fact is listed once' '' '[.tables.differences[] | select(.name | test("^dax\\.fault\\.|^dax\\.fallback\\.cause|^first_failed$")).name] | join(" ")' compare.json
is 'the first screen has at most 30 lines of 100 columns' yes "$(awk 'length > 100 { long = 1 } END { print NR <= 30 && !long ? "yes" : NR " lines" }' text)"
is '--table' 1 "$("$mm" report dax --compare --table=differences old new | grep -c '^  new  *new: time in faults (processes)  ')"
is '--sort' true "$("$mm" report dax --compare --json --sort=-new old new | jq '[.tables.differences[].new | select(.)] | . == sort')"
is 'a trace and itself' 'Both are the same trace. All figures that are known for both sides are the same. 0' \
	"$("$mm" report dax --compare --json old old | jq -r '"\(.answer[0]) \(.answer[1]) \(.tables.differences | length)"')"

# Tests the order in which the two sides were recorded.
jq '.coverage.start_ns -= 5000000000 | .coverage.end_ns -= 3000000000' old.json >earlier.json
earlier='^NEW was recorded before OLD: NEW ends 7\.00 s earlier\. Swap them, unless this order is wanted\.$'
is 'the newer one first: stated, not refused' '0 1 0' "$("$mm" report dax --compare new earlier.json >text
	echo $?) $(grep -c "$earlier" text) $("$mm" report dax --compare earlier.json new | grep -c 'NEW was recorded before OLD')"
is 'the overlap is the time that both cover' 1 "$("$mm" report dax --compare earlier.json over | grep -c 'OLD and NEW overlap by 1\.00 s')"
jq '.coverage.hostname = "another"' over.json >elsewhere.json
is 'other machines do not overlap' 0 "$("$mm" report dax --compare old.json elsewhere.json | grep -c 'overlap')"

# Both sides contain the events of the overlap, so nothing may be called a change.
"$mm" report dax --compare --json old over >compare.json
json 'an overlap: the answer states it first' 'OLD and NEW overlap by 2.00 s, so both contain the events of that time. Therefore, no figure that both sides have is called worse or better. Rows that only one side has are listed as new or gone.' \
	'.answer[0]' compare.json
json 'an overlap: no verdict' 'gone new undetermined' '[.tables.differences[] | .verdict | select(. != "unknown")] | unique | join(" ")' compare.json
is 'an overlap: a figure is undetermined' 'undetermined overlap' "$(figure dax.pmd_fallbacks verdict reason)"
cp -R over over-lossy
rm over-lossy/kernel/channel_2
"$mm" report dax --compare --json old over-lossy >lossy.json
is 'an overlap and a missing CPU: rows of one side are undetermined, and no sentence says otherwise' 'undetermined 0' \
	"$(jq -r '[.tables.differences[] | .verdict | select(. != "unknown")] | unique | join(" ")' lossy.json) $(
		jq -r '.answer[]' lossy.json | grep -c 'new or gone')"
json 'an overlap: not conclusive' false '.metrics[] | select(.name == "compare.conclusive").value' compare.json

# A stream is missing, so nothing may be called a change.
cp -R new lossy
rm lossy/kernel/channel_2
"$mm" report dax --compare --json old lossy >compare.json
json 'a missing CPU: no verdict' 'undetermined' '[.tables.differences[] | .verdict | select(. != "unknown")] | unique | join(" ")' compare.json
is 'a missing CPU: a figure is undetermined' 'undetermined incomplete' "$(figure dax.pmd_fallbacks verdict reason)"
is 'a missing CPU: a new row is undetermined' 'undetermined incomplete' "$(figure 'processes.fault_ns{process="new"}' verdict reason)"
is 'a missing CPU: a sentence is undetermined' 1 "$("$mm" report dax --compare old lossy | grep -c '^Fallbacks took .*: undetermined\.$')"
json 'a missing CPU: the answer states it' 'No difference is reported as a change: NEW is incomplete, and OLD has 2 CPUs and NEW 1. The missing data may explain any difference.' \
	'.answer[0]' compare.json
"$mm" report dax --compare --require-complete old lossy >/dev/null 2>err
is 'a missing CPU: --require-complete' '3 1' "$? $(grep -c '^lttng-mm: trace: lossy: ' err)"

# A stored report, whatever its file's name, must be read back completely, and compare as its trace
# does.
cp new.json "$work/a report"
"$mm" report dax --compare --json old new | jq 'del(.tables.sides, .notes)' >traces
for pair in 'old.json new' 'old new.json' 'old.json new.json'; do
	# shellcheck disable=SC2086 # words
	"$mm" report dax --compare --json $pair | jq 'del(.tables.sides, .notes)' >stored
	same "$pair: as the traces" traces stored
done
is 'a stored report is named as one' 1 "$("$mm" report dax --compare --wide old.json "$work/a report" |
	grep -c '^NEW: complete, .* (4\.00 s), 2 CPUs: .*/a report (a stored report)$')"
jq '.notes += ["Something is left out."]' old.json >noted.json
is "a stored report's notes are in the head" 1 "$("$mm" report dax --compare noted.json new.json | sed '/^$/q' |
	grep -c '^OLD: Something is left out\.$')"
is '--require-complete: both stored reports were complete' 0 "$("$mm" report dax --compare --require-complete old.json new >/dev/null; echo $?)"
jq '.coverage.complete = null' new.json >unknown.json
"$mm" report dax --compare --require-complete old unknown.json >/dev/null 2>err
is '--require-complete: a stored report of unknown completeness' '3 1' "$? $(grep -c 'a stored report does not state that its trace was complete' err)"
jq '.coverage.complete = false | .coverage.events_discarded = 3' new.json >lossy.json
"$mm" report dax --compare --require-complete old lossy.json >/dev/null 2>err
is '--require-complete: a stored report that lost events' '3 1' "$? $(grep -c '^lttng-mm: trace: lossy.json: events were lost' err)"
"$mm" report dax --pid=7 --json old >pid.json
json 'a selection is stored' '--pid=7' .selection pid.json
"$mm" report dax --pid=8 --json new >other-pid.json
is 'a selection is stated; process ids may differ between runs' 1 "$("$mm" report dax --compare pid.json other-pid.json |
	grep -c '^OLD: complete, .*2 CPUs, with --pid=7: pid.json')"
is 'the selection of a trace is stated' 1 "$("$mm" report dax --compare --pid=8 pid.json new | grep -c '^NEW: complete, .*2 CPUs, with --pid=8: new')"
for sides in 'old.json new.json' 'old.json new' 'old new.json'; do
	case $sides in old.json*) stored=old.json ;; *) stored=new.json ;; esac
	# shellcheck disable=SC2086 # words
	fails "--pid, and a stored report without it: $sides" 2 \
		"report dax: --compare: $stored was made without --pid=7: make it with \`lttng-mm report dax --pid=7 --json\`" \
		report dax --compare --pid=7 $sides
done
fails 'stored reports: OLD has a selection' 2 'new.json was made without --pid=7: make it with' report dax --compare pid.json new.json
fails 'stored reports: NEW has a selection' 2 'new.json was made without --pid=7: make it with' report dax --compare new.json pid.json
fails 'a selection, and a trace without it' 2 'the report pid.json was made with --pid=7; give that option, too, or make a new report with `lttng-mm report dax --json`' \
	report dax --compare pid.json new
fails '--pid of neither stored report' 2 'other-pid.json was made without --pid=7:' report dax --compare --pid=7 pid.json other-pid.json
fails 'times of neither stored report' 2 '--begin, --end and --timerange apply to traces' report dax --compare --begin=-1s old.json new.json

# Every report must be read back unchanged.
make_slab "$here/slab/nodes.trace" slab.trace
cat >fn.events <<'END'
declare fn_handle_mm_fault_entry fn_handle_mm_fault_exit
cpu 0
1000 process_statedump_thread tid=7 pid=7 name=worker
1000 fn_handle_mm_fault_entry tid=7 caller=0x180 address=0x7f0000001000
1700 fn_handle_mm_fault_exit tid=7 caller=0x180 ret=VM_FAULT_OOM
END
make_profile fn-calls fn.events fn.trace
"$mm" report slab --json slab.trace >slab.json
"$mm" report fn --json fn.trace >fn.json
"$mm" report why --json fn.trace >why.json
for analysis in dax slab fn why; do
	[ $analysis = dax ] && cp old.json dax.json
	"$tests/test-report-read" $analysis $analysis.json >again
	same "$analysis: read back and printed again" $analysis.json again
done
for script in "$here"/cases/*.trace "$here"/slab/*.trace; do
	case $script in
	*/slab/*) analysis=slab make=make_slab ;;
	*) analysis=dax make=make_dax ;;
	esac
	rm -rf case
	$make "$script" case
	"$mm" report $analysis --json case >case.json 2>/dev/null || continue
	"$tests/test-report-read" $analysis case.json >again
	same "$(basename "$script"): read back and printed again" case.json again
done

# slab compares more between traces of one boot. Stored reports do not name their boot.
jq '.metrics |= map(if .name == "slab.allocations" and .labels.of == "kmalloc" then .value += 1000 else . end) |
	.coverage.complete = true' slab.json >more.json
jq '.coverage.complete = true' slab.json >less.json
"$mm" report slab --compare --json less.json more.json >compare.json
is 'slab: stored reports' 'worse 1000' "$(figure 'slab.allocations{of="kmalloc"}' verdict change)"
json 'slab: stored reports: without its own tables' 'differences sides' '.tables | keys | join(" ")' compare.json
for analysis in fn why; do
	"$mm" report $analysis --compare --json $analysis.json fn.trace >compare.json
	json "$analysis: equal, of unknown completeness" '0 false' \
		'"\(.tables.differences | length) \(.metrics[] | select(.name == "compare.conclusive").value)"' compare.json
done

# Tests refused comparisons.
refused() {
	fails "$1" 2 "$2" report dax --compare "$3" new
}
printf '{ "format": 1,' >cut.json
refused 'malformed JSON' 'report dax: cut.json: not a report that can be read: damaged: line 1: ' cut.json
echo '[]' >array.json
refused 'other JSON' 'report dax: array.json: not a report that can be read: the file is JSON, but not a report' array.json
: >empty.json
refused 'an empty file' 'report dax: empty.json: not a report that can be read: damaged' empty.json
refused 'another analysis' "slab.json: not a report that can be read: the file is a report of 'slab', not of dax" slab.json
jq '.format = 2' old.json >format.json
refused 'another format' 'format.json: not a report that can be read: the report has format 2' format.json
truncate -s 33M large.json
refused 'a file that is too large' 'large.json: not a report that can be read: larger than 32 MiB' large.json
awk 'BEGIN { printf "["; for (i = 0; i < 2100000; i++) printf "1,"; print "1]" }' >many.json
refused 'too many values' 'many.json: not a report that can be read: more than 2097152 values' many.json
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "["; print "" }' >deep.json
refused 'nested too deep' 'deep.json: not a report that can be read: damaged' deep.json
refused 'a file of a trace' 'channel_1: not a report that can be read: damaged' old/kernel/channel_1
fails 'a live session' 2 'report dax: --compare: net://localhost/x: a live session' report dax --compare old net://localhost/x
fails 'one trace' 2 'report dax: --compare requires two snapshots or stored reports' report dax --compare old
fails 'two without --compare' 2 'only one trace can be given without --compare' report dax old new
fails 'a listing' 2 'report fn: --compare cannot be combined with an option that prints a listing' report fn --graph --compare fn.trace fn.trace
fails 'a stored report alone' 2 'old.json: a stored report, which can only be compared: lttng-mm report dax --compare OLD NEW' report dax old.json
# Hostile texts must be escaped in the text form only.
jq '(.tables.processes[] | select(.process == "new").process) = "\u001b[31m\nred\u202e" |
	.coverage.hostname = "\u001b[31m"' new.json >hostile.json
"$mm" report dax --table=differences --compare old.json hostile.json >text
is 'hostile texts: escaped' '0 1' "$(grep -c "$(printf '\033')" text) $(grep -c ' \\x1b\[31m\\nred\\u202e: time in faults' text)"
tap_end
