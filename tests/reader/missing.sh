#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests that missing, empty and shortened streams are losses, and that other differences are not.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"
# shellcheck source=tests/losses.sh
. "$top/tests/losses.sh"

# CPU 1 allocates each object again between the two frees by CPU 0. Without CPU 1, each second free
# looks like a double free. CPU 1 has three packets.
awk 'BEGIN {
	for (i = 0; i < 40; i++) {
		print "cpu 0"
		printf "%d slab_kmalloc tid=5 call_site=0x110 ptr=%d bytes_req=60 size_class=6\n", 1000 + 10 * i, 4096 * (i + 1)
		printf "%d slab_kfree tid=5 call_site=0x210 ptr=%d\n", 2000 + 10 * i, 4096 * (i + 1)
		printf "%d slab_kfree tid=5 call_site=0x210 ptr=%d\n", 8000 + 10 * i, 4096 * (i + 1)
	}
	print "cpu 1"
	for (i = 0; i < 40; i++) {
		if (i == 14 || i == 28)
			print "packet"
		printf "%d slab_kmalloc tid=6 call_site=0x110 ptr=%d bytes_req=60 size_class=6\n", 3000 + 10 * i, 4096 * (i + 1)
	}
	print "cpu 1\n9000 slab_kfree tid=6 call_site=0x210 ptr=0x7f000"
	print "cpu 0\n9000 slab_kfree tid=6 call_site=0x210 ptr=0x7e000"
}' | awk '/^cpu/ { cpu = $2; next } /^packet/ { print cpu, 0, $0; next } { print cpu, $1, $0 }' >lines
# Sort the events of each CPU by time, but leave packets in place.
{ echo 'cpu 0'; sed -n 's/^0 [0-9]* //p' lines | sort -n -s -k 1,1
	echo 'cpu 1'; sed -n 's/^1 [0-9]* //p' lines; } >two.trace
{ echo 'cpu 0'; echo '900 slab_statedump_cache cache=1 object_size=64 size=64 alive=1 name=a_cache'
	echo '900 slab_statedump_path path=3 hooked=1 function=kmem_cache_alloc_bulk'
	echo '900 slab_statedump_path path=4 hooked=0'
	echo 'cpu 1'; echo '901 slab_statedump_cache cache=1 object_size=64 size=64 alive=1 name=a_cache'; } >state.trace

# fresh: makes a snapshot as the recorder writes it, in `t`.
fresh() {
	rm -rf t
	mkdir -p t/sysinfo
	make_slab --no-state two.trace t/kernel && make_slab --state state.trace t/state || exit 2
	touch t/kernel/channel_2
	"$tests/test-sysinfo-traces" t >t/sysinfo/traces.json || exit 2
}

# sound NAME [SENTENCE STATUS]: checks that no loss is reported. STATUS is the exit status with
# --require-complete.
sound() {
	for reader in fast babeltrace2; do
		is "$1, $reader: nothing is lost" "${3-0} 0" "$(counts --reader=$reader)"
	done
	"$mm" verify t >out
	is "$1: verify" 0 $?
	is "$1: verify says so" 1 "$(grep -c "^Streams: ${2:-none is missing}" out)"
}

fresh
sound 'complete'
is 'complete: as many events as are paired, of both CPUs' 1 "$("$mm" report slab --all --wide t | outcomes | grep -c '^Outcomes: paired 80, live 0')"

fresh
rm t/kernel/channel_1
loses 'a stream that is gone' 1 3
is 'a missing stream: its file and the reason' 'channel_1 1 3 missing: there is no such file, 3 packets (the system information lists it)' \
	"$(jq -r '.coverage.missing[] | "\(.stream) \(.cpu) \(.packets) \(.what)"' out.fast)"
is 'a removed stream: print reports it' 1 \
	"$("$mm" print t 2>&1 >out | grep -c 'kernel/channel_1: missing: this stream has no data$')"
is 'a removed stream: sub-buffers are not the remedy' 1 "$("$mm" report slab --all --wide --require-complete t 2>&1 >out |
	grep -c 'a part of the trace is missing or truncated')"
is 'a removed stream: from a part of the snapshot, too' 3 "$("$mm" verify t/kernel >out; echo $?)"
cp -R t near && mv near/kernel near/sysinfo . && rm -rf near
is 'a removed stream: a folder that is named alone' 3 "$("$mm" verify kernel >out; echo $?)"
rm -rf kernel sysinfo

