#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests print and report dax on synthetic traces (cases/NAME.trace, with the expected output in
# NAME.expected) and on bad input. UPDATE=1 replaces the expected output by the actual output. Read
# that output before you commit it.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"
export TZ=UTC0

for script in "$here"/cases/*.trace; do
	name=$(basename "$script" .trace)
	make_dax "$script" "$name"
	expected=$here/cases/$name.expected
	[ -z "${UPDATE:-}" ] || [ ! -e "$expected" ] || { "$mm" print "$name"; "$mm" report dax --all --wide "$name"; } >"$expected" 2>/dev/null
	[ -e "$expected" ] || continue
	{ "$mm" print "$name"; "$mm" report dax --all --wide "$name"; } >"$name.actual" 2>/dev/null
	same "$name: as expected" "$expected" "$name.actual"
done

# The first screen has at most nine sentences, with the cause and its remedy, and 30 lines.
is 'answer: nine sentences at most, of all traces' '' "$(for script in "$here"/cases/*.trace; do
	name=$(basename "$script" .trace)
	"$mm" report dax --json "$name" 2>/dev/null |
		jq -r --arg name "$name" 'select(.answer | length > 9) | $name'
done)"
is 'first screen: 30 lines of 100 columns at most, of all traces' '' "$(for script in "$here"/cases/*.trace; do
	name=$(basename "$script" .trace)
	"$mm" report dax "$name" 2>/dev/null | awk -v name="$name" '
		/^(To see|No event|No DAX)/ { whole = /^No/ }
		length > 100 && !/^To see/ { long = 1 }
		END { if (!whole && (NR > 30 || long)) print name }'
done)"
is 'first screen: a row is a line where there is little room; a sentence is cut at its end' '0 1' "$("$mm" report dax moved 2>/dev/null |
	sed -n '/^Causes/,/^  (/p' | grep -c '^     ') $("$mm" report dax moved 2>/dev/null |
	grep -c '^  mapping-misaligned .*  map at an address congruent to .*\.\.\.$')"
is 'answer: the cause, then its remedy' 'Only cause of fallbacks: undetermined, 1.0 us in 1 fault: the trace does not show the cause.
Remedy: record dax_fault_extent and dax_pmd_fallback too: lttng-mm record dax.' "$("$mm" report dax --json undetermined |
	jq -r '.answer[]' | grep -A1 '^Only cause of')"

# Events were excluded, and nothing states which events. Causes that depend on the absence of an
# event must be uncertain, and any interval may be affected. --require-complete must always fail.
mkdir part part/sysinfo
make_dax "$here/cases/causes.trace" part/kernel
echo '{ "selection": "all" }' >part/sysinfo/system.json
# part_causes: prints how many causes depend on the absence of an event, and how many are
# undetermined.
part_causes() {
	"$mm" report dax --json "$@" part | jq -r '[.metrics[] | select(.name == "dax.fallback.cause")] |
		([.[] | select(.labels.cause == "pte-entry" or .labels.cause == "fs-error").value] | add) as $absent |
		([.[] | select(.labels.cause == "undetermined").value] | add) as $undetermined |
		"\($absent) \($undetermined)"'
}
part_may_lack() {
	"$mm" report why --json "$@" part | jq -c '[.tables.intervals[].may_lack] | unique'
}
is 'everything: causes' '1 1' "$(part_causes)"
is 'everything: intervals' '[false]' "$(part_may_lack)"
echo '{ "selection": "part" }' >part/sysinfo/system.json
for options in '--reader=fast --jobs=1' '--reader=fast --jobs=2' --reader=babeltrace2; do
	# shellcheck disable=SC2086 # words
	is "a part, $options: such causes are undetermined, intervals may lack events" '0 2 [true]' \
		"$(part_causes $options) $(part_may_lack ${options%--jobs*})"
done
is 'a part: the remedy, by finding and table' 2 "$("$mm" report dax --all --wide part | grep -c 'a filter may have excluded the events that show the cause')"
for report in dax why; do
	is "a part: report $report states it" '1 [null,true]' "$("$mm" report $report --all part |
		grep -c '^Complete for a part of the events, because a tracker or a filter excluded others') $(
		"$mm" report $report --json part | jq -c '.coverage | [.complete, (.limited_to | startswith("a part"))]')"
	"$mm" report $report --require-complete part >out 2>err
	is "a part: report $report is not complete" 3 $?
done

# Tests shares and rates. Four of five faults in two seconds are huge-page faults, and three of
# these four fall back. Thread 10 spent 800 of the 1000 ns in faults.
cat >rates.trace <<'EVENTS'
begin 1000
2000 dax_pmd_fault procname=a tid=10 pid=10 dev_major=259 ino=0x1001 address=0x10000000
2200 dax_pmd_fault_done procname=a tid=10 pid=10 dev_major=259 ino=0x1001 address=0x10000000 result=0x800
3000 dax_pmd_fault procname=a tid=10 pid=10 dev_major=259 ino=0x1001 address=0x10200000
3200 dax_pmd_fault_done procname=a tid=10 pid=10 dev_major=259 ino=0x1001 address=0x10200000 result=0x800
4000 dax_pmd_fault procname=a tid=10 pid=10 dev_major=259 ino=0x1001 address=0x10400000
4200 dax_pmd_fault_done procname=a tid=10 pid=10 dev_major=259 ino=0x1001 address=0x10400000 result=0x800
5000 dax_pmd_fault procname=a tid=10 pid=10 dev_major=259 ino=0x1001 address=0x10600000
5200 dax_pmd_fault_done procname=a tid=10 pid=10 dev_major=259 ino=0x1001 address=0x10600000 result=0x100
6000 dax_pte_fault procname=b tid=11 pid=11 dev_major=259 ino=0x1001 address=0x10001000
6200 dax_pte_fault_done procname=b tid=11 pid=11 dev_major=259 ino=0x1001 address=0x10001000 result=0x100
end 2000001000
EVENTS
make_dax rates.trace rates
"$mm" report dax --json rates >rates.json
is 'shares and rates: processes' 'a 75 2 80
b null 0.5 20' "$(jq -r '.tables.processes[] | "\(.process) \(.fallback_percent) \(.faults_per_second) \(.fault_percent)"' rates.json)"
is 'shares and rates: files' '4 3 75 1' \
	"$(jq -r '.tables.files[] | "\(.pmd_faults) \(.pmd_fallbacks) \(.fallback_percent) \(.pte_faults)"' rates.json)"
is 'shares and rates: faults' 'pmd fallback 75 1.5
pmd mapped 25 0.5
pte mapped 100 0.5' "$(jq -r '.tables.faults[] | "\(.kind) \(.outcome) \(.percent) \(.faults_per_second)"' rates.json | sort)"
is 'shares and rates: causes' '100' "$(jq -r '[.tables.causes[].percent] | add' rates.json)"

# The p99 of a few faults is their maximum, so the test compares only outcomes with many faults.
{
	echo begin 1000
	awk 'BEGIN { for (i = 1; i <= 401; i++) {
		kind = i > 400 ? "pmd" : "pte"
		of = "procname=a tid=10 pid=10 dev_major=259 ino=0x1001 address=0x10000000"
		print 10000 * i, "dax_" kind "_fault " of
		print 10000 * i + (i > 400 ? 9000 : i % 2 ? 100 : 200), "dax_" kind "_fault_done " of " result=" (i % 2 ? "0x100" : "0x2")
	} }'
	echo end 5000000
} >few.trace
make_dax few.trace few
is 'findings: the slowest outcome is one with enough faults' 'Slowest outcome: pte sigbus, p99 200 ns of 200 faults, median 200 ns.' \
	"$("$mm" report dax --all few | grep '^Slowest outcome')"
sed '/^10000 /,/^20200 /d' few.trace >fewer.trace
make_dax fewer.trace fewer
is '... without enough faults of any outcome, the slowest fault is stated' 'Slowest outcome: pmd mapped, max 9.0 us of 1 fault, median 9.0 us.' \
	"$("$mm" report dax --all fewer | grep '^Slowest outcome')"

# cause TRACE CAUSE: prints how often CAUSE was the first failed check, from the JSON form.
cause() {
	"$mm" report dax --json "$1" | jq --arg cause "$2" \
		'.metrics[] | select(.name == "dax.fallback.cause" and .labels.cause == $cause).value'
}
# All traces must have the same metrics. A metric without a value, such as the latency without a
# fault, must be null. metrics TRACE: prints the names and labels of metrics.
metrics() {
	"$mm" report dax --json "$1" | jq -c '.metrics[] | [.name, .labels]'
}
metrics causes >causes.metrics
for name in losses late moved writeback discards; do
	is "$name: the same metrics as of another trace" '' "$(metrics $name | diff causes.metrics -)"
done
is 'metrics: faults that did not occur' '0 null null null null' "$("$mm" report dax --json writeback |
	jq -r '.metrics[] | select(.labels.kind == "write-protect" and .labels.outcome == "sigbus") | .value' | paste -sd ' ')"
is 'metrics: each cause is among them' "$("$mm" report dax --json causes |
	jq -r '.metrics[] | select(.name == "dax.fallback.cause") | .labels.cause' | sort)" \
	"$(jq -r 'select(.[0] == "dax.fault.count" and .[1].kind == "pmd" and .[1].cause != "") | .[1].cause' causes.metrics |
		sort -u)"

"$mm" report dax --json discards >discards.json
for how in --reader=fast --reader=babeltrace2 --jobs=1 --jobs=8; do
	is "discards, $how: the same report" '' "$("$mm" report dax --json $how discards | diff discards.json -)"
done
# remedy TRACE: prints the remedy for undetermined causes.
remedy() {
	"$mm" report dax --json "$1" | jq -r '.tables.causes[] | select(.cause == "undetermined").remedy'
}
is 'undetermined, and the missing event was recorded: the remedy is not to record it' \
	'some of the events are missing: record with more or larger sub-buffers (--num-subbuf, --subbuf-size)' \
	"$(remedy discards)"
is '... was not recorded: to record it' 'record dax_fault_extent and dax_pmd_fallback too: lttng-mm record dax' \
	"$(remedy undetermined)"
sed '2i declare dax_pmd_fault dax_pmd_fault_done dax_pte_fault dax_pte_fault_done' "$here/cases/discards.trace" |
	grep -v 'dax_pmd_fallback\|dax_writeback' >both.trace
make_dax both.trace both
is '... was not recorded, and events are missing: both' 1 "$(remedy both | grep -c -e '--num-subbuf.*, and record dax_fault_extent')"
is 'discards: a writeback ends with the end index that it started with' '0 2' "$(jq -r '[.metrics[] |
	select(.name == ("dax.writeback.ranges", "dax.writeback.unpaired")) | .value] | join(" ")' discards.json)"

for id in oom race fs-error hole-no-zero-page undetermined; do
	is "causes: $id once" 1 "$(cause causes "$id")"
done
# flags TRACE [OPTION...]: prints the flags of the fault that failed in the filesystem.
flags() {
	flags_trace=$1
	shift
	"$mm" report dax --json "$@" "$flags_trace" |
		jq -r '.tables.causes[] | select(.cause == "fs-error").example' |
		grep -o 'flags .* address' | sed 's/ address//'
}
is 'flags: by the labels of the trace' 'flags WRITE result FALLBACK vm_flags SHARED' "$(flags causes)"
cp -R causes labels
sed -i 's/"FALLBACK" = 2048/"LATER_NAME" = 2048/; /"WRITE" = 1,/d; /"SHARED" = 8,/d' labels/metadata
for how in --reader=fast --reader=babeltrace2 --jobs=1 --jobs=8; do
	is "flags, $how: other labels, and numbers without one" 'flags 0x1 result LATER_NAME vm_flags 0x8' \
		"$(flags labels $how)"
done
is 'extent types: by the labels of the trace' 1 \
	"$("$mm" report dax --json causes | jq -r '.tables.causes[].example' |
		grep -c '; dax_fault_extent .* type HOLE; dax_pmd_load_hole_fallback')"
mkdir -p causes/sysinfo
echo '[{"major":259,"minor":0,"name":"pmem0","resource_aligned_2m":false}]' \
	>causes/sysinfo/dax-devices.json
is 'causes: the system information shows that the device is not aligned' '1 0' \
	"$(cause causes device-misaligned) $(cause causes undetermined)"
echo '[{"major":259,"minor":0,"name":"pmem0","resource_aligned_2m":true}]' \
	>causes/sysinfo/dax-devices.json
is '... that it is aligned: nothing in the trace explains the fallback' '0 none that the trace shows: see the evidence (--table evidence)' \
	"$(cause causes device-misaligned) $("$mm" report dax --json causes |
		jq -r '.tables.causes[] | select(.cause == "undetermined").remedy')"
for devices in '[]' '[{"major":259,"minor":0,"name":"pmem0","resource_aligned_2m":null}]'; do
	echo "$devices" >causes/sysinfo/dax-devices.json
	is "... that it is not known: $devices" \
		"check whether the device's memory is aligned to 2 MiB (ndctl list -N), which sysinfo/dax-devices.json does not say" \
		"$("$mm" report dax --json causes | jq -r '.tables.causes[] | select(.cause == "undetermined").remedy')"
done
echo '[{"major":259,"minor":0,"name":"pmem0","resource_aligned_2m":tru' \
	>causes/sysinfo/dax-devices.json
echo '{"hostname":"demo","kernel_release":"6.12.1"}' >causes/sysinfo/system.json
is 'causes: the report states the recorded time, CPUs, kernel and host' \
	'Recorded: 2023-11-14T22:13:20.000001000Z to 22:13:20.000025000Z (24.0 us), 2 CPUs, Linux 6.12.1, host demo' \
	"$("$mm" report dax --all causes | sed -n 1p)"
is 'causes: the requested time range is shown' \
	'Reported: 2023-11-14T23:13:20.000002000+01:00 to 23:13:20.000009000+01:00 (7.0 us; the requested time range)' \
	"$(TZ=XYZ-1 "$mm" report dax --all --begin 1700000000.000002 --end 1700000000.000009 causes |
		sed -n '1s/, .*//p')"
