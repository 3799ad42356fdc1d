#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests certificates of coverage: their verdicts on synthetic traces, and how the commands use them.
# Every change of the files or of snapshot.json must be noticed.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"
# shellcheck source=tests/certified.sh
. "$top/tests/certified.sh"
export TZ=UTC0

# statuses NAME EXPECTED: compares the exit statuses of info, print, verify and report with
# --require-complete.
statuses() {
	statuses_found=
	for command in info print verify 'report slab'; do
		# shellcheck disable=SC2086 # words
		"$mm" $command --require-complete t >out 2>err
		statuses_found="$statuses_found${statuses_found:+ }$?"
	done
	is "$1: status of info, print, verify, report" "$2" "$statuses_found"
}
# packet_end FILE NUMBER: prints the end of packet NUMBER (from 0) in bytes.
packet_end() {
	packet_at=0
	for _ in $(seq 0 "$2"); do
		packet_at=$((packet_at + $(od -An -t u8 -j $((packet_at + 48)) -N 8 "$1" | tr -d ' ') / 8))
	done
	echo $packet_at
}
# without FILE NUMBER: removes that packet.
without() {
	without_start=0
	[ "$2" -eq 0 ] || without_start=$(packet_end "$1" $(($2 - 1)))
	{ head -c "$without_start" "$1"; tail -c +$(($(packet_end "$1" "$2") + 1)) "$1"; } >shorter
	mv shorter "$1"
}

# --- complete ---

busy | certified
is 'complete: the verdict is complete, and the files match' 'complete true' "$(field verdict) $(field matches)"
is 'complete: the length of the shared interval' 2800 "$(field shared_duration_ns)"
is 'complete: no report says that files differ' '0 true' "$("$mm" report slab --all t | grep -c '^The files are not') $(
	"$mm" report slab --json t | jq .coverage.complete)"
is 'complete: reason, cause and method' 'a test request lttng' "$(field reason) $(field cause) $(field method)"
statuses 'complete' '0 0 0 0'
is 'complete: info says so' 1 "$("$mm" info --all t |
	grep -c '^Certificate: complete\. Every stream covers 2023-11-14T22:13:20\.000001200Z to 2023-11-14T22:13:20\.000004000Z (0\.000002800 s)\.$')"
is 'complete: the reason is shown' 1 "$("$mm" info --all t | grep -c '^Snapshot: requested at .*Reason: a test$')"
is 'complete: the first sentence' 'All buffers reach back 2.8 us; nothing is known to be lost, but packets have no checksums, and events were not decoded (--events decodes them).' \
	"$("$mm" info --wide t | head -n 1)"
is 'complete: from a part of the snapshot' '0 complete' \
	"$("$mm" info --require-complete --json t/kernel | jq -r .tables.snapshots[0].verdict >verdict; echo "$?") $(cat verdict)"
busy | certified 4500
is 'a request that is not covered' undetermined "$(field verdict)"
statuses 'a request that is not covered' '3 3 3 3'
# shellcheck disable=SC2016 # backquotes of the message
is '... and why' 1 "$("$mm" report slab --all --require-complete t 2>&1 >out |
	grep -c 'certified as `undetermined`: The time that all streams cover ends 0.000000500 s before the request;')"

# --- files that differ from the certified ones ---

# changed NAME LINE [STATUSES]: checks a trace whose files differ from a certificate with the
# verdict `complete`.
changed() {
	is "$1: noticed" 'complete false' "$(field verdict) $(field matches)"
	is "$1: one line" 1 "$("$mm" info --json t | jq -r '.tables.differences[].what' | grep -c -e "$2")"
	statuses "$1" "${3-3 3 3 3}"
	"$mm" verify t >out 2>&1
	is "$1: verify" "1 ${3:+2}" "$(grep -c '^lost: .*/snapshot.json: .*: the trace differs from the certificate: ' out | sed 's/^[1-9][0-9]*$/1/') ${3:+2}"
	says_first "$1" t
}
# says_first NAME TRACE: checks the first line of reports, by both readers and the sink: it must
# state that the files differ. The reports must be incomplete.
says_first() {
	for reader in $readers; do
		"$mm" report slab --all --reader="$reader" "$2" >out 2>err
		# libbabeltrace2 does not read truncated files.
		grep -q 'libbabeltrace2 cannot read it' err && continue
		is "$1, $reader: the report says so first" 1 \
			"$(head -n 1 out | grep -c "^The files differ from the certificate in snapshot.json: .*/t: ")"
		is "$1, $reader: JSON" 'true 1' "$("$mm" report slab --json --reader="$reader" "$2" 2>err |
			jq -r '"\(.coverage.complete != true) \([.notes[0] | select(startswith("The files differ from "))] | length)"')"
	done
	with_plugin babeltrace2 "$2" -c sink.lttng-mm.slab >out 2>err || return 0
	is "$1: the sink says so first" 1 "$(head -n 1 out | grep -c "^The files differ from the certificate in snapshot.json: ")"
}
for packet in 0 1 2; do
	busy | certified
	without t/kernel/channel_1 $packet
	changed "packet $packet is removed" '^kernel/channel_1: 2 packets, not 3 as certified$'
	# Remove the list of traces in the system information, too.
	rm -r t/sysinfo
	changed "packet $packet is removed, and no list" '^kernel/channel_1: 2 packets, not 3 as certified$'
	# The certificate does not belong to this file, so the contents of the packet are not known.
	for reader in $readers; do
		is "packet $packet is removed, and no list, $reader: its events are missing" \
			'1 lost, 0 live, 0 anomalies' "$("$mm" report slab --reader="$reader" --json t | jq -r '
			def count(name): [.metrics[] | select(.name == "slab.outcomes" and .labels.of == "objects"
				and .labels.outcome == name).value] | add;
			"\(.coverage.packets_lost) lost, \(count("live")) live, \(count("anomalies")) anomalies"')"
		is "packet $packet is removed, and no list, $reader: the remedy" 1 \
			"$("$mm" report slab --all --reader="$reader" t | grep -c '^Remedy: copy the whole trace again')"
	done