fresh
rm t/kernel/channel_0 t/kernel/channel_1
for reader in fast babeltrace2; do
	"$mm" report slab --json --reader=$reader t >out.$reader
	"$mm" report slab --all --reader=$reader t >out
	is "without any stream, $reader: that there were no allocations is not certain" '1 1 0' "$(
		grep -c '^No allocation is certain: events are missing' out) $(grep -c '^It is not known what is live at the end: events are missing\.$' out) $(
		grep -c '^0 allocations\|nothing is live' out)"
	is "without any stream, $reader: nor that nothing is live" '[null,null,null,null] [null]' "$(for metric in live_bytes leaks.objects; do
		jq -c "[.metrics[] | select(.name == \"slab.$metric\").value]" out.$reader; done | paste -sd ' ')"
	is "without any stream, $reader: nor that there are no leaks" 1 "$("$mm" report slab --all --leaks --reader=$reader t |
		grep -c '^Leak candidates: not known: events are missing\.$')"
done
same 'without any stream: both readers agree' out.fast out.babeltrace2
# Uses a time range whose events are all lost.
fresh
truncate -s "$(packet_end t/kernel/channel_1 1)" t/kernel/channel_1
rm t/kernel/channel_0
for reader in fast babeltrace2; do
	is "a range without events, $reader: nothing is certain" '1 1' "$("$mm" report slab --all --reader=$reader --begin 1700000000.0000095 t >out
		echo "$(grep -c '^No allocation is certain' out) $(grep -c '^It is not known what is live at the end' out)")"
done
fresh
: >t/kernel/channel_1
loses 'an empty stream' 1 3
fresh
ln -sf nowhere t/kernel/channel_1
loses 'a link to nothing' 1 3
fresh
rm t/kernel/channel_1 && mkdir t/kernel/channel_1
loses 'a folder in its place' 1 3
fresh
truncate -s "$(packet_end t/kernel/channel_1 0)" t/kernel/channel_1
loses 'a stream without its last two packets' 0 2
is 'a stream without its last two packets: lost from their start on' 'incomplete: it is shorter than recorded, 2 packets' \
	"$(jq -r '.coverage.missing[0].what' out.fast | cut -d ' ' -f 1-8)"
fresh
{ head -c "$(packet_end t/kernel/channel_1 0)" t/kernel/channel_1
	tail -c +$(($(packet_end t/kernel/channel_1 1) + 1)) t/kernel/channel_1; } >shorter && mv shorter t/kernel/channel_1
"$mm" report slab --json t >out.fast
is 'a packet removed from the middle is counted as lost once' 1 \
	"$(jq '.coverage.packets_lost' out.fast)"
fresh
rm t/kernel/metadata
loses 'streams without their metadata' 2 4
rm t/sysinfo/traces.json
"$mm" report slab --json t >out.fast
is 'streams without their metadata, not listed: missing' 2 \
	"$(jq '.coverage.streams_missing' out.fast)"
fresh
rm t/state/channel_1
"$mm" report slab --require-complete --json t >out.fast
is 'a missing state stream: the events are complete' 0 $?
is 'a missing state stream: it is listed' 1 "$(jq '[.coverage.losses[] | select(.missing == 1)] | length' out.fast)"
"$mm" verify t >out
is 'a missing state stream: verify reports it' 3 $?
# missing_state NAME COUNT: checks that the first sentence and the counts agree with the table.
missing_state() {
	for reader in fast babeltrace2; do
		"$mm" report slab --reader=$reader --json t >out.$reader
		is "$1, $reader: it is counted" "false $2 $2" "$(jq -r '.coverage |
			"\(.complete) \(.streams_missing) \(.missing | length)"' out.$reader)"
		is "$1, $reader: it is stated" \
			"Events complete, state dumps incomplete: no events discarded, no packets lost, truncated or damaged (not checked inside packets); $2 of 4 streams missing (with state dumps only)" \
			"$("$mm" report slab --all --reader=$reader t | sed -n '2s/; trace has.*//p')"
	done
	# shellcheck disable=SC2016 # backquotes of the report
	is "$1: the remedy" 'Remedy: copy the whole trace again (`lttng-mm verify` names the files).' \
		"$("$mm" report slab --all t | sed -n 3p)"
}
missing_state 'a missing state stream' 1
rm -r t/state
missing_state 'a missing state folder' 2
is '... and --require-complete' 0 "$("$mm" report slab --all --require-complete t >out; echo $?)"
fresh
rm t/kernel/channel_1 t/state/channel_1
is 'streams of both: the sentence' 'Lost: 0 events discarded, 3 packets lost, 0 packets truncated, 0 packets damaged, 2 streams missing, 1 of them with state dumps only' \
	"$("$mm" report slab --all t | sed -n '2s/; trace has.*//p')"
fresh
rm t/kernel/channel_1
is 'one stream: singular' '1 stream missing' "$("$mm" report slab --all t | sed -n '2s/; trace has.*//; 2s/.*, //p')"
fresh
truncate -s -1 t/state/channel_0
is 'a truncated state stream: the sentence' 'false Events complete, state dumps incomplete: no events discarded, no packets lost, truncated or damaged (not checked inside packets), none of 4 streams missing; state dumps were lost' \
	"$("$mm" report slab --json t | jq .coverage.complete) $("$mm" report slab --all t | sed -n '2s/; trace has.*//p')"