rm causes/sysinfo/system.json
is 'causes: damaged system information is ignored' '0 1' \
	"$(cause causes device-misaligned) $(cause causes undetermined)"

"$mm" report dax --all --wide --require-complete losses >out 2>err
is 'losses: --require-complete is status 3' 3 $?
is 'losses: the report is printed nevertheless' 1 "$(grep -c '^Lost: 7 events discarded, 2 packets lost' out)"
is 'losses: the report starts with the recorded time range' 'Recorded: 2023-11-14T22:13:20' "$(sed -n 1p out | cut -c 1-29)"
is 'losses: the report has the remedy for the next recording' 1 \
	"$(sed -n 3p out | grep -c '^Remedy: record with more or larger sub-buffers (--num-subbuf, --subbuf-size)\.$')"
is 'losses: the message has the remedy' 1 "$(grep -c 'num-subbuf' err)"
for reader in $readers; do
	"$mm" print --reader="$reader" no-count >/dev/null 2>err
	is "no-count, $reader: losses" 'were 7 may have been 7 may have been 7 were 9' \
		"$(sed -n 's/.*: events \([a-z ]*\) lost here (\([0-9]*\) events.*/\1 \2/p' err | tr '\n' ' ' | sed 's/ $//')"
done
"$mm" verify no-count >out 2>&1
is 'no discarded-event count: verify finds no damage' 3 $?
# Makes three traces. last: the last packet has no count of discarded events, and nothing else is
# lost. foreign: the counter of another tracer goes backwards. steps: LTTng's counter goes
# backwards, but not to 0, because some versions of LTTng count events of later packets too early.
cases=$here/cases
sed '/^packet seq=7/,$d; s/discarded=[1-9][0-9]*/discarded=7/' "$cases/no-count.trace" >last.trace
make_dax last.trace last
make_dax "$cases/no-count.trace" foreign
sed -i 's/"lttng-modules"/"others"/' foreign/metadata
sed 's/discarded=0/discarded=11/' "$cases/no-count.trace" >steps.trace
make_dax steps.trace steps
sed -i 's/\(tracer_patchlevel =\).*/\1 2;/' steps/metadata
for reader in $readers; do
	"$mm" report dax --all --wide --require-complete --reader="$reader" last >out 2>/dev/null
	is "no-count at the end, $reader: not complete" 3 $?
	is "no-count at the end, $reader: reported" 1 \
		"$(grep -c '^Lost: 0 events .* 0 packets damaged, 2 packets without a count of discarded events; ' out)"
	"$mm" print --reader="$reader" foreign >/dev/null 2>err
	is "not by LTTng, $reader: no count was omitted" '0 2' \
		"$(grep -c 'may have been' err) $(grep -c 'were lost' err)"
	is "a small step back, $reader: losses" 'Lost: 9 events discarded' \
		"$("$mm" report dax --all --wide --reader="$reader" steps 2>/dev/null | grep -o '^Lost: [0-9]* events discarded')"
