#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests the command metrics: the catalogue of metrics, and the values for traces and stored reports.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"
# shellcheck source=tests/certified.sh
. "$top/tests/certified.sh"
export TZ=UTC0

"$mm" metrics --json >catalogue.json 2>err
is 'the catalogue as JSON' '0 0' "$? $(wc -c <err)"
is '... each name is there once' 0 "$(jq -r '.metrics[].name' catalogue.json | sort | uniq -d | wc -l)"
# The Markdown form also describes the metrics of comparisons, which rules cannot check, and of
# info.
"$mm" metrics | awk -F '|' '$2 ~ /^ metric( of a row)? $/ { inside = 1 } /^$/ { inside = 0 }
	inside && $2 ~ /`/ { gsub(/[ `]/, "", $2); print $2 }' |
	grep -vE '^(compare[.].*|slab[.]compare[.].*|trace[.](packets|bytes))$' | sort >names
jq -r '.metrics[].name' catalogue.json | sort >names.json
same '... the names of the Markdown form' names names.json
json '... a declared metric' '["dax","less-is-better","faults"]' \
	'[.metrics[] | select(.name == "dax.pmd_fallbacks") | .report, .direction, .unit] | tostring' catalogue.json
json '... a metric of a row' '["slab",["call_site","kind"],"bytes"]' \
	'[.metrics[] | select(.name == "slab.call_site.live_bytes") | .report, .labels, .unit] | tostring' catalogue.json
json '... a number of the coverage' '["trace","more-is-better","boolean"]' \
	'[.metrics[] | select(.name == "trace.complete") | .report, .direction, .kind] | tostring' catalogue.json

busy | certified
"$mm" metrics t >values 2>err
is 'values of a complete trace' '0 0' "$? $(wc -c <err)"
is '... complete' 'trace.complete true' "$(grep '^trace.complete' values)"
is '... nothing is doubtful' 0 "$(grep -c '^#' values)"
is '... of the slab report only' 'slab trace' "$(sed 's/[.].*//' values | sort -u | xargs)"
is '... a metric with a label' 'slab.allocations{of="kmalloc"} 3 objects' "$(grep '^slab.allocations{of="kmalloc"}' values)"
"$mm" report slab --json t >slab.json
"$mm" metrics slab.json >stored 2>err
same '... the stored report has the same values' values stored
for reader in $readers; do
	"$mm" metrics --reader=$reader t >read
	same "... reader $reader" values read
done
"$mm" metrics --json t >values.json
is '... the JSON form has as many values' "$(wc -l <values)" "$(jq '.runs[0].metrics | length' values.json)"
json '... and states no doubt' null '.runs[0].doubt' values.json
# flat: prints name, labels and value of each metric on standard input, one per line.
flat() {
	jq -r '[.name, (.labels | to_entries | map(.key + "=" + .value) | sort | join(",")), (.value | tostring)] | join(" ")' | sort
}
jq '.metrics[]' slab.json | flat >expected
jq '.runs[0].metrics[]' values.json | flat >found
is '... there are metrics' yes "$([ -s expected ] && echo yes)"
nothing '... which include each metric of the report' "$(comm -23 expected found)"
is '... of the rows of its tables' \
	"$(jq -r '[.tables["call-sites"][] | "\(.call_site) \(.kind) \(.bytes_allocated)"] | sort | join("; ")' slab.json)" \
	"$(jq -r '[.runs[0].metrics[] | select(.name == "slab.call_site.bytes_allocated") |
		"\(.labels.call_site) \(.labels.kind) \(.value)"] | sort | join("; ")' values.json)"

# The memory that processes need, which another analysis computes.
printf '%d pageref_touch tid=50 mm=1 address=0x1000 kind=ARMED\n' 1000 2000 >needed.trace
make_profile page-ref needed.trace needed
"$mm" report page-ref --json needed | jq '.metrics[]' | flat | grep '^pageref.needed_' >expected
"$mm" metrics --json needed | jq '.runs[0].metrics[]' | flat | grep '^pageref.needed_' >found
same 'page references: the needed memory, as in the report' expected found
is '... three values' 3 "$(wc -l <found)"

# A trace that nothing certifies.
busy >busy.trace
make_slab --no-state busy.trace plain
is 'a trace without a certificate' '# nothing shows that the trace is complete: values may be wrong' "$("$mm" metrics plain | head -n 1)"
sed '/^packet$/s/$/ discarded=2/' busy.trace >lost.trace
make_slab --no-state lost.trace lost
is 'a trace with losses' '# events were lost: values may be wrong' "$("$mm" metrics lost | head -n 1)"
cat >touches.trace <<'EOF'
1000 pageref_mm mm=1 pid=50 name=process
2000 pageref_touch tid=50 mm=1 address=0x10000 kind=DEMAND
packet discarded=2
3000 pageref_touch tid=50 mm=1 address=0x11000 kind=DEMAND
EOF
make_profile page-ref touches.trace touches
is '... lower bounds are marked' 'pageref.bytes >= 8192 bytes' "$("$mm" metrics touches | grep '^pageref.bytes')"
json '... in the JSON form, too' '[8192,true]' '[.runs[0].metrics[] | select(.name == "pageref.bytes") | .value, .at_least] | tostring' - <<EOF
$("$mm" metrics --json touches)
EOF
jq '(.metrics[] | select(.name == "slab.peak_bytes")) |= (.at_most = true) | (.tables["call-sites"][0]) |= (.at_most = ["bytes_allocated"])' slab.json >most.json
is '... upper bounds, too' "$(grep '^slab.peak_bytes ' values | sed 's/ / <= /')" "$("$mm" metrics most.json | grep '^slab.peak_bytes ')"
is '... of rows' 1 "$("$mm" metrics most.json | grep -c '^slab.call_site.bytes_allocated{.*} <= [0-9]* bytes')"
json '... in the JSON form' true '.runs[0].metrics[] | select(.name == "slab.peak_bytes") | .at_most' - <<EOF
$("$mm" metrics --json most.json)
EOF
jq '(.metrics[] | select(.name == "slab.peak_bytes")) |= (.at_most = 1)' slab.json >bad.json
fails 'an upper bound that is no flag' 2 'the metric slab.peak_bytes: .at_most. is not true or false' metrics bad.json
jq '.tables.caches[0].at_most = "x"' slab.json >bad.json
fails '... and no list' 2 'row 1 of the table caches: .at_most. is not an array of column names' metrics bad.json

# Names of processes may contain any characters.
cat >hostile.trace <<'EOF'
1000 process_statedump_thread tid=7 pid=7 name=a"b*\c
1100 slab_kmalloc tid=7 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6
EOF
make_slab hostile.trace hostile
is 'a hostile name of a process' 'slab.process.allocations{process="a\"b\*\\c",context=""} 1 objects' \
	"$("$mm" metrics hostile | grep '^slab.process.allocations')"

fails 'no such trace' 2 'none: No such file or directory' metrics none
echo '{}' >other.json
fails 'a file that is no report' 2 'other.json: JSON, but not a report; give what' metrics other.json
"$mm" report slab --compare --json slab.json slab.json >compare.json
fails 'a comparison' 2 "compare.json: a report of 'slab-compare', which has no metrics to check" metrics compare.json
fails 'two inputs' 2 'b: only one trace or report can be given' metrics a b
tap_end
