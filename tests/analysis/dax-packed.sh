#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Tests report dax on packed events: the names of threads from events, state dumps and system
# information, values that are only in wide variants, and missing values.
set -u

# shellcheck source=tests/lib.sh
. "$(dirname -- "$0")/../lib.sh"

# enter NS TID [FIELD=VALUE...] / leave NS TID [FIELD=VALUE...]: prints the start or the end of a
# huge-page fault of TID. TID is its own process unless PID is set. If a field has several values,
# the last one counts.
ones_ino=0x3fffffffff
enter() {
	enter_ns=$1 enter_tid=$2
	shift 2
	echo "$enter_ns dax_pmd_fault$(fields "$enter_tid" "$@")"
}
leave() {
	leave_ns=$1 leave_tid=$2
	shift 2
	echo "$leave_ns dax_pmd_fault_done$(fields "$leave_tid" result=0x100 "$@")"
}
fields() {
	printf ' tid=%s pid=%s' "$1" "${pid:-$1}"
	shift
	printf '%s\n' dev_major=259 ino=0x1003 vm_start=0x10200000 vm_end=0x10c00000 vm_flags=8 \
		address=0x10400000 pgoff=0x200 max_pgoff=0x1400 flags=1 "$@" |
		awk -F = '!($1 in value) { order[++n] = $1 } { value[$1] = $2 }
			END { for (i = 1; i <= n; i++) printf " %s=%s", order[i], value[order[i]] }'
}
# fault NS TID [FIELD=VALUE...]: prints a fault that ends a microsecond after its start.
fault() {
	fault_ns=$1
	shift
	enter "$fault_ns" "$@"
	leave $((fault_ns + 1000)) "$@"
}
# fork NS TID PID NAME / exec NS TID FILE / exited NS TID NAME / dumped NS TID PID NAME: each prints
# one event.
fork() { echo "$1 sched_process_fork parent_comm=parent parent_tid=1 parent_pid=1 child_comm=$4 child_tid=$2 child_pid=$3"; }
exec_() { echo "$1 sched_process_exec filename=$3 tid=$2 old_tid=$2"; }
exited() { echo "$1 sched_process_exit comm=$3 tid=$2 prio=20"; }
dumped() { echo "$1 process_statedump_thread tid=$2 pid=$3 name=$4"; }

# names TRACE [OPTION...]: prints the processes with their faults.
names() {
	names_trace=$1
	shift
	"$mm" report dax --json "$@" "$names_trace" |
		jq -r '.tables.processes[] | "\(.process) \(.pid) \(.pmd_faults)"' | sort
}
# metric TRACE NAME
metric() {
	"$mm" report dax --json "$1" | jq -r --arg name "$2" '.metrics[] | select(.name == $name).value'
}
# agree TRACE: checks that both readers, the sink, and reading in parts give the same report.
agree() {
	"$mm" report dax --json --jobs 1 "$1" >agree.json
	for how in --reader=babeltrace2 --jobs=8; do
		"$mm" report dax --json $how "$1" >agree.other
		same "$1, $how: the same report" agree.json agree.other
	done
	"$mm" report dax --all --reader=babeltrace2 "$1" >agree.text
	# The notes of the sink do not name the folder.
	graph "$1" -c sink.lttng-mm.dax | sed "s|^  babeltrace2's graph: |  $1: |" >agree.other
	same "$1: the sink's report is the same" agree.text agree.other
}

