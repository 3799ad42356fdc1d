# SPDX-License-Identifier: LGPL-2.1-only
# Tests the recorder of functions. `record fn` must add and record functions, and snapshots must
# contain their calls. Functions must be added again for a trigger on an argument. Also tests
# `stop`. Sourced by run-all.sh after serve.sh and trigger.sh.
# shellcheck shell=sh disable=SC2154  # run-all.sh sets work; serve.sh and trigger.sh the others

fn_record_spec='handle_mm_fault(address, flags:enum fault_flag)'

# fn_record_is NAME EXPECTED ACTUAL
fn_record_is() {
	is "fn-record: $1" "$2" "$3"
}

# Starts processes that cause page faults.
fn_record_load() {
	for _ in 1 2 3 4 5 6 7 8; do
		sh -c 'ls / >/dev/null'
	done
}

# fn_record_names: prints the added functions.
fn_record_names() {
	lttng-mm fn list | awk 'NR > 1 && $1 !~ /:$/ { print $1 }' | LC_ALL=C sort | xargs
}

# fn_record_has NAME: true if the function is listed with the SPEC of the trigger.
fn_record_has() {
	lttng-mm fn list --json | grep -qF "\"spec\": \"$fn_record_spec\""
}

# fn_record_safe SNAPSHOT: prints kaslr_safe of the snapshot.
fn_record_safe() {
	sed -n 's/^ *"kaslr_safe": \([a-z]*\),*$/\1/p' "$1/sysinfo/system.json"
}

# fn_record_count EVENT SNAPSHOT
fn_record_count() {
	lttng-mm print "$2" | grep -c " fn_handle_mm_fault_$1:"
}

fn_record_refused() {
	lttng-mm record fn >"$out/out" 2>"$out/err"
	fn_record_is 'record fn without a function: exit status 2 and one line' '2 0 1' \
		"$? $(wc -c <"$out/out") $(grep -c 'record: fn: no function has been added' "$out/err")"
	lttng-mm record fn 'handle_mm_fault(nothing)' vfs_open >"$out/out" 2>"$out/err"
	fn_record_is 'a bad SPEC: exit status 2 and one line' '2 0 1' \
		"$? $(wc -c <"$out/out") $(grep -c 'column 17: .*no argument' "$out/err")"
	fn_record_is 'no function is added, no session records' '0 0' \
		"$(lttng-mm fn list --json | grep -c '"name"') $(lttng list 2>/dev/null | grep -c lttng-mm-fn)"
}

fn_record_snapshot() {
	check 'fn-record: another function is added by hand' 120 lttng-mm fn add vfs_fsync_range
	lttng-mm record fn "$fn_record_spec" >"$out/record" 2>"$out/err"
	fn_record_is 'record fn' 0 $?
	sed 's/^/# /' "$out/record" "$out/err"
	fn_record_is 'it prints the added function and the session' '1 1' \
		"$(grep -c '^handle_mm_fault: added' "$out/record") $(grep -c '^recording fn in session lttng-mm-fn;' "$out/record")"
	fn_record_is 'status shows the profile' 1 "$(lttng-mm status --all | grep -c '^lttng-mm-fn: profile fn, recording')"
	fn_record_load
	path=$(lttng-mm snapshot fn --output "$out")
	fn_record_is 'a snapshot succeeds' 0 $?
	check 'fn-record: the snapshot is complete' 120 lttng-mm info --all --require-complete "$path"
	check 'fn-record: verify finds no error in the snapshot' 120 lttng-mm verify "$path"
	entries=$(fn_record_count entry "$path") exits=$(fn_record_count exit "$path")
	echo "# $entries entries, $exits exits"
	fn_record_is 'the snapshot has entries and exits of all threads' yes "$(
		[ "$entries" -gt 100 ] && [ "$exits" -gt 100 ] && [ $((entries - exits)) -ge -8 ] &&
			[ $((entries - exits)) -le 8 ] && echo yes)"
	fn_record_is 'each entry has both arguments' "$entries" \
		"$(lttng-mm print "$path" | grep -c ' fn_handle_mm_fault_entry: .*address.*flags')"
	lttng-mm print "$path" | grep ' fn_handle_mm_fault_' | head -n 4 | sed 's/^/# /'
	lttng-mm print "$path" | grep ' fnstate_statedump_function:' | tail -n 2 | sed 's/^/# /'
	fn_record_is 'the state dump names the function' yes "$(lttng-mm print "$path" |
		grep -q ' fnstate_statedump_function: .*name="*handle_mm_fault' && echo yes)"
	fn_record_is 'the snapshot is KASLR-safe' true "$(fn_record_safe "$path")"
	lttng-mm print "$path" >"$out/text"
	fn_record_is 'the snapshot has no kernel address' 0 "$(kernel_addresses "$out/text")"
}

