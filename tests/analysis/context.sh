#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests which system information is used for a trace: its own, and no other.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

cat >one.trace <<'EVENTS'
1000 slab_kmalloc tid=77 call_site=0x110 ptr=0x1000 bytes_req=60 size_class=6
2000 slab_kfree tid=77 call_site=0x210 ptr=0x1000
EVENTS
boot=00000000-1111-2222-3333-444444444444
other=99999999-1111-2222-3333-444444444444

# snapshot FOLDER NAME BOOT TIME: a snapshot with system information that names thread 77, of that
# boot; no list.
snapshot() {
	mkdir -p "$1/context"
	make_slab one.trace "$1/kernel"
	# As LTTng writes it, the clock has the boot's id.
	sed -i "s/clock { name/clock { uuid = \"$boot\"; name/" "$1/kernel/metadata"
	echo "[ { \"tid\": 77, \"pid\": 77, \"comm\": \"$2\" } ]" >"$1/context/processes.json"
	echo "{ \"boot_id\": \"$3\", \"snapshot_boottime_ns\": $4 }" >"$1/context/system.json"
}
# list FOLDER BOOT: lists its traces.
list() {
	rm -f "$1/context/traces.json"
	"$tests/test-context-traces" "$1" | sed "s/\"boot_id\": \".*\"/\"boot_id\": \"$2\"/" >traces.json
	mv traces.json "$1/context/"
}
# uses NAME TRACE PROCESS NOTE: by either reader and the sink, the report names that process and has
# one such note, or none.
uses() {
	for reader in fast babeltrace2 sink; do
		case $reader in
		sink)
			with_plugin babeltrace2 "$2" -c sink.lttng-mm.slab -p json=yes >out 2>err
			;;
		*) "$mm" report slab --json --reader=$reader "$2" >out 2>err ;;
		esac
		is "$1, $reader: the process" "$3" "$(jq -r '.tables.processes[0].process' out)"
		is "$1, $reader: the note" "$4" "$(jq -r '.tables.notes[].message' out |
			sed "s|$work/||g; s/^system information: //")"
	done
}

snapshot mine mine $boot 1
uses 'an older snapshot of this boot' mine mine ''
list mine $boot
uses 'a list with this trace' mine mine ''
uses 'a part of the snapshot' mine/kernel mine ''
list mine $other
uses 'a list of another boot' mine 'thread 77' 'mine/context: of another boot; it is not used'
list mine $boot
sed -i 's/00112233/99112233/' mine/context/traces.json
uses 'a list of another trace' mine 'thread 77' 'mine/context: of another trace; it is not used'

# One that lies about: beside the snapshot, or two folders above it.
mkdir -p all/below
snapshot all/below/mine mine $boot 1
mkdir all/context
echo '[ { "tid": 77, "pid": 77, "comm": "stray" } ]' >all/context/processes.json
echo "{ \"boot_id\": \"$other\" }" >all/context/system.json
uses "another boot's above the trace's own" all/below/mine mine 'all/context: of another boot; it is not used'
rm -r all/below/mine/context
uses "another boot's, and none of the trace's own" all/below/mine 'thread 77' 'all/context: of another boot; it is not used'
rm all/context/system.json
uses 'one that does not say of what it is' all/below/mine 'thread 77' \
	'all/context: nothing says of which trace it is; it is not used'
is 'print says so, too' 1 "$("$mm" print all/below/mine 2>&1 >out |
	grep -c '^lttng-mm: note: system information: .*/all/context: nothing says of which trace it is; it is not used$')"
echo "{ \"boot_id\": \"$boot\" }" >all/context/system.json
sed -i 's/uuid = "0000[0-9-]*"; name/name/' all/below/mine/kernel/metadata
uses 'a trace that does not say of which boot it is' all/below/mine 'thread 77' \
	'all/context: the trace does not say of which boot it is; it is not used'

# A folder that holds a snapshot, or several.
rm -rf parent
mkdir parent
snapshot parent/a early $boot 5
list parent/a $boot
uses 'the folder above a snapshot' parent early ''
snapshot parent/b later $boot 7
list parent/b $boot
uses 'two snapshots of a boot: the later one knows more' parent later 'of 2 snapshots, that of parent/b/context is used'
sed -i "s/$boot/$other/" parent/a/context/system.json parent/a/context/traces.json parent/a/kernel/metadata
uses 'two snapshots of two boots' parent 'thread 77' \
	'parent/a/context and parent/b/context are of different boots; neither is used: give one snapshot for names'

# Damaged files are none, and that is said.
snapshot damaged mine $boot 1
echo '[ { "tid": 77,' >damaged/context/processes.json
uses 'a damaged file' damaged 'thread 77' "damaged/context/processes.json: damaged: line 2: string or '}' expected near end of file; it is not used"

# What the user names is used, with a warning.
rm -r damaged/context
with_plugin babeltrace2 damaged -c sink.lttng-mm.slab -p json=yes,context="\"$work/parent/a\"" >out 2>err
is 'one that is named: used' early "$(jq -r '.tables.processes[0].process' out)"
is 'one that is named: a warning' \
	"system information: $work/parent/a/context: of another boot; it is used because it was named" \
	"$(jq -r '.tables.notes[].message' out)"

tap_end