# A renamed folder is no loss, but a removed folder is.
fresh
mv t/kernel t/renamed
sound 'a folder with another name'
rm t/renamed/channel_1
is 'a renamed folder: a missing stream' 3 "$("$mm" verify t >out; echo $?)"
rm -r t/renamed
is 'a removed folder' '3 2' "$("$mm" verify t >out; echo $?) $(grep -c '^lost: .*/kernel/channel_[01]: .* missing: there is no such file' out)"

# The snapshot has no list. Both sessions record on the same CPUs, so each session shows which
# streams the other must have. With a single session, the expected streams are unknown.
fresh
rm t/sysinfo/traces.json
sound 'an older snapshot' 'not verifiable: no system information lists the streams' 3
is 'an older snapshot: info states it' 1 "$("$mm" info --all t | grep -c '^Streams: not verifiable: no system information lists the streams')"
rm t/kernel/channel_1
loses 'an older snapshot, a stream that is gone' 1 0
: >t/kernel/channel_1
loses 'an older snapshot, an empty stream' 1 0
rm -r t/state
"$mm" verify t >out
is 'neither list nor other session: status' 0 $?
is 'neither list nor other session: not verifiable' 1 "$(grep -c '^Streams: not verifiable' out)"
is 'neither list nor other session: info states it' 1 "$("$mm" info --all t | grep -c '^Streams: not verifiable')"
is 'neither list nor other session: the report states it' '1 false' "$("$mm" report slab --all --wide t | grep -c '^Streams: not verifiable') $(
	"$mm" report slab --json t | jq '.coverage.streams_verified')"
is 'neither list nor other session: the report is not known to be complete' '3 1' \
	"$("$mm" report slab --all --wide --require-complete t 2>err >out; echo $?) $(grep -c 'streams may be missing: no system information' err)"
ln -sf nowhere t/kernel/channel_1
is 'a broken link counts as a missing stream that nothing lists' 3 "$("$mm" verify t >out; echo $?)"

# Index files list packets, too.
rm -rf t
make_ctf --seed 7 --events 3000 --index t
"$mm" verify t >out
is 'index: none is missing, but one may be that has no index' 1 "$(grep -c '^Streams: not verifiable' out)"
stream=$(basename "$(find t/index -name '*.idx' | sort | tail -n 1)" .idx)
rm "t/$stream"
"$mm" verify t >out
is 'index: its stream is missing' '3 1' "$? $(grep -c "$stream: .*its index lists packets" out)"
# If a file ends where a packet ends, only its index shows the missing packets.
rm -rf t
make_ctf --seed 7 --events 3000 --index t
stream=$(basename "$(find t/index -size +200c | sort | tail -n 1)" .idx)
last=$(tail -c 72 "t/index/$stream.idx" | head -c 8 | od -An -tu8 --endian=big | tr -d ' ')
truncate -s "$last" "t/$stream"
for command in verify info; do
	"$mm" "$command" t >out 2>&1
	is "index: a packet after the end of the file is missing: $command" 1 \
		"$(grep -c "$stream.*it is shorter than recorded.*its index lists" out)"
done
"$mm" print t 2>err >out
is 'index: ... and print says where' 0 "$(
	grep -q "$stream: events may have been lost here (this stream lacks packets at .* its end; 1 packet missing so far)" err
	echo $?
)"
is 'index: ... and counts as lost' '1 false' \
	"$("$mm" info --json t | jq -r '"\(.coverage.packets_lost) \(.coverage.complete)"')"
mkdir sums && cp -R t sums/ && : >"sums/t/index/$stream.crc32c"
"$mm" info --all sums/t >out 2>&1
is 'index: ... unless checksums list the packets' 0 "$(grep -c 'its index lists' out)"
printf 'x' >>"t/$stream"
is 'index: the packet in which a file ends is truncated, not lost' '0 1' \
	"$("$mm" info --json t | jq -r '"\(.coverage.packets_lost) \(.coverage.packets_truncated)"')"
# Removes packets before the end of the file. Only the index shows this, too.
rm -rf t
make_ctf --seed 7 --events 3000 --index t
second=$(tail -c +89 "t/index/$stream.idx" | head -c 8 | od -An -tu8 --endian=big | tr -d ' ')
tail -c +$((second + 1)) "t/$stream" >shorter && mv shorter "t/$stream"
is 'index: a packet was removed from the start of the file' '1 false 1' "$(
	"$mm" info --json t | jq -r '"\(.coverage.packets_lost) \(.coverage.complete)"') $(
	"$mm" info t 2>&1 | grep -c "$stream.*it is shorter than recorded.*its index lists")"
