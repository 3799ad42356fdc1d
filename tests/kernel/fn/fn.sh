# SPDX-License-Identifier: LGPL-2.1-only
# Tests lttng-probe-fn with fn-truth.ko, whose functions have known arguments and results. Checks
# every value of every kind, in all forms of events, on the fast path and the general path. Also
# tests counts, many calls at once, and functions that are added, removed and reloaded while a
# session records. Sourced by run-all.sh.
# shellcheck shell=sh disable=SC2034,SC2154  # run-all.sh sets tests, tracing and work
# shellcheck source=tests/kernel/lib.sh
# shellcheck source=tests/kernel/slab/slab-probe.sh

fn_calls=160
fn_parameters=/sys/module/fn_truth/parameters
fn_names='small wide many none pointers text bytes pair variadic deep'

# fn_is NAME EXPECTED ACTUAL
fn_is() {
	if [ "$2" = "$3" ]; then
		ok "fn: $1"
	else
		not_ok "fn: $1"
		printf '# expected: %s\n# actual:   %s\n' "$2" "$3"
	fi
}

# fn_add NAME SPEC [OPTION...]: adds a function of the module.
fn_add() {
	name=$1 spec=$2
	shift 2
	lttng-mm fn add "fn_truth:fn_truth_$spec" --as "$name" "$@"
}

# Declares types, so that kernels whose modules have no BTF give the same results.
fn_add_all() {
	fn_add small 'small(a:u8, b:s8, c:u16, d:s16, e:bool, f:s32) : u8' &&
		fn_add wide 'wide(a:u32, b:s32, c:u64, d:s64) : s64' &&
		fn_add many 'many(a:u8, b:u64, c:s8, d:u32, e:u16, f:s64, g:u64, h:s32) : s16' &&
		fn_add none 'none() : void' &&
		fn_add pointers 'pointers(null:ptr, error:ptr, direct:ptr, page:ptr, code:ptr, mapped:ptr) : ptr' &&
		fn_add text 'text(text:string, missing:string, longer:string[100]) : bool' &&
		fn_add bytes 'bytes(data:bytes[40], maybe:bytes[16], n:u32) : u16' &&
		fn_add pair 'pair(pair:x64, after:u8) : u16' &&
		fn_add variadic 'variadic(count:u32) : u32' &&
		fn_add deep 'deep(depth:u32, of:u32) : u32' &&
		fn_add interrupt 'interrupt(n:u32) : s8' &&
		fn_add sleep 'sleep(n:u32) : u64'
}

# fn_count MEMBER NAME: prints a member of a function in `fn list --json`.
fn_count() {
	lttng-mm fn list --json | tr -d ' \n' | sed 's/},{/}\n{/g' |
		sed -n "s/.*\"name\":\"$2\".*\"$1\":\([0-9]*\).*/\1/p"
}

# fn_bodies EVENT FILE: prints the events' fields, but not the values that only the kernel knows.
fn_bodies() {
	sed -n "s/^.* fn_$1: .*}, \({ tid = .* }\)\$/\1/p" "$2" |
		sed 's/, duration_ns = [0-9]*//; s/, code = [^,]*//; s/, mapped = [^, ]*//'
}

# fn_agrees SESSION: checks that every field of every event is as expected.
fn_agrees() {
	for name in $fn_names; do
		for form in entry exit call; do
			fn_bodies "${name}_$form" "$out/$1.txt" >"$out/got"
			# shellcheck disable=SC2086  # a number each
			"$tests/fn-truth-expect" "${name}_$form" "$fn_calls" "$fn_tid" $fn_direct >"$out/expected"
			same "fn: $1: every field of every fn_${name}_$form" "$out/expected" "$out/got"
		done
	done
}

# fn_session NAME [OPTION...]: creates a session with all events of the module, with these options
# of enable-event.
fn_session() {
	session=$1
	shift
	slab_subbuf=8M slab_session "$session" "fn_*" "$@"
}

# Sessions on the general path: with a filter that accepts all events, a context, a tracker.
fn_sessions() {
	fn_session plain && fn_session filtered --filter 'tid >= 0' && fn_session context &&
		lttng add-context -k -s context -c ring -t procname &&
		fn_session tracked && lttng track -k -s tracked --pid="$$"
}

fn_run() {
	echo "$fn_calls" >"$fn_parameters/run"
}

# Checks kernel pointers: `code` is a call-site number, and addresses in `mapped` are consecutive.
fn_pointers_agree() {
	sed -n 's/^.* fn_pointers_entry: .* code = \(0x[0-9A-F]*\), mapped = \(0x[0-9A-F]*\) .*/\1 \2/p' \
		"$out/plain.txt" >"$out/pointers"
	fn_is 'code is one call-site number' '1 0x3' \
		"$(cut -d' ' -f1 "$out/pointers" | sort -u | wc -l) $(head -n 1 "$out/pointers" | cut -c1-3)"
	first=$(head -n 1 "$out/pointers" | cut -d' ' -f2)
	n=0
	while read -r _ mapped; do
		[ $((mapped)) -eq $((first + n % 4096)) ] || break
		n=$((n + 1))
	done <"$out/pointers"
	fn_is 'mapped memory is recorded as an offset' "$fn_calls 0x5" "$n $(printf %s "$first" | cut -c1-3)"
}