done
is 'no discarded-event count at the end: info reports it' 1 "$("$mm" info --all last | grep -c '^Lost: .* 2 packets without a count')"
is 'late: a stream that starts late has lost nothing' 1 "$("$mm" report dax --all --wide late 2>&1 |
	grep -c '^Complete unless a stream is missing: ')"
is 'hostile: no control character but newline reaches the terminal' 0 \
	"$({ "$mm" print hostile; "$mm" report dax --all --wide hostile; } 2>&1 | LC_ALL=C tr -d '\n' |
		LC_ALL=C grep -c '[[:cntrl:]]')"
is 'hostile: JSON is plain ASCII' 0 \
	"$("$mm" report dax --json hostile | LC_ALL=C grep -c '[^ -~]')"

# The readable parts of a truncated or damaged trace must be read, and the rest must be reported.
"$mm" report dax --all --wide truncated >out 2>err
is 'truncated packet: status' 0 $?
is 'truncated packet: counted as a loss' 1 \
	"$(grep -c '^Lost: .* 1 packet truncated, 0 packets damaged; trace has 1 event$' out)"
is 'truncated packet: named with file, packet and byte' 1 \
	"$(grep -c 'truncated/channel_0: packet 0, byte 0: the file ends within the packet' out)"
is 'truncated packet: nothing on standard error' '' "$(cat err)"
"$mm" report dax --all --wide --require-complete truncated >out 2>err
is 'truncated packet: status with --require-complete' 3 $?
cp -R causes broken
head -c 64 /dev/zero | tr '\0' '\377' | dd of=broken/channel_1 conv=notrunc 2>/dev/null
"$mm" report dax --all --wide broken >out 2>err
is 'damaged file: status' 2 $?
is 'damaged file: the other files are read' 1 \
	"$(grep -c '^Lost: .* 0 packets truncated, 1 packet damaged; trace has [1-9]' out)"
is 'damaged file: named with file, packet and byte' 1 \
	"$(grep -c 'broken/channel_1: packet 0, byte 0: ' out)"
is 'damaged file: one line on standard error' 1 "$(grep -c 'broken: damaged; the report covers' err)"

fails 'no DAX events' 2 'the trace has no dax_\* events; record them with .lttng-mm record dax' \
	report dax --all no-dax
make_slab "$here/slab/pages.trace" of-slab
fails 'no DAX events, but allocations' 2 'the trace has no dax_\* events; record them with `lttng-mm record dax`, or analyze the events that the trace has with `lttng-mm report slab`$' \
	report dax of-slab
