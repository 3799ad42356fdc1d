#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests the command diff: sets of stored reports and of traces.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"
# shellcheck source=tests/certified.sh
. "$top/tests/certified.sh"
export TZ=UTC0

make_dax "$top/tests/analysis/cases/causes.trace" dax
"$mm" report dax --json dax | jq '.coverage.complete = true | .coverage.kernel_release = "6.12.1"' >one.json
# make NAME COUNT FILTER: writes COUNT reports to NAME-1.json, NAME-2.json and so on. In FILTER, $n
# is the number of the report.
make() {
	for n in $(seq "$2"); do
		jq --argjson n "$n" "$3" one.json >"$1-$n.json"
	done
}
# set NAME VALUE: prints a jq filter that sets a metric without labels.
set_metric() { printf '(.metrics[] | select(.name == "%s") | .value) = (%s)' "$1" "$2"; }
# verdict NAME ARG...: prints verdict and reason of a metric.
verdict() {
	verdict_of=$1
	shift
	"$mm" diff --json "$@" >diff.json 2>err
	jq -r --arg name "$verdict_of" '[.metrics[] | select(.name == $name) | .verdict, .reason] | map(tostring) | join(" ")' diff.json
}

make base 10 "$(set_metric dax.pmd_fallbacks '100 + $n % 3')"
make more 5 "$(set_metric dax.pmd_fallbacks '120 + $n % 3') | $(set_metric dax.fault_ns '90000')"
make less 5 "$(set_metric dax.pmd_fallbacks '80 + $n % 3')"
make again 5 "$(set_metric dax.pmd_fallbacks '100 + $n % 3')"
"$mm" diff base-*.json -- more-*.json >out 2>err
is 'a count that is 20 % higher: status, standard error' '1 0' "$? $(wc -c <err)"
is '... both sides' 'BASE: 10 runs, Linux 6.12.1, 2 CPUs.;NEW: 5 runs, Linux 6.12.1, 2 CPUs.' "$(head -n 2 out | paste -sd ';')"
is '... one is worse' 1 "$(grep -c '^Of [0-9]* metrics: 1 worse, ' out)"
is '... the worst comes first' 'worse dax.pmd_fallbacks 101 (100 to 102) 121 (120 to 122) +20 %' \
	"$(sed -n '/^Metrics/,$p' out | sed -n 3p | tr -s ' ' | sed 's/^ //; s/[- ]*$//')"
is '... a time is shown, and not judged' 1 "$(grep -c '^  not judged  *dax.fault_ns .* time *$' out)"
is '... the reasons have as many metrics as are not judged' yes "$(grep '^Of .* not judged (' out |
	sed 's/.* \([0-9]*\) not judged (\([^)]*\)).*/\1, \2/' |
	awk -F', ' '{ for (i = 2; i <= NF; i++) { split($i, word, ": "); sum += word[2] } if (NF > 2 && sum == $1) print "yes" }')"
is '... with --instructions, it is judged' 'worse null' "$(verdict dax.fault_ns --instructions base-*.json -- more-*.json)"
is '... the verdict in JSON' 'worse null' "$(verdict dax.pmd_fallbacks base-*.json -- more-*.json)"
json '... the values of all runs' '[[101,101,102],[121,122,120]]' \
	'[.metrics[] | select(.name == "dax.pmd_fallbacks") | .base[:3], .new[:3]] | tostring' diff.json
"$mm" diff base-*.json -- less-*.json >out 2>err
is 'a count that is lower: status' 0 $?
is '... is better' 1 "$(grep -c '^  better  *dax.pmd_fallbacks ' out)"
"$mm" diff base-*.json -- again-*.json >out 2>err
is 'the same code: status' 0 $?
is '... nothing is worse' 1 "$(grep -c '^Of [0-9]* metrics: 0 worse, .*1 similar' out)"
is '... a metric within the noise' 'similar null' "$(verdict dax.pmd_fallbacks base-*.json -- again-*.json)"

# Fresh runs confirm.
make fresh 5 "$(set_metric dax.pmd_fallbacks '130 + $n % 3')"
"$mm" diff base-*.json -- more-*.json -- fresh-*.json >out 2>err
is 'fresh runs that are worse, too: status' '1 0' "$? $(wc -c <err)"
is '... the metric, with the cause' 'worse: dax.pmd_fallbacks: 101, then 121 faults;1' \
	"$(grep '^worse: ' out);$(sed -n '/^worse: /,$p' out | grep -c '^  [0-9]* of [0-9]* accesses ')"