done
busy | certified
rm t/kernel/channel_1
changed 'a stream is removed' '^kernel/channel_1: missing: certified with 3 packets$'
# Tests a stream that cannot be read. Root can read every file, unless it has no capabilities.
busy | certified
chmod 0 t/kernel/channel_1
drop=
[ "$(id -u)" != 0 ] || drop='setpriv --bounding-set=-all --inh-caps=-all'
# shellcheck disable=SC2086 # words
is 'an unreadable stream is not reported as missing' 1 "$($drop "$mm" report slab --all t |
	grep -c ' certificate in snapshot.json: .*/t: kernel/channel_1: cannot be read, permission denied: certified with 3 packets')"
busy | certified
rm -r t/sysinfo t/kernel/channel_0
changed 'a stream is removed, and no list' '^kernel/channel_0: missing: certified with 3 packets$'
# A certified packet is removed. The recorder cannot have lost it, so the remedy is to copy the
# trace again.
busy | certified
without t/kernel/channel_0 1
rm -rf t/sysinfo t/kernel/index
for command in info 'report slab'; do
	# shellcheck disable=SC2086 # words
	is "a packet is removed from the middle, no list: the remedy of $command" 1 \
		"$("$mm" $command t | grep -c '^Remedy: copy the whole trace again')"
done
# A certificate of other files does not rule out that recording was paused while these files were
# written.
steady() {
	cat <<'END'
cpu 0
begin 1000
1100 slab_kmalloc tid=1 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6
1200 slab_kfree tid=1 call_site=0x210 ptr=0x1000
4000000 slab_kmalloc tid=1 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6
5000000 slab_kfree tid=1 call_site=0x210 ptr=0x1000
end 9000000
cpu 1
begin 1000
1300 slab_kmalloc tid=1 call_site=0x110 ptr=0x2000 bytes_req=60 size_class=6
end 9000000
END
}
steady | certified 8999000
mv t/snapshot.json others.json
steady | awk '!/^4000000/ { print } /^4000000|^1300/ { print "end 2000\npacket\nbegin 4900000" }' | certified 8999000
mv others.json t/snapshot.json
for reader in $readers; do
	"$mm" report slab --all --reader="$reader" t >out
	is "a certificate of other files, $reader: no anomaly is certain" '1 0 1' "$(grep -c \
		'^Undetermined, the files differ from the certificate, and recording may have been paused (1 possible pause, ' out) $(
		grep -c '^[0-9]* anomal' out) $(grep -c ' contradict each other .* recording may have been paused then[.]' out)"
done
# A time range may be complete although the trace is not. --require-complete must check the whole
# trace.
busy | certified
without t/kernel/channel_0 0
rm t/snapshot.json
is 'a packet is removed before a time range: the range stays complete' '0
true' \
	"$("$mm" report slab --json --begin 1700000000.0000021 --end 1700000000.0000033 t >out; echo $?
	jq -r .coverage.complete out)"
for command in print 'report slab'; do
	# shellcheck disable=SC2086 # words
	"$mm" $command --require-complete --begin 1700000000.0000021 --end 1700000000.0000033 t >out 2>err
	is "... $command --require-complete says that the trace is not" '3 1' \
		"$? $(grep -c 'kernel/channel_0: .*1 packet.*; --require-complete checks the whole trace, not only the time range$' err)"