fails 'missing trace' 2 'nowhere: No such file or directory; give the folder' report dax --all nowhere
mkdir empty other
fails 'empty folder' 2 'empty: the folder is empty; record one' report dax --all empty
touch other/file
fails 'folder that is not a trace' 2 'other: not a trace' report dax --all other
fails 'file' 2 'not a folder' print causes/metadata
fails 'damaged metadata' 2 'metadata:[0-9]*:[0-9]*: .*the metadata is damaged' report dax --all "$(mkdir bad && head -c 700 \
	causes/metadata >bad/metadata && cp causes/channel_1 bad && echo bad)"
# Figures must omit the recorder's process, thread 100. They must equal the figures of a trace
# without this process.
awk '/procname=a/ && /address=0x10[02]/ { print }
	/procname=b/ || /address=0x10[46]/ { gsub(/tid=1[01] pid=1[01]/, "tid=100 pid=100"); print }
	/begin/ { print }
	/^end/ {
		print "7000 dax_writeback_range tid=100 pid=100 dev_major=259 ino=0x1001 start_index=0 end_index=9"
		print "7010 dax_writeback_one tid=100 pid=100 dev_major=259 ino=0x1001 pglen=4"
		print "7020 dax_writeback_range_done tid=100 pid=100 dev_major=259 ino=0x1001 start_index=0 end_index=9"
		print
	}' rates.trace >recorder.trace
grep -v 'tid=100' recorder.trace >others.trace
make_dax recorder.trace recorder
make_dax others.trace others
cp -R "$here/slab/recorder.sysinfo" recorder/sysinfo
cp -R "$here/slab/recorder.sysinfo" others/sysinfo
without_own='del(.coverage.events, .notes) | .metrics |= map(select(.name | startswith("dax.recorder.") | not))'
for jobs in 1 2; do
	"$mm" report dax --json --jobs=$jobs recorder >recorder.json
	"$mm" report dax --json --jobs=$jobs others >others.json
	is "recorder: figures are without it, $jobs jobs" "$(jq "$without_own" others.json)" "$(jq "$without_own" recorder.json)"
	is "recorder: metrics say how much it was, $jobs jobs" 'dax.recorder.faults 3
dax.recorder.writebacks 1' "$(jq -r '.metrics[] | select(.name | startswith("dax.recorder.")) | "\(.name) \(.value)"' recorder.json)"
done
is 'recorder: one line says how much it was' \
	"The recorder's own faults and writebacks are left out of all figures (--include-recorder): 3 and 1." \
	"$("$mm" report dax --all --wide recorder | grep '^The recorder')"
# Events contain the pid, so the recorder is recognized even if there is no list of processes.
cp -R recorder nameless && rm nameless/sysinfo/processes.json
for jobs in 1 2; do
	is "recorder: known by the pid of the event, $jobs jobs" \
		"The recorder's own faults and writebacks are left out of all figures (--include-recorder): 3 and 1." \
		"$("$mm" report dax --all --wide --jobs=$jobs nameless | grep 'recorder')"
done
is 'recorder: ... in intervals, too' 3 "$("$mm" report why --dax --json nameless |
	jq -r '.metrics[] | select(.name == "why.recorder.intervals").value')"
is 'recorder: ... and no process is unknown' 0 "$("$mm" report why --dax nameless | grep -c 'process is unknown')"
sed 's/pid=[0-9]*/pid=0/' recorder.trace >nameless.trace
rm -r nameless
make_dax nameless.trace nameless
cp -R recorder/sysinfo nameless && rm nameless/sysinfo/processes.json
for jobs in 1 2; do
	is "recorder: processes are unknown, so it may be in the figures, $jobs jobs" \
		"The figures include faults and writebacks of threads whose process is unknown, possibly the recorder's." \
		"$("$mm" report dax --all --wide --jobs=$jobs nameless | grep 'recorder')"
done
is "recorder: ... and that it is in them was requested" '' "$("$mm" report dax --all --wide --include-recorder nameless | grep 'recorder')"
is 'recorder: --include-recorder' '5 null' "$("$mm" report dax --json --include-recorder recorder | jq -r \
	'"\([.tables.faults[].count] | add) \(.metrics[] | select(.name == "dax.recorder.faults") | .value)"')"

# Two processes access two files. ext4 tries each huge page twice. Of four accesses, two fall back
# in both attempts, one falls back in its only attempt, and one maps a huge page.
of() {
	echo "procname=$1 tid=$2 pid=$2 dev_major=259 ino=$3 address=$4 pgoff=$5"
}
fault() { # PROCESS TID INO ADDRESS PGOFF START KIND RESULT [VM_FLAGS [DURATION]]
	fault_fields="$(of "$1" "$2" "$3" "$4" "$5") vm_flags=${9:-8} flags=1"
	[ "$7" = pte ] || fault_fields="$fault_fields vm_start=0x10000000 vm_end=0x10c00000 max_pgoff=0x1400"
	echo "$6 dax_$7_fault $fault_fields"
	echo "$(($6 + ${10:-100})) dax_$7_fault_done $fault_fields result=$8"
}
{
	echo begin 1000
	for at in 2000 4000; do
		fault a 10 0x1001 0x10000000 0x0 $((at)) pmd 0x800 0
		fault a 10 0x1001 0x10000000 0x0 $((at + 200)) pmd 0x800 0
		fault a 10 0x1001 0x10000000 0x0 $((at + 400)) pte 0x1000 0
	done
	fault b 11 0x1002 0x10201000 0x0 6000 pmd 0x800 8 300
	fault b 11 0x1002 0x10201000 0x0 6400 pte 0x100
	fault a 10 0x1002 0x10400000 0x400 7000 pmd 0x100
	fault b 11 0x1001 0x10401000 0x1 7500 pte 0x100
	echo "8000 dax_writeback_range tid=11 pid=11 dev_major=259 ino=0x1001 start_index=0 end_index=9"
	echo "8010 dax_writeback_one tid=11 pid=11 dev_major=259 ino=0x1001 pglen=4"
	echo "8020 dax_writeback_range_done tid=11 pid=11 dev_major=259 ino=0x1001 start_index=0 end_index=9"
	echo "8100 dax_writeback_range tid=10 pid=10 dev_major=259 ino=0x1002 start_index=0 end_index=9"
	echo "8120 dax_load_hole tid=10 pid=10 dev_major=259 ino=0x1002"
	fault a 10 0x1001 0x10000000 0x0 8200 pte 0x100
	echo "8500 dax_pmd_fault $(of b 11 0x1002 0x10600000 0x600)"
	echo end 9000
} >accesses.trace
make_dax accesses.trace accesses
mkdir accesses/sysinfo
echo '[ { "major": 259, "minor": 0, "ino": 4097, "path": "/mnt/pmem/a[1].db" }, { "major": 259, "minor": 0, "ino": 4098, "path": "/mnt/pmem/sub/b" } ]' \
	>accesses/sysinfo/files.json