"$mm" diff base-*.json -- more-*.json -- again-*.json >out 2>err
is 'fresh runs that are not worse: status' 0 $?
is '... the metric is not confirmed' '0 1' "$(grep -c '^worse' out) $(grep -c '^  maybe worse  *dax.pmd_fallbacks .* not confirmed *$' out)"
"$mm" diff base-*.json -- more-*.json -- fresh-[1-4].json >out 2>err
is 'too few fresh runs: status' '3 1' "$? $(grep -c '^1 metric may have become worse, but ' out)"
"$mm" diff base-*.json -- again-*.json -- fresh-*.json >out 2>err
is 'fresh runs alone decide nothing' 0 $?
make zero 10 .
make leak 5 "$(set_metric dax.fallback_accesses '(.value + 1)' | sed 's/(.value + 1)/2/')"
is 'a constant that is worse by 1' 'worse null' "$(verdict dax.fallback_accesses zero-*.json -- leak-*.json)"

# A metric of a cause: the report's reason, remedy and file.
make frequent 5 '(.metrics[] | select(.name == "dax.fallback.cause" and .labels.cause == "fs-error") | .value) += 100'
"$mm" diff zero-*.json -- frequent-*.json -- frequent-*.json >out 2>err
is 'a cause that is more frequent: why, remedy, path' 'why remedy path' \
	"$(sed -n '/^worse: dax.fallback.cause/,$s/^  \(why\|remedy\|path\): ..*/\1/p' out | xargs)"

# Tests sides with too few runs.
"$mm" diff base-1.json -- more-1.json >out 2>err
is 'one run: status' 3 $?
is '... the noise cannot be told apart' 1 "$(grep -c '^Each side has only one run, so a change cannot be distinguished from noise\.$' out)"
is '... no verdict, but the change' 1 "$(grep -c '^  undetermined  *dax.pmd_fallbacks .* +20 %  *one run' out)"
is 'nine runs' '3 maybe worse null' "$("$mm" diff base-[1-9].json -- more-*.json >out 2>err; echo $? "$(verdict dax.pmd_fallbacks base-[1-9].json -- more-*.json)")"
is '... says how many are needed' 1 "$(grep -c '^A verdict needs 10 runs of BASE and 5 of NEW, but there are 9 and 5: ' out)"

# Tests incomplete runs, and runs without a value.
make maybe 5 "$(set_metric dax.pmd_fallbacks '120 + $n') | .coverage.complete = null"
is 'incomplete runs: no verdict' '3 undetermined incomplete' "$("$mm" diff base-*.json -- maybe-*.json >out 2>err; echo $? "$(verdict dax.pmd_fallbacks base-*.json -- maybe-*.json)")"
is '... names a run, and why' 1 "$(grep -c '^Nothing is judged, because a run of NEW is incomplete: maybe-1.json: nothing shows ' out)"
make null 5 "$(set_metric dax.pmd_fallbacks null)"
is 'a value that is not known' 'undetermined not known' "$(verdict dax.pmd_fallbacks base-*.json -- null-*.json)"
is '... status' 3 "$("$mm" diff base-*.json -- null-*.json >out 2>err; echo $?)"
is '... is counted and listed' '1 1 1' "$(grep -c '^Of [0-9]* metrics: .*1 undetermined' out) $(grep -c '^1 metric may have become worse, but ' out) $(grep -c '^  undetermined  *dax.pmd_fallbacks .* not known *$' out)"
is '... nothing is said to be not worse' 0 "$(grep -c '0 worse' out)"
make some 4 "$(set_metric dax.pmd_fallbacks 1000)"
is 'one of five values is not known' '3 undetermined not known' \
	"$("$mm" diff base-*.json -- some-*.json null-1.json >out 2>err; echo $? "$(verdict dax.pmd_fallbacks base-*.json -- some-*.json null-1.json)")"
make gone 5 'del(.metrics[] | select(.name == "dax.pmd_fallbacks"))'
is 'a metric that NEW lacks is not better' '3 undetermined only in BASE' \
	"$("$mm" diff base-*.json -- gone-*.json >out 2>err; echo $? "$(verdict dax.pmd_fallbacks base-*.json -- gone-*.json)")"