done
busy | certified
truncate -s -5 t/kernel/channel_0
changed 'a file is cut' '^kernel/channel_0: .* bytes, not .* as certified$'
busy | certified
printf '\200' | dd of=t/kernel/channel_1 bs=1 seek=$(($(packet_end t/kernel/channel_1 1) + 45)) conv=notrunc status=none
changed 'the last packet ends later' '^kernel/channel_1: ends [0-9.]* s later than certified$'
# Verify must report the damage once, and no missing packet.
busy | certified
printf x | dd of=t/kernel/channel_1 bs=1 seek="$(packet_end t/kernel/channel_1 0)" conv=notrunc status=none
"$mm" verify t >out 2>&1
is 'a damaged packet: verify reports it once' '2 1 0' "$? $(grep -c '^damaged: ' out) $(grep -c '^lost: ' out)"
is 'a damaged packet: info' 2 "$("$mm" info --all t >out 2>err; echo $?)"
busy | certified
printf 'cpu 3\nbegin 1500\n1600 slab_kfree tid=1 call_site=0x210 ptr=0x1000\nend 1700\n' | make_slab --no-state - added
cp added/channel_3 t/kernel
rm -r t/sysinfo
is 'a stream is added: noticed' false "$(field matches)"
says_first 'a stream is added' t
is '... and is not complete' 1 "$("$mm" report slab --all t | grep -c '^Undetermined, the files differ from the certificate: ')"
busy | certified
mv t/kernel t/renamed
is 'a folder is renamed: noticed' 'false 3' "$(field matches) $("$mm" info --all --require-complete t >out 2>err; echo $?)"

# --- a certificate of another user ---

busy | certified
"$mm" info --json t | jq '.tables.snapshots[0].snapshot == null' >found
is 'the certificate above the trace is used' false "$(cat found)"
if [ "$(id -u)" = 0 ]; then
	chown 12345 t/snapshot.json
	is "... but not another user's" true "$("$mm" info --json t | jq '.tables.snapshots[0].snapshot == null')"
else
	skip "... but not another user's" 'requires root'
fi

# --- a changed certificate ---

# edited NAME LINE SCRIPT: changes snapshot.json with sed's SCRIPT. (jq would round large numbers.)
edited() {
	sed -i "$3" t/snapshot.json
	is "$1: noticed" 1 "$("$mm" info --json t | jq -r '.tables.differences[].what' | grep -c -e "$2")"
	"$mm" info --all --require-complete t >out 2>err
	is "$1: status" 3 $?
}
busy | certified
edited 'the shared interval is longer' '^the certified time that all streams cover differs from the time derived from the certified streams$' \
	'/"shared"/,/}/ s/1200/1100/'
busy | sed 's/^packet$/packet seq=4/' | awk '/^packet/ && n++ > 0 { print "packet"; next } { print }' | certified
is 'a lost packet: verdict' holes "$(field verdict)"
# shellcheck disable=SC2016 # backquotes of the message
edited 'a verdict that its streams contradict' '^the verdict is `complete`, but the certified streams imply `holes`$' \
	's/"verdict": "holes"/"verdict": "complete"/'
edited '... and a hole that is not listed' '^kernel/channel_0: its holes differ' \
	':a; N; $!ba; s/"holes": \[[^]]*\]/"holes": []/g'
busy | certified
edited 'a stream that is not in the certificate' '^kernel/channel_1: was not certified$' 's/"channel_1"/"channel_9"/'
# unusable NAME TEXT PATTERN: checks that a snapshot.json that contains TEXT is not used.
unusable() {
	busy | certified
	printf '%s' "$2" >t/snapshot.json
	"$mm" info --all t >out 2>err
	is "$1: info" '0 1' "$? $(grep -c "^Certificate: .*snapshot.json: $3" out)"
	"$mm" info --all --require-complete t >out 2>err
	is "$1: status, one line" '3 1 1' "$? $(wc -l <err) $(grep -c "not certified: snapshot.json: $3" err)"
	expected=0
	[ "${3#damaged}" = "$3" ] || expected=3
	"$mm" verify t >out
	is "$1: verify names it" "$expected 1" "$? $(grep -c "^note: .*snapshot.json: $3.*: this file is not used: the time range comes from the packets" out)"
	"$mm" report slab --all t >out 2>err
	is "$1: the report does without" 0 $?
}
unusable 'not JSON' '{ "version": 1, ' 'damaged: line'
unusable 'another version' '{ "version": 2 }' 'version 2 is not known'
unusable 'no version' '{}' 'damaged: "version" is not an integer'
unusable 'no certificate' '{ "version": 1 }' 'it has no certificate of coverage'
unusable 'a certificate that is a number' '{ "version": 1, "certificate": 5 }' 'damaged: "certificate" is not an object'
unusable 'a file elsewhere' '{ "version": 1, "certificate": { "verdict": "complete", "why": [], "shared": null,
	"streams": [ { "trace": "../../etc", "file": "passwd" } ] } }' 'damaged: stream 0: "trace" is not a folder'
busy | certified
sed -i 's/"a test"/"\\u001b[31mred"/; s/"why": \[\]/"why": [ "\\u001b[31mred" ]/' t/snapshot.json
is 'a reason with control characters: escaped' '0 2' "$("$mm" info --all t | LC_ALL=C tr -d '\n' | LC_ALL=C grep -c '[[:cntrl:]]') $(
	"$mm" info --all t | grep -c 'x1b.31mred')"
