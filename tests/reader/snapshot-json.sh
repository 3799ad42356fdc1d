#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests that snapshot.json, the system information and the stream files confirm each other. If
# values contradict each other, or files belong to another snapshot, all commands must say so in
# their first lines, and --require-complete must fail.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

export TZ=UTC0
origin=1700000000000000000

# busy [LAST]: prints a script of two CPUs whose last packets end at LAST.
busy() {
	cat <<END
cpu 0
begin 1000
1100 slab_kmalloc tid=1 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6
end 2000
packet
begin 2000
2100 slab_kmalloc tid=1 call_site=0x110 ptr=0x2000 bytes_req=60 size_class=6
end ${1-4000}
cpu 1
begin 1000
1300 slab_kfree tid=1 call_site=0x210 ptr=0x1000
end 2200
packet
begin 2200
2300 slab_kfree tid=1 call_site=0x210 ptr=0x2000
end ${1-4000}
END
}
# whole NAME: makes a snapshot of the script on standard input in the folder NAME, with all
# checksums. The freeze was 4000 ns after the origin and 100 ns after the request. The wall clock is
# 8 s ahead.
whole() {
	rm -rf "$1"
	mkdir -p "$1/sysinfo"
	make_slab --no-state - "$1/kernel"
	"$tests/test-sysinfo-traces" "$1" >"$1/sysinfo/traces.json" || exit 2
	"$tests/test-certify" "$1" $((origin + 3900)) >"$1/snapshot.json" || exit 2
	"$tests/add-checksums" "$1/kernel" || exit 2
	whole_wall=$((origin + 8000000000))
	sed -i "/\"requested\":/,/}/d; /\"frozen\":/,/}/d
		s/^ \"version\": 1,/ \"version\": 1,\\
 \"checksums\": { \"algorithm\": \"crc32c\", \"of\": \"memory\", \"complete\": true },\\
 \"clock\": { \"trace_ns\": $((origin + 4000)), \"realtime_ns\": $((whole_wall + 4000)) },\\
 \"frozen\": { \"realtime_ns\": $((whole_wall + 4000)), \"monotonic_ns\": 54000, \"boottime_ns\": 54000 },\\
 \"requested\": { \"realtime_ns\": $((whole_wall + 3900)), \"monotonic_ns\": 53900, \"boottime_ns\": 53900 },/" "$1/snapshot.json"
	cp "$1/snapshot.json" "$1.old-json"
	sed -i "s/, \"complete\": true }/, \"complete\": true, \"snapshot_json\": true }/
		s/^ \"version\": 1,/&\\
 \"sysinfo\": { \"traces.json\": \"$("$tests/add-checksums" --of "$1/sysinfo/traces.json")\" },/" "$1/snapshot.json"
	"$tests/add-checksums" --json "$1/snapshot.json" || exit 2
}
# commands NAME FOLDER STATUSES: compares the exit statuses of info, print, verify and report with
# --require-complete.
commands() {
	commands_found=
	for command in info print verify 'report slab'; do
		# shellcheck disable=SC2086 # words
		"$mm" $command --require-complete "$2" >out 2>err
		commands_found="$commands_found${commands_found:+ }$?"
	done
	is "$1: info, print, verify, report with --require-complete" "$3" "$commands_found"
}
# coverage FOLDER [OPTION...]: prints the completeness of the report, and by how many seconds the
# report's times are later than those that the metadata give.
coverage() {
	"$mm" report slab --json "$@" 2>err | jq -r ".coverage | \"\(.complete) \((.start_ns - $origin) / 1e9 | round)\""
}
# doubts NAME FOLDER COMPLETE FIRST VERDICT INFO LOST: compares the completeness, the first line and
# the verdict of the report, the first line of info, and the finding of verify.
doubts() {
	for reader in ${doubts_readers-fast}; do
		"$mm" report slab --wide --reader="$reader" "$2" >out 2>err
		is "$1, $reader: the head of the report" '1 1' "$(head -n 1 out | grep -c "^$4") $(head -n 3 out | grep -c "^$5")"
		is "$1, $reader: JSON" "$3" "$(coverage "$2" --reader="$reader")"
	done
	is "$1: the first line of info" 1 "$("$mm" info --wide "$2" | head -n 1 | grep -c "^$6")"
	is "$1: verify" '3 1' "$("$mm" verify "$2" >out 2>&1; echo $?) $(grep -c "^lost: .*$7" out)"
	commands "$1" "$2" '3 3 3 3'
}