is 'a metric that one new run lacks is not known' '3 undetermined not known' \
	"$("$mm" diff base-*.json -- some-*.json gone-1.json >out 2>err; echo $? "$(verdict dax.pmd_fallbacks base-*.json -- some-*.json gone-1.json)")"
# Without a direction, a metric cannot be worse.
json 'a neutral metric' neutral '.metrics[] | select(.name == "dax.pmd_faults") | .direction' one.json
make vague 5 "$(set_metric dax.pmd_faults null)"
"$mm" diff base-*.json -- vague-*.json >out 2>err
is '... that is not known leaves the status' '0 1 0' "$? $(grep -c '^  undetermined  *dax.pmd_faults .* not known *$' out) $(grep -c ' may have become worse, but ' out)"
make bound 5 '(.metrics[] | select(.name == "dax.pmd_fallbacks")) |= (.value = 1000 | .at_least = true)'
is 'from about 100 to at least 1000' '1 worse null' \
	"$("$mm" diff base-*.json -- bound-*.json >out 2>err; echo $? "$(verdict dax.pmd_fallbacks base-*.json -- bound-*.json)")"
is '... is shown as a bound' 1 "$(grep -c '^  worse  *dax.pmd_fallbacks .* at least 1000 ' out)"
make low 10 '(.metrics[] | select(.name == "dax.pmd_fallbacks")) |= (.value = 100 | .at_least = true)'
is 'bounds on both sides' '3 undetermined bound' \
	"$("$mm" diff low-*.json -- bound-*.json >out 2>err; echo $? "$(verdict dax.pmd_fallbacks low-*.json -- bound-*.json)")"
is '... are listed' 1 "$(grep -c '^  undetermined  *dax.pmd_fallbacks .* at least 100  *at least 1000 .* bound *$' out)"
# most NAME COUNT VALUE: makes reports with an upper bound.
most() { make "$1" "$2" "(.metrics[] | select(.name == \"dax.pmd_fallbacks\")) |= (.value = $3 | .at_most = true)"; }
most limit 5 50
is 'from about 100 to at most 50' '0 better null' \
	"$("$mm" diff base-*.json -- limit-*.json >out 2>err; echo $? "$(verdict dax.pmd_fallbacks base-*.json -- limit-*.json)")"
is '... is shown as a bound' 1 "$(grep -c '^  better  *dax.pmd_fallbacks .* at most 50 ' out)"
most wide 5 1000
is 'from about 100 to at most 1000' '3 undetermined bound' \
	"$("$mm" diff base-*.json -- wide-*.json >out 2>err; echo $? "$(verdict dax.pmd_fallbacks base-*.json -- wide-*.json)")"
most touching 5 100
is 'from about 100 to at most 100' '0 similar null' \
	"$("$mm" diff base-*.json -- touching-*.json >out 2>err; echo $? "$(verdict dax.pmd_fallbacks base-*.json -- touching-*.json)")"
most ceiling 10 100
is 'from at most 100 to at most 100' '0 not judged bound' \
	"$("$mm" diff ceiling-*.json -- touching-*.json >out 2>err; echo $? "$(verdict dax.pmd_fallbacks ceiling-*.json -- touching-*.json)")"
is '... is stated' 1 "$(grep -cx 'Not judged, because a run of BASE has only a bound or no value: dax.pmd_fallbacks\.' out)"
is 'from at most 100 to at most 1000' '3 undetermined bound' \
	"$("$mm" diff ceiling-*.json -- wide-*.json >out 2>err; echo $? "$(verdict dax.pmd_fallbacks ceiling-*.json -- wide-*.json)")"
make hole 1 "$(set_metric dax.pmd_fallbacks null)"
is 'a base run without a value' '3 undetermined not known' \
	"$("$mm" diff base-*.json hole-1.json -- more-*.json >out 2>err; echo $? "$(verdict dax.pmd_fallbacks base-*.json hole-1.json -- more-*.json)")"
is '... does not matter if nothing else changed' '0 similar null' \
	"$("$mm" diff base-*.json hole-1.json -- again-*.json >out 2>err; echo $? "$(verdict dax.pmd_fallbacks base-*.json hole-1.json -- again-*.json)")"
