# SPDX-License-Identifier: LGPL-2.1-only
# Tests many calls of functions at once, in one thread and in many: each call is recorded or counted
# as missed. Sourced by run-all.sh; functions of fn.sh call these.
# shellcheck shell=sh disable=SC2034,SC2154  # run-all.sh sets tests, tracing and work
# shellcheck source=tests/kernel/lib.sh
# shellcheck source=tests/kernel/fn/fn.sh
# shellcheck source=tests/kernel/slab/slab-probe.sh

fn_many() {
	threads=1000
	uname -r | grep -q '^6\.1\.' && threads=256
	check_function 'fn: many: a function is added' fn_add block 'block(n:u32) : void'
	check_function 'fn: many: a session starts' eval 'slab_session many "fn_deep_e*,fn_block_e*" && lttng start many'
	echo 40 >"$fn_parameters/deep"
	echo $threads >"$fn_parameters/block"
	echo 0 >"$fn_parameters/block"
	lttng stop many >/dev/null
	slab_text many
	fn_is '41 nested calls are recorded' '41 41' \
		"$(grep -c ' fn_deep_entry: ' "$out/many.txt") $(grep -c ' fn_deep_exit: ' "$out/many.txt")"
	# Without BTF, the values are the arguments in order, whatever their names.
	values='depth, of, depth, of, depth, of, depth, of, depth, of, depth, of, depth, of, depth, of'
	[ -e /sys/kernel/btf/fn_truth ] || values='a:u64, b:u64, c:u64, d:u64, e:u64, f:u64, g:u64, h:u64'
	check_function 'fn: many: a function with 64 bytes of values is added' fn_add kept "deep($values) : u32"
	check_function 'fn: many: a session of all its events starts' eval 'slab_session kept "fn_kept_*" && lttng start kept'
	echo 19 >"$fn_parameters/deep"
	lttng stop kept >/dev/null
	slab_text kept
	fn_is '20 nested calls are recorded in all forms' '20 20 20 0' \
		"$(grep -c ' fn_kept_entry: ' "$out/kept.txt") $(grep -c ' fn_kept_exit: ' "$out/kept.txt") $(grep -c ' fn_kept_call: ' "$out/kept.txt") $(fn_count misses kept)"
	if [ "$(kernel_series)" != 6.1 ] && [ "$(kernel_series)" != 6.12 ]; then
		# fprobe does not have room for the values of 64 nested calls.
		before=$(fn_count misses kept)
		lttng start kept >/dev/null
		echo 63 >"$fn_parameters/deep"
		lttng stop kept >/dev/null
		slab_text kept
		entries=$(($(grep -c ' fn_kept_entry: ' "$out/kept.txt") - 20))
		misses=$(($(fn_count misses kept) - before))
		echo "# $entries of 64 nested calls are recorded, $misses are missed"
		fn_is '64 nested calls: missed calls are counted' '64 yes' \
			"$((entries + misses)) $([ "$misses" -gt 0 ] && echo yes)"
	fi
	lttng destroy kept >/dev/null
	check 'fn: many: it is removed' 60 lttng-mm fn remove kept
	fn_is "$threads threads in one function are recorded" "$threads $threads 0" \
		"$(grep -c ' fn_block_entry: ' "$out/many.txt") $(grep -c ' fn_block_exit: ' "$out/many.txt") $(fn_count misses block)"
	lttng destroy many >/dev/null
	fn_missed
}

# A kretprobe, and on 6.12 fprobe for a group of functions, has a limited number of instances. Calls
# without an instance are counted as missed.
fn_missed() {
	case $(kernel_series) in
	6.1) missed_threads=900 ;;
	6.12) missed_threads=2400 ;;
	*) return 0 ;;
	esac
	before=$(fn_count misses block)
	check_function 'fn: missed: a session starts' eval 'slab_session missed fn_block_entry && lttng start missed'
	echo $missed_threads >"$fn_parameters/block"
	echo 0 >"$fn_parameters/block"
	lttng stop missed >/dev/null
	slab_text missed
	entries=$(grep -c ' fn_block_entry: ' "$out/missed.txt")
	misses=$(($(fn_count misses block) - before))
	echo "# $entries of $missed_threads calls at once are recorded, $misses are missed"
	fn_is 'calls that are not recorded are counted as missed' "$missed_threads yes" \
		"$((entries + misses)) $([ "$misses" -gt 0 ] && echo yes)"
	lttng destroy missed >/dev/null
}