busy | certified
sed -i 's/"kind": *"[^"]*"/"kind": "trigger", "trigger": "x\\u001b[31m", "on": "a if b", "match": { "cpu": 1, "fields": { "f": 5, "g": "h" }, "matches": 3, "at_least": true }/' t/snapshot.json
is 'the cause is a trigger: info shows it, escaped' 1 "$("$mm" info --all t |
	grep -c '^Cause: trigger x.x1b.31m (a if b), CPU 1, f 5, g h; at least 3 matches since its last snapshot.$')"
sed -i 's/"f": 5/"tid": 305, "next_tid": 304, "vtid": 304, "$ctx.tid": 9, "prev_tid": -1/' t/snapshot.json
echo '[ { "tid": 304, "pid": 304, "comm": "dd" }, { "tid": 305, "pid": 304, "comm": "writer" } ]' >t/sysinfo/processes.json
is '... with the names of threads that are captured' \
	'tid 305 (writer, of process 304: dd), next_tid 304 (dd), vtid 304, $ctx.tid 9, prev_tid -1, g h' \
	"$("$mm" info --wide t | sed -n 's/^Cause: .* CPU 1, \(.*\); at least.*/\1/p')"
busy | certified
{ printf '{ "version": 1, "x": "'; head -c 34000000 /dev/zero | tr '\0' x; printf '" }'; } >t/snapshot.json
is 'a huge one' 1 "$("$mm" info --all t | grep -c '^Certificate: .*snapshot.json: larger than 32 MiB')"
rm t/snapshot.json && mkfifo t/snapshot.json
is 'a pipe in place of snapshot.json is not read' 0 "$("$mm" info --all --require-complete t >out 2>err; echo $?)"

# --- holes ---

# recorded NAME VERDICT HOLES [STATUSES]: checks the recorded certificate.
recorded() {
	is "$1: verdict" "$2" "$(field verdict)"
	is "$1: holes" "$3" "$("$mm" info --json t | jq -r '[.tables.holes[] |
		"\(.cpu) \(.kind) \(.start[-5:-1]) \(.duration_ns)"] | join(", ")')"
	[ $# -lt 4 ] || statuses "$1" "$4"
}
# hole NAME VERDICT HOLES STATUSES: checks the trace twice: with the certificate in snapshot.json,
# and without that file.
hole() {
	recorded "$1" "$2" "$3"
	rm -f t/snapshot.json
	is "$1: derived" "$2" "$(field verdict)"
	statuses "$1, derived" "$4"
}
busy | sed 's/^begin 2200$/begin 2300/' | sed '/^cpu 1$/,$ { /^packet$/ { s/$/ seq=12/; :a; n; ba } }' | certified
hole 'a lost packet' holes '1 packets 2200 100' '3 3 3 3'
busy | awk '/^packet$/ && ++n == 3 { print "packet discarded=5"; next } { print }' | certified
hole 'discarded events' holes '1 discarded 2200 1000' '3 3 3 3'
# Events may have been discarded in the first packet or before it. If no packet preceded the first
# packet, all these events were discarded in it.
busy | sed '0,/^begin/s/^begin/packet seq=3 discarded=5\n&/' | certified
is 'a count in the first packet: covered from its end on' 'complete 2000' "$(field verdict) $(field shared_duration_ns)"
is '... and a report names both reasons for a late start' 1 "$("$mm" report slab --all t |
	grep -c '^In the first 1.0 us, not all events were recorded: some had not been enabled yet, or were discarded[.]')"
busy | sed '0,/^begin/s/^begin/packet seq=0 discarded=5\n&/' | certified
hole 'a count in the very first packet' holes '0 discarded 1000 1000' '3 3 3 3'
# LTTng sometimes omits the count of discarded events. The next count shows whether events were
# discarded.
busy | awk '/^packet$/ && ++n < 3 { print n == 1 ? "packet discarded=5" : "packet discarded=0"; next } { print }' | certified
is 'no count in the last packet: covered up to the last count' '800 false' "$("$mm" info --json t |
	jq -r '.tables.certified_streams[0] | "\(.duration_ns - 1200) \(.events_discarded_known)"')"
