#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests that a trace is read with its own system information, and with no other.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

cat >one.trace <<'EVENTS'
1000 slab_kmalloc tid=77 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6
2000 slab_kfree tid=77 call_site=0x210 ptr=0x1000
EVENTS
boot=00000000-1111-2222-3333-444444444444
other=99999999-1111-2222-3333-444444444444

# snapshot FOLDER NAME BOOT TIME [UUID]: makes a snapshot of that boot, without a list of traces.
# Its system information calls thread 77 NAME, and the trace's UUID starts with UUID.
snapshot() {
	mkdir -p "$1/sysinfo"
	sed "s/00112233-/${5:-00112233}-/" "$top/tests/metadata/slab.tsdl" >slab.tsdl
	"$tests/make-trace" slab.tsdl one.trace "$1/kernel" || exit 2
	# Like LTTng, uses the boot id as the clock's UUID.
	sed -i "s/^clock {/clock { uuid = \"$boot\";/" "$1/kernel/metadata"
	echo "[ { \"tid\": 77, \"pid\": 77, \"comm\": \"$2\" } ]" >"$1/sysinfo/processes.json"
	echo "{ \"boot_id\": \"$3\", \"snapshot_boottime_ns\": $4 }" >"$1/sysinfo/system.json"
}
# list FOLDER BOOT: adds the list of the snapshot's traces.
list() {
	rm -f "$1/sysinfo/traces.json"
	"$tests/test-sysinfo-traces" "$1" | sed "s/\"boot_id\": \".*\"/\"boot_id\": \"$2\"/" >traces.json
	mv traces.json "$1/sysinfo/"
}
# uses NAME TRACE PROCESS NOTE: checks the reports of both readers and of the sink. They must name
# PROCESS, and NOTE must be the only note about the system information. If NOTE is empty, there must
# be none.
uses() {
	for reader in fast babeltrace2 sink; do
		case $reader in
		sink)
			with_plugin babeltrace2 "$2" -c sink.lttng-mm.slab -p json=yes >out 2>err
			;;
		*) "$mm" report slab --json --reader=$reader "$2" >out 2>err ;;
		esac
		is "$1, $reader: the process" "$3" "$(jq -r '.tables.processes[0].process' out)"
		is "$1, $reader: the note" "$4" "$(jq -r '.notes[] | select(test("sysinfo"))' out |
			sed "s|$work/||g; s/^system information: //")"
	done
}

snapshot mine mine $boot 1
uses 'an older snapshot of this boot' mine mine ''
list mine $boot
uses 'a list with this trace' mine mine ''
uses 'a part of the snapshot' mine/kernel mine ''
mv mine/sysinfo mine/context
uses 'an older snapshot, with the folder context' mine mine ''
mv mine/context mine/sysinfo
list mine $other
uses 'a list of another boot' mine 'thread 77' 'mine/sysinfo: of another boot; it is not used'
list mine $boot
sed -i 's/00112233/99112233/' mine/sysinfo/traces.json
uses 'a list of another trace' mine 'thread 77' 'mine/sysinfo: of another trace; it is not used'

# Puts unrelated system information two folders above the snapshot.
mkdir -p all/below
snapshot all/below/mine mine $boot 1
mkdir all/sysinfo
echo '[ { "tid": 77, "pid": 77, "comm": "stray" } ]' >all/sysinfo/processes.json
echo "{ \"boot_id\": \"$other\" }" >all/sysinfo/system.json
uses "another boot's above the trace's own" all/below/mine mine 'all/sysinfo: of another boot; it is not used'
rm -r all/below/mine/sysinfo
uses "another boot's, and none of the trace's own" all/below/mine 'thread 77' 'all/sysinfo: of another boot; it is not used'
rm all/sysinfo/system.json
uses 'system information without a boot id' all/below/mine 'thread 77' \
	'all/sysinfo: nothing shows to which trace it belongs; it is not used'
is 'print reports it, too' 1 "$("$mm" print all/below/mine 2>&1 >out |
	grep -c '^lttng-mm: note: system information: .*/all/sysinfo: nothing shows to which trace it belongs; it is not used$')"
echo "{ \"boot_id\": \"$boot\" }" >all/sysinfo/system.json
sed -i 's/^clock { uuid = "0000[0-9-]*";/clock {/' all/below/mine/kernel/metadata
uses 'a trace without a boot id' all/below/mine 'thread 77' \
	'all/sysinfo: the trace has no boot id; it is not used'

# Reads a folder that contains a snapshot, or several snapshots.
rm -rf parent
mkdir parent
snapshot parent/a early $boot 5
list parent/a $boot
uses 'the folder above a snapshot' parent early ''
snapshot parent/b later $boot 7 44556677
list parent/b $boot
mv parent/b/sysinfo parent && rm -r parent/sysinfo/traces.json parent/b
uses 'two of a boot: the later one knows more' parent later '2 snapshots have a folder sysinfo; parent/sysinfo is used'
# The second snapshot is from another host, because two snapshots of one host cannot be read
# together.
snapshot parent/b later $boot 7 44556677
list parent/b $boot
rm -r parent/sysinfo
sed -i "s/$boot/$other/" parent/a/sysinfo/system.json parent/a/sysinfo/traces.json parent/a/kernel/metadata
sed -i 's/hostname = "guest"/hostname = "other"/' parent/a/kernel/metadata
uses 'two snapshots of two hosts' parent 'thread 77' \
	'parent/a/sysinfo and parent/b/sysinfo are of different boots; neither is used; give a single snapshot to get names'

