#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests mrc on scripts of events, with both readers, with time ranges and with losses.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"
export TZ=UTC0

# sizes TRACE [OPTION...]: prints the rows of the table of sizes, in pages, in one line.
sizes() {
	sizes_trace=$1
	shift
	"$mm" mrc --json "$@" "$sizes_trace" 2>err | jq -r '[.tables.sizes[] |
		"\(.policy) \(.size_bytes / 4096) \(.refaults_low)-\(.refaults_high)"] | join(", ")'
}
# metric NAME TRACE [OPTION...]
metric() {
	metric_name=$1 metric_trace=$2
	shift 2
	"$mm" mrc --json "$@" "$metric_trace" 2>err |
		jq -r "[.metrics[] | select(.name == \"mrc.$metric_name\") | .value] | join(\" \")"
}

# A sweep over 40 pages, 10 in each interval, ten times. The passes take no time.
awk 'BEGIN {
	print "1000 pageref_mm mm=1 pid=50 name=sweep"
	for (i = 0; i < 400; i++) {
		if (i % 10 == 0)
			printf "%d pageref_pass mm=1\n%d pageref_pass mm=1 end=1\n", (i + 1) * 1e6 - 20, (i + 1) * 1e6 - 10
		printf "%d pageref_touch tid=50 mm=1 address=0x%x kind=%s\n", (i + 1) * 1e6, 1048576 + i % 40 * 4096, i < 40 ? "DEMAND" : "ARMED"
	}
}' >sweep.trace
make_profile page-ref sweep.trace sweep
# Each touch has a distance of 40 pages: 30 are touched in the intervals between the two touches of
# the page, and 10 in the same intervals as these two touches.
all='lru 9 null-null, lru 10 360-360, lru 30 360-360, lru 31 324-360, lru 35 180-360, lru 39 36-360, lru 40 0-0'
for reader in $readers; do
	is "a sweep, reader $reader: bounds of LRU" "$all" \
		"$(sizes sweep --reader=$reader --sizes 36k,40k,120k,124k,140k,156k,160k)"
done
is 'the result is the same with several threads' "$("$mm" mrc --json --jobs=1 sweep | jq -S .)" "$("$mm" mrc --json --jobs=4 sweep | jq -S .)"
is '... valid from the pages of an interval' 40960 "$(metric valid_from_bytes sweep)"
is '... touches, first touches' '400 40' "$(metric touches sweep) $(metric first_touches sweep)"
is '... the memory for few refaults' '163840 163840' "$(metric needed_bytes sweep --rate 0.5)"
is '... for more' '147456 163840' "$(metric needed_bytes sweep --rate 400)"
is 'simulations, and the bound of any policy' 'clock 39 360-360, clock 40 0-0, fifo 39 360-360, fifo 40 0-0, opt 39 9-null, opt 40 0-null' \
	"$(sizes sweep --policy clock,fifo --sizes 156k,160k), $(sizes sweep --policy opt --sizes 156k,160k)"
"$mm" mrc --rate 400 sweep >out 2>err
is 'the text form: nothing on standard error' '0 0' "$? $(wc -c <err)"
is '... the answer comes first' 1 "$(grep -c '^Needs 144.0 KiB to 160.0 KiB for at most 400 refaults per second (valid from 40.0 KiB up)\.$' out)"
is '... a smaller memory' 1 "$(grep -c '^With 120.0 KiB: 900 refaults per second\.$' out)"
is '... 30 lines at most' yes "$([ "$(wc -l <out)" -le 30 ] && echo yes)"
is 'the smallest size that can be judged is not called the need' 1 "$("$mm" mrc --json --rate 1000 sweep | jq -r '.answer[0]' |
	grep -c '^Needs at most 40.0 KiB for at most 1000 refaults per second; less may suffice: the trace cannot judge sizes below 40.0 KiB\.$')"
awk '{ printf "%s000", $1; $1 = ""; print }' sweep.trace >slow.trace
make_profile page-ref slow.trace slow
is '... a rate below 10 is not rounded to an integer' 'With 120.0 KiB: 0.9 refaults per second.' \
	"$("$mm" mrc --json --rate 0.1 slow | jq -r '.answer[] | select(test("^With "))')"
is '--table: one table' 1 "$("$mm" mrc --table sizes sweep | grep -c '^  lru .*160.0 KiB  *0  *0 ')"