# paused: both CPUs flush their buffers, and no events follow until recording continues.
paused() {
	busy | sed 's/^begin 3000$/begin 9000/; s/^3100 /9100 /; s/^begin 3200$/begin 9200/; s/^3300 /9300 /; s/^end 4000$/end 9900/'
}
# gap NS: prints the same script as paused, but with a gap of NS nanoseconds.
gap() {
	paused | sed "s/^begin 9000$/begin $((3200 + $1))/; s/^\(begin \)\{0,1\}\(9[0-9]00\)/\1$((1 + $1 / 1000))\2/; s/^end 9900/end $((1 + $1 / 1000))9900/"
}
# completeness: prints whether info, report and verify call the trace complete.
completeness() {
	echo "$("$mm" info --all t | grep -c '^Complete[:,]') $("$mm" info --json t | jq .coverage.complete) $(
		"$mm" report slab --json t | jq .coverage.complete) $("$mm" verify t | grep -c 'No errors, complete')"
}
gap 1000000 | certified 10019800
hole 'a gap that nothing explains' undetermined '0 gap 3200 1000000, 1 gap 3200 1000000' '3 3 3 3'
is 'a gap: no command calls the trace complete' '0 null null 0' "$(completeness)"
is 'a gap: the first sentence does not either' \
	'All 2 streams cover the same 10 ms; nothing is known to be lost, but recording may have been paused (1 time, 1 ms), and packets have no checksums, and events were not decoded (--events decodes them).' \
	"$("$mm" info --wide t | head -n 1)"
is 'a gap: verify counts it' 1 "$("$mm" verify t | grep -c '^Pauses: 0 certain, 2 possible;')"
is 'a gap: info names the part without one' 1 \
	"$("$mm" info --all t | grep -c '^From .*20.001003200Z* to the end of this time (0.009016700 s), no stream has a hole')"
# A gap of less than a millisecond is no pause, because a session cannot be stopped and started so
# fast.
gap 999999 | certified 9999800
hole 'a gap too short for a pause' complete '' '0 0 0 0'
is 'a gap too short for a pause: all commands call it complete' '1 true true 1' "$(completeness)"
# One CPU is idle. The other CPU shows that the session was recording at that time.
busy | sed '/^cpu 1$/,$ { s/^begin 3200$/begin 3900/; s/^3300 /3950 / }' | certified
hole 'a gap of one CPU' complete '' '0 0 0 0'
busy | certified
touch t/kernel/channel_2
rm t/snapshot.json
is 'an empty stream that nothing explains' undetermined "$(field verdict)"
busy | certified
rm t/snapshot.json t/kernel/channel_1
hole 'a listed stream is missing' holes '' '3 3 3 3'
busy | certified
rm -r t/snapshot.json t/sysinfo
is 'nothing lists the streams' undetermined "$(field verdict)"
statuses 'nothing lists the streams' '3 3 3 3'

# --- pauses in the facts ---

# facts CHANGES [MORE]: prints the facts about two streams.
facts() {
	echo "{ 'kernel': { 'streams': [ { 'file': 'channel_0', 'channel': 'channel', 'cpu': 0, 'online': true,
		'overwritten': true, 'packets_missed': 0 }, { 'file': 'channel_1', 'channel': 'channel', 'cpu': 1,
		'online': false, 'overwritten': true, 'packets_missed': 0 } ],
		'watched_since_ns': $((origin + 500)), 'active': true, 'changes': [ $1 ] } }"
}
paused | certified 9800 "$(facts '')"
is 'the facts show that it was recording' 'complete 0' "$(field verdict) $("$mm" info --json t | jq '.tables.holes | length')"
statuses 'the facts show that it was recording' '0 0 0 0'
is 'a CPU that was offline' 'true,false' "$("$mm" info --json t | jq -r '[.tables.certified_streams[].online] | join(",")')"
pause="{ 'at_ns': $((origin + 3150)), 'channel': null, 'active': false }, { 'at_ns': $((origin + 8900)), 'channel': null, 'active': true }"
paused | certified 9800 "$(facts "$pause")"
is 'a pause: the verdict is holes' holes "$(field verdict)"
is 'a pause: info names the reason' 1 "$("$mm" info --all t | grep -c '^Recording was paused for 0.000005750 s from .*20.000003150Z, 2 streams\.$')"
statuses 'a pause' '3 3 3 3'
"$mm" verify t >out
is 'a pause: verify reports it, of each stream' '3 2' "$? $(grep -c 'kernel/channel_[01]: .*recording was paused for 0.000005750 s' out)"
"$mm" print t >out 2>err
is 'a pause: print shows where' '0 2' "$? $(grep -c 'kernel/channel_[01]: recording was paused here for 0.000005750 s$' err)"