# --- an intact snapshot ---

busy | whole t
is 'intact: complete, by the wall clock' 'true 8' "$(coverage t)"
commands 'intact' t '0 0 0 0'
cp -R t intact
# Older versions did not write the checksum of snapshot.json.
cp t.old-json t/snapshot.json
is 'intact, of an older version' 'true 8 0' "$(coverage t) $(grep -c 'crc32c": "\|snapshot_json\|sysinfo' t/snapshot.json)"
commands 'intact, of an older version' t '0 0 0 0'
cp -R t older

# --- times in snapshot.json that contradict each other ---

# contradicts NAME WHAT LINE SCRIPT: changes snapshot.json with sed's SCRIPT. Commands must say that
# WHAT may be wrong.
contradicts() {
	rm -rf t
	cp -R older t
	sed -i "$4" t/snapshot.json
	doubts "$1" t "${5-null 0}" "snapshot.json contradicts itself: .*t: $2 may be wrong: $3" \
		'Undetermined, snapshot.json contradicts itself: ' "snapshot.json contradicts itself: $2 may be wrong[.]$" \
		"t/snapshot.json: .*: $2 may be wrong: $3"
}
doubts_readers=$readers
contradicts 'another time of the freeze' times '.* 0[.]030000000 s later than .*' '/"clock"/ s/000004000,/030004000,/'
with_plugin babeltrace2 t -c sink.lttng-mm.slab -p wide=yes >out 2>err &&
	is 'another time of the freeze: the sink' '1 1' "$(head -n 1 out | grep -c '^snapshot.json contradicts itself: ') $(
		head -n 3 out | grep -c '^Undetermined, snapshot.json contradicts itself: ')"
unset doubts_readers
contradicts 'a freeze before the end of a stream' times '.* 0[.]000000900 s earlier than the end of a stream.*' \
	'/"clock"/ s/000004000,/000003100,/'
contradicts 'another wall clock' times '.* 1[.]000000000 s later than .*' '/"clock"/ s/008000004000/009000004000/'
# The certificate ends at the freeze, which shows that the time of the request is wrong.
contradicts 'another time of the request' 'the time of the request' '.* 0[.]000000050 s later than .*' \
	'/"requested_trace_ns"/ s/3900/3950/' 'null 8'
rm -rf t
cp -R older t
sed -i '/"channel_1"/,/"bytes"/ s/"cpu": 1/"cpu": 7/' t/snapshot.json
doubts 'another CPU of a stream' t 'null 8' 'The files differ from the certificate in snapshot.json: .*: kernel/channel_1: CPU 1, not 7 as certified[.]$' \
	'Undetermined, the files differ from the certificate: ' 'The files differ from the certificate (1 difference)[.]$' \
	't/snapshot.json: .*: kernel/channel_1: CPU 1, not 7'

# --- a snapshot.json that differs from its checksum ---

# altered NAME SCRIPT: changes snapshot.json with sed's SCRIPT. The file must count as damaged.
altered() {
	rm -rf t
	cp -R intact t
	sed -i "$2" t/snapshot.json
	doubts "$1" t 'null 0' 'Times may be wrong, because nothing shows whether the wall clock was set: .*t/snapshot.json: damaged: its checksum does not match its text[.]$' \
		'Undetermined, snapshot.json is damaged: ' 'The coverage of the snapshot is not certified: snapshot.json: damaged: its checksum does not match its text' \
		't/snapshot.json: .*damaged: its checksum does not match its text$'
}
altered 'another reason' 's/"a test"/"a text"/'
altered 'another checksum' '/^ "crc32c"/ s/: "./: "x/'
altered 'no checksum' ':a; N; $!ba; s/,\n "crc32c": "[0-9a-f]*"//'
altered 'another name of the checksum' '/^ "crc32c"/ s/crc32c/crc32d/'