mkdir threads plain
{
	echo 'cpu 0'
	fault 10000 100                         # named in the state dump
	fault 20000 600                         # named in the system information
	fault 30000 500                         # named nowhere
	fork 40000 200 200 shell                # calls exec, then exits
	fault 41000 200
	exec_ 43000 200 /usr/bin/worker
	fault 44000 200
	exited 46000 200 worker
	fault 50000 300                         # exits
	exited 52000 300 gone
	fault 60000 400                         # exits; its thread id is used again
	exited 62000 400 first
	fork 63000 400 400 second
	fault 64000 400
	fork 70000 700 700 before               # calls exec between entry and exit
	enter 71000 700
	exec_ 72000 700 after
	leave 73000 700
	fault 74000 700
	fork 80000 800 800 caller               # exec makes it the first thread of its process
	fork 81000 801 800 thread
	pid=800 fault 82000 801
	echo '84000 sched_process_exec filename=/bin/long-name-of-a-program tid=800 old_tid=801'
	fault 85000 800
	fault 90000 900                         # calls exec; its earlier name is unknown
	exec_ 92000 900 ./replaced
	fault 93000 900
} >threads.trace
{
	echo 'cpu 0'
	dumped 95000 100 100 dumped
	dumped 95000 400 400 second
	dumped 95000 900 900 replaced
} >state.trace
make_dax_packed --no-state threads.trace threads/kernel && make_dax_packed --state state.trace threads/state || exit 2
mkdir threads/sysinfo
echo '[{"tid":600,"pid":600,"comm":"listed"},{"tid":400,"pid":400,"comm":"second"}]' >threads/sysinfo/processes.json
is 'threads: each has its name at the time of the fault' "<...> 500 1
<...> 900 1
after 700 1
before 700 1
dumped 100 1
first 400 1
gone 300 1
listed 600 1
long-name-of-a- 800 1
replaced 900 1
second 400 1
shell 200 1
thread 800 1
worker 200 1" "$(names threads)"
lttng_threads state.trace >plain.trace
cp -R threads by-lttng
rm -r by-lttng/state
make_dax_packed --state plain.trace by-lttng/state || exit 2
is "threads: with LTTng's state dump, the same names" "$(names threads)" "$(names by-lttng)"
agree threads
is 'time range: a fork before it names a thread' 'before 700 1
shell 200 1
worker 200 1' "$(names threads --begin=1700000000.000040500 | grep -e ' [27]00 ' | grep -v after)"
is 'time range: an exec before it names a thread' 'worker 200 1' "$(names threads --begin=1700000000.000043500 | grep ' 200 ')"

# A fault that is open when its thread id is used again must not be paired with the new thread.
{
	echo 'cpu 0'
	enter 10000 400
	exited 20000 400 first
	fork 30000 400 400 second
	leave 40000 400
	fault 50000 400
} >reused.trace
make_dax_packed reused.trace reused
is 'reused thread id: an open fault ends with its thread' 'second 400 1' "$(names reused)"
is 'reused thread id: the open fault is counted as unpaired' 'unpaired entries 1, unpaired exits 1' \
	"$("$mm" report dax --all reused | sed -n 's/^Pairing: \(.*\), undetermined.*/\1/p')"
agree reused

# In traces of plain LTTng, the context procname names the threads, and sched_process_* events may
# be missing.
sed '/^	event\.header := /a\
	event.context := struct { integer { size = 8; align = 8; signed = false; encoding = UTF8; } procname[16]; };' \
	"$top/tests/metadata/dax.tsdl" >context.tsdl
{
	echo 'cpu 0'
	fault 10000 100 procname=context
	exec_ 12000 100 /bin/other
	fault 13000 100 procname=renamed
	fault 15000 100
} >context.trace
"$tests/make-trace" context.tsdl context.trace context || exit 2
is 'context procname: names come from the events' 'context 100 1
other 100 1
renamed 100 1' "$(names context)"
agree context

# wide COMMAND...: prints the wide variants of COMMAND's events. In a trace, a wide variant comes
# immediately before its packed event.
wide() {
	"$@" | sed 's/^\([0-9]*\) \([a-z_]*\)/\1 \2_wide/'
}
# Uses three inode numbers: one does not fit in the packed event, one equals all ones, and one fits.
big=0x123456789abc
{
	echo 'cpu 0'
	wide enter 10000 100 ino=$big address=0x800010400000
	enter 10001 100 ino=$ones_ino address=0x7fffffffffff
	echo 'cpu 1'
	wide enter 10002 200 ino=$ones_ino
	enter 10003 200 ino=$ones_ino
	echo 'cpu 0'
	enter 10010 300
	wide leave 11000 100 ino=$big address=0x800010400000
	leave 11001 100 ino=$ones_ino address=0x7fffffffffff
	leave 11010 300
	echo 'cpu 1'
	wide leave 12000 200 ino=$ones_ino
	leave 12001 200 ino=$ones_ino
} >wide.trace
make_dax_packed wide.trace wide
# inodes TRACE
inodes() {
	"$mm" report dax --json "$1" | jq -r '.tables.files[] | "\(.ino) \(.pmd_mapped)"' | sort
}
is 'wide: the inodes are complete' "4099 1
$((ones_ino)) 1
$((big)) 1" "$(inodes wide | sort -n)"
is 'wide: the address is complete' 1 "$("$mm" report dax --all wide | grep -c 'address 0x800010400000 ')"
is 'wide: no value is unknown' 0 "$(metric wide dax.events_incomplete)"
agree wide