rm -rf t
make_slab --no-state two.trace t && mkdir t/index && rm t/channel_1 || exit 2
# An index with two entries: magic number, version 1.1, 72 bytes per entry.
{ printf '\301\361\334\301\0\0\0\1\0\0\0\1\0\0\0\110'; head -c 144 /dev/zero; } >t/index/channel_1.idx
loses 'a stream that an index names' 1 2
: >t/channel_1
loses 'an empty stream that an index names' 1 2
rm t/index/*
is 'an empty file that nothing names: no loss' '0 0' "$("$mm" report slab --all --wide t >out; echo $?) $(grep -c '^Lost: ' out)"
rmdir t/index && ln -s index t/index
"$mm" verify t >out
is 'an index folder that cannot be read' '2 1' "$? $(grep -c '^damaged: t/index: .*the index files cannot be read' out)"

# DAX faults whose other half may be in the missing stream.
dax_halves >dax.trace
rm -rf t
make_dax dax.trace t && mkdir t/index || exit 2
stream=$(cd t && printf '%s\n' *_1)
is 'DAX: complete, both faults are paired' 1 "$("$mm" report dax --all --wide t | grep -c '^Pairing: .*unpaired entries 0, unpaired exits 0, undetermined by loss 0')"
rm "t/$stream"
{ printf '\301\361\334\301\0\0\0\1\0\0\0\1\0\0\0\110'; head -c 72 /dev/zero; } >"t/index/$stream.idx"
for reader in fast babeltrace2; do
	is "DAX, $reader: halves are explained by the loss" 1 "$("$mm" report dax --all --wide --reader=$reader t |
		grep -c '^Pairing: .*unpaired entries 0, unpaired exits 0, undetermined by loss 2')"
done

# One of two traces has its events, but its metadata are missing.
rm -rf t
mkdir t
make_dax dax.trace t/kernel && make_slab --state state.trace t/state || exit 2
rm t/kernel/metadata
for command in 'report dax --all' 'report dax --all --reader=babeltrace2' 'report why --dax'; do
	# shellcheck disable=SC2086 # words
	"$mm" $command t >out 2>err
	is "streams without their metadata: $command: the remedy" '2 1' "$? $(
		grep -c ': the trace has no .*dax_\*.*, but it has stream files without their metadata, such as t/kernel/channel_[01]; copy the file `metadata`, too$' err)"
done
rm -r t/kernel
make_dax dax.trace t/kernel && mkdir t/kernel/index || exit 2
rm t/kernel/channel_*
{ printf '\301\361\334\301\0\0\0\1\0\0\0\1\0\0\0\110'; head -c 72 /dev/zero; } >t/kernel/index/channel_0.idx
for reader in fast babeltrace2; do
	is "DAX without any stream, $reader: that there was no fault is not certain" 1 "$("$mm" report dax --all --reader=$reader t |
		grep -c '^No DAX fault is known in this trace: events are missing\.$')"
done

# The list is not trusted: names of files outside the snapshot must be ignored, and so must a
# damaged list.
fresh
sed -i 's|"channel_1"|"../../etc/nothing"|' t/sysinfo/traces.json
sound 'a list that names files elsewhere'
fresh
rm t/kernel/channel_1
sed -i 's/2a\|00112233/99999999/' t/sysinfo/traces.json
"$mm" verify t/kernel >out
is "another trace's list: not used" '0 1 1' "$? $(grep -c '^Streams: not verifiable' out) $(
	grep -c '^note: system information: .*of another trace; it is not used' out)"
fresh
echo '{ "traces": [' >t/sysinfo/traces.json
"$mm" verify t >out
is 'a damaged list is reported' '0 1' "$? $(grep -c '^note: system information: .*traces.json: damaged: line' out)"

# The list of another snapshot lists the same state dumps, but not the other traces.
fresh
jq '(.traces[] | select(.folder == "kernel").uuid) = "99999999-0000-0000-0000-000000000000"' t/sysinfo/traces.json >list &&
	mv list t/sysinfo/traces.json
"$mm" verify t >out
is 'the list of another snapshot with the same state dumps: the remaining streams are not verified' \
	'Streams: not verifiable: no system information lists the streams, though both sessions have streams of the same CPUs' "$(grep '^Streams:' out)"
is '... a note says so' 1 "$(grep -c '^note: system information: .*/t/sysinfo: of another trace; it is not used$' out)"
# The list contains a trace that this snapshot lacks.
jq '.traces += [.traces[0] | .folder = "state/slab" | .uuid = "88888888-0000-0000-0000-000000000000"]' t/sysinfo/traces.json >list &&
	mv list t/sysinfo/traces.json
for reader in fast babeltrace2; do
	"$mm" report slab --json --require-complete --reader=$reader t >out 2>err
	is "... nothing of it is missing, $reader: status, streams, complete" '3 0 null' \
		"$? $(jq -r '.coverage | "\(.streams_missing) \(.complete)"' out)"