"$mm" report dax accesses >out
is 'accesses: how many fell back, the time, the cause, the file and the process' \
	"3 of 4 accesses to 2 MiB ranges (75.0 %) fell back to 4 KiB pages: 5 attempts, 700 ns, and 3 faults
of 4 KiB after them, 300 ns, together 76.9 % of the time of all DAX faults.
Main cause: private-write, 400 ns in 2 accesses: write to a private mapping: the kernel copies 4 KiB
pages.
Remedy: map with MAP_SHARED, or expect 4 KiB copies.
File /mnt/pmem/a[1].db, inode 0x1001, accounts for 57.1 % of the time in fallbacks (400 ns), process
a (pid 10) for 57.1 % (400 ns)." "$(sed -n '/ accesses to /,/^$/p' out | sed '$d')"
is 'accesses: the causes are the table, most time first' 'private-write mapping-misaligned' \
	"$(sed -n '/^Causes/,/^$/s/^  \([a-z-]\{1,\}\)  *[0-9].*/\1/p' out | paste -sd ' ')"
time=$(TZ=XYZ-1 "$mm" report dax --table evidence accesses | sed -n 's/^ *\(.*\) a pid 10 tid .*/\1/p')
is 'accesses: the time of a fault has a zone, and can be pasted' "2023-11-14T23:13:20+01:00 1" \
	"$(echo "$time" | sed 's/\.[0-9]*//') $("$mm" report dax --json --begin "$time" --end "$time" accesses | jq .coverage.events)"
is 'accesses: the next command can be pasted' yes "$(eval "$(sed -n 's/^To see .*: lttng-mm/"$mm"/p' out)" |
	grep -q '^  private-write  *2 ' && echo yes)"
metric() {
	jq -r --arg name "$1" '[.metrics[] | select(.name == $name).value] | join(" ")'
}
"$mm" report dax --json accesses >accesses.json
is 'accesses: metrics' '4 3 0 700 1300' "$(for name in dax.accesses dax.fallback_accesses dax.attempts_uncertain dax.fallback_ns dax.fault_ns; do
	metric $name <accesses.json
done | paste -sd ' ')"
is 'accesses: by cause, file and process' 'private-write 2 400 mapping-misaligned 1 300 /mnt/pmem/a[1].db 2 400 /mnt/pmem/sub/b 1 300 a 2 400 b 1 300' "$(jq -r '
	[.tables.causes[] | .cause, .accesses, .ns] +
	[.tables.files[] | .path, .fallback_accesses, .fallback_ns] +
	[.tables.processes[] | .process, .fallback_accesses, .fallback_ns] | join(" ")' accesses.json)"
is 'evidence: a row of values for each cause' '["private-write","a",10,"/mnt/pmem/a[1].db",4097,"write",false,268435456,"FALLBACK",null]' \
	"$(jq -c '.tables.evidence[0] | [.cause, .process, .pid, .path, .ino, .access, .shared, .address, .result, .extent_pos]' accesses.json)"
# Without 4 KiB faults, the attempts of one access cannot be recognized, so each attempt counts.
sed '2i declare dax_pmd_fault dax_pmd_fault_done dax_writeback_range dax_writeback_range_done dax_writeback_one dax_load_hole' accesses.trace |
	grep -v dax_pte >attempts.trace
make_dax attempts.trace attempts
is 'without 4 KiB faults: attempts' '5 of 6 huge-page faults (83.3 %) fell back to 4 KiB pages: 700 ns, 87.5 % of the time of all recorded faults.' \
	"$("$mm" report dax --json attempts | jq -r '.answer[0]')"
is '... and no number of accesses' 'null null null' "$("$mm" report dax --json attempts |
	jq -r '[.metrics[] | select(.name == "dax.accesses" or .name == "dax.fallback_accesses" or .name == "dax.attempts_uncertain").value | tostring] | join(" ")')"

# With --file and --pid, every figure must equal the figure of a trace that contains only the
# selected events.
without_others='del(.selection, .coverage.events, .notes, .coverage.losses)'
restricted() { # TITLE FILTER OPTION...
	restricted_title=$1
	rm -rf others
	grep -E "^(begin|end) |$2" accesses.trace >others.trace
	shift 2
	make_dax others.trace others
	cp -R accesses/sysinfo others
	for how in --reader=fast --reader=babeltrace2; do
		"$mm" report dax --json $how others | jq "$without_others" >expected
		"$mm" report dax --json $how "$@" accesses | jq "$without_others" >actual
		same "$restricted_title, $how: every figure" expected actual
	done
	is "$restricted_title: a line says so" "All figures are restricted by $*." \
		"$("$mm" report dax "$@" accesses | grep '^All figures')"
}
restricted 'a file by its path' 'ino=0x1001' '--file=/mnt/pmem/a[1].db'
restricted 'a file by a pattern' 'ino=0x1002' '--file=/mnt/*/b'
restricted 'a file by its name' 'ino=0x1002' --file=b
restricted 'a file by its inode number' 'ino=0x1001' --file=0x1001
restricted 'a process' ' pid=10 ' --pid=10
restricted 'a process, with the recorder' ' pid=11 ' --pid=11
is 'a file and a process: the fault that both have' '1 mapped' "$("$mm" report dax --json --file=b --pid=10 accesses |
	jq -r '.tables.faults[] | "\(.count) \(.outcome)"')"
is 'a file and a process: the next command keeps them' 1 "$("$mm" report dax --file='[b]' --pid=11 accesses |
	grep -c "^To see .*: lttng-mm report dax --table [a-z]* --file='\[b\]' --pid=11 accesses\$")"