# Tests calls in interrupts, and in threads that move to another CPU.
fn_elsewhere_agrees() {
	fn_is 'calls in hard and soft interrupts are recorded' "$((fn_calls / 8)) $((fn_calls / 8))" \
		"$(grep -c ' fn_interrupt_entry: ' "$out/plain.txt") $(grep -c ' fn_interrupt_exit: ' "$out/plain.txt")"
	fn_is '... with their arguments' "$(n=0 && while [ $n -lt $fn_calls ]; do echo $n $n && n=$((n + 16)); done | xargs)" \
		"$(sed -n 's/^.* fn_interrupt_entry: .* n = \([0-9]*\) .*/\1/p' "$out/plain.txt" | xargs)"
	fn_is 'calls that sleep and move to another CPU are recorded' "$((fn_calls / 16))" \
		"$(sed -n 's/^.* fn_sleep_call: .* ret = \([0-9]*\), duration_ns = \([0-9]*\) .*/\1 \2/p' \
			"$out/plain.txt" | awk '$1 == 549755813888 + 16 * n++ && $2 >= 100000' | wc -l)"
	fn_is 'results of 8 bits are sign-extended' "$(n=0 && while [ $n -lt $fn_calls ]; do r=$((n < 128 ? n : n - 256)) && echo $r $r && n=$((n + 16)); done | xargs)" \
		"$(sed -n 's/^.* fn_interrupt_exit: .* ret = \(-*[0-9]*\) .*/\1/p' "$out/plain.txt" | xargs)"
	# Each n is even, and the module moves the thread to CPU (n + 1) % 2.
	fn_is 'the exits are recorded on the other CPU' "$((fn_calls / 16))" \
		"$(grep -c ' fn_sleep_exit: { cpu_id = 1 }' "$out/plain.txt")"
	fn_is 'fn list counts every call' \
		"$fn_calls $(grep -c ' fn_deep_entry: ' "$out/plain.txt") 0" \
		"$(fn_count calls small) $(fn_count calls deep) $(fn_count misses deep)"
}

fn_values() {
	check_function 'fn: functions are added' fn_add_all || return
	check_function 'fn: sessions are created' fn_sessions || return
	check 'fn: a session starts' 60 lttng start plain
	for session in filtered context tracked; do
		lttng start "$session" >/dev/null
	done
	fn_run
	for session in plain filtered context tracked; do
		lttng stop "$session" >/dev/null
		slab_text "$session"
	done
	fn_tid=$(sed -n 's/^.* fn_small_entry: .*{ tid = \([0-9]*\), .*/\1/p' "$out/plain.txt" | head -n 1)
	fn_direct=$(dmesg | sed -n 's/.*fn-truth: direct \(0x[0-9a-f]*\), page \(0x[0-9a-f]*\).*/\1 \2/p' | tail -n 1)
	for session in plain filtered tracked; do
		fn_agrees $session
	done
	fn_agrees context
	# Values that only the kernel knows, and events that other calls cause, must be equal on
	# every path.
	for session in filtered context; do
		for event in pointers_entry pointers_call interrupt_entry interrupt_call sleep_entry; do
			sed -n "s/^.* fn_$event: .*}, \({ tid = .* }\)\$/\1/p" "$out/plain.txt" | sed 's/, duration_ns = [0-9]*//' >"$out/expected"
			sed -n "s/^.* fn_$event: .*}, \({ tid = .* }\)\$/\1/p" "$out/$session.txt" | sed 's/, duration_ns = [0-9]*//' >"$out/got"
			fn_is "$session: fn_$event: has events" yes "$([ -s "$out/got" ] && echo yes)"
			same "fn: $session: fn_$event: equals the fast path" "$out/expected" "$out/got"
		done
	done
	fn_pointers_agree
	fn_elsewhere_agrees
	lttng destroy -a >/dev/null
	check_function 'fn: nothing is hooked without a session' wait_for 60 fn_unhooked
}

# Ignores hooks on functions of other modules: other parts of the tests may leave such hooks.
fn_unhooked() {
	! grep -q 'fn_truth_' "$tracing/enabled_functions"
}

# Tests changes during a recording: while a session records fn_*, a function is added, removed and
# added again, and a module is reloaded.
fn_changes() {
	check_function 'fn: changes: a session of all functions starts' eval 'fn_session changes && lttng start changes'
	check_function 'fn: changes: a function is added' fn_add_late
	fn_run
	check 'fn: changes: the function is removed' 60 lttng-mm fn remove late
	fn_run
	check_function 'fn: changes: the function is added again' fn_add_late
	fn_run
	lttng stop changes >/dev/null
	slab_text changes
	fn_is 'the function is recorded, except while it was removed' "$((2 * fn_calls)) $((3 * fn_calls))" \
		"$(grep -c ' fn_late_entry: ' "$out/changes.txt") $(grep -c ' fn_small_entry: ' "$out/changes.txt")"
	lttng start changes >/dev/null
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		rmmod fn-truth || break
		insmod "$tests/fn-truth.ko" || break
	done
	fn_run
	lttng stop changes >/dev/null
	slab_text changes
	fn_is 'functions are recorded again after their module was reloaded' "$((4 * fn_calls))" \
		"$(grep -c ' fn_small_entry: ' "$out/changes.txt")"
	rmmod fn-truth
	fn_is 'a function of an unloaded module is shown as absent' absent \
		"$(lttng-mm fn list | awk '$1 == "late" { print $5 }')"
	insmod "$tests/fn-truth.ko"
	lttng destroy -a >/dev/null
}

fn_add_late() {
	fn_add late 'none() : void'
}