done
"$tests/test-certify" t 1700000000000009000 >snapshot.json && mv snapshot.json t/snapshot.json
"$mm" report slab --json t >out
is '... the certificate decides' '0 true true' "$(jq -r '.coverage | "\(.streams_missing) \(.complete) \(.streams_verified)"' out)"
is '... and the note is there' 1 "$(jq '[.notes[] | select(contains("of another trace; it is not used"))] | length' out)"
fresh
"$tests/test-certify" t 1700000000000009000 >snapshot.json && mv snapshot.json t/snapshot.json
jq 'del(.traces[] | select(.folder == "state").uuid)' t/sysinfo/traces.json >list && mv list t/sysinfo/traces.json
"$mm" report slab --json t >out
is 'a trace without its UUID in the list: the certificate decides, and a note says so' 'true 1' \
	"$(jq .coverage.complete out) $(jq -r '.notes[]' out | grep -c 'sysinfo/traces.json: damaged: trace [12] has no UUID; its list of streams is not used')"
rm t/snapshot.json
"$mm" report slab --json --require-complete t >out 2>err
is '... without a certificate, complete is null and the status 3' '3 null' "$? $(jq .coverage.complete out)"
fresh
rm t/sysinfo/traces.json
mkdir t/kernel/index
: >t/kernel/index/channel_0.idx
is 'no list, but an index' \
	'Streams: not verifiable: neither system information nor a certificate lists the streams, and an index names only its own stream' \
	"$(mv t/state aside; "$mm" verify t | grep '^Streams:')"
rm -r aside

# A stream of state dumps was removed, so names of caches are missing, and it is unknown whether all
# paths are traced.
fresh
rm t/state/channel_0 t/state/channel_1
"$mm" report slab --all --wide t >out
is 'missing state streams: no anomalies' 'Outcomes: paired 80, live 0, before trace 2, freed untraced 0, anomalies 0, undetermined 0' \
	"$(outcomes <out)"

# Threads with DAX faults move to another CPU. Their missing events, such as the end of a fault, may
# be in the removed stream.
rm -rf t
mkdir -p t/sysinfo
make_dax "$here/../analysis/cases/moved.trace" t/kernel
"$tests/test-sysinfo-traces" t >t/sysinfo/traces.json || exit 2
rm t/kernel/channel_1
for reader in fast babeltrace2; do
	"$mm" report dax --json --reader=$reader t >out
	is "DAX, a removed stream, $reader: causes" 'mapping-misaligned 1 undetermined 5' \
		"$(jq -r '[.tables.causes | sort_by(.cause)[] | .cause, .first_failed] | join(" ")' out)"
	is "DAX, a removed stream, $reader: the remedy is not to record more" \
		"some of the events are missing: copy the whole trace again (\`lttng-mm verify\` names the files)" \
		"$(jq -r '.tables.causes[] | select(.cause == "undetermined").remedy' out)"
	is "DAX, a removed stream, $reader: a fault without an end is not unpaired" '0 1' \
		"$(jq -r '[.tables.pairing[] | select(.what == "unpaired_entries" or .what == "undetermined_by_loss") | .count] |
			join(" ")' out)"
done

# A file that ends anywhere within a packet is a loss: this packet is truncated, and later packets
# of the list are missing. ends_at NAME BYTES TRUNCATED LOST MISSING: checks these counts in
# reports, info and verify.
ends_at() {
	truncate -s "$2" t/kernel/channel_1
	"$mm" report slab --json --require-complete t >out 2>err
	is "$1: report: a loss, each packet counted once" "3 $3 $4 $5 0" "$? $(jq -r '.coverage |
		[.packets_truncated, .packets_lost, .streams_missing, .packets_damaged] | join(" ")' out)"
	is "$1: sub-buffers are not the remedy" 1 "$(grep -c 'copy the whole trace again' err)"
	"$mm" verify --json t >out
	is "$1: verify: a loss, each packet counted once" "3 $3 $(($5 ? 0 : $4)) $5 0" "$? $(jq -r '.counts |
		[.packets_truncated, .packets_missing, .streams_missing, .damaged] | join(" ")' out)"
	"$mm" info --json t >out
	is "$1: info: the file, one row, as the user would name it" 't/kernel/channel_1' "$(jq -r '.coverage.missing[].stream' out)"
	is "$1: info: the packet is truncated" "$3" "$(jq '.coverage.packets_truncated' out)"
	"$mm" print t >out 2>err
	is "$1: print: a loss" 0 $?
	is "$1: print: the file as the user would name it" '' "$(grep channel_ err | grep -v ' trace: t/kernel/channel_1: ')"
}
for bytes in 2 30; do
	fresh
	ends_at "a file that ends after $bytes bytes, in its first header" $bytes 1 2 1