# A range of the second half. Pages that were touched only before it count as touched for the first
# time, except the ten pages that were not marked at its start: their next touches may be refaults.
is 'a time range' '200 30 lru 10 160-170, lru 40 0-0' \
	"$(metric touches sweep --begin=1700000000.2009) $(metric first_touches sweep --begin=1700000000.2009) $(sizes sweep --begin=1700000000.2009 --sizes 40k,160k)"

is '... the answer names pages that are not marked at its start, only with --begin' '1 0' "$(for at in --begin=1700000000.2009 --end=1700000000.2009; do
	"$mm" mrc --json $at sweep | jq -r '.answer[]' | grep -c '^The bounds allow for uses of 10 pages that were not marked at the start of the time range\.$'; done | xargs)"
is '... a range from before the first pass' 1 "$("$mm" mrc --json --begin=1700000000.0009 sweep | jq -r '.answer[]' |
	grep -c '^Not in the bounds: all pages may be used without a touch until the first pass')"

# A process has no event in the range. Its 100 pages, some of which are reported twice, were not
# marked at the start of the range, so they may be used until its end. Each span therefore has these
# 100 pages and one page of the other process. A packed touch whose wide variant is missing must not
# count as a page of a third process.
{
	echo '1000 pageref_mm mm=1 pid=50 name=active'
	echo '1100 pageref_mm mm=2 pid=51 name=silent'
	echo '2000 pageref_pass mm=1'
	echo '2010 pageref_pass mm=1 end=1'
	echo '2020 pageref_pass mm=2'
	echo '2030 pageref_pass mm=2 end=1'
	awk 'BEGIN {
		for (i = 0; i < 100; i++)
			printf "%d pageref_touch tid=51 mm=2 address=0x%x kind=ARMED\n", 3000 + i, 1048576 + i * 4096
	}'
	echo '3200 pageref_around tid=51 mm=2 address=0x100000 pages=16'
	echo '3300 pageref_touch tid=51 mm=1048575 address=0x900000 kind=ARMED'
	for time in 5000 6000 7000; do
		echo "$time pageref_pass mm=1"
		echo "$((time + 10)) pageref_pass mm=1 end=1"
		echo "$((time + 20)) pageref_touch tid=50 mm=1 address=0x1000 kind=ARMED"
	done
} >silent.trace
make_profile page-ref silent.trace silent
for reader in $readers; do
	is "pages of a process without events may be used from the start of the range on, reader $reader" \
		"3 $((101 * 4096))" "$(metric touches silent --reader=$reader --begin=1700000000.0000045) $(
		metric valid_from_bytes silent --reader=$reader --begin=1700000000.0000045)"
	is '... each of them counts once' 1 "$("$mm" mrc --json --reader=$reader --begin=1700000000.0000045 silent | jq -r '.answer[]' |
		grep -c '^The bounds allow for uses of 100 pages that were not marked at the start of the time range\.$')"
done
is '... and in the memory of their own process only' "active 1" "$("$mm" mrc --json --by process --begin=1700000000.0000045 silent |
	jq -r '[.tables.processes[] | "\(.process) \(.valid_from_bytes / 4096)"] | join(", ")')"

# Two processes share the pages of a file, and a copy of anonymous memory until it is written.
code='start=0x400000 end=0x402000 readable=1 executable=1 dev_major=254 dev_minor=1 ino=0x1003 name=program'
cat >shared.trace <<EVENTS
1000 pageref_mm mm=1 pid=50 name=parent
1100 pageref_mapping mm=1 $code
1200 pageref_touch tid=50 mm=1 address=0x400000 kind=DEMAND
1300 pageref_touch tid=50 mm=1 address=0x10000 kind=DEMAND write=1
2000 pageref_pass mm=1
2100 pageref_pass mm=1 end=1
2200 pageref_mm mm=2 pid=51 parent=1 name=child
2300 pageref_mapping mm=2 $code
2400 pageref_touch tid=51 mm=2 address=0x400000 kind=DEMAND
2500 pageref_touch tid=51 mm=2 address=0x10000 kind=ARMED
3000 pageref_pass mm=1
3100 pageref_pass mm=1 end=1
3200 pageref_pass mm=2
3300 pageref_pass mm=2 end=1
3400 pageref_touch tid=51 mm=2 address=0x10000 kind=ARMED write=1
3500 pageref_touch tid=51 mm=2 address=0x10000 kind=COPY write=1
4000 pageref_pass mm=1
4100 pageref_pass mm=1 end=1
4200 pageref_pass mm=2
4300 pageref_pass mm=2 end=1
4400 pageref_touch tid=51 mm=2 address=0x10000 kind=ARMED write=1
4500 pageref_touch tid=50 mm=1 address=0x10000 kind=ARMED
EVENTS
make_profile page-ref shared.trace shared
for reader in $readers; do
	# The program's page, the parent's page, the child's copy.
	is "shared pages, reader $reader: touches, first touches" '8 3' "$(metric touches shared --reader=$reader) $(metric first_touches shared --reader=$reader)"
	is '... refaults' 'lru 3 0-0' "$(sizes shared --reader=$reader --sizes 12k)"
	is '... --by process: each has its own pages' 'child 5 3, parent 3 2' \
		"$("$mm" mrc --json --by process --reader=$reader shared | jq -r '[.tables.processes[] | "\(.process) \(.touches) \(.first_touches)"] | sort | join(", ")')"