fn_record_trigger() {
	check_function 'fn-record: the recorder daemon runs' wait_for 60 test -S /run/lttng-mm/recorder.sock
	lttng-mm trigger add none --on 'fn_none_call if tid > 1' >"$out/out" 2>"$out/err"
	fn_record_is 'a trigger on a function that was not added is refused' '2 1' "$? $(grep -c 'no function none has been added' "$out/err")"
	lttng-mm trigger add write --on 'fn_handle_mm_fault_call if (flags & FAULT_FLAG_WRITE) != 0 && duration_ns > 0' \
		--capture address,duration_ns --warm-up 0s --cooldown 1h 2>"$out/err"
	fn_record_is 'a trigger on an argument is added' 0 $?
	sed 's/^/# /' "$out/err"
	fn_record_is 'the trigger stores the SPEC' 1 "$(grep -cF "\"spec\": \"$fn_record_spec\"" /var/lib/lttng-mm/triggers/write.json)"
	wait_for 60 prints armed trigger_state write
	fn_record_load
	fn_record_is 'a match takes a snapshot' 0 "$(wait_for 60 prints 1 trigger_count write; echo $?)"
	triggered=$(find "$trigger_folder" -maxdepth 1 -name 'write-20*')
	sed -n '/"cause"/,/"method"/p' "$triggered/snapshot.json" | sed 's/^/# /'
	fn_record_is 'the snapshot has the captured address' 1 "$(grep -c '"address": "0x[0-9a-f]*"' "$triggered/snapshot.json")"
}

# Tests a restart of the daemon after the function of a trigger was removed.
fn_record_restored() {
	kill -9 "$(serve_pid)"
	wait_for 60 serve_gone
	lttng-mm fn remove handle_mm_fault >/dev/null
	check_function 'fn-record: the daemon starts again' serve_start
	check_function 'fn-record: the function is added again' wait_for 90 fn_record_has
	fn_record_is 'the trigger is armed' 0 "$(wait_for 60 prints armed trigger_state write; echo $?)"
	lttng-mm trigger remove write
}

# Sessions of plain LTTng are not in the plan. Their snapshots are marked according to the functions
# that they may have recorded.
fn_record_plain() {
	for enabled in 'handle_mm_fault true' 'vfs_open false'; do
		name=${enabled% *}
		lttng create plain --snapshot --output "$out/plain" >/dev/null
		lttng enable-event -k -s plain \
			'fn_*_entry,fn_*_exit,sched_process_fork,sched_process_exec,sched_process_exit' >/dev/null
		[ "$name" = vfs_open ] || lttng-mm fn remove vfs_open >/dev/null
		lttng start plain >/dev/null
		fn_record_load
		path=$(lttng-mm snapshot --session plain --output "$out")
		fn_record_is "a plain session with $name is KASLR-safe: ${enabled#* }" "${enabled#* }" "$(fn_record_safe "$path")"
		lttng destroy plain >/dev/null
		[ "$name" = vfs_open ] || lttng-mm fn add vfs_open --raw >/dev/null
	done
}

fn_record_stopped() {
	check 'fn-record: stop fn' 60 lttng-mm stop fn
	fn_record_is 'the functions remain' 'handle_mm_fault vfs_fsync_range' "$(fn_record_names)"
	check 'fn-record: calls of the added functions are recorded' 120 lttng-mm record fn --calls
	fn_record_load
	path=$(lttng-mm snapshot fn --output "$out")
	calls=$(fn_record_count call "$path")
	fn_record_is 'each call is one event with the result and the duration' "yes $calls 0" "$(
		[ "$calls" -gt 100 ] && echo yes) $(lttng-mm print "$path" |
			grep -c ' fn_handle_mm_fault_call: .*ret.*duration_ns') $(fn_record_count entry "$path")"
	lttng-mm print "$path" | grep ' fn_handle_mm_fault_call' | head -n 2 | sed 's/^/# /'
	check 'fn-record: a function whose events have kernel addresses is added' 120 lttng-mm fn add 'vfs_open' --raw
	fn_record_load
	path=$(lttng-mm snapshot fn --output "$out")
	fn_record_is 'the recorder is no longer KASLR-safe' false "$(fn_record_safe "$path")"
	lttng-mm print "$path" >"$out/text"
	fn_record_is 'the snapshot has kernel addresses' yes "$([ "$(kernel_addresses "$out/text")" -gt 0 ] && echo yes)"
	check 'fn-record: stop' 60 lttng-mm stop
	check 'fn-record: a recorder with that function starts' 120 lttng-mm record fn
	fn_record_is 'the recorder is not KASLR-safe from the start' yes "$(
		lttng-mm status --all | grep -q 'profile fn, .*not KASLR-safe' && echo yes)"
	check 'fn-record: stop' 60 lttng-mm stop
	fn_record_plain
	for name in handle_mm_fault vfs_fsync_range vfs_open; do
		lttng-mm fn remove $name >/dev/null
	done
}