make above 5 "$(set_metric dax.pmd_fallbacks 120)"
is 'from at most 100 to 120' '1 worse null' \
	"$("$mm" diff ceiling-*.json -- above-*.json >out 2>err; echo $? "$(verdict dax.pmd_fallbacks ceiling-*.json -- above-*.json)")"

# Tests runs whose clocks count instructions or time. clock NAME COUNT REPORT CLOCK: makes folders
# of runs with that clock.
clock() {
	for n in $(seq "$2"); do
		mkdir -p "$1/run-$n"
		cp "$3-$n.json" "$1/run-$n/dax.json"
		printf '{ "format": 1, "clock": "%s", "inconclusive": null }\n' "$4" >"$1/run-$n/run.json"
	done
}
make slower 5 "$(set_metric dax.fault_ns '90000')"
clock instructions 10 base instructions
clock slow 5 slower instructions
clock timed 10 base time
clock slow-timed 5 slower time
"$mm" diff instructions -- slow >out 2>err
is 'times of clocks that count instructions are judged' '1 1' "$? $(grep -c '^  worse  *dax.fault_ns ' out)"
for sides in 'timed -- slow-timed' 'timed -- slow' 'instructions -- slow-timed'; do
	# shellcheck disable=SC2086 # words
	"$mm" diff --instructions $sides >out 2>err
	is "... other times are not, whatever the options say: $sides" '0 1' "$? $(grep -c '^  not judged  *dax.fault_ns .* time *$' out)"
done
is '... if only one side counts instructions, that is stated' 1 "$(grep -c '^Times are not judged: they count instructions in BASE only\.$' out)"
sed 's/instructions/time/' slow/run-3/run.json >mixed.json
cp mixed.json slow/run-3/run.json
"$mm" diff --instructions instructions -- slow >out 2>err
is '... a run with another clock' '0 1' "$? $(grep -c '^  not judged  *dax.fault_ns ' out)"

# A stored report must count as a run only for the metrics of its own analysis.
busy | certified
"$mm" report slab --json t | jq '.coverage.complete = true' >slab.json
tens= fives=
for n in 1 2 3 4 5 6 7 8 9 10; do
	cp slab.json slab-$n.json
	tens="$tens slab-$n.json"
	[ $n -gt 5 ] || fives="$fives slab-$n.json"
done
make slow 5 "$(set_metric dax.pmd_fallbacks 1000)"
# shellcheck disable=SC2086
is 'reports of two analyses hide nothing' '1 worse null' \
	"$("$mm" diff base-*.json $tens -- slow-*.json $fives >out 2>err; echo $? "$(verdict dax.pmd_fallbacks base-*.json $tens -- slow-*.json $fives)")"
is '... one report of another analysis' 'worse null' "$(verdict dax.pmd_fallbacks base-*.json -- slow-*.json slab.json)"
# shellcheck disable=SC2086
is '... they are no runs for each other' 'maybe worse null' "$(verdict dax.pmd_fallbacks base-[1-5].json $fives -- slow-*.json)"
# shellcheck disable=SC2086
is 'reports of different analyses on the sides' '3 undetermined only in BASE' \
	"$("$mm" diff base-*.json -- $fives >out 2>err; echo $? "$(verdict dax.pmd_mapped base-*.json -- $fives)")"


# Each worse metric names the call site that grew most, here a new one, although an unchanged call
# site has more allocations. Sentences are not repeated.
jq -r '.tables["call-sites"][] | select(.of == "kmalloc" and .allocations > 1) | .call_site' slab.json >several
kernels=
for n in 1 2 3 4 5 6 7 8 9 10; do
	kernels="$kernels one-kernel-$n.json"
	jq '(.metrics[] | select(.labels.of == "kmalloc" and (.name | test("slab.(allocations|bytes_allocated)$"))) | .value) *= 2' \
		slab.json >twice-$n.json
	jq '.coverage.kernel_release = "6.12.1"' slab.json >one-kernel-$n.json
	jq '.coverage.kernel_release = "6.12.1" | ([.tables["call-sites"][] | select(.of == "kmalloc")][0] | .call_site = "new_site+0x1" | .allocations = 1 | .bytes_allocated = 4096) as $new |
		.tables["call-sites"] += [$new]' twice-$n.json >added-$n.json
	jq '.coverage.kernel_release = "6.12.1"' twice-$n.json >same-rows-$n.json