# Tests functions that ftrace can hook but a kretprobe cannot, on the kernel that uses kretprobes.
fn_excluded() {
	[ "$(kernel_series)" = 6.1 ] || return 0
	fn_is 'ftrace can hook do_int3()' 1 "$(grep -cx do_int3 /sys/kernel/tracing/available_filter_functions)"
	fn_is 'a pattern leaves out a function that kretprobes exclude' 1 \
		"$(lttng-mm fn add --dry-run 'do_[im]*' 2>&1 | grep -c 'left out .*does not allow tracing it: .*do_int3')"
	fn_is '... its name is refused' 1 \
		"$(lttng-mm fn add do_int3 2>&1 | grep -c 'do_int3: column 1: this kernel traces functions with kprobes, .* kprobes blacklist; ')"
	fn_is '... also as the function of --inside' 1 \
		"$(lttng-mm fn add do_sys_open --inside do_int3 2>&1 | grep -c 'does not allow tracing the function of --inside$')"
	check 'fn: debugfs is not mounted' 10 umount /sys/kernel/debug
	fn_is '... without debugfs, the module refuses it' 1 \
		"$(lttng-mm fn add 'do_int[3]' 2>&1 | grep -c ': this kernel traces functions with kprobes, .* kprobes blacklist; ')"
	check 'fn: debugfs is mounted' 10 mount -t debugfs nodev /sys/kernel/debug
	fn_is '... and none is added' 0 "$(lttng-mm fn list | grep -c 'do_int3\|do_sys_open')"
}

# Tests --inside: a function is recorded only in calls of another function by the same thread,
# outside of interrupts.
fn_inside() {
	check_function 'fn: inside: functions are added' eval \
		"fn_add within 'small(a:u8) : void' --inside ksys_write &&
		fn_add without 'small(a:u8) : void' --inside ksys_read &&
		fn_add within_irq 'interrupt(n:u32) : void' --inside ksys_write"
	fn_is '--inside with an unknown function is refused' 2 \
		"$(fn_add bad 'small() : void' --inside no_such_function >/dev/null 2>&1; echo $?)"
	check_function 'fn: inside: a session starts' eval 'slab_session inside "fn_with*" && lttng start inside'
	fn_run
	lttng stop inside >/dev/null
	slab_text inside
	for form in entry exit call; do
		fn_is "--inside records calls inside, none outside, none in interrupts: fn_NAME_$form" "$fn_calls 0 0" \
			"$(grep -c " fn_within_$form: " "$out/inside.txt") $(grep -c " fn_without_$form: " "$out/inside.txt") $(grep -c " fn_within_irq_$form: " "$out/inside.txt")"
	done
	lttng destroy inside >/dev/null
	check_function 'fn: inside: the functions are removed' eval \
		'lttng-mm fn remove within && lttng-mm fn remove without && lttng-mm fn remove within_irq'
}

# fn_object FORM: prints the expected events of fn_truth_object(): 15 members, and an argument that
# is an address in odd calls. In every fifth call, the object's pointer is NULL.
fn_object() {
	awk -v calls="$fn_calls" -v form="$1" -v tid="$fn_tid" 'BEGIN {
		for (n = 0; n < calls; n++) {
			level = n % 5 ? -n : 0
			unread = n % 5 ? n % 2 ? "\"address\" : container = 0x4000" : "\"NONE\" : container = 0x0" : n % 2 ? "<unknown> : container = 0x6600" : "<unknown> : container = 0x2600"
			line = "{ tid = " tid
			if (form != "exit")
				line = line sprintf(", object_tag = %d, object_low = %d, object_high = %d, object_both = %d, object_three = %d, object_five = %d, object_rest = %d, object_array_1 = %d, object_array_3 = %d, object_pointed_level = %d, object_pointed_wide = %.0f, object_pointed_level_2 = %d, address = 0x%X, unread = ( %s )",
					n, 2 * n, 7 * n, 7 * n * 65536 + 2 * n, n % 8, n % 32 - 16, 3 * n, -n, n, level, n % 5 ? n * 4294967297 : 0, level, n % 2 ? 0 : n, unread)
			if (form != "entry") line = line ", ret = " (-n)
			if (form != "exit") line = line sprintf(", object_inside_name = \"inside %d\", object_text = \"inner %d\"", n, n)
			print line " }"
		}
	}'
}