fn_record_active() {
	lttng-mm status --all | grep -q '^lttng-mm-fn: profile fn, recording'
}

# fn_record_reads SNAPSHOT: prints the number of its calls for writes, and of its other calls.
fn_record_reads() {
	lttng-mm print --events=fn_handle_mm_fault_call "$1" >"$out/text"
	echo "$(grep -c ' flags=[A-Z_|]*FAULT_FLAG_WRITE' "$out/text") $(grep -vc ' flags=[A-Z_|]*FAULT_FLAG_WRITE' "$out/text")"
}

# Tests a filter on an argument by its label, also in the session that the daemon creates as a
# repair.
fn_record_filter() {
	lttng-mm record fn "$fn_record_spec" --filter 'flags & FAULT_FLAGS' >"$out/out" 2>"$out/err"
	fn_record_is 'a filter with an unknown label: exit status 2 and one line' '2 1' \
		"$? $(grep -c "record: --filter: event fn_handle_mm_fault_call: 'FAULT_FLAGS' is neither" "$out/err")"
	sed 's/^/# /' "$out/err"
	lttng-mm record fn "$fn_record_spec" --filter 'flag & 1' >"$out/out" 2>"$out/err"
	fn_record_is 'a filter with an unknown field: exit status 2 and one line' '2 1' \
		"$? $(grep -c "record: --filter: .*'flag'" "$out/err")"
	fn_record_is 'no function is added, no session records' '0 0' \
		"$(fn_record_names | wc -w) $(lttng list 2>/dev/null | grep -c lttng-mm-fn)"
	check 'fn-record: a recorder with a filter on an argument starts' 120 lttng-mm record fn "$fn_record_spec" --filter 'flags & FAULT_FLAG_WRITE'
	fn_record_load
	path=$(lttng-mm snapshot fn --output "$out")
	writes=$(fn_record_reads "$path")
	fn_record_is 'only calls that fulfil the filter are recorded' 'yes 0' "$([ "${writes% *}" -gt 100 ] && echo yes) ${writes#* }"
	fn_record_is 'the snapshot is marked as a selection' part "$(sed -n 's/^ *"selection": "\([a-z]*\)",*$/\1/p' "$path/sysinfo/system.json")"
	check_function 'fn-record: the recorder daemon runs, for repairs' wait_for 60 test -S /run/lttng-mm/recorder.sock
	lttng destroy lttng-mm-fn >/dev/null
	check_function 'fn-record: the session is repaired' wait_for 60 fn_record_active || {
		lttng list | sed 's/^/# /'
		lttng-mm status --all | sed 's/^/# /'
	}
	# The daemon hooks the function after it starts the session.
	check_function 'fn-record: the function is hooked again' wait_for 60 fn_is_hooked handle_mm_fault
	fn_record_load
	path=$(lttng-mm snapshot fn --output "$out")
	writes=$(fn_record_reads "$path")
	echo "# $writes"
	fn_record_is 'the repaired session has the filter' 'yes 0' "$([ "${writes% *}" -gt 100 ] && echo yes) ${writes#* }"
	check 'fn-record: the filtered recorder stops' 60 lttng-mm stop
	lttng-mm fn remove handle_mm_fault >/dev/null
}