# If an object is freed both before and after the pause, it may have been allocated during the
# pause.
cat >leak.trace <<'END'
cpu 0
begin 1000
1100 slab_kmalloc tid=1 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6
1200 slab_kmalloc tid=1 call_site=0x110 ptr=0x2000 bytes_req=60 size_class=6
1300 slab_kfree tid=1 call_site=0x210 ptr=0x2000
end 3000
packet
begin 9000
9100 slab_kfree tid=1 call_site=0x210 ptr=0x2000
9200 slab_kmalloc tid=1 call_site=0x110 ptr=0x3000 bytes_req=60 size_class=6
9300 slab_kmalloc tid=1 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6
end 9900
END
# Another program set trackers for some time. All streams have packets from that time.
busy | certified 3900 "$(facts '' | sed "s/'changes'/'excluded': [ { 'start_ns': $((origin + 2500)), 'end_ns': $((origin + 2600)) } ], &/")"
recorded 'a tracker of the past' holes '0 excluded 2500 100, 1 excluded 2500 100' '3 3 3 3'
is 'a tracker of the past: info names the reason' 1 "$("$mm" info --all t | grep -c '^Trackers excluded processes or users for 0.000000100 s from .*20.000002500Z, 2 streams\.$')"
is 'a tracker of the past: the report says so' 'false 2' "$("$mm" report slab --json t | jq -r '.coverage | "\(.complete) \(.pauses)"')"
# The recorder itself has trackers, so the recording is limited on purpose.
busy | certified 3900 "$(facts '' | sed "s/'changes'/'limited_to': [ 'pid 7', 'slab_* with tid > 0' ], &/")"
is 'a recorder with trackers: the certificate names them' 'complete for pid 7, slab_* with tid > 0' "$(field verdict)"
statuses 'a recorder with trackers: the recording is complete for them' '0 0 0 0'
is 'a recorder with trackers: info and reports name them' '1 1 "pid 7, slab_* with tid > 0"' \
	"$("$mm" info --all t | grep -c '^Certificate: complete for pid 7, slab_\* with tid > 0\. ') $(
	"$mm" report slab --all t | grep -c '^Complete for pid 7, slab_\* with tid > 0: no events discarded') $(
	"$mm" report slab --json t | jq .coverage.limited_to)"
is '... report slab considers them without sysinfo/, too' 1 "$("$mm" report slab --all t | grep -c '^Recorded through a tracker or a filter')"
# The certificate is missing, and system.json does not name the excluded events.
mkdir -p t/sysinfo
echo '{ "selection": "part" }' >t/sysinfo/system.json
mv t/snapshot.json certified.json
is 'a selection without a certificate: no report calls it complete' '1 [null,"a part"] 1 [null,"a part"]' \
	"$("$mm" report slab --all t | grep -c '^[CU].*a tracker or a filter excluded other') $(
	"$mm" report slab --json t | jq -c '.coverage | [.complete, .limited_to[:6]]') $(
	"$mm" info --all t | grep -c '^[CU].*a tracker or a filter excluded other') $(
	"$mm" info --json t | jq -c '.coverage | [.complete, .limited_to[:6]]')"
mv certified.json t/snapshot.json
is 'a selection with a certificate: the certificate names it' '1 [true,"pid 7, slab_* with tid > 0"]' \
	"$("$mm" report slab --all t | grep -c '^Complete for pid 7, slab_\* with tid > 0: no events discarded') $(
	"$mm" report slab --json t | jq -c '.coverage | [.complete, .limited_to]')"
# A certificate without limits proves that no limits applied, but only if it belongs to these files.
# (Other files have other sizes.)
busy | certified 3900 "$(facts '')"
echo '{ "selection": "part" }' >t/sysinfo/system.json
is 'a certificate without limits overrides system.json' '[true,null] [true,null] 0' \
	"$("$mm" report slab --json t | jq -c '.coverage | [.complete, .limited_to]') $(
	"$mm" info --json t | jq -c '.coverage | [.complete, .limited_to]') $(
	"$mm" report slab --all t | grep -c 'a tracker or a filter')"
statuses 'a certificate without limits' '0 0 0 0'
sed 's/"bytes": /&1/' t/snapshot.json >other.json
mv other.json t/snapshot.json
is '... unless it belongs to other files' '["a part"] ["a part"] 1' \
	"$("$mm" report slab --json t | jq -c '.coverage | [.limited_to[:6]]') $(
	"$mm" info --json t | jq -c '.coverage | [.limited_to[:6]]') $(
	"$mm" report slab --all t | grep -c '^Recorded through a tracker or a filter')"
statuses '... unless it belongs to other files' '3 3 3 3'
rm -r t/sysinfo
busy | certified 3900 "$(facts '' | sed "s/'changes'/'less': [ 'x: complete only for pid 7.' ], &/")"
is 'less than was to be recorded' holes "$(field verdict)"
statuses 'less than was to be recorded' '3 3 3 3'
# The recorder started to watch the session after the first packets, or did not watch it at all.
busy | certified 3900 "$(facts '' | sed "s/$((origin + 500))/$((origin + 2500))/")"
recorded 'an unwatched start' undetermined '0 gap 1000 1500, 1 gap 1000 1500' '3 3 3 3'
is 'an unwatched start: the report does not call it complete' '1 null' \
	"$("$mm" report slab --all t | grep -c '^Undetermined, recording may have been paused, or events excluded: ') $("$mm" report slab --json t | jq .coverage.complete)"
