#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests reports, miss curves and exports of traces in which the recorder has sampled the pages. They
# must equal those of a trace with the lowest sample all the time, and be near those of all pages.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"
export TZ=UTC0

# with_samples SCRIPT: adds the field `sample` to passes: 1/4, then 1/8 and then 1/2 of the pages.
# The event at the start of a pass has the sample of the previous pass.
with_samples() {
	awk '{ now = $1 }
		/ pageref_pass / {
			mm = $3
			if (!/ end=1/) {
				before = mm in sample ? sample[mm] : 4194304
				passes[mm]++
				sample[mm] = passes[mm] < 4 ? 4194304 : passes[mm] < 8 ? 2097152 : 8388608
				print $0 " sample=" before
			} else {
				print $0 " sample=" sample[mm]
			}
			next
		}
		{ print }
		# Both traces end at the same time.
		END { printf "%.0f pageref_pass mm=1 sample=%d\n", now + 1000, sample["mm=1"] }' "$1"
}

# packets: starts a new packet after each 1,000 events.
packets() {
	awk '{ print } NR % 1000 == 0 { print "packet" }'
}
# metric COMMAND NAME TRACE [LABEL...]: prints a metric whose labels are these.
metric() {
	metric_command=$1 metric_name=$2 metric_trace=$3
	shift 3
	# shellcheck disable=SC2086 # words
	"$mm" $metric_command --json "$metric_trace" 2>err | jq -r --arg name "$metric_name" --args \
		'.metrics[] | select(.name == $name and ([.labels[]] == $ARGS.positional)) | .value' -- "$@"
}
# within NAME LOW HIGH NUMBER
within() {
	is "$1" yes "$(awk -v low="$2" -v high="$3" -v n="${4:-none}" \
		'BEGIN { print (n + 0 == n && n >= low && n <= high) ? "yes" : n " is not from " low " to " high }')"
}
# same NAME FILTER COMMAND: compares the output of two traces. FILTER reads it.
same() {
	for trace in varying lowest; do
		# shellcheck disable=SC2086 # words
		"$mm" $3 "$trace" 2>/dev/null | eval "$2" >"$trace.out"
	done
	is "$1" '' "$(diff varying.out lowest.out | head -n 10)"
	is '... which is not empty' yes "$([ "$(wc -l <varying.out)" -gt 100 ] && echo yes)"
}

# Random events of all kinds. Events of pages that are not in the lowest sample must be ignored.
for seed in 1 2 3 4 5 6; do
	awk -v seed=$seed -v exact=1 -f "$top/tests/utils/make-page-ref-random.awk" >plain.trace
	with_samples plain.trace >all.trace
	rm -rf varying lowest
	"$tests/sample-events" <all.trace | packets >varying.trace
	"$tests/sample-events" 2097152 <all.trace | packets >lowest.trace
	make_profile page-ref varying.trace varying
	make_profile page-ref lowest.trace lowest
	is "seed $seed: the larger samples add events" yes \
		"$([ "$(wc -l <varying.trace)" -gt $(($(wc -l <lowest.trace) + 20)) ] && echo yes)"
	same "seed $seed: report page-ref" "jq '[.metrics, .tables]'" 'report page-ref --json'
	same "seed $seed: mrc" "jq '[.metrics, .tables]'" 'mrc --json --policy lru,clock,fifo'
	same "seed $seed: export" cat 'export page-ref --format csv'
	# The report must state the lowest sample.
	is "seed $seed: the report states the sample" 0.125 "$(metric 'report page-ref' pageref.sample varying)"
	is "seed $seed: mrc states the sample" 0.125 "$(metric mrc mrc.sample varying)"
done