# Tests that commands that fail or are killed leave the functions as they were.
fn_record_transaction() {
	check 'fn-record: a recorder of one function starts' 120 lttng-mm record fn 'kern_path(name)' --calls
	lttng-mm record fn 'do_sys_openat2(dfd) : long' --calls --filter 'ret < 0' >"$out/out" 2>"$out/err"
	fn_record_is 'a filter cannot be added to a running recorder' '4 0 1' \
		"$? $(wc -c <"$out/out") $(grep -c 'already recording' "$out/err")"
	cat /etc/passwd >/dev/null
	path=$(lttng-mm snapshot fn --output "$out")
	fn_record_is '... and no function is added or recorded' 'kern_path 0' \
		"$(fn_record_names) $(lttng-mm print "$path" | grep -c fn_do_sys_openat2)"
	check 'fn-record: stop' 60 lttng-mm stop fn
	lttng-mm record fn 'kern_path(name)' vfs_open --filter 'ret == 0 && flag == 1' >"$out/out" 2>"$out/err"
	fn_record_is 'a filter that fits no function: only the newly added function is removed' '2 0 kern_path' \
		"$? $(wc -c <"$out/out") $(fn_record_names)"
	for signal in TERM KILL; do
		lttng-mm record fn vfs_open --window 30s >"$out/out" 2>"$out/err" &
		pid=$!
		wait_for 60 prints 'kern_path vfs_open' fn_record_names
		kill -$signal $pid
		wait $pid
		fn_record_is "SIG$signal during the measurement: the function is removed" 0 \
			"$(wait_for 60 prints kern_path fn_record_names; echo $?)"
	done
	lttng-mm stop >/dev/null 2>&1
	lttng-mm fn remove kern_path >/dev/null
	# The killed command's sessions keep the events until the next command removes them.
	lttng destroy -a >/dev/null
}

# fn_record_unsigned FILTER EVENTS ERRORS: records calls of do_mmap(), whose result is an unsigned
# long. One call returns -EINVAL. EVENTS is `yes` if other calls must be recorded, too, and `no` if
# they must not. For a filter that must be refused, it is the error message. ERRORS is the number of
# recorded calls that returned -EINVAL.
fn_record_unsigned() {
	lttng-mm record fn do_mmap --calls --filter "$1" >/dev/null 2>"$out/err" || {
		fn_record_is "unsigned: $1" "refused: $2" "refused: $(grep -o "$2" "$out/err")"
		sed 's/^/# /' "$out/err"
		return
	}
	perl -e 'syscall(9, 1, 4096, 1, 0x32, -1, 0)'
	path=$(lttng-mm snapshot fn --output "$out")
	lttng-mm print --events=fn_do_mmap_call "$path" >"$out/text"
	fn_record_is "unsigned: $1" "$2 $3" "$([ "$(grep -vc 'ret=-EINVAL' "$out/text")" -gt 0 ] && echo yes || echo no) $(
		grep -c 'ret=-EINVAL' "$out/text")"
	check 'fn-record: stop' 60 lttng-mm stop fn
}

# Tests filters on unsigned numbers, because LTTng compares all numbers as signed.
fn_record_signs() {
	check 'fn-record: a function that returns an unsigned long is added' 60 lttng-mm fn add do_mmap
	fn_record_unsigned 'duration_ns > 0' yes 1
	fn_record_unsigned 'ret > 4294967296' yes 1
	fn_record_unsigned 'ret > 18446744073709547520' no 1
	# shellcheck disable=SC2016 # a context of LTTng, not a variable
	fn_record_unsigned '!(ret < 0xfffffffffffff001) && $ctx.pid > 0' no 1
	fn_record_unsigned 'addr >= 0x8000000000000000' no 0
	fn_record_unsigned 'len < 18446744073709551615 && ret > len' yes 1
	fn_record_unsigned 'ret < 0' 'ret is unsigned and never less than 0'
	fn_record_unsigned 'ret == -22' 'write 18446744073709551594'
	lttng-mm fn remove do_mmap >/dev/null
	check 'fn-record: a recorder of unsigned long errors starts' 60 lttng-mm record fn do_mmap --errors
	perl -e 'syscall(9, 1, 4096, 1, 0x32, -1, 0)'
	path=$(lttng-mm snapshot fn --output "$out")
	fn_record_is '--errors records only the failing calls' '1 1' \
		"$(lttng-mm print "$path" | grep -c fn_do_mmap_call) $(lttng-mm report fn --all "$path" | grep -c 'do_mmap() = -EINVAL')"
	check 'fn-record: stop' 60 lttng-mm stop fn
	lttng-mm fn remove do_mmap >/dev/null
}