# Damaged files are ignored and reported.
snapshot damaged mine $boot 1
echo '[ { "tid": 77,' >damaged/sysinfo/processes.json
uses 'a damaged file' damaged 'thread 77' "damaged/sysinfo/processes.json: damaged: line 2: string or '}' expected near end of file; it is not used"
# Invalid entries and values in intact files are ignored, too.
echo '[ [], { "tid": 77, "pid": 77, "comm": "mine" }, { "tid": 78, "pid": "78" } ]' >damaged/sysinfo/processes.json
uses 'damaged entries' damaged mine 'damaged/sysinfo/processes.json: 2 of 3 entries damaged, the first is entry 0; damaged values are not used'
echo '[ { "tid": 77, "pid": 77, "comm": "mine" } ]' >damaged/sysinfo/processes.json
echo '{ "processes": [ { "pid": 90, "start_ns": 1 }, null, { "pid": -1 }, { "pid": "90" }, 90 ] }' >damaged/sysinfo/recorder.json
uses 'a damaged list of recorders' damaged mine 'damaged/sysinfo/recorder.json: 4 of 5 entries damaged, the first is entry 1; damaged values are not used'
rm damaged/sysinfo/recorder.json
echo '[ { "major": 1, "minor": 2, "ino": 3, "dax": null, "extents": "1" }, { "dax": true } ]' >damaged/sysinfo/files.json
uses 'a damaged value' damaged mine 'damaged/sysinfo/files.json: 1 of 2 entries damaged, the first is entry 0; damaged values are not used'
echo '{}' >damaged/sysinfo/files.json
uses 'no list' damaged mine 'damaged/sysinfo/files.json: damaged: no list; it is not used'
rm damaged/sysinfo/files.json

# Replaces a single file by the file of another snapshot. The list has the checksums of all files,
# so this must be noticed.
snapshot single mine $boot 1
"$tests/test-sysinfo-traces" single single/sysinfo | sed "s/\"boot_id\": \".*\"/\"boot_id\": \"$boot\"/" >traces.json
mv traces.json single/sysinfo/
uses 'files with their checksums' single mine ''
echo '[ { "tid": 77, "pid": 77, "comm": "another" } ]' >single/sysinfo/processes.json
uses 'a file with another checksum' single 'thread 77' \
	'single/sysinfo/processes.json: damaged, or of another snapshot; it is not used'
rm single/sysinfo/processes.json
uses 'a listed file that is missing' single 'thread 77' ''

# Truncates the list of symbols. If it were used, all later addresses would get the name of its last
# symbol.
printf 'kernel\t100\tT\tfirst\nkernel\t200\tT\tlast\n' >single/sysinfo/symbols.txt
"$tests/test-sysinfo-traces" single single/sysinfo | sed "s/\"boot_id\": \".*\"/\"boot_id\": \"$boot\"/" >traces.json
mv traces.json single/sysinfo/
uses 'symbols with their checksum' single 'thread 77' ''
printf 'kernel\t100\tT\tfirst\n' >single/sysinfo/symbols.txt
uses 'symbols with another checksum' single 'thread 77' \
	'single/sysinfo/symbols.txt: damaged, or of another snapshot; it is not used'
rm single/sysinfo/traces.json
uses 'symbols without a checksum' single 'thread 77' ''
printf 'kernel\t100\tT\tfirst\nkernel\t200\tT\tl' >single/sysinfo/symbols.txt
uses 'symbols that end within a line' single 'thread 77' 'single/sysinfo/symbols.txt: truncated; it is not used'

# In snapshots without checksums, the list of processes must contain most of the recorder's
# processes. recorders FOLDER NAME...: writes recorder.json with processes of these names. Their ids
# start at 101.
recorders() {
	file=$1/sysinfo/recorder.json number=100
	shift
	for name; do
		number=$((number + 1))
		printf '%s { "pid": %d, "start_ns": 1, "name": "%s" }' "$([ $number = 101 ] || echo ,)" $number "$name"
	done | sed '1s/^/{ "processes": [/; $s/$/] }/' >"$file"
}
snapshot early mine $boot 1
echo '[ { "tid": 77, "pid": 77, "comm": "mine" }, { "tid": 101, "pid": 101, "comm": "a" },
	{ "tid": 102, "pid": 102, "comm": "b" }, { "tid": 103, "pid": 103, "comm": "other" } ]' >early/sysinfo/processes.json
recorders early a b c d
uses 'half of the recorder is in the list of processes' early mine ''
recorders early a x c d
uses 'a recorder of another boot' early mine 'early/sysinfo/recorder.json: processes.json lists different processes, so one of the two files is of another snapshot; recorder.json is not used'
is 'a recorder of another boot: it is not left out' 1 \
	"$("$mm" report slab --all early | grep -c "^The recorder's own allocations are included in all figures: no system information says")"
recorders early x y z
uses 'too few processes to tell' early mine ''

# System information that the user names must be used, with a warning.
rm -r damaged/sysinfo
with_plugin babeltrace2 damaged -c sink.lttng-mm.slab -p json=yes,sysinfo="\"$work/parent/a\"" >out 2>err
is 'a named one: used' early "$(jq -r '.tables.processes[0].process' out)"
is 'a named one: a warning' \
	"system information: $work/parent/a/sysinfo: of another boot; it is used because it was named" \
	"$(jq -r '.notes[] | select(test("sysinfo"))' out)"

tap_end