# Tests members of kernel structures through casts, with the kernel's own types: bit fields, unions,
# members through NULL, strings. The function's own module may have no BTF.
fn_kernel_types() {
	check_function 'fn: kernel types: a function is added' eval \
		"fn_add kernel 'kernel(((struct kobject *)kobject)->state_initialized, ((struct kobject *)kobject)->state_in_sysfs, ((struct kobject *)kobject)->parent->state_in_sysfs, ((struct kobject *)kobject)->name:string, ((struct qstr *)qstr)->hash, ((struct qstr *)qstr)->len) : u32'"
	check_function 'fn: kernel types: a session starts' eval 'slab_session types "fn_kernel_*" && lttng start types'
	fn_run
	lttng stop types >/dev/null
	slab_text types
	lttng-mm fn list | sed -n 's/^\(kernel .*\)/# \1/p'
	sed -n 's/^.* \(fn_kernel_call: .*\)/# \1/p' "$out/types.txt" | sed -n '5p;8p'
	awk -v calls="$fn_calls" 'BEGIN {
		for (n = 0; n < calls; n++)
			printf "%d %d %d %.0f %d %d %d kobject %d\n", n % 3 == 1, n % 3 == 2, n % 5 && n % 2, 4294967295 - n, 3 * n, !(n % 5), 3 * n, n
	}' >"$out/expected"
	sed -n 's/^.* fn_kernel_call: .* kobject_state_initialized = \([01]\), kobject_state_in_sysfs = \([01]\), kobject_parent_state_in_sysfs = \([01]\), qstr_hash = \([0-9]*\), qstr_len = \([0-9]*\), unread = ( [^:]*: container = \(0x[0-9A-F]*\) ), ret = \([0-9]*\), duration_ns = [0-9]*, kobject_name = "\(.*\)" }$/\1 \2 \3 \4 \5 \6 \7 \8/p' \
		"$out/types.txt" | awk '{ $6 = $6 == "0x0" ? 0 : 1; print }' >"$out/got"
	same 'fn: kernel types: bit fields, members of unions and through NULL, and a string are correct' "$out/expected" "$out/got"
	fn_is 'kernel types: print shows the string in the order of the signature' "$fn_calls" \
		"$(lttng-mm print --events=fn_kernel_call "$out/types" |
			grep -c ' kobject_parent_state_in_sysfs=[01] kobject_name=kobject [0-9]* qstr_hash=[0-9]* qstr_len=[0-9]* unread=[^ ]* ret=[0-9]* duration_ns=')"
	lttng destroy types >/dev/null
	check 'fn: kernel types: the function is removed' 60 lttng-mm fn remove kernel
}

fn_objects() {
	if [ ! -e /sys/kernel/btf/fn_truth ]; then
		skip 'fn: objects: values by the types of the module are correct' 'modules of this kernel are built without them'
		return 0
	fi
	check_function 'fn: objects: functions are added' eval \
		"fn_add object 'object(object->tag, object->low, object->high, object->both, object->three, object->five, object->rest, object->array[1], object->array[3], object->pointed->level, object->pointed->wide, object->inside.name:string, object->text:string, ((struct fn_truth_inner *)object->pointed)->level, address)' &&
		fn_add labels small && fn_add members pair && fn_add passed by_value"
	check_function 'fn: objects: a session starts' eval \
		'slab_subbuf=1M slab_session objects "fn_object_*,fn_labels_*,fn_members_*,fn_passed_*" && lttng start objects'
	fn_run
	lttng stop objects >/dev/null
	slab_text objects
	fn_tid=$(sed -n 's/^.* fn_labels_entry: .*{ tid = \([0-9]*\), .*/\1/p' "$out/objects.txt" | head -n 1)
	for form in entry exit call; do
		fn_bodies "object_$form" "$out/objects.txt" >"$out/got"
		fn_object "$form" >"$out/expected"
		same "fn: objects: every field of every fn_object_$form is correct" "$out/expected" "$out/got"
	done
	fn_is 'an enumeration is recorded with its labels' "$(n=0 && while [ $n -lt "$fn_calls" ]; do echo $((n % 3)) && n=$((n + 1)); done | sed 's/0/TRUTH_RED 0/; s/1$/TRUTH_GREEN 1/; s/2$/TRUTH_BLUE 5/' | cksum)" \
		"$(sed -n 's/^.* fn_labels_call: .* f = ( "\([A-Z_]*\)" : container = \([0-9]\) ).*/\1 \2/p' "$out/objects.txt" | cksum)"
	# Structures passed by value, in one register and in two: each member is a field.
	for name in members passed; do
		for form in entry exit call; do
			fn_bodies "${name}_$form" "$out/objects.txt" >"$out/got"
			"$tests/fn-truth-expect" "${name}_$form" "$fn_calls" "$fn_tid" >"$out/expected"
			same "fn: objects: structures by value: every field of every fn_${name}_$form" "$out/expected" "$out/got"
		done
	done
	lttng destroy objects >/dev/null
	check 'fn: objects: the functions are removed' 60 lttng-mm fn remove object labels members passed
}

# fn_numbers NAME: prints arguments and results of the calls of fn_truth_five() or fn_truth_seven().
fn_numbers() {
	n=0
	while [ $n -lt "$fn_calls" ]; do
		case $1 in
		five) echo "a = $n, b = -$n, c = $((3 * n)), d = -$((n % 128)), e = -$((5 * n)), ret = -$((5 * n))" ;;
		seven) echo "a = $n, b = -$((2 * n)), c = $((3 * n % 256)), d = $((4 * n)), e = -$((5 * n)), f = $((6 * n)), g = -$n, ret = -$n" ;;
		esac
		n=$((n + 1))
	done | sed 's/-0\>/0/g'
}