# Tests calls of a function that ends the thread and never returns.
fn_record_exits() {
	lttng-mm record fn do_exit --calls >"$out/out" 2>"$out/err"
	fn_record_is '--calls of a function that never returns: exit status 2 and one line' '2 0 1 0' \
		"$? $(wc -c <"$out/out") $(grep -c 'do_exit() never returns, so it has no fn_do_exit_call' "$out/err") $(fn_record_names | wc -w)"
	lttng-mm record fn do_exit >/dev/null 2>"$out/err"
	fn_record_is 'its entries are recorded, with a note' '0 1' "$? $(grep -c 'do_exit: it never returns' "$out/err")"
	fn_record_load
	path=$(lttng-mm snapshot fn --output "$out")
	exits=$(lttng-mm print --events=fn_do_exit_entry "$path" | wc -l)
	ended=$(fn_record_json | sed -n 's/.*"function":"do_exit",.*"not_ended":\([0-9]*\),.*"thread_ended":\([0-9]*\),.*/\1 \2/p')
	echo "# $exits entries; not ended, thread ended: $ended"
	# One call may be in progress on each CPU.
	fn_record_is 'the report counts the calls as ended with their threads' yes "$(
		[ "$exits" -ge 16 ] && [ "${ended% *}" -le 2 ] && [ $((${ended% *} + ${ended#* })) = "$exits" ] && echo yes)"
	check 'fn-record: stop' 60 lttng-mm stop fn
	lttng-mm fn remove do_exit >/dev/null
}

# fn_record_json: prints the JSON report of $path without blanks.
fn_record_json() {
	lttng-mm report fn --json "$path" | tr -d ' \n'
}

# Tests reports about known numbers of calls, and about a function that is called too often.
fn_record_report() {
	check 'fn-record: the test module is loaded' 60 insmod "$tests/fn-truth.ko"
	check 'fn-record: a function with a maximum rate is added' 60 \
		lttng-mm fn add 'fn_truth:fn_truth_deep(depth:u32) : u32' --as deep --max-rate=20
	check 'fn-record: a function is recorded' 120 lttng-mm record fn 'fn_truth:fn_truth_small(a:u8, b:s8, c:u16, d:s16, e:bool, f:s32) : u8' --as small
	echo 40 >/sys/module/fn_truth/parameters/run
	path=$(lttng-mm snapshot fn --output "$out")
	fn_record_is 'report fn counts calls and errors' 1 "$(fn_record_json | grep -c '"function":"small","calls":40,"errors":0,')"
	fn_record_is 'report fn: the median is between 0 and the maximum' yes "$(fn_record_json |
		sed -n 's/.*"function":"small",[^}]*"p50_ns":\([0-9]*\),[^}]*"max_ns":\([0-9]*\),.*/\1 \2/p' |
		awk '{ print ($1 > 0 && $1 <= $2 * (1 + 1 / 128) ? "yes" : $0) }')"
	fn_record_is 'report fn --by groups by an argument' 40 "$(lttng-mm report fn --by=small.f --json "$path" | tr -d ' \n' |
		grep -o '"value":"[^"]*","calls":[0-9]*' | sed 's/.*://' | awk '{ all += $1 } END { print all }')"
	lttng-mm report fn --graph "$path" >"$out/graph"
	fn_record_is 'report fn --graph has a line for each call, with arguments and result' 40 \
		"$(grep -c '|  *small(\.a=[0-9]*, \.b=.*, \.f=[015]) = [0-9]*;$' "$out/graph")"
	grep ' small(' "$out/graph" | head -n 2 | sed 's/^/# /'
	fn_record_is 'report fn --folded=calls counts the calls' 40 \
		"$(lttng-mm report fn --folded=calls "$path" | sed -n 's/^\(.*;\)*small \([0-9]*\)$/\2/p' | awk '{ all += $1 } END { print all }')"
	fn_record_is 'the trace and the report name the function that was called too often' 'yes 1' \
		"$(lttng-mm print "$path" | grep -q ' fnstate_statedump_function: .*stopped=1 .*name="*deep' && echo yes) $(
			lttng-mm report fn --all "$path" | grep -c 'deep.*maximum rate\|maximum rate.*deep')"
	lttng-mm report fn --all "$path" | head -n 12 | sed 's/^/# /'
	check 'fn-record: verify finds no error' 60 lttng-mm verify "$path"
	check 'fn-record: stop, after reports' 60 lttng-mm stop
	for name in deep small; do
		lttng-mm fn remove $name >/dev/null
	done
	check_function 'fn-record: the test module is unloaded' wait_for 60 rmmod fn-truth
}

fn_record() {
	out=$work/fn-record
	rm -rf "$out" "$trigger_folder"/write-20*
	mkdir -p "$out"
	chmod 755 "$work" "$out"
	check_function 'fn-record: the session daemon starts' daemon_start
	check 'fn-record: the modules load' 60 modprobe -a lttng-mm-freeze lttng-probe-fn
	fn_record_refused
	fn_record_filter
	fn_record_transaction
	fn_record_signs
	fn_record_exits
	fn_record_snapshot
	fn_record_trigger
	fn_record_restored
	fn_record_stopped
	fn_record_report
	[ -z "$(serve_pid)" ] || kill "$(serve_pid)"
}
