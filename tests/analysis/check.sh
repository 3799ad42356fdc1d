#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests the command check: rules on traces, on stored reports and on incomplete traces, and all
# output formats.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"
# shellcheck source=tests/certified.sh
. "$top/tests/certified.sh"
export TZ=UTC0

# checked STATUS [OPTION...] INPUT...: checks the rules on standard input. Prints the status, if it
# is not STATUS, and the first word of each line of the result.
checked() {
	checked_status=$1
	shift
	cat >rules
	"$mm" check rules "$@" >out 2>err
	checked_is=$?
	[ $checked_is = "$checked_status" ] || printf 'status %s, ' $checked_is
	sed -n 's/^\([a-z]*\) .*rules:.*/\1/p' out | paste -sd ' '
}

busy | certified
"$mm" report slab --json t >slab.json
make_dax "$top/tests/analysis/cases/causes.trace" dax
"$mm" report dax --json dax | jq '.coverage.complete = true' >dax.json
"$mm" report dax --json dax >maybe.json

is 'a complete trace meets its rules' 'pass pass pass' "$(checked 0 t <<'EOF'
# Three allocations, and three frees.
slab.allocations{of="kmalloc"} == 3
slab.call_site.bytes_allocated{call_site="0x*"} <= 1KiB  "small"
trace.complete == true
EOF
)"
is '... nothing on standard error' 0 "$(wc -c <err)"
is '... the last line counts' 'pass: 3 rules on 1 run: 3 pass' "$(tail -n 1 out)"
for reader in $readers; do
	is "... reader $reader" 'pass' "$(echo 'slab.allocations{of="kmalloc"} == 3' | checked 0 --reader=$reader t)"
done
is 'a rule that fails' 'fail pass' "$(checked 1 t <<'EOF'
slab.allocations{of="kmalloc"} <= 2
  "two are enough"
slab.allocations{of="kmalloc"} <= 3
EOF
)"
is '... says what is found, and why the rule exists' 1 \
	"$(grep -c '^    3 objects: slab.allocations{of="kmalloc"}$' out)"
is '... the explanation' 1 "$(grep -c '^    two are enough$' out)"
is '... names the cause, as the report does' 1 "$(grep -c '^      Most allocated (freed memory included): kmalloc-64, .* at 0x110 ' out)"
is '... nothing on standard error' 0 "$(wc -c <err)"
is 'a cause of DAX faults' fail "$(echo 'dax.fallback.cause{cause="hole-no-zero-page"} == 0' | checked 1 dax.json)"
is '... has its remedy, its file and its process' 'free memory, or allocate the blocks with fallocate and write them before reading; 259:0 (path not in sysinfo); big' \
	"$(sed -n 's/^ *\(remedy\|path\|process\): //p' out | paste -sd ';' | sed 's/;/; /g')"
is 'a rule must hold for each metric that it matches' 'fail' "$(echo 'dax.fallback.cause{cause="*"} <= 0' | checked 1 dax.json)"
is '... each of them is listed' "$(jq '[.metrics[] | select(.name == "dax.fallback.cause" and .value > 0)] | length' dax.json)" \
	"$(grep -c '^    [1-9].*: dax.fallback.cause{' out)"
is 'a ratio' 'fail pass' "$(printf '%s\n' 'dax.pmd_fallbacks / dax.pmd_faults <= 49%' 'dax.pmd_fallbacks / dax.pmd_faults <= 50%' | checked 1 dax.json)"
is '... shows both numbers' 1 "$(grep -c '^    3 faults / 6 faults = 0.5: dax.pmd_fallbacks / dax.pmd_faults$' out)"
is 'reports of two analyses' 'pass pass' "$(printf '%s\n' 'slab.allocations{of="kmalloc"} == 3' 'dax.pmd_faults == 6' | checked 0 slab.json dax.json)"
is 'a rule on two runs must hold on both' 'fail' "$(
	jq '(.metrics[] | select(.name == "dax.pmd_faults") | .value) = 7' dax.json >seven.json
	echo 'dax.pmd_faults == 6' | checked 1 dax.json seven.json)"