# Tests other uses of the events: call stacks, captured fields, the state dump; also functions with
# five and seven arguments, and a string from user space.
fn_others() {
	check_function 'fn: others: functions are added' eval \
		"fn_add five 'five(a:u32, b:s16, c:u64, d:s8, e:s64) : s64' &&
		fn_add seven 'seven(a:u16, b:s32, c:u8, d:u64, e:s64, f:u32, g:s16) : s32' &&
		lttng-mm fn add 'do_sys_openat2(filename:ustring)' --as user"
	check_function 'fn: others: sessions are created' eval \
		'slab_session numbers fn_five_call,fn_seven_call,fn_user_entry && slab_session stacks fn_small_entry &&
		lttng add-context -k -s stacks -c ring -t callstack-kernel && slab_session dump fnstate_statedump_function'
	"$tests/trigger-captures" fn_small_call 'a < 100' a,b,c,d,ret fn_text_entry '' unread,text \
		>"$out/captured.txt" 2>"$out/captured.err" &
	listener=$!
	check_function 'fn: others: a trigger that captures fields is added' wait_for 60 grep -q '^ready' "$out/captured.err"
	lttng start numbers >/dev/null
	lttng start stacks >/dev/null
	fn_run
	# The probe can read the string, because an earlier access has brought it into memory.
	sh -c 'cat /etc/hostname /etc/hostname /etc/hostname' >/dev/null
	lttng stop numbers >/dev/null
	lttng stop stacks >/dev/null
	# Wait, because every command that starts calls the function, as long as it is hooked.
	# shellcheck disable=SC2016 # of eval
	check_function 'fn: others: the function that all programs call is unhooked' wait_for 60 eval \
		'! grep -q do_sys_openat2 "$tracing/enabled_functions"'
	lttng start dump >/dev/null
	for session in numbers stacks dump; do
		slab_text $session
	done
	for name in five seven; do
		sed -n "s/^.* fn_${name}_call: .*{ tid = [0-9]*, \(.*\), unread = ( \"NONE\" : container = 0x0 )\(, ret = [-0-9]*\), duration.*/\1\2/p" \
			"$out/numbers.txt" >"$out/got"
		fn_numbers $name >"$out/expected"
		same "fn: every argument and result with $name arguments is correct" "$out/expected" "$out/got"
	done
	fn_is 'a string from user space is recorded' yes \
		"$([ "$(grep -c ' fn_user_entry: .* unread = ( "NONE" .*, filename = "/etc/hostname" ' "$out/numbers.txt")" -ge 2 ] && echo yes)"
	fn_tid=$(sed -n 's/^.* fn_small_entry: .*{ tid = \([0-9]*\), .*/\1/p' "$out/stacks.txt" | head -n 1)
	fn_bodies small_entry "$out/stacks.txt" >"$out/got"
	"$tests/fn-truth-expect" small_entry "$fn_calls" "$fn_tid" >"$out/expected"
	same 'fn: with call stacks: every field is correct' "$out/expected" "$out/got"
	fn_is 'with call stacks: each call has one' "$fn_calls" \
		"$(grep -c ' fn_small_entry: .*callstack_kernel = \[ \[0\] = 0x' "$out/stacks.txt")"
	kill "$listener"
	wait "$listener"
	fn_is 'captured values: no notification was dropped' 0 $?
	fn_is 'captured values: numbers are correct' "$(n=0 && while [ $n -lt 100 ]; do echo "fn_small_call a=$n b=$((-n)) c=$((3 * n)) d=$((-5 * n)) ret=$((n ^ 85))" && n=$((n + 1)); done | sort | cksum)" \
		"$(grep '^fn_small_call ' "$out/captured.txt" | sort | cksum)"
	fn_is 'captured values: strings are correct' "$(n=0 && while [ $n -lt "$fn_calls" ]; do echo "fn_text_entry unread=2 text=number-$n" && n=$((n + 1)); done | sort | cksum)" \
		"$(grep '^fn_text_entry ' "$out/captured.txt" | sort | cksum)"
	head -n 2 "$out/captured.txt" | sed 's/^/# /'
	sed -n 's/^.* fnstate_statedump_function: .* calls = \([0-9]*\), misses = \([0-9]*\), .* stopped = \([01]\), .* name = "\([^"]*\)".*/\4 \1 \2 \3/p' \
		"$out/dump.txt" | sort -u >"$out/got"
	lttng-mm fn list | awk 'NR > 1 && $1 !~ /:$/ { print $1, $3, $4, $5 == "stopped" ? 1 : 0 }' |
		sort >"$out/expected"
	same 'fn: the state dump agrees with fn list' "$out/expected" "$out/got"
	lttng destroy -a >/dev/null
	check 'fn: others: the functions are removed' 60 lttng-mm fn remove five seven user small
	fn_is 'another function of the same name is refused while a trigger keeps its events' '4 1' \
		"$(fn_add small 'small(a:u8) : void' 2>"$out/err" >/dev/null; echo $?) $(grep -c 'which releases the events of triggers' "$out/err")"
	check_function 'fn: others: the session daemon ends' daemon_stop
	check_function 'fn: others: the function is accepted without the session daemon' fn_add small 'small(a:u8) : void'
}

# fn_wanted_count EVENT: prints the number of events fn_EVENT.
fn_wanted_count() {
	grep -c " fn_$1: " "$out/wanted.txt"
}

