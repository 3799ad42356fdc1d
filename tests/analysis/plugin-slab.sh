#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests report slab with a separate state session, which is written after all events, as the
# recorder does. The fast reader, libbabeltrace2 and the plugin's sink must give the same report,
# byte by byte. BABELTRACE2 names another babeltrace2 to test with.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# Add checksums. Without them, the impossible values of some events would count as damage.
slab_checksums=1

lib_plugins=$work/plugins
# agree NAME TRACE [OPTION...]: compares the three reports. Both lttng-mm and babeltrace2 accept the
# options.
agree() {
	agree_name=$1 agree_trace=$2
	shift 2
	"$mm" report slab --all --reader=fast "$@" "$agree_trace" >text
	"$mm" report slab --reader=fast --json "$@" "$agree_trace" >json
	"$mm" report slab --all --reader=babeltrace2 "$@" "$agree_trace" >text.bt2
	"$mm" report slab --reader=babeltrace2 --json "$@" "$agree_trace" >json.bt2
	same "$agree_name: by libbabeltrace2" text text.bt2
	same "$agree_name: by libbabeltrace2, JSON" json json.bt2
	# babeltrace2 trims events to the requested time range. The sink does not know this range,
	# so it counts the state dumps outside, too.
	graph "$agree_trace" -c sink.lttng-mm.slab "$@" | uncertified |
		sed '2s/; trace has [0-9]* events$//' >text.sink
	uncertified <text | sed 's/^Reported: \(.*\); the requested time range)/Recorded: \1)/
		2s/; \(trace\|the time range\) has [0-9]* events$//' >text.trimmed
	same "$agree_name: the sink" text.trimmed text.sink
	graph "$agree_trace" -c sink.lttng-mm.slab -p json=yes "$@" | uncertified | only_part >json.sink
	uncertified <json | only_part >json.uncertified
	same "$agree_name: the sink, JSON" json.uncertified json.sink
}

# only_part: removes freed_later and windowed. The sink does not know that there is a time range,
# and does not see the events after it.
only_part() {
	sed '/^ *"freed_later": /d; /^ *"windowed": true,$/d'
}

# uncertified: removes the note that a snapshot has no snapshot.json. The sink knows neither the
# folder nor what babeltrace2 trims.
uncertified() {
	sed '/^ *"\{0,1\}[^ ].*: snapshot.json is missing: the time range comes from /d'
}

# shellcheck disable=SC2046
mkdir "$work/plugins" && ${CC:-gcc} -std=gnu11 -O1 -fPIC -shared $(pkg-config --cflags babeltrace2) \
	-o "$work/plugins/babeltrace-plugin-test.so" "$here/../utils/pass-filter.c" \
	$(pkg-config --libs babeltrace2) || exit 2

# snapshot NAME SCRIPT: makes kernel/, state/ (written by two CPUs, 1 s after the first event) and
# sysinfo/.
snapshot() {
	mkdir -p "$1/sysinfo"
	cp "$here/slab/symbols.txt" "$here/slab/slab-aliases.json" "$1/sysinfo/"
	sed -n 's/^[0-9]* \([a-z_]*_statedump_\)/1000001000 \1/p' "$2" |
		awk '{ print "cpu " NR % 2; $1 += NR; print }' >state.trace
	make_slab --no-state "$2" "$1/kernel" && make_slab --state state.trace "$1/state" && list "$1"
}
# list SNAPSHOT: writes the list of the snapshot's traces, as the recorder does.
list() {
	rm -f "$1/sysinfo/traces.json"
	"$tests/test-sysinfo-traces" "$1" >traces.json && mv traces.json "$1/sysinfo/"
}
for script in outcomes live-bytes nodes losses; do
	snapshot $script "$here/slab/$script.trace" || exit 2
	agree "$script" $script
	agree "$script: without state" $script/kernel
done
is 'the peak is known' 1 "$("$mm" report slab --json live-bytes | 
	jq '[.metrics[] | select(.name == "slab.peak_is_exact" and .value)] | length')"

# Packets of two CPUs overlap, so that time ranges have events of both. CPU 1 continues after CPU
# 0's last packet.
awk 'BEGIN {
	print "900 callsite_statedump_range start=0 size=16777216 name=kernel"
	for (i = 1; i < 40; i++)
		printf "%d slab_statedump_cache cache=%d object_size=%d size=%d alive=1 name=cache-%d\n",
			900 + i, i, 30 * i, 32 * i, i
	for (i = 0; i < 4000; i++) {
		if (i % 50 == 0)
			print "cpu " int(i / 50) % 2 "\npacket seq=" int(i / 100)
		printf "%d slab_cache_%s tid=%d call_site=%d ptr=%d cache=%d\n", 1000000 + i * 1000,
			i % 3 == 2 ? "free" : "alloc", 10 + i % 7, 256 + i % 11,
			4096 * (1 + (i % 3 == 2 ? i - 2 : i)), 1 + int(i / 3) % 45
	}
}' >windows.trace
snapshot windows windows.trace || exit 2
agree 'two CPUs' windows
agree 'two CPUs: from a time on' windows --begin=1700000000.003
agree 'two CPUs: a window' windows --begin=1700000000.0021 --end=1700000000.0032
agree 'two CPUs: to a time' windows --end=1700000000.0025
agree 'two CPUs: a window, without state' windows/kernel --begin=1700000000.0021 --end=1700000000.0032
# The state dump ends before the requested time range, so a trimmer removes it.
cp -R windows early
rm -r early/state
make_slab --state windows.trace early/state && list early || exit 2
agree 'state before the window' early --begin=1700000000.0021 --end=1700000000.0032
"$mm" report slab --json windows | uncertified >whole
"$mm" report slab --json --end=1700000000.0025 windows >part
is 'a window is a part' yes "$(cmp -s whole part || echo yes)"

# Tests a sink in a user's graph that reads the streams separately and in another order.
graph run -c s:source.ctf.fs -p "inputs=[\"$work/windows/state\"]" -c k:source.ctf.fs \
	-p "inputs=[\"$work/windows/kernel\"]" -c first:filter.utils.muxer -c second:filter.utils.muxer \
	-c sink:sink.lttng-mm.slab -p json=yes -x s:first -x k:first -x first:second -x second:sink |
	uncertified >json.sink
same 'a graph with two muxers' whole json.sink

# The sink cannot see what precedes an unknown filter in the graph. The report must say so.
graph run -c s:source.ctf.fs -p "inputs=[\"$work/windows/state\"]" -c k:source.ctf.fs \
	-p "inputs=[\"$work/windows/kernel\"]" -c muxer:filter.utils.muxer \
	-c pass:filter.test.pass -c sink:sink.lttng-mm.slab -x s:muxer -x k:muxer -x muxer:pass \
	-x pass:sink >text.filter
is 'a filter: the state comes late, the report states it' 1 \
	"$(grep -c '^  The state dump came late: objects of 39 slab caches were allocated before their sizes were known;' text.filter)"
is 'a filter: the peak is a lower bound' 1 "$(grep -c '^Peak of live objects: at least [0-9.]* [KMGi]*B, ' text.filter)"
is 'a filter: it is counted nevertheless' "$(sed -n 's/.*trace has/trace has/p' text.filter)" \
	"$("$mm" report slab --all windows | sed -n 's/.*trace has/trace has/p')"
is 'in time: no note' 0 "$("$mm" report slab --all windows | grep -c 'came late')"

tap_end