done

# Pages that are freed leave room: 50 processes of 20 pages each, and 5 pages of their parent.
awk 'BEGIN {
	t = 1000
	print t " pageref_mm mm=1 pid=50 name=parent"
	for (mm = 2; mm <= 51; mm++) {
		for (i = 0; i < 5; i++)
			printf "%d pageref_touch tid=50 mm=1 address=0x%x kind=%s\n", t += 1000, 1048576 + i * 4096, mm == 2 ? "DEMAND" : "ARMED"
		printf "%d pageref_mm mm=%d pid=%d name=child\n", t += 1000, mm, 100 + mm
		for (i = 0; i < 20; i++)
			printf "%d pageref_touch tid=%d mm=%d address=0x%x kind=DEMAND\n", t += 1000, 100 + mm, mm, 1048576 + i * 4096
		printf "%d pageref_gone mm=%d address=0 pages=17592186044415 cause=EXIT\n", t += 1000, mm
		printf "%d pageref_pass mm=1\n%d pageref_pass mm=1 end=1\n", t += 1000, t += 1000
	}
}' >short.trace
make_profile page-ref short.trace short
is 'short processes: their memory is used again' 'lru 45 0-0' "$(sizes short --sizes 180k)"
is '... valid from the pages of a child and its parent' 102400 "$(metric valid_from_bytes short)"
sed '/pageref_gone/d' short.trace >kept.trace
make_profile page-ref kept.trace kept
is '... if the trace lacks their ends, nothing says that the memory is used again' 4116480 "$(metric valid_from_bytes kept)"

# A pass finds a page without a mark, so the page may have been used since the previous pass.
sed 's/^350999990 /350999985 pageref_unseen mm=1 address=0x127000 pages=1\n&/' sweep.trace >unseen.trace
make_profile page-ref unseen.trace unseen
for reader in $readers; do
	is "an unseen page, reader $reader: a possible refault more, and one certain less" 'lru 24 359-361, lru 41 0-0' \
		"$(sizes unseen --reader=$reader --sizes 96k,164k)"
	is '... counted' 1 "$(metric unseen_pages unseen --reader=$reader)"
	is '... the answer, also on pages that faults mapped' 1 "$("$mm" mrc --json --reader=$reader unseen |
		jq -r '.answer[]' | grep -c '^The bounds allow for 1 page on which a pass found no mark, and 0 pages mapped by faults on other pages\.$')"
done

# No lower bound may span discarded events, and each of these may be two refaults. The loss is in
# the interval from touch 190 on, so it affects the 50 touches from 190 to 239.
sed 's/^190999980/packet discarded=3\n&/; s/^200999980/packet discarded=3\n&/' sweep.trace >lost.trace
make_profile page-ref lost.trace lost
for reader in $readers; do
	is "losses, reader $reader: wider bounds" 'lru 11 310-366, lru 41 0-56' "$(sizes lost --reader=$reader --sizes 44k,164k)"
	is '... counts: lower bounds or not certain' '1 true' "$("$mm" mrc --json --reader=$reader lost |
		jq -r '.answer[]' | grep -c '^At least 400 touches in .* s; as far as is known, 40 of them are a first touch') $("$mm" mrc --json --reader=$reader lost |
		jq 'any(.metrics[]; .name == "mrc.touches" and .at_least)')"
	"$mm" mrc --require-complete --reader=$reader lost >out 2>err
	is '... the trace is not complete' 3 $?