# Tests options that select calls by result, duration and caller, and how addresses are recorded.
fn_wanted() {
	check_function 'fn: wanted: functions are added' eval \
		"fn_add negative 'wide(a:u32) : s64' --errors && fn_add failing 'pointers(error:ptr) : ptr' --errors &&
		fn_add error_pointer 'wide(a:u32) : ptr' --errors &&
		fn_add slow 'sleep(n:u32) : u64' --slower 50us && fn_add quick 'none() : void' --slower 100s &&
		fn_add called 'small(a:u8) : u8' --caller && fn_add number 'object(object:ptr, address:u64) : s32' &&
		fn_add pointer 'object(object:ptr, address:ptr) : s32' &&
		fn_add raw 'object(object:ptr, address:x64) : s32' --raw"
	check_function 'fn: wanted: a session starts' eval 'slab_subbuf=1M slab_session wanted "fn_*" && lttng start wanted'
	fn_run
	lttng stop wanted >/dev/null
	slab_text wanted
	fn_is '--errors records calls with negative results, and all entries' "$((fn_calls - 1)) $fn_calls" \
		"$(fn_wanted_count negative_call) $(fn_wanted_count negative_entry)"
	fn_is '... only negative results' 0 \
		"$(sed -n 's/^.* fn_negative_call: .* ret = \(-*[0-9]*\),.*/\1/p' "$out/wanted.txt" | grep -vc '^-')"
	fn_is '--errors records calls that return error pointers' "$fn_calls" "$(fn_wanted_count failing_call)"
	# The result is -1003 * n. Results down to -4095 are errors.
	fn_is '... and no other pointers' '1 2 3 4' \
		"$(sed -n 's/^.* fn_error_pointer_call: .* a = \([0-9]*\),.*/\1/p' "$out/wanted.txt" | xargs)"
	fn_is '--slower records only calls that take longer' "$((fn_calls / 16)) 0 $fn_calls" \
		"$(fn_wanted_count slow_call) $(fn_wanted_count quick_call) $(fn_wanted_count quick_entry)"
	fn_is '--caller records the same call site in all forms of events' "1 $((3 * fn_calls))" \
		"$(sed -n 's/^.* fn_called_[a-z]*: .* caller = \(0x[1-9A-F][0-9A-F]*\), .*/\1/p' "$out/wanted.txt" | sort | uniq -c | awk '{ n++; all += $1 } END { print n, all }')"
	# Odd calls pass the address of the object.
	fn_is 'a number that is an address is not recorded' "$((fn_calls / 2)) $((fn_calls / 2))" \
		"$(grep -c ' fn_number_call: .* address = 0, unread = ( "address" ' "$out/wanted.txt") $(grep -c ' fn_number_call: .* unread = ( "NONE" ' "$out/wanted.txt")"
	fn_is "... as a pointer, it equals the object's pointer" "$((fn_calls / 2))" \
		"$(sed -n 's/^.* fn_pointer_call: .* object = \(0x5[0-9A-F]*\), address = \(0x[0-9A-F]*\), .*/\1 \2/p' "$out/wanted.txt" | awk '$1 == $2' | wc -l)"
	fn_is '... with --raw, it is unchanged' "$((fn_calls / 2))" \
		"$(sed -n 's/^.* fn_raw_call: .* object = \(0xFF[0-9A-F]*\), address = \(0x[0-9A-F]*\), .*/\1 \2/p' "$out/wanted.txt" | awk '$1 == $2' | wc -l)"
	check 'fn: wanted: a function is removed' 60 lttng-mm fn remove quick
	fn_is 'adding another function of the name reports the session that has its events' '4 1' \
		"$(fn_add quick 'small(a:u8) : u8' 2>"$out/err" >/dev/null; echo $?) $(grep -c 'the session wanted still uses .*--as' "$out/err")"
	lttng destroy wanted >/dev/null
	check 'fn: wanted: the functions are removed' 60 lttng-mm fn remove negative failing error_pointer slow called number pointer raw
}

# Tests a function that changes its arguments. The probe must read them at the entry, and must not
# read the memory again at the exit.
fn_read_once() {
	check_function 'fn: read once: a function is added' fn_add change 'change(text:string, number:bytes[1]) : u32'
	check_function 'fn: read once: a session starts' eval 'slab_session once "fn_change_*" && lttng start once'
	fn_run
	lttng stop once >/dev/null
	slab_text once
	n=0
	while [ $n -lt $fn_calls ]; do
		printf 'ret = %u, text = "before-%u", number = [ [0] = 0x%X ]\n' "$n" "$n" "$n"
		n=$((n + 1))
	done >"$out/expected"
	sed -n 's/^.* fn_change_call: .* \(ret = [0-9]*\), duration_ns = [0-9]*, \(text = "[^"]*"\), \(number = .*\) }$/\1, \2, \3/p' \
		"$out/once.txt" >"$out/got"
	same 'fn: read once: the call event has the values from the entry' "$out/expected" "$out/got"
	fn_is 'read once: the exit event has only the result' "$fn_calls 0" \
		"$(grep -c ' fn_change_exit: .* ret = ' "$out/once.txt") $(grep -c ' fn_change_exit: .* \(text\|number\) = ' "$out/once.txt")"
	lttng destroy once >/dev/null
	check 'fn: read once: the function is removed' 60 lttng-mm fn remove change
}

# fn_is_hooked FUNCTION
fn_is_hooked() {
	grep -q "^$1 " "$tracing/enabled_functions"
}

fn_is_not_hooked() {
	! fn_is_hooked "$1"
}

# Tests a function that is removed while a session records it. Its hook must be removed at once. On
# kernels whose fprobe uses fgraph, the probe waits up to ten seconds for calls in progress to
# return.
fn_unhooks() {
	check_function 'fn: unhook: functions are added' eval \
		"fn_add gone 'none() : void' && fn_add stays 'small(a:u8) : u8'"
	check_function 'fn: unhook: a session starts' eval 'slab_session unhook "fn_gone_*,fn_stays_*" && lttng start unhook'
	check_function 'fn: unhook: both are hooked' eval 'fn_is_hooked fn_truth_none && fn_is_hooked fn_truth_small'
	fn_run
	check 'fn: unhook: one function is removed' 60 lttng-mm fn remove gone
	case $(kernel_series) in
	6.1 | 6.12) check_function 'fn: unhook: its hook is gone when the command returns' fn_is_not_hooked fn_truth_none ;;
	*) check_function 'fn: unhook: its hook is gone after a while' wait_for 15 fn_is_not_hooked fn_truth_none ;;
	esac
	check_function 'fn: unhook: the other function stays hooked' fn_is_hooked fn_truth_small
	fn_run
	lttng stop unhook >/dev/null
	slab_text unhook
	fn_is 'unhook: only the remaining function is recorded after that' "$fn_calls $((2 * fn_calls))" \
		"$(grep -c ' fn_gone_entry: ' "$out/unhook.txt") $(grep -c ' fn_stays_entry: ' "$out/unhook.txt")"
	lttng destroy unhook >/dev/null
	check 'fn: unhook: the other function is removed' 60 lttng-mm fn remove stays
}