done
# shellcheck disable=SC2086
"$mm" diff $kernels -- added-[1-5].json -- added-[1-5].json >out 2>err
is 'an unchanged call site has more allocations' yes "$([ -s several ] && echo yes)"
is '... but the call site that grew most is named' 1 "$(grep -c '^  allocations grew most: new_site+0x1, from 0 to 1$' out)"
is '... and no other call site as a cause of the same metric' 0 "$(grep -c '^  call_site: ' out)"
is '... bytes, too' 1 "$(grep -c '^  bytes_allocated grew most: new_site+0x1, from 0 B to 4\.0 KiB$' out)"
# shellcheck disable=SC2086
"$mm" diff $kernels -- same-rows-[1-5].json -- same-rows-[1-5].json >out 2>err
is 'if no call site grew, none is named' '2 0' "$(grep -c '^worse: slab\.\(allocations\|bytes_allocated\){' out) $(grep -c 'call_site\|grew most\|^  most ' out)"
# shellcheck disable=SC2086
"$mm" diff $kernels -- twice-[1-5].json -- twice-[1-5].json >out 2>err
is 'another kernel: the largest call site is named, because offsets may differ' 1 "$(grep -c '^  most allocations: 0x110, 3$' out)"
is '... the answer of the report is not repeated' '' "$(grep '^  ' out | sort | uniq -d)"
is '... and follows all metrics' 'Report slab of twice-1.json:' "$(grep '^worse: \|^Report ' out | tail -n 1)"
is '... with the number of the sentences in the report' "$(jq '.answer | length' slab.json)" \
	"$(sed '1,/^Report slab/d' out | grep -c '^  ')"

# The number of leaks has no label. Its cause is the call site whose live objects became more.
for n in 1 2 3 4 5; do
	jq '.coverage.kernel_release = "6.12.1" | (.metrics[] | select(.name == "slab.leaks.objects") | .value) = 50 |
		.tables.leaks += [{call_site: "leak_site+0x2", kind: "kmalloc-32", live: 40, live_bytes: 1280},
			{call_site: "other_site+0x3", kind: "kmalloc-32", live: 10, live_bytes: 320}]' slab.json >leak-$n.json
done
# shellcheck disable=SC2086
"$mm" diff $kernels -- leak-[1-5].json -- leak-[1-5].json >out 2>err
is 'more leaks: the call site is named' 1 "$(grep -A 1 '^worse: slab.leaks.objects: ' out | grep -c '^  live objects grew most: leak_site+0x2, from 0 to 40$')"

# More call sites have steady leaks: a site that had them before is not the cause.
for n in 1 2 3 4 5 6 7 8 9 10; do
	jq '.coverage.kernel_release = "6.12.1" | (.metrics[] | select(.name == "slab.leaks.steady_call_sites") | .value) = 1 |
		.tables.leaks += [{call_site: "old_site+0x1", kind: "kmalloc-32", live: 9, steady_bytes: 200}]' slab.json >steady-$n.json
	jq '(.metrics[] | select(.name == "slab.leaks.steady_call_sites") | .value) = 5 |
		(.tables.leaks[] | select(.call_site == "old_site+0x1") | .steady_bytes) = 400' steady-$n.json >steadier-$n.json
done
"$mm" diff steady-*.json -- steadier-[1-5].json -- steadier-[1-5].json >out 2>err
is 'more call sites with steady leaks: none that had them before is named' '1 0' \
	"$(grep -c '^worse: slab.leaks.steady_call_sites: ' out) $(grep -c 'most: old_site\|most bytes' out)"

# If several call sites have the label of the metric, none of them is its cause.
for n in 1 2 3 4 5; do
	jq '(.metrics[] | select(.labels.of == "kmalloc" and .name == "slab.growth_bytes") | .value) = 4096 |
		.tables["call-sites"] += [.tables["call-sites"][0] | .call_site = "0x120"]' slab.json >grown-$n.json
done
# shellcheck disable=SC2086
"$mm" diff $tens -- grown-[1-5].json -- grown-[1-5].json >out 2>err
is 'growth: not the first of two call sites' '1 0' "$(grep -c '^worse: slab.growth_bytes' out) $(grep -c '^  call_site: ' out)"

