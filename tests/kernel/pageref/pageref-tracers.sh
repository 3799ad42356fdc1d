# SPDX-License-Identifier: LGPL-2.1-only
# Records page references while other tracers use handle_mm_fault(), too. Sourced by run-all.sh
# after pageref.sh.
# shellcheck shell=sh disable=SC2034,SC2154  # run-all.sh sets tests, tracing and work
# shellcheck source=tests/kernel/lib.sh

# pageref_kprobe NAME p|r: sets a kprobe, or a kretprobe, on the function.
pageref_kprobe() {
	echo "$2:pageref/$1 handle_mm_fault" >>"$tracing/kprobe_events" &&
		echo 1 >"$tracing/events/pageref/$1/enable"
}
pageref_kprobe_count() {
	awk -v name="$1" '$1 == name { print $2 }' "$tracing/kprobe_profile"
}
pageref_kprobes_end() {
	for pageref_name; do
		echo 0 >"$tracing/events/pageref/$pageref_name/enable" &&
			echo "-:pageref/$pageref_name" >>"$tracing/kprobe_events" || return 1
	done
}

# pageref_ftrace TRACER
pageref_ftrace() {
	echo 0 >"$tracing/tracing_on"
	echo >"$tracing/trace"
	echo handle_mm_fault >"$tracing/set_ftrace_filter" && echo "$1" >"$tracing/current_tracer" &&
		echo 1 >"$tracing/tracing_on"
}
pageref_ftrace_end() {
	echo nop >"$tracing/current_tracer"
	echo >"$tracing/set_ftrace_filter"
}

# Kprobes and the recorder of functions before and after the probe of page references, the function
# tracer after it.
pageref_probes_before() {
	check_function 'pageref: tracers: the paths of system calls are recorded' lttng enable-event --kernel \
		--session=probes --channel=all --syscall openat
}
pageref_probes_during() {
	check_function 'pageref: tracers: a kprobe after the hook' pageref_kprobe after p
	check_function 'pageref: tracers: a kretprobe after the hook' pageref_kprobe return_after r
	check_function 'pageref: tracers: the function tracer' pageref_ftrace function
	pageref_is 'tracers: ftrace cannot be switched off' 'no 1' \
		"$( (echo 0 >/proc/sys/kernel/ftrace_enabled) 2>/dev/null || echo no) $(cat /proc/sys/kernel/ftrace_enabled)"
}
pageref_probes() {
	check_function 'pageref: tracers: a kprobe before the hook' pageref_kprobe before p
	check_function 'pageref: tracers: a kretprobe before the hook' pageref_kprobe return_before r
	check 'pageref: tracers: the function is recorded' 240 lttng-mm record fn 'handle_mm_fault(address)'
	pageref_before=pageref_probes_before pageref_during=pageref_probes_during
	pageref_truth probes
	pageref_before=: pageref_during=:
	pageref_agrees probes
	for pageref_name in before return_before after return_after; do
		pageref_above "tracers: hits of the kprobe $pageref_name" 50 "$(pageref_kprobe_count "$pageref_name")"
	done
	pageref_above 'tracers: calls that the function tracer saw' 50 "$(grep -c handle_mm_fault "$tracing/trace")"
	check 'pageref: tracers: a snapshot of the function' 240 lttng-mm snapshot fn --output="$out/fn"
	pageref_above 'tracers: calls that were recorded' 50 "$(lttng-mm print "$out/fn" | grep -c ' fn_handle_mm_fault_')"
	check_function 'pageref: tracers: the function tracer ends' pageref_ftrace_end
	check_function 'pageref: tracers: the kprobes end' pageref_kprobes_end before return_before after return_after
	check 'pageref: tracers: recording of the function ends' 240 lttng-mm stop fn
	check 'pageref: tracers: the function is removed' 60 lttng-mm fn remove handle_mm_fault
}

# LTTng reads the path of a system call with page faults disabled. Of two calls with a path in a
# marked page, the first one has no path.
pageref_paths() {
	grep 'syscall_entry_openat' "$out/probes.txt" | grep -c '"/page-references"' >"$out/paths"
	pageref_is 'tracers: a path in a marked page is not in the event of a system call' 1 "$(cat "$out/paths")"
}

# The tracer of function graphs replaces return addresses, as the probe does.
pageref_graph() {
	check_function 'pageref: tracers: the graph tracer' pageref_ftrace function_graph
	pageref_truth graph
	pageref_agrees graph
	pageref_above 'tracers: calls that the graph tracer saw' 50 "$(grep -c handle_mm_fault "$tracing/trace")"
	check_function 'pageref: tracers: the graph tracer ends' pageref_ftrace_end
}

# While ftrace is off, the hook cannot be attached, so no page is marked.
pageref_without_ftrace() {
	echo 0 >/proc/sys/kernel/ftrace_enabled
	check_function 'pageref: tracers: a session starts while ftrace is off' pageref_session without
	exec 7<>"$pageref_device"
	pageref_control "pid $$"
	pageref_control arm 2>/dev/null
	pageref_is 'tracers: without ftrace, pages cannot be marked' 1 $?
	pageref_above 'tracers: ... which the kernel log tells' 0 \
		"$(dmesg | grep -c 'lttng-probe-pageref: handle_mm_fault() cannot be hooked: error -16')"
	pageref_is 'tracers: ... and none is' 0 "$(pageref_counter marked)"
	exec 7>&-
	echo 1 >/proc/sys/kernel/ftrace_enabled
	check_function 'pageref: tracers: that session ends' lttng destroy without
}

pageref_tracers() {
	pageref_part_begin pageref-tracers || return
	pageref_without_ftrace
	pageref_probes
	pageref_paths
	pageref_graph
	pageref_part_end
}
