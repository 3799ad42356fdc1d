#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests the babeltrace2 plugin. In any graph, its sinks must print what `lttng-mm report` prints.
# With libbabeltrace2 as a source, reports must equal those of the fast reader. BABELTRACE2 names
# another babeltrace2 to test with.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# sink TRACE ARG...: prints the plugin's report. Writes its log to err.
sink() {
	sink_trace=$1
	shift
	graph "$sink_trace" -c sink.lttng-mm.dax "$@"
}

for script in "$here"/../analysis/cases/*.trace; do
	make_dax "$script" "$(basename "$script" .trace)"
done
make_ctf --shape dax --events 3000 --streams 1 dax-1
make_ctf --shape dax --events 20000 --streams 5 --seed 7 dax-5
make_ctf --shape dax --events 20000 --streams 64 --seed 9 dax-64
mkdir both && cp -R causes dax-5 both

graph list-plugins >plugin
for analysis in $("$mm" report --help | sed -n 's/.*Analyses: \(.*\)\./\1/p' | tr -d ','); do
	is "$analysis is a sink" 1 "$(grep -c "sink\.lttng-mm\.$analysis'" plugin)"
done

page=$here/../../doc/man/babeltrace2-sink.lttng-mm.7
graph causes -c sink.lttng-mm.dax -p what=1 >out
is 'the manual names each parameter' \
	"$(tr '\n' ' ' <err | tr -s ' ' | sed 's/.*unknown; known: \([a-z, -]*[a-z]\).*/\1/; s/,//g')" \
	"$(sed -n '/^\.SH PARAMETERS/,/^\.SH ENVIRONMENT/s/^\.B \([a-z\\-]*\)=.*fR$/\1/p' "$page" | tr -d '\\\\' | tr '\n' ' ' | sed 's/ $//')"

for trace in causes hostile late losses no-count undetermined dax-1 dax-5 dax-64 both; do
	"$mm" report dax --all --reader=babeltrace2 "$trace" >text
	"$mm" report dax --reader=babeltrace2 --json "$trace" >json
	"$mm" report dax --reader=fast --json "$trace" >json.fast
	same "$trace: the fast reader's report" json json.fast
	sink "$trace" >sink.text
	same "$trace: the sink's report" text sink.text
	sink "$trace" -p json=yes >sink.json
	same "$trace: the sink's report as JSON" json sink.json
done

"$mm" report dax --all --top=3 dax-5 >text
sink dax-5 -p top=3 -p 'path="a file"' >out
same 'top and path' text 'a file'
is 'path: nothing on standard output' '' "$(cat out)"
"$mm" report dax --all --file=0x1003 --pid=77 causes >text
sink causes -p 'file="0x1003"' -p pid=77 >out
same 'file and pid' text out
is '... which are one process' 1 "$(sed -n '/^Processes/,/^$/p' out | grep -c '^  [a-z]* *77 ')"

"$mm" report dax --json dax-5 >json
graph run -c source:source.ctf.fs -p "inputs=[\"$work/dax-5\"]" -c first:filter.utils.muxer \
	-c second:filter.utils.muxer -c sink:sink.lttng-mm.dax -p json=yes -x source:first \
	-x first:second -x second:sink >sink.json
same 'a graph with two muxers' json sink.json
for range in '1700000000 1700000005.13' '1700000005.1300001 1700000005.1401234'; do
	# shellcheck disable=SC2086
	set -- $range
	"$mm" report dax --json --reader=babeltrace2 --begin="$1" --end="$2" dax-5 >json.part
	sink dax-5 -p json=yes --begin "$1" --end "$2" >sink.json
	# The sink does not know that a trimmer has removed events.
	sed '/^ *"windowed": true,$/d' json.part >json.trimmed
	is "a time range from $1 to $2 is stated" no "$(cmp -s json.part json.trimmed || echo no)"
	same "a trimmer from $1 to $2" json.trimmed sink.json
	"$mm" report dax --json --reader=fast --begin="$1" --end="$2" dax-5 >json.fast
	same "the fast reader from $1 to $2" json.part json.fast
	is "a part from $1 to $2" yes "$(cmp -s json json.part || echo yes)"
done

"$mm" report dax --json --reader=babeltrace2 --begin=1700000005.13 dax-5 >json
first=$(TZ=UTC date -d @1700000005 +%H:%M)
for reader in $readers; do
	TZ=UTC "$mm" report dax --json --reader="$reader" --begin="$first:25.13" dax-5 >json.part
	same "$reader: a time of the first day" json json.part
done

mkdir causes/sysinfo
echo '[{"major":259,"minor":0,"name":"pmem0","resource_aligned_2m":false}]' \
	>causes/sysinfo/dax-devices.json
"$mm" report dax --all causes >text
sink "$work/causes" >sink.text
same 'system information next to the trace' text sink.text
mv causes elsewhere
cp -R elsewhere causes
rm -rf causes/sysinfo
sink causes -p "sysinfo=\"$work/elsewhere\"" >sink.text
same 'system information elsewhere' text sink.text
# The report states that the trace has no system information. The sink only states that it uses
# none.
"$mm" report dax --all causes | sed '/^  No system/s/information .*: paths\(.*\);.*/information is used: paths\1./' >text
sink elsewhere -p sysinfo=no >sink.text
same 'no system information' text sink.text