# Tests trackers. One session tracks this shell, which makes the calls; the other session tracks
# process 1.
fn_trackers() {
	check_function 'fn: trackers: a function is added' fn_add tracked 'none() : void'
	check_function 'fn: trackers: sessions start' eval \
		'slab_session ours "fn_tracked_*" && lttng track -k -s ours --pid=$$ &&
		slab_session others "fn_tracked_*" && lttng track -k -s others --pid=1'
	lttng start ours >/dev/null
	lttng start others >/dev/null
	fn_run
	for session in ours others; do
		lttng stop $session >/dev/null
		slab_text $session
	done
	for form in entry exit call; do
		fn_is "trackers: only the session that tracks the process has its calls: fn_NAME_$form" "$fn_calls 0" \
			"$(grep -c " fn_tracked_$form: " "$out/ours.txt") $(grep -c " fn_tracked_$form: " "$out/others.txt")"
	done
	lttng destroy -a >/dev/null
	check 'fn: trackers: the function is removed' 60 lttng-mm fn remove tracked
}

# Tests functions of the kernel with types from BTF: labels of results, errors, and which arguments
# are available.
fn_kernel() {
	check_function 'fn: kernel: functions are added' eval \
		"lttng-mm fn add 'handle_mm_fault(address, flags:enum fault_flag)' &&
		lttng-mm fn add 'handle_mm_fault(address)' --as fault_error --errors"
	check_function 'fn: kernel: a session starts' eval \
		'slab_session kernel fn_handle_mm_fault_call,fn_fault_error_call && lttng start kernel'
	# shellcheck disable=SC2016 # of eval
	check_function 'fn: kernel: a program accesses a mapping beyond the end of its file' eval \
		'"$tests/fn-fault" "$out/short" 12 >"$out/tid"'
	lttng stop kernel >/dev/null
	slab_text kernel
	tid=$(cat "$out/tid")
	fn_is 'kernel: --errors records results with an error bit, by their labels' '12 12' \
		"$(grep -c " fn_fault_error_call: .* tid = $tid, " "$out/kernel.txt") $(
			grep " fn_fault_error_call: .* tid = $tid, " "$out/kernel.txt" | grep -c 'ret = ( "VM_FAULT_SIGBUS" : container = ')"
	fn_is 'kernel: without --errors, all calls are recorded' '12 yes' \
		"$(grep " fn_handle_mm_fault_call: .* tid = $tid, " "$out/kernel.txt" | grep -c 'VM_FAULT_SIGBUS') $(
			[ "$(grep -c " fn_handle_mm_fault_call: .* tid = $tid, " "$out/kernel.txt")" -gt 12 ] && echo yes)"
	# babeltrace2 2.0 does not print the labels of several bits.
	fn_is 'kernel: print shows the labels of flags' yes \
		"$(lttng-mm print --events=fn_handle_mm_fault_call "$out/kernel" | grep -q ' flags=FAULT_FLAG_[A-Z_|]*FAULT_FLAG_USER' && echo yes)"
	lttng-mm print --events=fn_handle_mm_fault_call "$out/kernel" | head -n 2 | sed 's/^/# /'
	lttng destroy kernel >/dev/null
	check 'fn: kernel: the functions are removed' 60 lttng-mm fn remove handle_mm_fault fault_error
	lttng-mm fn list --available --json >"$out/available.json"
	fn_is 'kernel: at least 95 % of the arguments are available' yes \
		"$(awk '$1 == "\"percent\":" { print ($2 + 0 >= 95 ? "yes" : $2); exit }' "$out/available.json")"
	sed -n 's/^\(arguments: .*\)/# \1/p' <<END
$(lttng-mm fn list --available)
END
	for fn_called in memchr copy_from_kernel_nofault irq_work_queue; do
		fn_is "kernel: $fn_called, which the tracer calls, is refused and left out of patterns" '2 1 0' \
			"$(lttng-mm fn add $fn_called 2>"$out/err" >/dev/null; echo $?) $(grep -c 'column 1: the tracer itself calls it' "$out/err") $(
				lttng-mm fn add --dry-run "${fn_called%?}[$(printf %s "$fn_called" | tail -c 1)]" 2>/dev/null | grep -c .)"
	done
	fn_is 'kernel: a function that the kernel does not allow to trace is refused' '2 1' \
		"$(lttng-mm fn add sched_clock 2>"$out/err" >/dev/null; echo $?) $(grep -c 'does not allow tracing it\|the tracer itself calls it' "$out/err")"
	sed 's/^/# /' "$out/err"
}

