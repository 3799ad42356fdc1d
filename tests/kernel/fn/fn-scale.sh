# SPDX-License-Identifier: LGPL-2.1-only
# Tests lttng-probe-fn with large numbers. Hooks and unhooks a thousand functions under load, sends
# a hundred thousand damaged requests, and compares the arguments of all page faults of some
# processes with the kernel's own tracepoint. Sourced by run-all.sh after fn.sh and slab-probe.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh sets tests, tracing and work
# shellcheck source=tests/kernel/lib.sh
# shellcheck source=tests/kernel/slab/slab-probe.sh

fn_scale_count=1000

# fn_scale_is NAME EXPECTED ACTUAL
fn_scale_is() {
	is "fn-scale: $1" "$2" "$3"
}

# Causes system calls and page faults until the file "stop" exists.
fn_scale_load() {
	while [ ! -e "$out/stop" ]; do
		ls -lR /etc /sys/kernel
		cat /proc/[0-9]*/status
	done >/dev/null 2>&1
}

fn_scale_states() {
	lttng-mm fn list --json | grep -c "\"state\": \"$1\""
}

# Prints the number of functions that ftrace has hooked, for any user.
fn_scale_hooks() {
	wc -l <"$tracing/enabled_functions"
}

# fn_scale_have STATE COUNT HOOKS: true if COUNT functions are in STATE and ftrace has HOOKS hooks.
fn_scale_have() {
	[ "$(fn_scale_states "$1") $(fn_scale_hooks)" = "$2 $3" ]
}

# Adds functions that the load calls, many of them often.
fn_scale_add() {
	lttng-mm fn add --dry-run --max 2000 'do_*' 'vfs_*' 'folio_*' 'vma_*' 'path_*' 'security_*' \
		'generic_*' 'inode_*' 'dev_*' 'tcp_*' 'acpi_*' 2>/dev/null | sed 's/(.*//' |
		head -n $fn_scale_count >"$out/names"
	# shellcheck disable=SC2046  # names without blanks
	lttng-mm fn add $(cat "$out/names")
}

fn_scale_rounds() {
	rounds=10
	[ "$(kernel_series)" != 6.1 ] || rounds=1
	before=$(fn_scale_hooks)
	check_function 'fn-scale: functions are added' fn_scale_add
	fn_scale_is 'the expected number of functions is added' $fn_scale_count "$(fn_scale_states idle)"
	check_function 'fn-scale: a session of their entries and exits starts' \
		slab_session scale 'fn_*_entry,fn_*_exit'
	rm -f "$out/stop"
	fn_scale_load &
	first=$!
	fn_scale_load &
	round=1
	while [ $round -le $rounds ]; do
		check "fn-scale: round $round: the session starts" 600 lttng start scale
		check_function "fn-scale: round $round: all functions are hooked" wait_for 300 \
			fn_scale_have hooked $fn_scale_count $((before + fn_scale_count))
		sleep 1
		check "fn-scale: round $round: the session stops" 600 lttng stop scale
		check_function "fn-scale: round $round: none is hooked" wait_for 300 \
			fn_scale_have idle $fn_scale_count "$before"
		round=$((round + 1))
	done
	touch "$out/stop"
	wait $first $!
	calls=$(lttng-mm fn list --json | sed -n 's/^ *"calls": \([0-9]*\),*$/\1/p' | awk '$1 { n++ } END { print n + 0 }')
	echo "# $calls of the functions were called"
	fn_scale_is 'calls were counted' yes "$([ "$calls" -ge 50 ] && echo yes)"
	fn_scale_is 'the trace can be read' 0 "$(slab_text scale && [ -s "$out/scale.txt" ]; echo $?)"
	lttng destroy scale >/dev/null
	# shellcheck disable=SC2046  # names without blanks
	check 'fn-scale: the functions are removed' 600 lttng-mm fn remove $(cat "$out/names")
	fn_scale_is 'ftrace has no hook left' "$before" "$(fn_scale_hooks)"
}

# Starts processes that cause faults. Each prints its id, which is also its only thread's id.
fn_scale_fault() {
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
		# shellcheck disable=SC2016  # the inner shell's number
		sh -c 'echo $$; exec ls -lR /etc >/dev/null'
	done >"$out/threads" 2>/dev/null
}

# Prints the faults in user mode that the tracepoint recorded: TID ADDRESS, in each thread's order.
fn_scale_tracepoint() {
	sed -n 's/^.* x86_exceptions_page_fault_user: .*{ tid = \([0-9]*\) }, { address = \(0x[0-9A-F]*\), .*/\1 \2/p' \
		"$out/faults.txt"
}

# Prints the same list as fn_scale_tracepoint, but from the recorded calls. FAULT_FLAG_USER is 64.
# After VM_FAULT_RETRY (1024), the kernel calls the function again.
fn_scale_calls() {
	sed -n 's/^.* fn_handle_mm_fault_call: .*{ tid = \([0-9]*\), address = \(0x[0-9A-F]*\), flags = \([0-9]*\), .*ret = \([0-9]*\), .*/\1 \2 \3 \4/p' \
		"$out/faults.txt" | awk 'int($3 / 64) % 2 && int($4 / 1024) % 2 == 0 { print $1, $2 }'
}

# fn_scale_of_threads: selects the lines of the started processes and sorts them by process.
fn_scale_of_threads() {
	awk 'NR == FNR { wanted[$1] = 1; next } $1 in wanted' "$out/threads" - | sort -s -n -k1,1
}

fn_scale_faults() {
	check 'fn-scale: faults: the function is added' 60 \
		lttng-mm fn add 'handle_mm_fault(address:x64, flags:u32) : u32'
	check_function 'fn-scale: faults: a session starts' eval \
		'slab_subbuf=8M slab_session faults fn_handle_mm_fault_call,x86_exceptions_page_fault_user &&
		lttng add-context -k -s faults -c ring -t tid && lttng start faults'
	fn_scale_fault
	lttng stop faults >/dev/null
	slab_text faults
	fn_scale_tracepoint | fn_scale_of_threads >"$out/tracepoint"
	fn_scale_calls | fn_scale_of_threads >"$out/calls"
	echo "# $(wc -l <"$out/calls") faults of $(wc -l <"$out/threads") threads"
	fn_scale_is 'enough faults are recorded' yes "$([ "$(wc -l <"$out/calls")" -ge 1000 ] && echo yes)"
	if cmp -s "$out/tracepoint" "$out/calls"; then
		ok 'fn-scale: calls and tracepoint have the same addresses in the same order'
	else
		not_ok 'fn-scale: calls and tracepoint have the same addresses in the same order'
		diff "$out/tracepoint" "$out/calls" | head -n 20 | diag
	fi
	lttng destroy faults >/dev/null
	check 'fn-scale: faults: the function is removed' 60 lttng-mm fn remove handle_mm_fault
}

fn_scale() {
	out=$work/fn-scale
	rm -rf "$out"
	mkdir -p "$out"
	check_function 'fn-scale: the session daemon starts' daemon_start
	check 'fn-scale: the module loads' 60 modprobe lttng-probe-fn
	fn_scale_faults
	fn_scale_rounds
	check 'fn-scale: the module survives damaged requests' 5400 "$tests/fn-requests" mutate 5 "${FN_REQUESTS:-100000}"
	diag <"$work/check.log"
	fn_scale_is 'no function remains' 0 "$(lttng-mm fn list --json | grep -c '"name"')"
}