grep -v 'pid=10 .*ino=0x1002' accesses.trace >apart.trace
make_dax apart.trace apart
cp -R accesses/sysinfo apart
# One of three private writes also fails two later checks. In the second trace, all three do.
later() { # END
	{
		echo begin 1000
		fault a 10 0x1001 0x10000000 0x0 2000 pmd 0x800 0
		fault a 10 0x1001 0x10200000 0x200 3000 pmd 0x800 0
		fault a 10 0x1001 0x10400000 0x400 4000 pmd 0x800 0
	} | sed "s/vm_end=0x10c00000/vm_end=$1/; s/max_pgoff=0x1400/max_pgoff=$2/" >later.trace
	make_dax later.trace later
	"$mm" report dax --json later >later.json
	jq -r '(.answer[] | select(startswith("Remedy"))),
		([.tables.causes[] | .cause, .first_failed, .failed_later, .all_failed] | join(" "))' later.json
	for how in --reader=fast\ --jobs=8 --reader=babeltrace2; do
		# shellcheck disable=SC2086 # words
		"$mm" report dax --json $how later | cmp - later.json
	done
	rm -rf later
}
is 'later checks that fail: the remedy is not enough' 'Remedy: map with MAP_SHARED, or expect 4 KiB copies. This is not enough for 1 of the 3 attempts, which would also fail other checks: ends-after-vma 1, past-eof 1.
private-write 3 1 3 ends-after-vma 0 0 1 past-eof 0 0 1' "$(later 0x10500000 0x500)"
is '... for any attempt; the most frequent check comes first' 'Remedy: map with MAP_SHARED, or expect 4 KiB copies. This is not enough for these attempts, which would also fail other checks: past-eof 3, ends-after-vma 1.
private-write 3 3 3 ends-after-vma 0 0 1 past-eof 0 0 3' "$(later 0x10500000 0x80)"
# Mapped at another address, the file has no range that starts before the mapping or ends after it.
{
	echo begin 1000
	fault a 10 0x1001 0x10101000 0x0 2000 pmd 0x800
	fault a 10 0x1001 0x10301000 0x200 3000 pmd 0x800
	fault a 10 0x1001 0x104ff000 0x3fe 4000 pmd 0x800
} | sed 's/vm_start=0x10000000 vm_end=0x10c00000 max_pgoff=0x1400/vm_start=0x10101000 vm_end=0x10501000 max_pgoff=0x400/' >moved-whole.trace
make_dax moved-whole.trace moved-whole
is '... of a misaligned mapping of a whole file: it is enough' 'mapping-misaligned 3 0 starts-before-vma 0 0 ends-after-vma 0 0 0' \
	"$("$mm" report dax --json moved-whole | jq -r '([.tables.causes[] | .cause, .first_failed, .failed_later] | join(" ")) +
		" \([.answer[] | select(test("not enough"))] | length)"')"
is '... for none' 'Remedy: map with MAP_SHARED, or expect 4 KiB copies.
private-write 3 0 3' "$(later 0x10c00000 0x1400)"
# A cause with only two attempts costs most, because the attempts waited. Another cause is more
# frequent.
{
	echo begin 1000
	at=2000
	for ns in 100 100 100 100 100 100 100 100 100 100 1000000 2000000; do
		fault b 11 0x1002 0x10201000 0x0 $at pmd 0x800 8 $ns
		fault b 11 0x1002 0x10201000 0x0 $((at + 2005000)) pte 0x100
		fault a 10 0x1001 0x10000000 0x0 $((at + 2006000)) pmd 0x800 0 50
		fault a 10 0x1001 0x10000000 0x0 $((at + 2006500)) pte 0x1000 0
		at=$((at + 3000000))
	done
	fault a 10 0x1001 0x10000000 0x0 $((at + 6000)) pmd 0x800 0 50
	fault a 10 0x1001 0x10000000 0x0 $((at + 6500)) pte 0x1000 0
	fault a 10 0x1001 0x10000000 0x0 $((at + 7000)) pte 0x1000 0 1500000
} >slow.trace
make_dax slow.trace slow
is 'answer: attempts that waited, and the most frequent cause' 'Main cause: mapping-misaligned, 3.0 ms in 12 accesses
2 of its 12 attempts (median 100 ns) took 1 ms or more, 3.0 ms in all; so did 1 fault without fallback, 1.5 ms.
Most frequent cause: private-write, 13 accesses, 650 ns; of the other 12 accesses, 12 fell back.' \
	"$("$mm" report dax --json slow | jq -r '(.answer + .findings)[]' | grep '^Main\|^[0-9]* of its\|^Most' |
		sed 's/\(accesses\):.*/\1/; s/ They probably .*//')"
is '... the events of this trace do not show for what' '1 1' "$("$mm" report dax --json slow |
	jq -r '.answer[]' | grep -c "\. They probably waited or were interrupted: to see which, record with --events='sched_switch,sched_waking,irq_\*'\.$") $(
	"$mm" report dax slow | grep -c '^To see all causes and remedies: ')"
is '... metrics of slow faults, by outcome' 'fallback 2 3000000 copied 1 1500000' "$("$mm" report dax --json slow |
	jq -r '[.metrics as $all | $all[] | select(.name == "dax.slow_faults" and .value > 0) | .labels.outcome as $outcome |
		"\($outcome) \(.value) \($all[] | select(.name == "dax.slow_ns" and .labels.outcome == $outcome).value)"] | join(" ")')"
# The time that huge pages would have taken is estimated from the faults that mapped one, if there
# are at least 20.
estimate() { # HUGE_PAGES NS [NS_OF_FIRST]
	{
		echo begin 1000
		for i in $(seq "$1"); do
			fault a 10 0x1001 0x10000000 0x0 $((i * 100000)) pmd 0x100 8 "$([ "$i" = 1 ] && echo "${3:-$2}" || echo "$2")"
		done
		for at in 3000000 3100000; do
			fault b 11 0x1002 0x10201000 0x0 $at pmd 0x800 8 3000
			fault b 11 0x1002 0x10201000 0x0 $((at + 4000)) pte 0x100 8 500
		done
	} >estimate.trace
	make_dax estimate.trace estimate
	"$mm" report dax --json estimate | jq -r '(.metrics[] | select(.name == "dax.fallback_huge_ns") | "\(.value) of \(.samples)"),
		(.answer[] | select(test("about|^Only")))'
	rm -rf estimate
}
is 'the cost with huge pages: an estimate' '2000 of 20
Huge pages would have taken about 2.0 us instead of these 7.0 us, by the median of 20 faults; by their mean 2.0 us.
Only cause of fallbacks: mapping-misaligned, 6.0 us in 2 accesses: address and file offset are not congruent modulo 2 MiB.' \
	"$(estimate 20 1000)"
is '... no less than what the fallbacks took' 'Huge pages would have taken about 8.0 us, no less than these 7.0 us, by the median of 20 faults; by their mean 8.0 us.' \
	"$(estimate 20 4000 | sed -n 2p)"