# Tests that the exits of calls in progress are recorded even if another function of their group is
# removed, or more events of their functions are enabled, during the calls.
fn_replaced() {
	check_function 'fn: replaced: a function is added' fn_add other 'none() : void'
	check_function 'fn: replaced: a session starts' eval \
		'slab_session replaced "fn_block_e*,fn_other_e*" && lttng start replaced'
	echo 20 >"$fn_parameters/block"
	check 'fn: replaced: another function is removed' 60 lttng-mm fn remove other
	check_function 'fn: replaced: fn_NAME_call is enabled, too' eval \
		'slab_session calls fn_block_call && lttng start calls'
	echo 0 >"$fn_parameters/block"
	echo 5 >"$fn_parameters/block"
	echo 0 >"$fn_parameters/block"
	for session in replaced calls; do
		lttng stop $session >/dev/null
		slab_text $session
	done
	fn_is 'calls in progress and later ones have their exits' '25 25 5' \
		"$(grep -c ' fn_block_entry: ' "$out/replaced.txt") $(grep -c ' fn_block_exit: ' "$out/replaced.txt") $(grep -c ' fn_block_call: ' "$out/calls.txt")"
	lttng destroy -a >/dev/null
	check_function 'fn: replaced: no function stays hooked' wait_for 60 fn_unhooked
}

# fn_idle NAME: true if the function is idle: not stopped, and recorded by no started session.
fn_idle() {
	[ "$(lttng-mm fn list | awk -v name="$1" '$1 == name { print $5 }')" = idle ]
}

# Tests that a function that exceeds its maximum rate is no longer recorded. The first call starts
# the measured period, and the call that exceeds the rate is the last recorded call.
fn_rate() {
	check_function 'fn: rate: functions are added' eval \
		"fn_add fast 'deep(depth:u32) : u32' --max-rate=20 && fn_add steady 'deep(depth:u32, of:u32) : u32'"
	check_function 'fn: rate: a session starts' eval 'slab_session rate fn_fast_entry,fn_steady_entry && lttng start rate'
	echo 40 >"$fn_parameters/deep"
	lttng stop rate >/dev/null
	slab_text rate
	fn_is 'a function with a maximum rate of 20 stops after 22 calls' '22 22 stopped' \
		"$(grep -c ' fn_fast_entry: ' "$out/rate.txt") $(fn_count calls fast) $(lttng-mm fn list | awk '$1 == "fast" { print $5 }')"
	fn_is 'another function is recorded without a gap' "41 $(n=0 && while [ $n -le 40 ]; do echo 40 && n=$((n + 1)); done | cksum)" \
		"$(grep -c ' fn_steady_entry: ' "$out/rate.txt") $(sed -n 's/^.* fn_steady_entry: .*, of = \([0-9]*\) .*/\1/p' "$out/rate.txt" | cksum)"
	check_function 'fn: rate: the function that was stopped is added again' fn_add fast 'deep(depth:u32) : u32' --max-rate=20
	lttng start rate >/dev/null
	echo 4 >"$fn_parameters/deep"
	lttng stop rate >/dev/null
	slab_text rate
	fn_is 'it is recorded again' '27 idle' \
		"$(grep -c ' fn_fast_entry: ' "$out/rate.txt") $(wait_for 60 fn_idle fast; lttng-mm fn list | awk '$1 == "fast" { print $5 }')"
	lttng destroy rate >/dev/null
	check 'fn: rate: the functions are removed' 60 lttng-mm fn remove fast steady
}

# Tests which events `lttng list` shows, and who may add functions.
fn_rights() {
	fn_is 'lttng list --kernel has the three events of a function' '3' \
		"$(lttng --mi=xml list --kernel | grep -o '<name>fn_small_\(entry\|exit\|call\)</name>' | wc -l)"
	for fn_action in 'add vfs_open' 'remove small' list; do
		# shellcheck disable=SC2086 # words
		fn_is "fn $fn_action is root's alone" '4 1' \
			"$(setpriv --reuid 4711 --regid 4711 --clear-groups -- lttng-mm fn $fn_action 2>"$out/err" >/dev/null; echo $?) $(
				grep -c 'only root may' "$out/err")"
	done
	for fn_inside in fn_truth_none fn_truth:fn_truth_none; do
		fn_is "--inside refuses a function of a module: $fn_inside" '2 1' \
			"$(fn_add bad 'small() : void' --inside $fn_inside 2>"$out/err" >/dev/null; echo $?) $(grep -c 'the function is in a module' "$out/err")"
	done
}

# Tests requests that the program never sends.
fn_requests() {
	check 'fn: the module survives damaged requests without a session' 300 "$tests/fn-requests" mutate 3 "${FN_REQUESTS:-2000}"
	check_function 'fn: damaged requests: a session of all functions starts' eval 'fn_session requests && lttng start requests'
	check 'fn: the module survives damaged requests while a session records' 300 "$tests/fn-requests" mutate 4 200
	lttng destroy -a >/dev/null
}

fn() {
	out=$work/fn
	mkdir -p "$out"
	check 'fn: the test module is loaded' 60 insmod "$tests/fn-truth.ko" || return
	fn_values
	fn_filters
	fn_computes
	fn_changes
	fn_excluded
	fn_inside
	fn_kernel_types
	fn_objects
	fn_wanted
	fn_many
	fn_read_once
	fn_unhooks
	fn_trackers
	fn_kernel
	fn_replaced
	fn_rate
	fn_rights
	fn_others
	check_function 'fn: all functions are removed' fn_remove_all
	fn_requests
	fn_is 'the module is not in use' 0 "$(lsmod | awk '$1 == "lttng_probe_fn" { print $3 }')"
	check 'fn: the module is unloaded' 60 rmmod lttng-probe-fn
	rmmod fn-truth
}

fn_remove_all() {
	for name in small wide many none pointers text bytes pair variadic deep interrupt sleep late block; do
		lttng-mm fn remove "$name" || return
	done
}