# --- system information of another snapshot of the same recorder ---

# unused NAME FOLDER PATTERN: checks that a note states the reason, and that the certificate decides
# whether the trace is complete.
unused() {
	"$mm" report slab --wide --all "$2" >out 2>err
	is "$1: the note of the report" 1 "$(grep -c "system information: .*$3; it is not used" out)"
	is "$1: complete as the certificate says" 'true 8' "$(coverage "$2")"
	is "$1: the note of verify" '0 1' "$("$mm" verify "$2" >out 2>&1; echo $?) $(grep -c "^note: system information: .*$3" out)"
}
busy | sed 's/^2100 .*/&\n2200 slab_kfree tid=1 call_site=0x210 ptr=0x5000\n2210 slab_kfree tid=1 call_site=0x210 ptr=0x6000/
	s/^2300 .*/&\n2400 slab_kfree tid=1 call_site=0x210 ptr=0x7000/' | whole other
rm -rf t
cp -R intact t
cp other/sysinfo/traces.json t/sysinfo
unused 'another list of traces' t 'sysinfo/traces.json: damaged, or of another snapshot: its checksum is not the one in snapshot.json'
rm -rf t
cp -R intact t
sed -i 's/"bytes": \([0-9]*\)/"bytes": 9\1/' t/sysinfo/traces.json
unused 'a list of traces that was changed' t 'sysinfo/traces.json: damaged, or of another snapshot: its checksum is not the one in snapshot.json'
for of in intact other; do
	rm -rf t
	cp -R $of t
	cp $([ $of = intact ] && echo other || echo intact)/sysinfo/traces.json t/sysinfo
	rm t/snapshot.json
	"$mm" report slab --wide --all t >out 2>err
	is "no snapshot.json, the list of traces of another snapshot, in $of: it is not used" '1 0' \
		"$(grep -c 'system information: .*it belongs to another snapshot, because its traces.json lists different sizes for the stream files; it is not used' out) $("$mm" report slab --json t | jq '.coverage.streams_missing + .coverage.packets_lost')"
done

# The sizes in the list are wrong, but snapshot.json confirms that the list belongs to the snapshot.
rm -rf t
cp -R intact t
for stream in t/kernel/channel_*; do
	cat "$stream" "$stream" >longer && mv longer "$stream"
done
"$mm" report slab --all t >out 2>err
is 'stream files of other sizes, and the list that snapshot.json confirms: it is used' 0 \
	"$(grep -c 'system information: .*of another snapshot' out)"

# --- a stream file of another snapshot: only the list of traces knows the right size ---

# exchanged NAME LINE [REPORT]: checks that the foreign file is noticed even without snapshot.json
# and checksums.
exchanged() {
	rm -rf t/snapshot.json t/kernel/index/*.crc32c
	doubts "$1" t 'null 0' "The files differ from the file list in the system information: t/kernel/channel_0: $2[.]$" \
		'Undetermined, the files differ from the file list in the system information: ' '.*1 file differs from the file list in the system information' \
		"t/kernel/channel_0: .*differs from the file list in the system information: $2$"
}
for other in intact other; do
	rm -rf t
	cp -R $([ $other = intact ] && echo other || echo intact) t
	cp $other/kernel/channel_0 t/kernel/channel_0
	exchanged "the file of another snapshot, $other" '[0-9]* bytes, not [0-9]* as listed'
done
# The foreign file ends earlier than the other files, so events may be missing.
busy 900004000 | whole late
cp -R late t.late
cp other/kernel/channel_0 t.late/kernel
rm t.late/snapshot.json t.late/kernel/index/*
is 'a file that ends earlier: the report says from when on events may be missing' 1 \
	"$("$mm" report slab --wide --all t.late | grep -c '^Events may be missing: channel_0 has no packet in the last 900[.]0 ms of the trace')"
for key in cpu class id; do
	rm -rf t
	cp -R intact t
	sed -i "/\"channel_0\"/,/\"bytes\"/ s/\"$key\": 0/\"$key\": 5/" t/sysinfo/traces.json
	exchanged "another $key in the list" '.* 0, not 5 as listed'
done

tap_end