is '... too few huge pages' 'null of 19' "$(estimate 19 1000 | head -n 1)"
is '... one slow fault dominates the mean' 'Huge pages would have taken about 2.0 us instead of these 7.0 us, by the median of 20 faults; by their mean 10.0 us.' \
	"$(estimate 20 1000 81000 | sed -n 2p)"
# Adds the event class of a recorded function, but none of its events.
{
	cat "$dax_metadata"
	awk '/^event \{/ { class = "" } { class = class $0 "\n" }
		/^};/ && class ~ /name = "sched_switch"/ { sub(/id = [0-9]+/, "id = 200", class); printf "%s", class }' \
		"$top/tests/metadata/fn-calls.tsdl"
} >switches.tsdl
"$tests/make-trace" switches.tsdl --flush slow.trace switches || exit 2
is '... a trace with context switches shows it: report why is suggested' '1 1' "$("$mm" report dax --json switches |
	jq -r '.answer[]' | grep -c '\. They probably waited or were interrupted: `lttng-mm report why` shows the waits, but irq_\* events were not recorded\.$') $("$mm" report dax switches |
		grep -c '^To see what the slowest faults spent their time on: lttng-mm report why switches$')"
# interrupts EVENT...: adds the classes of these events to the trace, and prints the advice.
interrupts() {
	cp "$dax_metadata" interrupts.tsdl
	for interrupts_event; do
		awk -v event="$interrupts_event" -v id=$((201 + $(grep -c 'id = 20[1-9]' interrupts.tsdl))) \
			'/^event \{/ { class = "" } { class = class $0 "\n" }
			/^};/ && class ~ /name = "sched_switch"/ {
				sub(/id = [0-9]+/, "id = " id, class); sub(/sched_switch/, event, class); printf "%s", class }' \
			"$top/tests/metadata/fn-calls.tsdl" >class.tsdl
		cat class.tsdl >>interrupts.tsdl
	done
	"$tests/make-trace" interrupts.tsdl --flush slow.trace interrupts || exit 2
	"$mm" report dax --json interrupts | jq -r '.answer[]' | sed -n 's/.* were interrupted: //p'
	rm -rf interrupts
}
is '... switches and interrupts' '`lttng-mm report why` shows which.' "$(interrupts sched_switch irq_handler_entry)"
is '... switches and soft interrupts' '`lttng-mm report why` shows which.' "$(interrupts sched_switch irq_softirq_entry)"
is '... interrupts alone' 'to see which, record sched_switch and sched_waking, too.' "$(interrupts irq_handler_entry)"
is 'a time range that is longer than the trace, or starts before it, or ends after it: the head says so' \
	'is longer than the trace
starts before the trace
ends after the trace' "$(for range in 22:13,22:14 22:13:00,22:13:20.01 22:13:20.01,22:14:00 22:13:20.01,22:13:20.02; do
		"$mm" report dax --json --timerange=$range slow >/dev/null
		COLUMNS=300 "$mm" report dax --wide --timerange=$range slow | sed -n 's/^Reported: .*; the requested time range *\(.*\)).*/\1/p'
	done)"
is 'the time of faults after a fallback' '25 2500' "$("$mm" report dax --json slow | jq -r '[.metrics[] |
	select(.name | startswith("dax.pte_after_fallback")).value] | join(" ")')"
awk '{ if ($2 == "dax_pmd_fault") began[$3 $4] = $1
	if ($2 == "dax_pmd_fault_done" && $1 - began[$3 $4] >= 1000000) $1 = began[$3 $4] + 999999
	print }' slow.trace >even.trace
make_dax even.trace even
is 'answer: no attempt of a millisecond' 0 "$("$mm" report dax even | grep -c ' of its ')"
is 'titles say by what the rows are sorted' 'Causes of faults without a huge page, by accesses
Files, most fallback time first
Causes of faults without a huge page, by time (reversed), then by cause' "$(
	"$mm" report dax --sort accesses slow | grep '^Causes'
	"$mm" report dax --table files slow | grep '^Files'
	"$mm" report dax --table causes --sort=-time,cause slow | grep '^Causes')"
is 'a column can be named by its title, too' "$("$mm" report dax --table files --sort=fallback_ns slow)" \
	"$("$mm" report dax --table files --sort='fallback time' slow)"
"$mm" report dax --sort=inode,accesses slow >/dev/null 2>first
"$mm" report dax --table causes --sort=-accesses slow >/dev/null 2>table
"$mm" report dax --all --sort=inode slow >/dev/null 2>all
is 'a sort key of a table that is not shown: a note names the tables' \
	"lttng-mm: note: report dax: --sort: the table causes has no column 'inode'; tables with this column (for --table): files" \
	"$(cat first table all)"
is 'no such file: one line says so' 'No DAX fault or writeback matches --file=nothing.' \
	"$("$mm" report dax --file=nothing accesses | grep '^No ')"
is 'no such file in a time range' 'No DAX fault or writeback in the requested time range matches --file=nothing.' \
	"$("$mm" report dax --file=nothing --begin 1700000000.000002 accesses | grep '^No ')"
is 'no such file: a similar name is suggested' "No DAX fault or writeback matches --file=a[2].db; did you mean 'a[1].db'?
No DAX fault or writeback matches --file=/mnt/pmem/sub/bb; did you mean '/mnt/pmem/sub/b'?" \
	"$(for file in 'a[2].db' /mnt/pmem/sub/bb; do "$mm" report dax --file="$file" accesses | grep '^No '; done)"
is 'print --file: the events that state the file' "$("$mm" print accesses | grep 'ino 0x1002 ')" "$("$mm" print --file b accesses)"
is 'print --file: the same by babeltrace2' "$("$mm" print --file=0x1001 accesses)" \
	"$("$mm" print --file '*/a?1].db' --reader babeltrace2 accesses)"
is 'print --file and --pid: the events of both' "$("$mm" print accesses | grep -c '^[^ ]*-10 .*ino 0x1002 ')" \
	"$("$mm" print --file b --pid 10 accesses | wc -l)"
is 'print --file: no such file: a note says so' '0 lttng-mm: note: no event names a file that matches --file=none' \
	"$("$mm" print --file none accesses 2>err | wc -l) $(cat err)"
fails 'print --file: another format' 2 '--file requires --format=ftrace' print --format babeltrace --file b accesses
cp -R accesses threads
echo '[{"tid": 10, "pid": 10, "comm": "db"}, {"tid": 9, "pid": 10, "comm": "writer"}]' >threads/sysinfo/processes.json
is 'a thread that is no process: its process is named' 'No DAX fault or writeback matches --pid=9; 9 is a thread of process 10 (db): use --pid=10.' \
	"$("$mm" report dax --pid=9 threads | grep '^No ')"