# Two processes. One touches all of its 20,000 pages every 2 s. The other one touches random pages
# of its 60,000 pages. There are two passes per second.
awk 'BEGIN {
	srand(1)
	print "cpu 0"
	print "1000 pageref_mm mm=1 pid=50 name=cycle"
	print "2000 pageref_mm mm=2 pid=60 name=random"
	for (i = 0; i < 48; i++) {
		for (mm = 1; mm <= 2; mm++) {
			now = 1e9 + i * 5e8 + mm * 1e6
			printf "%.0f pageref_pass mm=%d\n%.0f pageref_pass mm=%d end=1 armed=1\n", now, mm, now + 1000, mm
		}
		now += 1000
		for (n = 0; n < 5000; n++) {
			printf "%.0f pageref_touch tid=50 mm=1 address=0x%x000 kind=ARMED user=1 write=%d\n", now += 20000, \
				1048576 + (i * 5000 + n) % 20000, n % 2
			page = 4194304 + int(rand() * 60000)
			if (last[page] != i + 1)
				printf "%.0f pageref_touch tid=60 mm=2 address=0x%x000 kind=ARMED user=1\n", now += 20000, page
			last[page] = i + 1
		}
	}
}' >plain.trace
make_profile page-ref plain.trace truth
with_samples plain.trace | "$tests/sample-events" >sampled.trace
make_profile page-ref sampled.trace sampled
for reader in $readers; do
	"$mm" report page-ref --reader="$reader" sampled >"out-$reader" 2>err
	is "reader $reader: the first sentence says that it is an estimate" 'Estimate: the recorder has sampled 12.5 % of the pages' \
		"$(sed -n '/^$/ { n; p; q; }' "out-$reader" | cut -d';' -f1)"
done
is 'all pages: no estimate' 0 "$("$mm" report page-ref truth | grep -c Estimate)"
for window in interval 1s 10s; do
	true_bytes=$(metric 'report page-ref' pageref.working_set_bytes truth $window 0.5)
	low=$(metric 'report page-ref' pageref.working_set_bytes sampled $window 0.5)
	high=$(metric 'report page-ref' pageref.most_working_set_bytes sampled $window 0.5)
	within "working set, $window: the range contains the truth" "$low" "$high" "$true_bytes"
	within "working set, $window: its middle is within 10 % of the truth" $((true_bytes * 9 / 10)) \
		$((true_bytes * 11 / 10)) $(((low + high) / 2))
	within "working set, $window: it is a range" 1 $((true_bytes / 3)) $((high - low))
done
within 'pages: the range contains the truth' "$(metric 'report page-ref' pageref.pages sampled)" \
	"$(metric 'report page-ref' pageref.most_pages sampled)" "$(metric 'report page-ref' pageref.pages truth)"
true_touches=$(metric 'report page-ref' pageref.touches truth ARMED)
within 'touches: within 5 % of the truth' $((true_touches * 95 / 100)) $((true_touches * 105 / 100)) \
	"$(metric 'report page-ref' pageref.touches sampled ARMED)"
is 'tables: the range of each process contains the truth' true "$({ "$mm" report page-ref --json truth; "$mm" report page-ref --json sampled; } |
	jq -s '[.[].tables.processes | map({(.process): .}) | add] |
		[.[0][] as $t | .[1][$t.process] | .bytes < $t.bytes and .most_bytes > $t.bytes and .bytes > $t.bytes * 0.9 and
			.written_bytes <= $t.written_bytes and .written_bytes >= $t.written_bytes * 0.9] | all and length == 2')"

# Miss curves. The refaults of all pages are between the bounds of each size.
"$mm" mrc sampled >out 2>err
is 'mrc: the first sentence says that it is an estimate' 'Estimate: the recorder has sampled 12.5 % of the pages' \
	"$(sed -n '/^$/ { n; p; q; }' out | cut -d';' -f1)"
is 'mrc: the memory that is needed has an upper bound' 1 "$(grep -c '^Needs .* to .* for at most 100 refaults per second' out)"
is 'mrc: the range contains the bounds of all pages' true "$({
	"$mm" mrc --json --sizes 80M,120M,160M,240M truth
	"$mm" mrc --json --sizes 80M,120M,160M,240M sampled
} | jq -s '[.[].tables.sizes] | transpose |
	[.[] | .[1].refaults_low <= .[0].refaults_high and .[1].refaults_high >= .[0].refaults_low and
		.[1].refaults_high < .[0].refaults_high * 1.3 + 10000] | all and length == 4')"
is 'mrc: simulated policies are near those of all pages' true "$({
	"$mm" mrc --json --policy clock,fifo --sizes 120M,160M truth
	"$mm" mrc --json --policy clock,fifo --sizes 120M,160M sampled
} | jq -s '[.[].tables.sizes] | transpose |
	[.[] | (.[1].refaults_low - .[0].refaults_low | fabs) < .[0].refaults_low * 0.1 + 5000] | all and length == 4')"