is '... a report about the time since then does' 1 "$("$mm" report slab --all --begin 1700000000.000002501 t | grep -c '^Complete')"
# Enabling all events takes a while. The certificate must start when all events are enabled.
busy | certified 3900 "$(facts "{ 'at_ns': $((origin + 2500)), 'channel': null, 'active': true }")"
is 'events before the certificate: a report says so' '2 true' "$("$mm" report slab --all t |
	grep -c -e '^Complete from 2023-11-14T22:13:20.001Z on: ' -e '^In the first 1.5 us, not all events were recorded: some had not been enabled yet, or were discarded[.]') $(
	"$mm" report slab --json t | jq .coverage.complete)"
is '... and info, whose time range and reach differ by that' '1 1 1500 3000' "$("$mm" info --wide t >out
	grep -c '^All buffers reach back 1.5 us; ' out) $(
	grep -c '^In the first 1.5 us, not all events were recorded: some had not been enabled yet, or were discarded[.]$' out) $(
	field shared_duration_ns) $("$mm" info --json t | jq .coverage.duration_ns)"
is '... and the first screen says it once' '1 0' "$("$mm" report slab t >out
	tr '\n' ' ' <out | grep -c '^Complete from 2023-11-14T22:13:20.001Z on (before that, not all events were recorded): nothing was lost ') $(
	grep -c '^In the first' out)"
# since OPTION: prints the exit status and whether the report about the time range is undetermined.
since() {
	"$mm" report slab --json --require-complete "$1" t >out 2>err
	echo "$? $(jq .coverage.complete out) $("$mm" report slab --all "$1" t | grep -c '^Undetermined, the certificate does not cover the start') $(
		grep -c 'the certificate does not cover the start of the time range.*shows all problems$' err)"
}
is 'a range that ends before the certificate' '3 null 1 1' "$(since --end=1700000000.0000024)"
is 'a range that ends at its start' '3 null 1 1' "$(since --end=1700000000.0000025)"
is 'a range that only ends after the start of the certificate' '0 true 0 0 1' "$(since --end=1700000000.0000029) $(
	"$mm" report slab --all --end=1700000000.0000029 t | grep -c '^Complete from 2023-11-14T22:13:20.001Z on: ')"
is 'a range that starts before it' '3 null 1 1' "$(since --begin=1700000000.0000024)"
is 'a range that starts in the certified time' '0 true 0 0' "$(since --begin=1700000000.0000025)"
busy | certified 3900 "{ 'kernel': {} }"
recorded 'nobody watched' undetermined '0 gap 1000 3000, 1 gap 1000 3000' '3 3 3 3'

# slab_counts: prints the numbers of live objects, anomalies and undetermined objects.
slab_counts() {
	"$mm" report slab --all --wide "$@" t | outcomes | sed 's/.*, live \([0-9]*\),.* anomalies \([0-9]*\), undetermined \([0-9]*\).*/\1 \2 \3/'
}
cat >state.trace <<'END'
cpu 0
900 slab_statedump_cache cache=1 object_size=64 size=64 alive=1 name=a_cache
900 slab_statedump_path path=3 hooked=1 function=kmem_cache_alloc_bulk
900 slab_statedump_path path=4 hooked=0
END
certified 9800 "$(facts "$pause")" <leak.trace
mv t/snapshot.json kept.json
is 'without the certificate: an anomaly' 1 "$(slab_counts | cut -d ' ' -f 2)"
mv kept.json t/snapshot.json
for reader in $readers; do
	is "a pause, $reader: no anomaly is concluded from it" 0 "$(slab_counts --reader="$reader" | cut -d ' ' -f 2)"
	"$mm" report slab --json --reader="$reader" t >"out.$reader"
	is "a pause, $reader: coverage" 'false 1 1' "$(jq -r '.coverage |
		"\(.complete) \(.pauses) \([.losses[].pauses] | add)"' "out.$reader")"
done
same 'a pause: the same report by both readers' out.fast out.babeltrace2
for jobs in 1 3; do
	"$mm" report slab --json --jobs $jobs t >out
	same "a pause: the same report with --jobs $jobs" out.fast out
done
with_plugin babeltrace2 t -c sink.lttng-mm.slab -p json=yes >out 2>err
same 'a pause: the same report by the sink' out.fast out
is 'a pause: the head of the report' 1 "$("$mm" report slab --all t | grep -c '^Lost: .*, 1 pause of a stream')"
is 'a pause: the remedy' 1 "$("$mm" report slab --all t | grep -c '^Remedy: read a snapshot of a time in which nobody stopped recording or excluded events')"
is 'a pause: --require-complete' '3 1' "$("$mm" report slab --all --require-complete t 2>err >out; echo $?) $(grep -c 'recording was paused' err)"
"$mm" report slab --json --begin 1700000000.000009 t >out
is 'a time range after the pause is not affected' 0 "$(jq .coverage.pauses out)"
"$mm" report slab --json --begin 1700000000.000001 --end 1700000000.000005 t >out.fast
"$mm" report slab --json --begin 1700000000.000001 --end 1700000000.000005 --reader=babeltrace2 t >out
is 'a time range that ends in the pause reports it' 1 "$(jq .coverage.pauses out.fast)"
same 'a time range that ends in the pause: both readers agree' out.fast out