is 'a process without events is no such thread' 'No DAX fault or writeback matches --pid=5.' \
	"$("$mm" report dax --pid=5 threads | grep '^No ')"
is 'no such process: one line says so' 'No DAX fault or writeback matches --pid=5.' \
	"$("$mm" report dax --pid=5 accesses | grep '^No ')"
is '... and the answer names the processes with most events' \
	'The trace has DAX events of other processes: a (pid 10, 18 events) and b (pid 11, 10 events).' \
	"$("$mm" report dax --pid=5 --json accesses | jq -r '.answer[1]')"
cat >renamed.trace <<'EOF'
cpu 0
1000 dax_pte_fault procname=io_worker tid=10 pid=10 dev_major=259 ino=0x1001 address=0x10001000
1200 dax_pte_fault_done procname=io_worker tid=10 pid=10 dev_major=259 ino=0x1001 address=0x10001000 result=0x100
1400 dax_pte_fault procname=db tid=10 pid=10 dev_major=259 ino=0x1001 address=0x10002000
1600 dax_pte_fault_done procname=db tid=10 pid=10 dev_major=259 ino=0x1001 address=0x10002000 result=0x100
EOF
make_dax renamed.trace renamed
is '... a process that changed its name by its last name' 'The trace has DAX events of other processes: db (pid 10, 4 events).' \
	"$("$mm" report dax --pid=5 --json renamed | jq -r '.answer[1]')"
is 'no such file: the answer names the files with most events' \
	'The trace has DAX events of other files: /mnt/pmem/a[1].db (19 events) and /mnt/pmem/sub/b (9 events).' \
	"$("$mm" report dax --file=nothing --json accesses | jq -r '.answer[1]')"
is 'nothing matches: the first screen is the usual one' 'More: --all shows everything' \
	"$("$mm" report dax --file=nothing accesses | tail -n 1)"
fails 'the name of a process' 2 "--pid: 'db' is not a process id; .lttng-mm report dax --table processes TRACE. shows the pid" \
	report dax --pid=db accesses
# Each of the two filters matches events, but no event matches both.
is 'a file and a process without a common event: one line says so' 'No DAX fault or writeback matches --file=b --pid=10.' \
	"$("$mm" report dax --all --file=b --pid=10 apart | sed -n '/^No /p; /^Files/p')"
is '... and in the time range' 'No DAX fault or writeback in the requested time range matches --pid=10.' \
	"$("$mm" report dax --all --pid=10 --begin 1700000000.000008 --end 1700000000.000008090 accesses | sed -n '/^No /p; /^Files/p')"
is 'a process with writebacks alone' 'No DAX fault in the requested time range matches --pid=11.' \
	"$("$mm" report dax --pid=11 --begin 1700000000.000008 --end 1700000000.000008090 accesses | grep '^No ')"
is 'no event in a time range: one line says so' 1 "$("$mm" report dax --begin 1700000000.0000086 accesses | grep -c '^No ')"

# The example of a cause must be its slowest fault, whatever the number of threads.
for fault in '1000 2000 21' '3000 9000 22' '10000 12000 23' '20000 26000 24'; do
	# shellcheck disable=SC2086 # words
	set -- $fault
	of="procname=p tid=$3 pid=$3 dev_major=259 ino=0x1003 vm_start=0x10200000 vm_end=0x10c00000 vm_flags=8 address=0x10505000 pgoff=0x305 max_pgoff=0x1400 flags=1"
	printf '%s dax_pmd_fault %s\n%s dax_pmd_fault_done %s result=1\n' "$1" "$of" "$2" "$of"
done >examples.trace
make_dax examples.trace examples
for jobs in 1 2; do
	is "evidence: the slowest fault, the first of two, --jobs $jobs" 22 \
		"$("$mm" report dax --json --jobs $jobs examples | jq -r '[.tables.evidence[].tid] | join(" ")')"
done
is 'failures: how many are in which file' '4 faults ended for lack of memory, all in 259:0 (path not in sysinfo).' \
	"$("$mm" report dax examples | grep '^4 faults ended')"

# Tests the option --table.
is 'a table: the head and all of its rows' 'Files, most fallback time first' "$("$mm" report dax --table files accesses | sed -n '/^$/{n;p;q}')"
is 'a table: no other' 1 "$("$mm" report dax --table files --top=1 accesses | grep -c '^[A-Z].* first$')"
is 'a table: all rows, or as many as --top requests' '2 1' "$("$mm" report dax --table files accesses | grep -c '^  /mnt') $(
	"$mm" report dax --table files --top=1 accesses | grep -c '^  /mnt')"
fails 'an unknown table' 2 "report dax: --table: 'file' is not a table of the text form; did you mean 'files'? valid: faults, causes, evidence, files, " \
	report dax --table file accesses
fails 'a table of JSON' 2 "'pairing' is only in the JSON form; use --json" report dax --table pairing accesses
fails 'a table as JSON' 2 'report dax: --table and --json cannot be combined' report dax --table files --json accesses
fails 'a table and all' 2 'report dax: --table and --all cannot be combined' report dax --table files --all accesses

fails 'no analysis' 2 'no analysis given for accesses; known: dax, fn, slab' report accesses
fails 'the trace before the analysis' 2 'the analysis comes first: lttng-mm report dax TRACE' report accesses dax
fails 'unknown analysis' 2 "unknown analysis 'nonsense'; known: dax, fn, slab" report nonsense causes
fails 'bad number' 2 "'-1' is not a number from 1 to 100" report dax --all --top=-1 causes
fails 'no trace' 2 'no trace given' report dax --all
fails '--table took the trace' 2 'no trace given: --table took accesses as its argument; use --table NAME accesses' report dax --table accesses
fails '--sort took the trace' 2 'no trace given: --sort took accesses as its argument; use --sort KEY accesses' report dax --sort accesses
fails '--process' 2 "there is no option '--process'; use --pid=10\$" report dax --process 10 accesses
fails '--last' 2 "there is no option '--last'; use --begin=-10s\$" report dax --last 10s accesses
fails '--last=' 2 "there is no option '--last'; use --begin=-1m\$" report dax --last=1m accesses
fails 'a list of process ids' 2 "--pid: '355,560' is a list, but a report can select only one process" report dax --pid=355,560 accesses
if [ -c /dev/full ]; then
	"$mm" print causes >/dev/full 2>err
	is 'full disk: status 2' 2 $?
fi
tap_end