# Unless --include-recorder is given, the recorder's own allocations are omitted according to the
# list in the system information. Report and sink must also omit the earlier events of processes
# that ended before the snapshot, or that became lttng-mm after their first event.
make_slab "$here/../analysis/slab/recorder.trace" recorder-late
cp -R "$here/../analysis/slab/recorder.sysinfo" recorder-late/sysinfo
graph "$work/recorder-late" -c sink.lttng-mm.slab -p json=yes >sink.json
"$mm" report slab --json recorder-late >json
same "the recorder's own, those that became it late" json sink.json
grep -v -e 'tid=30[01]' -e 'tid=310' -e 'tid=102' "$here/../analysis/slab/recorder.trace" >recorder.script
make_slab recorder.script recorder
cp -R "$here/../analysis/slab/recorder.sysinfo" recorder/sysinfo
for included in '' yes; do
	"$mm" report slab --json ${included:+--include-recorder} recorder >json
	graph "$work/recorder" -c sink.lttng-mm.slab -p json=yes ${included:+-p include-recorder=yes} >sink.json
	same "the recorder's own${included:+, included}" json sink.json
done

# Tests parameters named like the report's options: choices, strings, numbers and flags.
options() {
	# shellcheck disable=SC2086 # several options
	"$mm" report slab --all $1 recorder >text
	graph "$work/recorder" -c sink.lttng-mm.slab -p "$2" >sink.text
	same "options: $1" text sink.text
}
options '--by=cache --top=1' 'by=cache,top=1'
options '--leaks --since=2023-11-14' 'leaks=yes,since="2023-11-14"'

# graph_fails NAME PATTERN ARG...: checks that the graph fails with a cause, and prints nothing on
# standard output.
graph_fails() {
	fails_name=$1 fails_pattern=$2
	shift 2
	fails_status=ended
	graph "$@" >out || fails_status=failed
	is "$fails_name: fails" failed "$fails_status"
	is "$fails_name: has the reason" yes "$(tr '\n' ' ' <err | tr -s ' ' | grep -q "$fails_pattern" && echo yes)"
	is "$fails_name: nothing on standard output" '' "$(cat out)"
}
graph_fails 'no DAX events' 'the trace has no dax_\* events; record them' no-dax -c sink.lttng-mm.dax
for filter in 'cache="kmalloc-64"' 'pid=20' 'call-site="0x110"'; do
	graph_fails "a filter, $filter" "this input can be read only once, but --${filter%%=*} reads it twice; record a snapshot" \
		recorder -c sink.lttng-mm.slab -p "$filter"
done
graph_fails 'unknown parameter' 'parameter tpo: unknown; known: json, sysinfo, path, top' causes -c sink.lttng-mm.dax -p tpo=1
graph_fails 'bad number' "top: '101' is not a number from 1 to 100" causes -c sink.lttng-mm.dax -p top=101
graph_fails 'negative number' "top: '-1' is not a number" causes -c sink.lttng-mm.dax -p top=-1
graph_fails 'no number' 'parameter top: not a number' causes -c sink.lttng-mm.dax -p top=many
graph_fails 'option of another report' 'parameter by: unknown' causes -c sink.lttng-mm.dax -p by=cache
graph_fails 'unknown choice' "by: 'caches' is unknown" recorder -c sink.lttng-mm.slab -p by=caches
graph_fails 'option without the one it needs' 'since requires --leaks' recorder -c sink.lttng-mm.slab -p 'since="12:00"'
graph_fails 'options that exclude each other' 'leaks lists by' recorder -c sink.lttng-mm.slab -p leaks=yes,by=cache
graph_fails 'two traces' 'parameter compare: unknown' recorder -c sink.lttng-mm.slab -p compare=yes
graph_fails 'bad truth' 'parameter json: not yes or no' causes -c sink.lttng-mm.dax -p json=1
graph_fails 'bad path' 'nowhere/report: No such file' causes -c sink.lttng-mm.dax -p 'path="nowhere/report"'
graph_fails 'truncated packet' 'truncated' truncated -c sink.lttng-mm.dax

# Compares fields of every type by both readers. If several labels of an enumeration have the same
# value, libbabeltrace2 2.1 does not know their order in the metadata.
for seed in 1 2 3 4 5 6 58 138; do
	if pkg-config --atleast-version=2.1 babeltrace2; then
		skip "trace $seed by both readers" 'libbabeltrace2 2.1 mixes labels up'
		continue
	fi
	rm -rf random
	make_ctf --seed "$seed" --format ctf1 random
	"$mm" print --reader=fast random >text 2>err
	"$mm" print --reader=babeltrace2 random >text.babeltrace2 2>err.babeltrace2
	same "trace $seed by both readers" text text.babeltrace2
	is "trace $seed: the same losses" "$(cat err)" "$(cat err.babeltrace2)"
done

# Events are read in batches, and the reader reuses fields for later events.
awk 'BEGIN { for (i = 1; i <= 200; i++) print i, "other_event", "tid=1", "procname=" (i > 100 ? "\\x00" : "stale") }' \
	>names.trace
make_dax names.trace names
is 'an empty name is not an earlier name' '100 100' "$("$mm" print --reader=babeltrace2 names |
	awk '/^stale-1 /{ stale++ } /^-1 /{ empty++ } END { print stale, empty }')"

"$mm" report dax --all net://localhost:1/host/a/b >out 2>err
is 'a live session that does not exist: exit status' 2 $?
is 'a live session that does not exist: one line with the reason' 1 \
	"$(grep -c 'net://localhost:1/host/a/b: no live session to read: ' err)"
"$mm" report dax --all --reader=fast net://localhost:1/host/a/b >out 2>err
is 'a live session is not for the fast reader: exit status' 2 $?
is 'a live session is not for the fast reader: has the reason' 1 "$(grep -c 'folders only' err)"
tap_end