# The wide variant is lost, so the value is unknown. The wide variant of another fault must not be
# used.
{
	echo 'cpu 0'
	wide enter 10000 100 ino=$big address=0x10600000 pgoff=0x400
	enter 20001 100 ino=$ones_ino
	leave 21000 100 ino=$ones_ino result=0x800
	fault 30000 100
} >lost.trace
make_dax_packed lost.trace lost
is 'a lost wide variant: the inode is unknown' '4099 1
null 0' "$(inodes lost)"
is 'a lost wide variant: the fault is counted' '2 1' "$(metric lost dax.pmd_faults) $(metric lost dax.pmd_fallbacks)"
is 'a lost wide variant: both events are reported as incomplete' 2 "$(metric lost dax.events_incomplete)"
is 'a lost wide variant: a finding reports it' 1 "$("$mm" report dax --all lost | grep -c '2 events have values that are too large')"
is 'a lost wide variant: the cause of the fallback is undetermined' undetermined \
	"$("$mm" report dax --json lost | jq -r '.tables.causes[] | select(.first_failed > 0).cause')"
agree lost
# The packed event of one fault and the wide variant of another fault are lost, with the events in
# between.
{
	echo 'cpu 0'
	echo 'packet seq=1 discarded=0'
	wide enter 10000 100 ino=$big
	echo 'packet seq=2 discarded=2'
	enter 20000 100 ino=$ones_ino
	leave 21000 100 ino=$ones_ino
} >between.trace
make_dax_packed between.trace between
is 'events are lost in between: the wide variant is another event'\''s' 2 "$(metric between dax.events_incomplete)"
sed 's/seq=2 discarded=2/seq=2 discarded=0/' between.trace >adjacent.trace
make_dax_packed adjacent.trace adjacent
is 'no event is lost in between: the wide variant is this event'\''s' 1 "$(metric adjacent dax.events_incomplete)"
# Omits the wide variants.
{
	echo 'declare dax_pmd_fault dax_pmd_fault_done'
	cat lost.trace
} | grep -v _wide >without.trace
make_dax_packed without.trace without
is 'wide variants were not recorded: the report says so' 1 "$("$mm" report dax --all without | grep -c 'record the dax_\*_wide events')"
# An extent without a place on the device has no wide variant.
{
	echo 'cpu 0'
	enter 10000 100 flags=0
	echo "10100 dax_fault_extent tid=100 pid=100 dev_major=259 ino=0x1003 pos=0x200000 len=0x200000 extent_offset=0 extent_length=0x100000 extent_addr=0xfffffffffffff extent_type=0"
	leave 10200 100 flags=0 result=0x800
} >hole.trace
make_dax_packed hole.trace hole
is 'an extent without a place on the device: known to have none' '0 extent-short 1 2' \
	"$(metric hole dax.events_incomplete) $("$mm" report dax --json hole |
		jq -r '.tables.causes[] | select(.first_failed > 0) | "\(.cause) \(.first_failed)"') $(
		"$mm" report dax --all --wide hole | grep -c 'addr ? type')"
for how in --reader=fast --reader=babeltrace2; do
	is "... and by print, $how" 1 "$("$mm" print $how hole | grep -c 'length 0x100000 addr ? $')"
done
sed 's/dax_fault_extent /dax_fault_extent_wide /; s/0xfffffffffffff /0xffffffffffffffff /' hole.trace >hole-wide.trace
make_dax_packed hole-wide.trace hole-wide
for how in --reader=fast --reader=babeltrace2; do
	is "... and of a wide variant, $how" 1 "$("$mm" print $how hole-wide | grep -c 'length 0x100000 addr ? $')"
done
is '... but not as babeltrace2 prints it' 1 "$("$mm" print --format babeltrace hole | grep -c 'extent_addr = 0xFFFFFFFFFFFFF,')"
# In the older layout, each field is as wide as its values.
{
	echo 'cpu 0'
	fault 10000 100 ino=$ones_ino address=0x7fffffe00000 vm_end=0x7fffffffffff procname=old
} >old.trace
make_dax old.trace old
is 'the unpacked layout: a value of all ones in the packed field is a value' "$((ones_ino)) 1" "$(inodes old)"

tap_end