done
# A stream ends in the middle of the trace, so an event may be missing in each later span.
{
	awk '{ print } NR == 1 { print "" }' sweep.trace | sed '1i cpu 0'
	printf 'cpu 1\n190500000 pageref_touch tid=51 mm=1 address=0x100000 kind=ARMED\n'
} | sed '/^$/d' >ends.trace
"$tests/make-trace" "$top/tests/metadata/page-ref.tsdl" ends.trace ends || exit 2
for reader in $readers; do
	is "a stream that ends early, reader $reader: the reason, and lower bounds" '1 1 1 true' "$(
		"$mm" mrc --json --reader=$reader --rate 1 ends | jq -r '[([.answer[] | select(test("there is no upper bound, because a stream starts later or ends earlier than the others"))] | length),
			([.answer[] | select(test("^At least 401 touches"))] | length),
			([.answer[] | select(test("^The bounds allow for events that may be missing because a stream"))] | length),
			(.metrics[] | select(.name == "mrc.touches") | .at_least)] | map(tostring) | join(" ")')"
done

# A stream may be missing, and nothing lists the streams: there is no upper bound.
second_channel "$top/tests/metadata/page-ref.tsdl" pageref_unseen 'pageref_unseen mm=9 address=0x9000 pages=1' ends
rm ends/channel_1
for reader in $readers; do
	is "a stream may be missing, reader $reader: no upper bound" 'false null events are missing.' "$(
		"$mm" mrc --json --reader=$reader --rate 1 ends | jq -r '[(.metrics[] | select(.name == "mrc.has_upper_bound").value),
			(.metrics[] | select(.name == "mrc.needed_bytes" and .labels.bound == "high").value)] | map(tostring) | join(" ")') $(
		"$mm" mrc --json --rate 1 ends | jq -r '.answer[] | select(test("^Needs")) | sub(".*(because|per second:) "; "") | sub(", and sizes .*"; ".")')"
	"$mm" mrc --require-complete --reader=$reader ends >out 2>err
	is '... the trace is not known to be complete' 3 $?
done

# An unknown number of events is missing, so the smallest valid size is not a lower bound of the
# memory that is needed.
sed 's/^190999980/packet seq=1\n&/; s/^200999980/packet seq=4\n&/' sweep.trace >gap.trace
make_profile page-ref gap.trace gap
is 'lost packets: no bound of the memory for 1000 refaults per second' '  Needs an unknown amount of memory' \
	"$(metric needed_bytes gap --rate 1000) $("$mm" mrc --json --rate 1000 gap | jq -r '.answer[0]' | grep -o '^Needs .* memory')"
is '... a lower bound for 10' '163840  Needs at least 160.0 KiB' \
	"$(metric needed_bytes gap --rate 10) $("$mm" mrc --json --rate 10 gap | jq -r '.answer[0]' | grep -o '^Needs .* KiB for' | sed 's/ for$//')"
is '... --by process: no lower bound, either' 'null null' \
	"$("$mm" mrc --json --by process --rate 1000 gap | jq -r '.tables.processes[] | "\(.needed_low_bytes) \(.needed_high_bytes)"')"
is 'a complete trace: the smallest valid size may be too much' ' 40960 Needs at most 40.0 KiB' \
	"$(metric needed_bytes sweep --rate 1000) $("$mm" mrc --json --rate 1000 sweep | jq -r '.answer[0]' | grep -o '^Needs at most .* KiB for' | sed 's/ for$//')"

# A huge page counts as a whole.
cat >huge.trace <<EVENTS
1000 pageref_mm mm=1 pid=50 name=p
2000 pageref_touch tid=50 mm=1 address=0x200000 kind=DEMAND huge=1
2100 pageref_touch tid=50 mm=1 address=0x800000 kind=DEMAND
3000 pageref_pass mm=1
3100 pageref_pass mm=1 end=1
4000 pageref_touch tid=50 mm=1 address=0x2ff000 kind=ARMED huge=1
5000 pageref_pass mm=1
5100 pageref_pass mm=1 end=1
6000 pageref_touch tid=50 mm=1 address=0x800000 kind=ARMED
EVENTS
make_profile page-ref huge.trace huge
is 'huge pages: their size' 2097152 "$(metric huge_bytes huge)"
is '... the distance of a small page includes a huge one' 'lru 512 null-null, lru 513 0-0, lru 514 0-0' "$(sizes huge --sizes 2M,2101248,2105344)"
is '... the answer says so' 1 "$("$mm" mrc huge | grep -c '^2.0 MiB are huge pages, each counted as 2 MiB\.$')"
is '... opt refuses pages of two sizes' 'opt is left out: its lower bound is valid only for pages of one size, and the trace has pages of 4 KiB and huge pages.' \
	"$("$mm" mrc --json --policy lru,opt huge | jq -r '.answer[0]')"

