#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# In a guest with --icount: counts the instructions of a call of a function with three integer
# arguments. Measures it without tracing, with fn_NAME_entry and fn_NAME_exit, with fn_NAME_call,
# with a filter that rejects each call, in a channel with the events of 1,000 functions, with a
# kretprobe of ftrace (alone and in addition), and with the function events of LTTng and ftrace.
# Prints `name value` lines.
# shellcheck disable=SC2016 # ftrace's variables
set -eu

# shellcheck source=tests/kernel/lib.sh
. /usr/lib/lttng-mm/tests/lib.sh

calls=20000
tracing=/sys/kernel/tracing

# loop NAME: prints the instructions per call in the fastest of three rounds, because other rounds
# include instructions of daemons.
loop() {
	dmesg -C
	for _ in 1 2 3; do
		echo "$calls" >/sys/module/fn_truth/parameters/time
	done
	dmesg | awk -v name="$1" '
		/fn-truth: time/ && (!least || $NF < least) { least = $NF }
		END { print name, least }'
}

# with NAME FILTER EVENT...: runs the loop in a session.
with() {
	name=$1 filter=$2
	shift 2
	lttng create "$name" --snapshot >/dev/null
	lttng enable-channel -k -s "$name" --overwrite --subbuf-size=1M --num-subbuf=8 ring >/dev/null
	for event; do
		lttng enable-event -k -s "$name" -c ring "$event" ${filter:+--filter "$filter"} >/dev/null
	done
	lttng start "$name" >/dev/null
	loop "$name"
	lttng destroy "$name" >/dev/null
	wait_for 60 unhooked
}

unhooked() {
	! grep -q . "$tracing/enabled_functions"
}

lttng_function() {
	lttng create function --snapshot >/dev/null
	lttng enable-channel -k -s function --overwrite --subbuf-size=1M --num-subbuf=8 ring >/dev/null
	lttng enable-event -k -s function -c ring --function=fn_truth_three three >/dev/null
	lttng start function >/dev/null
	loop lttng_function
	lttng destroy function >/dev/null
}

function_graph() {
	echo fn_truth_three >"$tracing/set_ftrace_filter"
	[ ! -e "$tracing/options/funcgraph-args" ] || echo 1 >"$tracing/options/funcgraph-args"
	echo function_graph >"$tracing/current_tracer"
	loop function_graph
	echo nop >"$tracing/current_tracer"
	echo >"$tracing/set_ftrace_filter"
}

# Dynamic events of ftrace with the same arguments and the result, by fprobe if the kernel supports
# that.
ftrace_events() {
	if grep -q 'f\[' "$tracing/README"; then
		echo 'f:fn/three fn_truth_three a=$arg1:u32 b=$arg2:u32 c=$arg3:u32' >"$tracing/dynamic_events"
		echo 'f:fn/three_exit fn_truth_three%return ret=$retval:u32' >>"$tracing/dynamic_events"
	else
		echo 'p:fn/three fn_truth_three a=$arg1:u32 b=$arg2:u32 c=$arg3:u32' >"$tracing/dynamic_events"
		echo 'r:fn/three_exit fn_truth_three ret=$retval:u32' >>"$tracing/dynamic_events"
	fi
	echo 1 >"$tracing/events/fn/enable"
	loop ftrace_events
	echo 0 >"$tracing/events/fn/enable"
	echo >"$tracing/dynamic_events"
}

# with_kretprobe NAME: runs the loop with a kretprobe event of ftrace.
with_kretprobe() {
	echo 'r:second/three fn_truth_three ret=$retval:u32' >"$tracing/dynamic_events"
	echo 1 >"$tracing/events/second/enable"
	loop "$1"
	echo 0 >"$tracing/events/second/enable"
	echo >"$tracing/dynamic_events"
}

# seconds NAME COMMAND...: prints NAME and the seconds that COMMAND takes.
seconds() {
	read -r seconds_from _ </proc/uptime
	seconds_name=$1
	shift
	"$@" >/dev/null 2>&1
	read -r seconds_to _ </proc/uptime
	echo "$seconds_name $seconds_from $seconds_to" | awk '{ print $1, $3 - $2 }'
}

echo 16384 >"$tracing/buffer_size_kb"
insmod /usr/lib/lttng-mm/tests/fn-truth.ko
lttng-mm fn add 'fn_truth:fn_truth_three(a:u32, b:u32, c:u32) : u32' --as three --max-rate 0 >/dev/null
lttng-sessiond --daemonize
loop bare
with entry_exit '' fn_three_entry fn_three_exit
with call '' fn_three_call
with entry '' fn_three_entry
with exit '' fn_three_exit
with rejected 'a == 4294967295' fn_three_entry
lttng_function
function_graph
ftrace_events
with_kretprobe kretprobe
# Adds functions that the loop does not call.
seconds seconds_add_1000 lttng-mm fn add 'acpi_*' --max 2000
echo "functions $(lttng-mm fn list | tail -n +2 | wc -l)"
lttng create many --snapshot >/dev/null
lttng enable-channel -k -s many --overwrite --subbuf-size=1M --num-subbuf=8 ring >/dev/null
seconds seconds_enable_1000 lttng enable-event -k -s many -c ring 'fn_*_entry'
lttng enable-event -k -s many -c ring 'fn_*_exit' >/dev/null
seconds seconds_start_1000 lttng start many
loop entry_exit_1000
with_kretprobe entry_exit_1000_kretprobe
seconds seconds_disable_1000 lttng disable-event -k -s many -c ring 'fn_*_entry'
seconds seconds_stop_1000 lttng stop many
lttng destroy many >/dev/null
seconds seconds_unhook_1000 wait_for 60 unhooked
# shellcheck disable=SC2046 # names
seconds seconds_remove_1000 lttng-mm fn remove $(lttng-mm fn list | awk 'NR > 1 && $1 !~ /:$/ { print $1 }')