# Tests runs of different lengths.
make long 10 '.coverage.duration_ns = 10000000000'
make short 5 '.coverage.duration_ns = 9800000000'
is 'equal counts in 2 % less time' '0 1' "$("$mm" diff long-*.json -- short-*.json >out 2>err; echo $? "$(grep -c '^Of [0-9]* metrics: 0 worse' out)")"
is '... are the same' 'same null' "$(verdict dax.pmd_faults long-*.json -- short-*.json)"

make other 5 '.coverage.kernel_release = "6.12.2" | .coverage.cpus = 4'
"$mm" diff base-*.json -- other-*.json >out 2>err
is 'another kernel and machine are stated' 'kernel 6.12.1 6.12.2, machine 2 CPUs 4 CPUs' \
	"$(sed -n 's/^The \([a-z]*\) differs: \(.*\) in BASE, \(.*\) in NEW\.$/\1 \2 \3/p' out | paste -sd ',' | sed 's/,/, /')"

# Tests the rows of tables.
make grown 5 '(.tables.files[0].sigbus) = 9 | (.tables.processes[0].pmd_faults) = 99'
"$mm" diff base-*.json -- grown-*.json >out 2>err
is 'a row that grew is listed, and decides nothing' '0 1' "$? $(grep -c '^  appeared  *dax.file.sigbus{path=.* 0  *9  *from 0' out)"
is '... a neutral column of a row is not' 0 "$(grep -c dax.process.pmd_faults out)"

# Call sites match by function if the kernels differ.
busy | certified
"$mm" report slab --json t | jq '.coverage.complete = true' >site.json
for n in 1 2 3 4 5 6 7 8 9 10; do
	jq '.coverage.kernel_release = "a" | .tables["call-sites"] |= map(.call_site = "foo+0x" + (.object_size // 1 | tostring))' site.json >site-a-$n.json
	jq '.coverage.kernel_release = "b" | .tables["call-sites"] |= map(.call_site = "foo+0x99" + (.object_size // 1 | tostring))' site.json >site-b-$n.json
	jq '.coverage.kernel_release = "a"' site-b-$n.json >site-c-$n.json
done
is 'another kernel: the call sites of a function match' 0 "$("$mm" diff --json site-a-*.json -- site-b-*.json | jq '[.rows[] | select(.name | startswith("slab.call_site."))] | length')"
is '... the same kernel: they do not' 'appeared vanished' \
	"$("$mm" diff --json site-a-*.json -- site-c-*.json | jq -r '[.rows[] | select(.name | startswith("slab.call_site.")) | .verdict] | unique | join(" ")')"

# Traces of different lengths: NEW has twice the events in twice the time.
for side in 1 2; do
	awk -v count="$side" 'BEGIN {
		print "cpu 0\nbegin 1000"
		for (i = 0; i < 10 * count; i++)
			printf "%d slab_kmalloc tid=1 call_site=0x110 ptr=0x%x bytes_req=60 size_class=6\n%d slab_kfree tid=1 call_site=0x210 ptr=0x%x\n",
				2000 + 1000000 * i, 4096 * (i + 1), 3000 + 1000000 * i, 4096 * (i + 1)
		printf "end %d\n", 1000 + 10000000 * count
	}' | certified $((10000000 * side))
	mv t length-$side
done
"$mm" diff length-1 -- length-2 >out 2>err
is 'different lengths: sums are compared per second, which is stated' 1 "$(grep -c '^The runs differ in length (10.0 ms to 20.0 ms): counts and sums are compared per second' out)"
"$mm" diff --json length-1 -- length-2 >diff.json
json '... allocations' '["same",[1000],[1000]]' '[.metrics[] | select(.name == "slab.allocations" and .labels.of == "kmalloc") | .verdict, .base, .new] | tostring' diff.json

fails 'one run twice' 2 'diff: ./base-1.json: given twice; each argument must be another run' diff base-1.json ./base-1.json -- more-1.json
fails 'no separator' 2 'there is no --; give the old runs, then --, then the new runs' diff base-1.json more-1.json
fails 'no fresh runs' 2 'no runs are given after the second --' diff base-1.json -- more-1.json --
fails 'no new runs, but fresh ones' 2 'no runs are given after --' diff base-1.json -- -- more-1.json
fails 'no new runs' 2 'no runs are given after --' diff base-1.json --
fails 'no base runs' 2 'no runs are given before --' diff -- base-1.json
fails 'a missing file' 2 'none: No such file or directory' diff base-1.json -- none
tap_end