done
fresh
first=$(packet_end t/kernel/channel_1 0) second=$(packet_end t/kernel/channel_1 1)
ends_at 'a file that ends in its second magic number' $((first + 2)) 1 1 0
fresh
ends_at 'a file that ends in its second header' $((first + 30)) 1 1 0
fresh
ends_at 'a file that ends in its second packet' $((second - 30)) 1 1 0
fresh
ends_at 'a file that ends in its last header' $((second + 30)) 1 0 0
fresh
ends_at 'a file that ends in its last packet' $(($(wc -c <t/kernel/channel_1) - 30)) 1 0 0
fresh
rm t/sysinfo/traces.json && rm -r t/state
truncate -s 30 t/kernel/channel_1
"$mm" report slab --json --require-complete t >out 2>err
is 'a first header that no list names: a loss' 3 $?
is 'a first header that no list names: the stream has no packet' '1 1 0' "$(jq -r '[.coverage.losses[] |
	select(.missing == 1) | .missing, .truncated, .damaged] | join(" ")' out)"
"$mm" verify t >out
is 'a first header that no list names: verify' '3 1' "$? $(grep -c '^lost: t/kernel/channel_1: ' out)"

# Both readers must give the same statuses and messages. statuses READER: prints the statuses and
# messages of print and report, with and without --require-complete.
statuses() {
	for command in print 'report slab'; do
		for option in '' --require-complete; do
			# shellcheck disable=SC2086 # words
			"$mm" $command --reader="$1" $option t >out.text 2>err
			echo "$command $option: $?"
			cat err
		done
	done
}
for change in 'rm t/kernel/channel_1' ': >t/kernel/channel_1'; do
	fresh
	eval "$change"
	for reader in $readers; do
		statuses "$reader" >"out.$reader"
	done
	same "$change: the same status and message by both readers" out.fast out.babeltrace2
	is "$change: 3 with --require-complete" '0 3 0 3' "$(sed -n 's/^\(print\|report slab\) .*: //p' out.fast | paste -sd ' ')"
done
# Tests an exception: libbabeltrace2 reads no event of a truncated file.
fresh
truncate -s -30 t/kernel/channel_1
statuses fast >out.fast
is 'a truncated file, fast: 3 with --require-complete' '0 3 0 3' "$(sed -n 's/^\(print\|report slab\) .*: //p' out.fast | paste -sd ' ')"
statuses babeltrace2 >out
is 'a truncated file, babeltrace2: an error, and 3 with --require-complete' '2 3 2 3' "$(sed -n 's/^\(print\|report slab\) .*: //p' out | paste -sd ' ')"
is 'a truncated file, babeltrace2: the remedy' 2 "$(grep -c '^lttng-mm: trace: t/.*: packet [0-9]*, byte [0-9]*: the file ends within .*: libbabeltrace2 cannot read it; to read the rest of a damaged or truncated trace, omit --reader=babeltrace2' out)"
is 'a truncated file: print says the same with both readers' "$(grep '^lttng-mm: trace: t: ' out.fast | head -n 1)" \
	"$(grep '^lttng-mm: trace: t: [^l]' out | head -n 1)"
# Damage must be an error with and without --require-complete.
fresh
head -c 100 /dev/zero | tr '\0' '\377' | dd of=t/kernel/channel_1 bs=1 seek="$(packet_end t/kernel/channel_1 0)" conv=notrunc status=none
for reader in $readers; do
	statuses "$reader" >out
	is "a damaged file, $reader: 2" '2 2 2 2' "$(sed -n 's/^\(print\|report slab\) .*: //p' out | paste -sd ' ')"
done

# A stream file that the user may not read must be a loss, with the reason. Root can read every
# file, unless it has no capabilities.
drop=
[ "$(id -u)" != 0 ] || drop='setpriv --bounding-set=-all --inh-caps=-all'
for listed in 'system information' 'nothing'; do
	fresh
	[ "$listed" != nothing ] || rm t/sysinfo/traces.json
	chmod 0 t/kernel/channel_1
	# shellcheck disable=SC2086
	{
		$drop "$mm" report slab --json --require-complete t >out 2>err
		is "a file that may not be read, $listed lists it: a loss" '3 0 1' "$? $(jq -r '.coverage |
			[.packets_damaged, .streams_missing] | join(" ")' out)"
		is "a file that may not be read, $listed lists it: the reason" 1 \
			"$(jq '.coverage.missing[] | select(.stream == "channel_1").what' out |
				grep -c '^"missing: it cannot be read: permission denied')"
		$drop "$mm" verify t >out
		is "a file that may not be read, $listed lists it: verify" '3 1' "$? $(
			grep -c '^lost: t/kernel/channel_1: .* missing: it cannot be read: permission denied' out)"
		$drop "$mm" info --all --wide t >out
		is "a file that may not be read, $listed lists it: info" '0 1' "$? $(
			grep -c 't/kernel/channel_1 .*missing: it cannot be read: permission denied' out)"
		is "a file that may not be read, $listed lists it: the remedy" '1 1' "$($drop "$mm" report slab t |
			grep -c '^Remedy: read the trace as a user') $($drop "$mm" info t | grep -c '^Remedy: read the trace as a user')"
		$drop "$mm" print t >out 2>err
		is "a file that may not be read, $listed lists it: print" '0 1' "$? $(
			grep -c ' trace: t/kernel/channel_1: cannot be read: permission denied; read the trace as a user' err)"
	}