is '... opt alone: the first screen says so, and shows lru' '1 1' \
	"$("$mm" mrc --policy opt huge | grep -c '^opt is left out, and lru is shown: ') $("$mm" mrc --policy opt huge | grep -c '^Refaults by size')"

# With a sample, the reported interval must contain the bounds of all pages.
awk 'BEGIN {
	srand(1)
	for (i = 0; i < 30000; i++) {
		t = (i + 1) * 1000
		if (i % 1000 == 0)
			printf "%d pageref_pass mm=1\n%d pageref_pass mm=1 end=1\n", t - 20, t - 10
		p = int(rand() * rand() * 3000)
		if (seen[p] == int(i / 1000) + 1)
			continue
		printf "%d pageref_touch tid=50 mm=1 address=0x%x kind=%s\n", t, 1048576 + p * 4096, p in seen ? "ARMED" : "DEMAND"
		seen[p] = int(i / 1000) + 1
	}
}' >random.trace
make_profile page-ref random.trace random
is 'a sample of half the pages: the interval contains the bounds of all pages' true \
	"$({ "$mm" mrc --json --sizes 6M,8M,10M random; "$mm" mrc --json --sample 0.5 --sizes 6M,8M,10M random; } |
		jq -s '[.[0].tables.sizes, .[1].tables.sizes] | transpose | all(.[0].refaults_low > 0 and .[1].refaults_low <= .[0].refaults_low and .[1].refaults_high >= .[0].refaults_high)')"

# no_bound OPTION... TRACE: prints why there is no upper bound.
no_bound() {
	"$mm" mrc --json "$@" | jq -r '.answer[] | select(test("^Needs (at least|an unknown)")) |
		sub(".*(because|per second:) "; "") | sub(", and sizes .*"; ".")'
}
is 'a small sample has an upper bound: the end of the curves of its parts' 1 \
	"$("$mm" mrc --sample 0.005 --rate 100 random | grep -c '^Needs at most ')"
is 'no upper bound: discarded events' 'discarded events may be refaults.' "$(no_bound --rate 2 lost)"
sed 's/^190999980/packet seq=9\n&/' sweep.trace >packets.trace
make_profile page-ref packets.trace packets
is '... lost packets' 'events are missing.' "$(no_bound --rate 2 packets)"

# Tests 20 different samples of 2,000 of 40,000 pages. Most of their intervals must contain the
# bounds of all pages. bench/pageref-reports.sh measures larger samples.
"$built/bench/mrc-sample" 40000 200000 0.05 20 >sample
is 'samples: the mean error, and how often intervals contain the result' 'yes yes' \
	"$(awk '$1 == "mean_error" { error = $2 } $1 == "covered_mean" { covered = $2 }
		END { print (error < 0.03 ? "yes" : error), (covered >= 0.8 ? "yes" : covered) }' sample)"
is '... not of all pages: then the intervals are exact' 'mean_error 0.00000 covered_mean 1.000' \
	"$("$built/bench/mrc-sample" 2000 20000 1 2 | grep -e mean_error -e covered_mean | xargs)"

# Hostile names, and bad usage.
printf '1000 pageref_mm mm=1 pid=50 name=a\\x1b[31m\n2000 pageref_touch tid=50 mm=1 address=0x1000 kind=DEMAND\n' >hostile.trace
make_profile page-ref hostile.trace hostile
is 'control characters are escaped' 0 "$("$mm" mrc --by process hostile | grep -c "$(printf '\033')")"
fails 'an unknown policy' 2 "^lttng-mm mrc: --policy: 'arc' is not one of lru, clock, fifo, opt; for others, run" mrc --policy arc sweep
fails 'a bad size' 2 "^lttng-mm mrc: --sizes: '1x' is not a size; example: 64M" mrc --sizes 1x sweep
fails 'a bad rate' 2 "^lttng-mm mrc: --rate: '0' is not a number above 0" mrc --rate 0 sweep
fails 'a bad sample' 2 "^lttng-mm mrc: --sample: '2' is not a number above 0 and up to 1" mrc --sample 2 sweep
fails 'a bad group' 2 "^lttng-mm mrc: --by: 'thread' is unknown; known: process" mrc --by thread sweep
fails 'an unknown table' 2 'sizes' mrc --table x sweep
fails 'no trace' 2 '/none' mrc "$work/none"
printf '1000 dax_load_hole tid=7 ino=0x1003\n' >dax.trace
make_dax_packed dax.trace dax
fails 'a trace without page references' 2 'the trace has no pageref_\* events; record them with .lttng-mm record page-ref' mrc dax
tap_end