# The output of print is larger than a pipe's buffer, so print waits until the reader of the pipe
# exits.
mkdir -p locked
make_ctf --shape slab --events 20000 --streams 1 locked/kernel
touch locked/snapshot.json
mkfifo pipe
"$mm" print locked/kernel >pipe 2>err &
exec 3<pipe
read -r _ <&3
flock --exclusive --nonblock locked true
is 'print locks the snapshot that it reads' 1 $?
exec 3<&-
wait $!
flock --exclusive --nonblock locked true
is '... until it ends' 0 $?

# --- the wall clock was set while the session recorded ---

# clock TRACE_NS REALTIME_NS: prints one instant on both clocks, relative to the origin.
clock() {
	set_clock="\"clock\": { \"trace_ns\": $((origin + $1)), \"realtime_ns\": $((origin + $2)) }"
	sed "0,/{/s//{ $set_clock,/" kept.json >t/snapshot.json
}
hour=3600000000000
# start_of: prints the start of the certificate's first stream in ms after the origin. (Numbers in
# jq are doubles.)
start_of() {
	"$mm" info --json t | jq "(.tables.certified_streams[0].start_ns - $origin) / 1e6 | round"
}
paused | certified 9800 "$(facts "$pause")"
"$mm" print --format=babeltrace t >babeltrace.before 2>/dev/null
"$mm" print --clock wall t >wall.before 2>err
is 'clock: no note if it was not set' 0 "$(grep -c 'The wall clock was set' err)"
cp t/snapshot.json kept.json
clock 9900 $((hour + 9900))
is 'clock: info shows the times of the wall clock' "3600000 1" "$(start_of) $(
	"$mm" info --all t | grep -c '^The wall clock was set during the recording\. .* 3600\.000 s later than the times that other readers ')"
is 'clock: ... of the certificate, too' "3600 3600" \
	"$("$mm" info --json t | jq -r ".tables.snapshots[0] | \"\((.shared_start_ns - $origin) / 1e9 | round) \((.requested_trace_ns - $origin) / 1e9 | round)\"")"
is 'clock: ... and its files still match' 'true holes' "$(field matches) $(field verdict)"
"$mm" print --clock wall t >out 2>err
is 'clock: print --clock wall, and a note' '1 0' "$(grep -c 'note: The wall clock was set during the recording' err) $(
	sed 's/23:13:2/22:13:2/' out | diff - wall.before | wc -l)"
is 'clock: --end uses the wall clock' '2 0' "$("$mm" print --begin 1700003600.000005 t 2>/dev/null | wc -l) $(
	"$mm" print --end 1700003599 t 2>/dev/null | wc -l)"
"$mm" print --format=babeltrace t >out 2>/dev/null
same 'clock: --format=babeltrace prints the times of the metadata' babeltrace.before out
for reader in $readers; do
	"$mm" report slab --json --reader="$reader" t >"out.$reader"
	is "clock: report, $reader" "3600 1 1" "$(jq "(.coverage.start_ns - $origin) / 1e9 | round" "out.$reader") $(
		jq -r '.notes[]' "out.$reader" | grep -c '^The wall clock was set') $(jq '.coverage.pauses' "out.$reader" | grep -c '[1-9]')"
done
same 'clock: the same report by both readers' out.fast out.babeltrace2
with_plugin babeltrace2 t -c sink.lttng-mm.slab -p json=yes >out 2>err
same 'clock: the same report by the sink' out.fast out
clock 9900 $((9900 - hour))
is 'clock: info says that it was set back' -3600000 "$(start_of)"
# LTTng measures the offset with an error of microseconds, so a difference of that size must be
# ignored.
clock 9900 500000
is 'clock: an error of measurement is left' "0 0" "$(start_of) $("$mm" info --all t | grep -c '^The wall clock')"
# Times that are wrong by at least a millisecond are corrected without a note.
clock 9900 500000000
is 'clock: it was corrected' "500 0" "$(start_of) $("$mm" info --all t | grep -c '^The wall clock')"
sed "s/\"realtime_ns\": [0-9]*/\"realtime_ns\": $((origin + hour + 9800))/" kept.json >t/snapshot.json
is 'clock: older versions stored it at the request' 3600000 "$(start_of)"
for hostile in '"clock": { "trace_ns": -9223372036854775807, "realtime_ns": 9223372036854775807 }' '"clock": 7' \
	'"clock": { "trace_ns": {} }' '"clock": { "trace_ns": 0, "realtime_ns": -9223372036854775808 }'; do
	sed "0,/{/s//{ $hostile,/" kept.json >t/snapshot.json
	is "clock: $hostile" 0 "$(start_of)"
done

tap_end