done

# Messages must name a file by the path that the user gave. Tests this for different losses and
# paths.
fresh
rm -r t/state
ln -s t linked
for path in t ./t "$work/t" linked; do
	"$mm" verify "$path" >out
	is "state/ is removed, $path: the same form of path" "lost: $path/state/channel_0: lost: $path/state/channel_1:" \
		"$(sed -n 's/^\(lost: [^ ]*\) .*/\1/p' out | xargs)"
done
fresh
rm t/state/metadata t/state/channel_1
"$mm" verify t >out
is 'state/ without metadata: the same form of path, each file once' 'lost: t/state/channel_0: lost: t/state/channel_1:' \
	"$(sed -n 's/^\(lost: [^ ]*\) .*/\1/p' out | xargs)"
"$mm" verify linked >out
is 'state/ without metadata, by a link: each file once' 'lost: linked/state/channel_0: lost: linked/state/channel_1:' \
	"$(sed -n 's/^\(lost: [^ ]*\) .*/\1/p' out | xargs)"
sed '1a 950 slab_cache_alloc tid=5 call_site=0x110 ptr=0x1000 cache=1' two.trace >cache.trace
rm -rf t/kernel t/state
make_slab --no-state cache.trace t/kernel && make_slab --state state.trace t/state || exit 2
"$tests/test-sysinfo-traces" t >t/sysinfo/traces.json || exit 2
rm t/state/channel_0 t/state/channel_1
"$mm" report slab --all --wide t >out
is 'streams of state/ are removed: the reason' 1 "$(grep -c '^Slab caches of unknown.*: the state dump lost events, or streams of it are missing' out)"
is 'streams of state/ are removed: the reason, paths' 1 "$(grep -c '^ *Untraced allocation and free paths: .*: the state dump lost events, or streams of it are missing' out)"
rm -r t/state
"$mm" report slab --all --wide t >out
is 'state/ is removed: the reason' 1 "$(grep -c '^Slab caches of unknown.*: the folder state/ of the snapshot, or a folder in it, is missing' out)"
is 'state/ is removed: the reason, paths' 1 "$(grep -c '^ *Untraced allocation and free paths: .*: the folder state/ of the snapshot, or a folder in it, is missing' out)"

# Tests a possible pause: no stream has a packet for 7 s, and no certificate states that the session
# was recording. The object may have been allocated again in that time.
cat >gap.trace <<'END'
cpu 0
950 slab_kmalloc tid=5 call_site=0x110 ptr=0x3000 bytes_req=60 size_class=6
1000 slab_kmalloc tid=5 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6
2000 slab_kfree tid=5 call_site=0x210 ptr=0x1000
packet
7000000000 slab_kfree tid=5 call_site=0x210 ptr=0x1000
END
sed '/^cpu 1/,$d' state.trace >one.trace
rm -rf t && mkdir t && make_slab --no-state gap.trace t/kernel && make_slab --state one.trace t/state || exit 2
for reader in fast babeltrace2; do
	"$mm" report slab --all --wide --reader=$reader t >out
	is "a possible pause, $reader: no anomaly, and why" '0 1' "$(grep -c '^[0-9]* anomal' out) $(
		grep -c '^ *1 pair of events that contradict each other .* is undetermined: .* recording may have been paused then[.]' out)"
	is "a possible pause, $reader: the growth is unknown" 1 "$(grep -c '^Growth is not known, because events may be missing: .* live at the end, unless freed while recording was paused' out)"
	is "a possible pause, $reader: the head of the report" 1 "$(grep -c \
		'^Complete unless a stream is missing, or recording was paused (1 possible pause, 7[.]00 s): ' out)"
	is "a possible pause, $reader: JSON" 'null 1 6999998000 0 1' "$("$mm" report slab --json --reader=$reader t |
		jq -r '"\(.coverage | "\(.complete) \(.possible_pauses) \(.possible_pauses_ns)") \(
			[.tables.outcomes[] | select(.outcome == "anomalies", .outcome == "undetermined") | .objects] | join(" "))"')"
	is "... a time range after it, $reader: none" 'null 0 0' "$("$mm" report slab --json --reader=$reader --begin 1700000007 t |
		jq -r '.coverage | "\(.complete) \(.possible_pauses) \(.possible_pauses_ns)"')"