is '... and names the run' 1 "$(grep -c '^    7 faults: dax.pmd_faults; seven.json$' out)"

# A rule must not pass if missing data could change its result.
is 'not known to be complete: no rule passes that a loss could turn' 'inconclusive fail' \
	"$(printf '%s\n' 'dax.pmd_faults == 6' 'dax.pmd_faults <= 5' | checked 1 maybe.json)"
is '... without a rule that fails, all is inconclusive' 'inconclusive' "$(echo 'dax.pmd_faults <= 6' | checked 3 maybe.json)"
is '... even if each rule passes' 'pass' "$(echo 'dax.pmd_faults >= 6' | checked 3 maybe.json)"
is '... and says why' 2 "$(grep -c '^inconclusive.*maybe.json: nothing shows that the trace is complete$\|^inconclusive: 1 rule on 1 run: 1 pass$' out)"
busy >busy.trace
sed '/^packet$/s/$/ discarded=2/' busy.trace | certified
is 'lost events: a count may be higher' 'inconclusive' "$(echo 'slab.allocations{of="kmalloc"} <= 3' | checked 3 t)"
is '... what is above the maximum already fails' 'fail' "$(echo 'slab.allocations{of="kmalloc"} <= 2' | checked 1 t)"
is '... the reason' 1 "$(grep -c '^inconclusive *t: events were lost$' out)"
is '... the metric itself fails' 'fail' "$(echo 'trace.events_discarded == 0' | checked 1 t)"
busy | certified
rm t/kernel/*_1
is 'a missing stream is never green' 'inconclusive' "$(echo 'slab.allocations{of="kmalloc"} <= 99' | checked 3 t)"
is '... a row may be lost, too' 'inconclusive inconclusive' "$(printf '%s\n' 'slab.cache.live_bytes{cache="lost"} >= 0' 'slab.cache.live_bytes{cache="lost"} >= 0 if present' | checked 3 t)"
busy | certified
jq '(.metrics[] | select(.name == "dax.pmd_faults") | .value) = null' dax.json >null.json
is '`if present` is for metrics that are absent, not for unknown values' 'inconclusive' "$(echo 'dax.pmd_faults <= 9 if present' | checked 3 null.json)"
is '... nothing to measure in a complete trace' 'absent' \
	"$(echo 'dax.fault.latency_ns{cause="private-write",q="0.5"} <= 9 if present' | checked 0 dax.json)"

# Tests stored reports of a part of a trace, and reports that contradict themselves.
echo 'slab.allocations{of="kmalloc"} <= 1' >rules
"$mm" report slab --json --cache kmalloc-8 t >part.json
fails 'a report with options' 2 'part.json: the report was made with --cache=kmalloc-8, so it covers only a part of the trace; make it again with `lttng-mm report slab --json`' check rules part.json
"$mm" report slab --json --begin 1700000000.000003 t >part.json
fails 'a report of a time range' 2 'part.json: the report was made with a time range, so it covers only' check rules part.json
echo 'dax.pmd_faults <= 6' >rules
for bad in '(.metrics[] | select(.name == "dax.pmd_faults")).at_least = "true"' \
	'(.metrics[] | select(.name == "dax.pmd_faults")).at_least = 1' \
	'.tables.files[0].at_least = true' '.tables.files[0].at_least = [1]' '.windowed = 1'; do
	jq "$bad" dax.json >bad.json
	fails "a wrong type: $bad" 2 'bad.json: not a report that can be read: ' check rules bad.json
done
for bad in '.coverage.losses[0].events_discarded = 7' '.coverage.possible_pauses = 5' \
	'.coverage.damage = [{ "message": "x" }]' \
	'.coverage.missing = [{ "stream": "x", "cpu": null, "packets": null, "what": "x" }]'; do
	jq "$bad" dax.json >bad.json
	is "complete, but $bad" inconclusive "$(echo 'dax.pmd_faults <= 6' | checked 3 bad.json)"
done
sed 's/"metrics": \[/"selection": null, &/' dax.json >bad.json
fails 'a member twice' 2 'duplicate object key' check rules bad.json

# Each error must be one line on standard error, with file and line.
is 'a rule that matches nothing' 'error pass' "$(printf '%s\n' 'dax.fallback.cause{cause="oomm"} == 0' 'dax.pmd_faults == 6' | checked 2 dax.json)"
is '... suggests the nearest label' 'lttng-mm: check: rules:1: no dax.fallback.cause has cause="oomm"; did you mean '\''oom'\''? correct the rule, or add `if present`' \
	"$(cat err)"
is '... if present' 'absent' "$(echo 'dax.fallback.cause{cause="oomm"} == 0 if present' | checked 0 dax.json)"
echo 'dax.fallback.cause{cause="oomm"} == 0' >typo
"$mm" check typo dax.json dax.json dax.json >out 2>err
is '... is stated once for all runs' '1 1' "$(grep -c '^    ' out) $(grep -c '^    .*; all 3 runs$' out)"
echo 'dax.pmd_faults / dax.fallback.cause{cause="x"} <= 1' >typo
"$mm" check typo dax.json >out 2>err
is '... and without a number if there is one run' 0 "$(grep -c '; .*run' out)"
jq 'del(.metrics[] | select(.name == "dax.pmd_faults"))' dax.json >short.json
echo 'dax.pmd_faults == 6' >typo
"$mm" check typo short.json dax.json short.json >out 2>err
is '... some runs: how many, and the first' 1 "$(grep -c '^    .*; 2 of 3 runs, first short.json$' out)"
is 'a report that is missing' 'error' "$(echo 'slab.peak_bytes <= 1GiB' | checked 2 dax.json)"
is '... says so' 1 "$(grep -c 'rules:1: the run has no report of slab' err)"
is '... what to do' 1 "$(grep -c 'the run has no report of slab; record its events, give its report, too, or add' err)"
is 'a divisor that is not unique' 'error' "$(echo 'dax.pmd_faults / dax.fallback.cause <= 1' | checked 2 dax.json)"
is '... says which label differs, with an example' 1 \
	"$(grep -c 'rules:1: [0-9]* metrics match the divisor, which differ in the label cause, such as dax.fallback.cause{cause="[a-z-]*"}; give labels that only one of them has$' err)"
is 'two values of one metric' 'pass' "$(echo 'dax.fallback.cause{cause="oom"} / dax.fallback.cause{cause="hole-no-zero-page"} <= 99' | checked 0 dax.json)"
is 'a divisor that is missing' 'error' "$(echo 'dax.pmd_faults / dax.fallback.cause{cause="x"} <= 1' | checked 2 dax.json)"
echo 'dax.pmd_falbacks == 0' >rules
fails 'a wrong name' 2 "check: rules:1: unknown metric 'dax.pmd_falbacks'; did you mean 'dax.pmd_fallbacks'" check rules dax.json
fails 'no file of rules' 2 'check: none: No such file or directory; give a file of rules' check none dax.json
fails 'a folder instead of rules' 2 'check: t: not a file of rules (a folder); the rules come first' check t rules
echo 'dax.pmd_faults == 6' >good
fails 'a report that is no report' 2 'rules: not a report that can be read' check good rules
fails 'a format' 2 "'xml' is not one of text, json, junit, ktap, github" check --format xml rules dax.json
fails 'nothing to check' 2 'nothing to check; after the rules, give a trace' check rules
fails 'no arguments' 2 'no file of rules given' check

echo 'dax.pmd_falbacks == 0 "a&b"' >wrong
for format in text json junit ktap github; do
	"$mm" check --format $format wrong dax.json >wrong.$format 2>err
	is "a wrong rule, format $format: status" '2 1' "$? $(wc -l <err)"
done
is '... text: nothing' 0 "$(wc -c <wrong.text)"
json '... JSON' 'error true' '[.state, (.error | startswith("check: wrong:1: unknown metric")) | tostring] | join(" ")' wrong.json
is '... JUnit' '1 1' "$(xmllint --xpath 'concat(count(//testcase), " ", count(//error[contains(@message, "wrong:1: unknown metric")]))' wrong.junit)"
is '... KTAP' 'KTAP version 1;1..1;not ok 1 wrong' "$(grep -v '^#' wrong.ktap | paste -sd ';')"
is '... GitHub' 1 "$(grep -c '^::error file=wrong::check: wrong:1: unknown metric' wrong.github)"
is 'rules from a pipe' 0 "$(cat good | "$mm" check /dev/stdin dax.json >out 2>err; echo $?)"

# Tests the formats. The name of a process and the path of a run may contain any characters.
cat >hostile.trace <<'EOF'
1000 process_statedump_thread tid=7 pid=7 name=]]>"&<\#%
1100 slab_kmalloc tid=7 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6
EOF
mkdir -p hostile
make_slab hostile.trace 'hostile/a, b:c#d%e'
"$mm" report slab --json "hostile/a, b:c#d%e" >'a, b:c#d%e<&.json'
printf '%s\n' 'slab.process.allocations{process="*"} == 0 "5 % & <b>"' 'slab.peak_bytes <= 1GiB' 'slab.total.live{what="#x"} <= 1 if present' >rules
printf 'slab.recorder.allocations == 0\n' >>rules
for format in text json junit ktap github; do
	"$mm" check --format $format rules 'a, b:c#d%e<&.json' slab.json >result.$format 2>err
	is "format $format: status" '1 0' "$? $(wc -c <err)"
done
json 'JSON: the states of the rules' 'fail inconclusive inconclusive inconclusive' '[.rules[].state] | join(" ")' result.json
json '... of all' fail .state result.json
json '... a finding names metric, value and run' '["slab.process.allocations{process=\"]]>\\\"&<\\\\#%\",context=\"\"}","1 objects","a, b:c#d%e<&.json"]' \
	'[.rules[0].findings[] | select(.run | startswith("a")) | .metric, .value, .run] | tostring' result.json
is 'JUnit: well-formed' 0 "$(xmllint --noout result.junit >err 2>&1; echo $?)"
is '... a case per rule, and one for an incomplete run' "5 1 4" \
	"$(xmllint --xpath 'string(//testsuite/@tests)' result.junit) $(xmllint --xpath 'string(//testsuite/@failures)' result.junit) $(xmllint --xpath 'count(//skipped)' result.junit)"
is '... the counts are the elements' "$(xmllint --xpath 'concat(count(//testcase), " ", count(//failure), " ", count(//skipped))' result.junit)" \
	"$(xmllint --xpath 'concat(//testsuite/@tests, " ", //testsuite/@failures, " ", //testsuite/@skipped)' result.junit)"
is '... hostile names are as they were' yes "$(xmllint --xpath 'string(//failure)' result.junit | grep -qF 'process="]]>\"&<\\#%"' && echo yes)"
is 'KTAP: version and plan' 'KTAP version 1 1..5' "$(head -n 2 result.ktap | xargs)"
is '... a # of a rule starts no directive' 1 "$(grep -c '^ok 3 rules:3 slab.total.live{what="_x"} <= 1 if present # SKIP inconclusive$' result.ktap)"
is '... one line per rule' '1 not, 2 ok skip, 3 ok skip, 4 ok skip, 5 ok skip' \
	"$(sed -n 's/^not ok \([0-9]*\) .*/\1 not/p; s/^ok \([0-9]*\) .* # SKIP .*/\1 ok skip/p' result.ktap | paste -sd ',' | sed 's/,/, /g')"
is 'GitHub: an annotation per rule that does not pass' '1 error 3 warning'  \
	"$(sed -n 's/^::\([a-z]*\) file=.*/\1/p' result.github | sort | uniq -c | xargs)"
is '... the line of the rule' 1 "$(grep -c '^::error file=rules,line=1,title=slab.process.allocations{process="\*"} == 0::5 %25 & <b>%0A' result.github)"
is '... no other percent sign' 0 "$(sed 's/%0A//g; s/%25//g; s/%2C//g; s/%3A//g' result.github | grep -c %)"
is 'text: no line is longer because of a name' 0 "$(LC_ALL=C grep -c '[^ -~]' result.text)"
tap_end