"$mm" export page-ref --format csv sampled >out.csv 2>err
is 'export: a note says which part' 1 "$(grep -c 'the recorder has sampled 12.5 % of the pages' err)"

# A pass finds 64 huge pages without a mark. Each is in the sample as a whole, or not at all, so it
# counts as eight huge pages, or as none.
awk 'BEGIN {
	print "1000 pageref_mm mm=1 pid=50 name=huge"
	for (i = 0; i < 3; i++) {
		sample = i ? 2097152 : 4194304
		printf "%d pageref_pass mm=1 sample=%d\n", 2000 + i * 1000, sample
		for (n = 0; n < 64 && i == 1; n++)
			printf "%d pageref_unseen mm=1 address=0x%x00000 pages=512\n", 3100 + n, 4096 + 2 * n
		printf "%d pageref_pass mm=1 end=1 sample=%d\n", 2900 + i * 1000, sample
	}
	print "5000 pageref_touch tid=50 mm=1 address=0x1000 kind=ARMED"
}' | "$tests/sample-events" >huge.trace
make_profile page-ref huge.trace huge
huge_pages=$(grep -c pageref_unseen huge.trace)
within 'huge pages without a mark: some are in the sample' 2 20 "$huge_pages"
is '... the report scales all their pages' $((huge_pages * 512 * 8)) "$(metric 'report page-ref' pageref.unseen_pages huge)"
is '... mrc, too' $((huge_pages * 512 * 8)) "$(metric mrc mrc.unseen_pages huge)"
is '... export has each as one row' "$huge_pages" "$("$mm" export page-ref --format csv huge 2>/dev/null | grep -c 'unseen,.*,2097152,')"

# While all pages are recorded, 512 adjacent small pages without a mark look like a huge page. If
# the first of them is in the lowest sample, all of them count, because they may be a huge page.
# Otherwise, only the pages in the sample count.
unseen_tables() {
	awk -v pages="$1" 'BEGIN {
		for (n = 0; n < 64; n++)
			for (i = 0; i < 512; i += pages)
				printf "%d pageref_unseen mm=1 address=0x%x%03x000 pages=%d\n", 3100 + n, (4096 + 2 * n) / 2, i, pages
	}'
}
{
	echo '1000 pageref_mm mm=1 pid=50 name=small'
	echo '2000 pageref_pass mm=1 sample=16777216'
	echo '2900 pageref_pass mm=1 end=1 sample=16777216'
	echo '3000 pageref_pass mm=1 sample=16777216'
	unseen_tables 512
	echo '3900 pageref_pass mm=1 end=1 sample=2097152'
	echo '5000 pageref_touch tid=50 mm=1 address=0x1000 kind=ARMED'
} >small.trace
make_profile page-ref small.trace small
small_pages=$(unseen_tables 1 | "$tests/sample-events" 2097152 | awk '{
		table = substr($4, 1, length($4) - 6)
		count[table]++
		whole[table] += / address=0x[0-9a-f]*000000 /
	}
	END { for (table in count) sum += whole[table] ? 512 : count[table]; print sum }')
is 'small pages without a mark, from before the sample: the report scales them' $((small_pages * 8)) \
	"$(metric 'report page-ref' pageref.unseen_pages small)"
is '... mrc, too' $((small_pages * 8)) "$(metric mrc mrc.unseen_pages small)"

# Fields that no probe writes.
sed 's/ sample=[0-9]*/ sample=4294967295/' sampled.trace >hostile.trace
make_profile page-ref hostile.trace hostile
is 'a threshold that is too large: all pages' 1 "$(metric 'report page-ref' pageref.sample hostile)"
# A probe's own buffer is address space 0.
awk '{ print } / pageref_pass / && !n++ { print "1001000500 pageref_touch tid=1 mm=0 address=0x5000 kind=ARMED" }' \
	plain.trace >own.trace
make_profile page-ref own.trace own
is 'the buffer of the probe is ignored' "$("$mm" report page-ref --json truth | jq -S .metrics)" \
	"$("$mm" report page-ref --json own | jq -S .metrics)"
is '... by mrc, too' "$("$mm" mrc --json truth | jq -S .metrics)" "$("$mm" mrc --json own | jq -S .metrics)"
tap_end