done
is 'a possible pause: verify and --require-complete' '1 3' "$("$mm" verify t | grep -c 'recording may have been paused') $(
	"$mm" report slab --all --require-complete t >out 2>&1; echo $?)"
# This gap exceeds the minimum for a possible pause, a millisecond.
sed 's/^7000000000/1100000/' gap.trace >short.trace
rm -r t/kernel && make_slab --no-state short.trace t/kernel || exit 2
"$mm" report slab --all --wide t >out
is 'a short gap: no anomaly, and why' '0 1' "$(grep -c '^1 anomal' out) $(grep -c 'recording may have been paused then' out)"
is 'a short gap: live objects at the end are not certain' '1 1' "$(grep -c '^Growth is not known, because events may be missing: .* live at the end, unless freed while recording was paused' out) $(
	"$mm" report slab --all --leaks t | grep -c '^Leak candidates: .*, unless freed while recording was paused')"
is 'a short gap: the head of the report' 1 \
	"$(grep -c '^Complete unless a stream is missing, or recording was paused (1 possible pause, 1[.]1 ms): ' out)"
is 'a short gap: JSON' 'null 1 1098000' "$("$mm" report slab --json t |
	jq -r '.coverage | "\(.complete) \(.possible_pauses) \(.possible_pauses_ns)"')"
mkdir -p t/sysinfo && "$tests/test-sysinfo-traces" t >t/sysinfo/traces.json || exit 2
is 'a short gap, and a list of the packets: it excludes no pause' 'null 1' "$("$mm" report slab --json t |
	jq -r '.coverage | "\(.complete) \(.possible_pauses)"')"
rm -r t/sysinfo
# The next packet begins within microseconds.
sed 's/^7000000000/500000/' gap.trace >next.trace
rm -r t/kernel && make_slab --no-state next.trace t/kernel || exit 2
is 'no gap between two packets: an anomaly, with its condition' 1 "$("$mm" report slab --all t |
	grep -c '^1 anomaly .* cannot explain it, unless a stream is missing, or a packet is damaged, which cannot be checked')"

# A packet in which the object is allocated again is missing, although the sequence numbers are
# consecutive. CPU 1 was recorded all the time.
{ echo 'cpu 1'; echo 'begin 940'; echo '945 slab_kmalloc tid=6 call_site=0x110 ptr=0x9000 bytes_req=60 size_class=6'
	echo 'end 300000100'; } >other.trace
sed 's/^7000000000/300000000/' gap.trace >flush.trace
{ cat flush.trace; echo '300000500 slab_kfree tid=5 call_site=0x210 ptr=0x7000'; cat other.trace; } >shorter.trace
awk '/^packet/ { print; print "100000000 slab_kmalloc tid=5 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6" } { print }' \
	shorter.trace >longer.trace
rm -rf t && mkdir -p t/sysinfo && make_slab --no-state longer.trace t/kernel && make_slab --state one.trace t/state &&
	"$tests/test-sysinfo-traces" t >t/sysinfo/traces.json || exit 2
rm -rf made && make_slab --no-state shorter.trace made && cp made/channel_0 t/kernel/ || exit 2
loses 'a packet is gone, and the numbers do not show where' 0 1
for reader in fast babeltrace2; do
	is "... $reader: nothing is an anomaly, or paired" '0 0 5' "$("$mm" report slab --json --reader=$reader t | jq -r '
		[.tables.outcomes[] | select(.outcome | IN("anomalies", "paired", "undetermined")) | .objects] | join(" ")')"
	is "... $reader: a time range in which it may have been" '1 false' "$("$mm" report slab --json --reader=$reader \
		--begin 1700000000.05 --end 1700000000.25 t | jq -r '.coverage | "\(.packets_lost) \(.complete)"')"
	is "... $reader: a time range in which it was not" '0 true' "$("$mm" report slab --json --reader=$reader \
		--begin 1700000000.3000001 --end 1700000000.3000004 t | jq -r '.coverage | "\(.packets_lost) \(.complete)"')"
done

# --- the file of a stream has only packets of another trace ---

fresh
{ cat t/state/*_0 t/state/*_1; head -c "$(wc -c <t/kernel/channel_1)" /dev/zero; } >other
cp other t/kernel/channel_1
"$mm" report slab --json t >out.json 2>err
is 'a file of another trace: status, streams missing' '2 1' "$? $(jq .coverage.streams_missing out.json)"
is 'a file of another trace: which' \
	'channel_1 missing: the file has no packets of this stream, 3 packets (the system information lists it)' \
	"$(jq -r '.coverage.missing[] | "\(.stream) \(.what)"' out.json)"
is 'a file of another trace: no anomalies' 0 \
	"$(jq '[.metrics[] | select(.name == "slab.anomalies") | .value // 0] | add' out.json)"

tap_end
