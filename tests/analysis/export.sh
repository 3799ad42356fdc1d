#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests export page-ref with both readers. Reads libCacheSim's format with a reader that was written
# from its documentation. Also tests comma-separated values.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"
export TZ=UTC0

# Makes random touches by two processes, which share a file. Some touches are of a huge page. One
# process ends, so its pages are freed. Some pages are unmapped.
awk 'BEGIN {
	srand(7)
	code = "start=0x400000 end=0x420000 readable=1 executable=1 dev_major=254 dev_minor=1 ino=0x1003 name=program"
	for (mm = 1; mm <= 2; mm++)
		printf "%d pageref_mm mm=%d pid=%d name=p\"%d\n%d pageref_mapping mm=%d %s\n", mm * 10, mm, 50 + mm, mm, mm * 10 + 1, mm, code
	for (i = 0; i < 3000; i++) {
		t = (i + 1) * 1000000
		mm = i < 2000 ? 1 + int(rand() * 2) : 1
		page = int(rand() * 64)
		if (i == 2000)
			printf "%d pageref_gone mm=2 address=0 pages=17592186044415 cause=EXIT\n", t - 10
		if (i % 400 == 0)
			printf "%d pageref_gone mm=1 address=0x10000 pages=4 cause=UNMAP\n", t - 5
		if (i % 50 == 0)
			printf "%d pageref_pass mm=%d\n%d pageref_pass mm=%d end=1\n", t - 3, mm, t - 2, mm
		if (page == 63)
			printf "%d pageref_touch tid=%d mm=%d address=0x800000 kind=ARMED huge=1\n", t, 50 + mm, mm
		else if (page < 32)
			printf "%d pageref_touch tid=%d mm=%d address=%d kind=ARMED\n", t, 50 + mm, mm, 65536 + page * 4096
		else
			printf "%d pageref_touch tid=%d mm=%d address=%d kind=ARMED\n", t, 50 + mm, mm, 4194304 + (page - 32) * 4096
	}
}' >random.trace
make_profile page-ref random.trace random
for reader in $readers; do
	"$mm" export page-ref --format oracleGeneral --output $reader.bin --reader=$reader random >out 2>err
	is "oracleGeneral, reader $reader: done" '0 0 0' "$? $(wc -c <out) $(wc -c <err)"
done
is 'the readers agree' '' "$(cmp fast.bin babeltrace2.bin)"
"$tests/read-oracle" fast.bin >records
is '... one record for each touch' "0 $(grep -c pageref_touch random.trace)" "$? $(wc -l <records)"
# The next record of an object is the first later record with the same object.
is '... each names the next record of its object, or -1' '3000 0' "$(awk '
	{ object[NR - 1] = $2; next_of[NR - 1] = $4 }
	END {
		for (i = NR - 1; i >= 0; i--) {
			shall = object[i] in later ? later[object[i]] : -1
			bad += next_of[i] != shall
			later[object[i]] = i
		}
		print NR, bad + 0
	}' records)"
is '... times are seconds since the first touch' '0 2' "$(awk 'NR == 1 { first = $1 } $1 < last { bad = 1 } { last = $1 } END { print first, last bad }' records)"
is '... sizes' '2097152 4096' "$(cut -d ' ' -f 3 records | sort -u | paste -sd ' ')"

# Counts the objects independently. An object is a page of a process or of the file. A page that was
# gone becomes a new object.
objects=$(awk '
	/pageref_gone/ && /EXIT/ { for (k in object) if (k ~ /^2 /) delete object[k] }
	/pageref_gone/ && /UNMAP/ { for (i = 0; i < 4; i++) delete object["1 " 65536 + i * 4096] }
	/pageref_touch/ {
		split($4, m, "="); split($5, a, "=")
		key = a[2] + 0 >= 4194304 && a[2] + 0 < 4325376 ? "file " a[2] : m[2] " " a[2]
		if (!(key in object)) object[key] = ++count
		print object[key]
	}' random.trace)
is '... the objects' "$(echo "$objects" | md5sum)" "$(awk '!($2 in n) { n[$2] = ++count } { print n[$2] }' records | md5sum)"

for reader in $readers; do
	"$mm" export page-ref --format csv --reader=$reader random >$reader.csv 2>err
	is "csv, reader $reader: done" '0 0' "$? $(wc -c <err)"
done
is 'the readers agree' '' "$(cmp fast.csv babeltrace2.csv)"
is '... the same objects as in the other format' '' "$(awk -F , '$2 == "touch" { print $9 }' fast.csv >a; cut -d ' ' -f 2 records | cmp - a)"
is '... a touch' '1700000000001000000,touch' "$(grep -m 1 ,touch, fast.csv | cut -d , -f 1,2)"
is '... all columns in all lines' 16 "$(awk -F , '{ print NF }' fast.csv | sort -u | paste -sd ' ')"
is '... other events' 'gone pass-end pass-start touch' "$(awk -F , 'NR > 1 { print $2 }' fast.csv | sort -u | paste -sd ' ')"
is '... quotes in names are doubled' 1 "$(($(grep -c ',"p""1",' fast.csv) > 0))"
is '... a cause' 1 "$(grep -c ',gone,2,52,.*,EXIT$' fast.csv)"
"$mm" export page-ref --format csv --output file.csv random
is '--output: the same lines' '0 ' "$? $(cmp file.csv fast.csv)"
is 'a time range' '1000 1000' "$("$mm" export page-ref --format csv --begin=1700000000.0010 --end=1700000001 random | grep -c ,touch,) $(
	"$mm" export page-ref --format oracleGeneral --output range.bin --begin=1700000000.0010 --end=1700000001 random && "$tests/read-oracle" range.bin | wc -l)"

# A command that fails must leave no file, and must not change an existing file.
echo kept >existing
for format in oracleGeneral csv; do
	fails "$format: a file that exists" 2 'existing: the file exists' export page-ref --format $format --output existing random
	is '... is not changed' kept "$(cat existing)"
	fails "$format: no such trace" 2 /none export page-ref --format $format --output new "$work/none"
	is '... no file is left' '' "$(ls new 2>/dev/null)"
	fails "$format: no such folder" 2 'none/x: No such file' export page-ref --format $format --output none/x random
done
fails 'csv on standard output: no such trace' 2 /none export page-ref --format csv "$work/none"
printf '1000 dax_load_hole tid=7 ino=0x1003\n' >dax.trace
make_dax_packed dax.trace dax
fails 'a trace without page references' 2 'the trace has no pageref_\* events; record them with .lttng-mm record page-ref' export page-ref --format csv dax
fails 'oracleGeneral needs a file' 2 'needs --output FILE' export page-ref --format oracleGeneral random
fails 'an unknown format' 2 "'x' is not one of oracleGeneral, csv" export page-ref --format x random
fails 'no format' 2 'no format given' export page-ref random
fails 'other events' 2 "'dax' cannot be exported; known: page-ref" export dax --format csv random
fails 'no trace' 2 'no trace given' export page-ref --format csv
"$mm" export page-ref --format csv random >/dev/full 2>err
is 'a full disk is reported' '2 1' "$? $(grep -c 'cannot be written' err)"

# Tests discarded events.
sed '20s/^/packet discarded=3\n/' random.trace >lost.trace
make_profile page-ref lost.trace lost
"$mm" export page-ref --format csv lost >out 2>err
is 'losses: a note' '0 1' "$? $(grep -c 'note: .*events are missing' err)"
tap_end
