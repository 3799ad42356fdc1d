# SPDX-License-Identifier: LGPL-2.1-only
# Tests `lttng-mm report why` with calls of fn-truth.ko that are delayed by a known cause. Sourced
# by run-all.sh; fn.sh adds the functions.
# shellcheck shell=sh disable=SC2034,SC2154  # run-all.sh sets tests, tracing and work
# shellcheck source=tests/kernel/lib.sh
# shellcheck source=tests/kernel/fn/fn.sh
# shellcheck source=tests/kernel/slab/slab-probe.sh

# Tests calls that are delayed by one cause each: the function's own code, a busy function, a
# sleeping function, or a function that allocates memory. A call returns the number of the part that
# took longest according to the module.
fn_why() {
	check "fn: why: the slab probe" 60 modprobe lttng-probe-slab
	check_function "fn: why: functions are added" eval \
		"fn_add why 'why(n:u32, part:u32) : u32' && fn_add why_busy 'busy(us:u32) : void' &&
		fn_add why_nap 'nap(us:u32) : void' && fn_add why_alloc 'alloc(us:u32) : void'"
	check_function "fn: why: a session of functions, switches and allocations starts" eval \
		"slab_subbuf=4M slab_session why 'fn_why*_entry,fn_why*_exit' &&
		lttng enable-event -k -s why -c ring sched_switch,sched_waking,slab_kmalloc && lttng start why"
	echo 1000 >"$fn_parameters/why"
	lttng stop why >/dev/null
	rm -rf "$out/why"
	lttng snapshot record --session=why "file://$out/why" >/dev/null
	lttng destroy why >/dev/null
	check_function "fn: why: the report succeeds" eval \
		"lttng-mm report why --function=why --slowest=1000 --lines=0 --json \"$out/why\" >\"$out/why.json\""
	# PART RESULT KIND FUNCTION ALLOCATIONS for each call
	tr -d "\n" <"$out/why.json" | sed "s/\"interval\":/\n&/g" |
		sed -n 's/.*"start": *"why(n=[0-9]*, part=\([0-9]*\)) = \([0-9]*\)".*"largest_part": *"\([a-z_]*\)", *"largest_function": *"\([a-z_]*\)".*"allocations": *\([0-9]*\), *"bytes".*/\1 \2 \3 \4 \5/p' >"$out/why.parts"
	awk 'BEGIN { split("self why|self why_busy|off_cpu why_nap|self why_alloc", names, "|") }
		{ all++; delayed += $1 == $2; right += $3 " " $4 == names[$2 + 1]; allocated += $5 >= 8 }
		$3 " " $4 != names[$2 + 1] { print "# not named right: part " $1 ", by the module " $2 ", by the report " $3 " " $4 >"/dev/stderr" }
		END { print all, (delayed >= 990), (right >= 990), allocated
			print "# " right " of " all " named right; " delayed " were delayed as intended" >"/dev/stderr" }' \
		"$out/why.parts" >"$out/why.sums" 2>"$out/why.log"
	tail -n 20 "$out/why.log"
	fn_is "why: of 1000 calls, at least 990 are delayed as intended and named right; the allocations of each" \
		"1000 1 1 1000" "$(cat "$out/why.sums")"
	check_function "fn: why: they are removed" eval \
		"lttng-mm fn remove why && lttng-mm fn remove why_busy && lttng-mm fn remove why_nap && lttng-mm fn remove why_alloc"
	check "fn: why: the slab probe is unloaded" 60 rmmod lttng-probe-slab
}

# This is a separate part of the guest tests, because the load of the machine can change which part
# of a call takes longest.
fn_why_part() {
	out=$work/fn
	mkdir -p "$out"
	check 'fn: why: the test module is loaded' 60 insmod "$tests/fn-truth.ko" || return
	fn_why
	check 'fn: why: the module is unloaded' 60 rmmod lttng-probe-fn
	rmmod fn-truth
}
