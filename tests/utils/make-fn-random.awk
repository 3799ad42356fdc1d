# SPDX-License-Identifier: LGPL-2.1-only
# Makes a script of random calls for make-trace, with the metadata tests/metadata/fn-calls.tsdl:
#
#   awk -v seed=N [-v missing=entries] [-v missing=exits] -f make-fn-random.awk
#
# Some threads on some CPUs call five functions within each other. Each function is recorded by
# entry and exit, by call events, or by both. `missing=exits` omits some exits. `missing=entries`
# omits some exits and entries. Calls may then be paired wrongly and overlap, so no function is
# recorded by call events only.
function below(n) {
	return int(rand() * n)
}
function arguments(name) {
	if (name == "deep")
		return "depth=" below(4) " of=" below(3)
	if (name == "kick")
		return "mode=" (below(2) ? "IDLE" : "BUSY")
	if (name == "d_lookup")
		return sprintf("parent=0x%x", below(5))
	if (name == "handle_mm_fault")
		return "address=0x7f000000" below(10) "000 flags=" below(4096)
	return "dfd=-100 filename=/a/" below(5)
}
function result(name) {
	if (name == "deep")
		return "ret=" below(3)
	if (name == "d_lookup")
		return "ret=" (below(3) ? "0x5000" : "0xfffffffffffffffe")
	if (name == "handle_mm_fault")
		return "ret=" (below(4) ? "VM_FAULT_NOPAGE" : "VM_FAULT_OOM|VM_FAULT_MAJOR")
	if (name == "do_sys_openat2")
		return "ret=" (below(3) ? below(9) : -2)
	return ""
}
function emit(cpu, text) {
	script[cpu] = script[cpu] now " " text "\n"
}
BEGIN {
	PAIRS = 0
	SINGLE = 1
	BOTH = 2
	srand(seed)
	functions = split("deep kick d_lookup do_sys_openat2 handle_mm_fault", name, " ")
	declared = "declare sched_switch"
	for (i = 1; i <= functions; i++) {
		form[name[i]] = missing == "entries" ? 2 * below(2) : below(3)
		if (form[name[i]] != SINGLE)
			declared = declared " fn_" name[i] "_entry fn_" name[i] "_exit"
		if (form[name[i]] != PAIRS)
			declared = declared " fn_" name[i] "_call"
	}
	print declared
	cpus = 1 + below(3)
	threads = 2 + below(5)
	now = 1000
	for (cpu = 0; cpu < cpus; cpu++)
		emit(cpu, "sched_switch prev_tid=900 next_tid=901")
	now++
	steps = 40 + below(400)
	for (step = 0; step < steps; step++) {
		now += 1 + below(below(20) ? 50 : 5000)
		thread = below(threads)
		tid = thread ? 10 + thread : 0
		cpu = tid ? below(cpus) : 0
		if (depth[thread] < 8 && (!depth[thread] || below(2))) {
			at = ++depth[thread]
			called[thread, at] = f = name[1 + below(functions)]
			start[thread, at] = now
			given[thread, at] = arguments(f)
			if (form[f] != SINGLE && !(missing == "entries" && !below(40)))
				emit(cpu, "fn_" f "_entry tid=" tid " " given[thread, at])
			continue
		}
		at = depth[thread]--
		f = called[thread, at]
		returned = result(f)
		end = now
		if (form[f] != SINGLE && !(missing && !below(40))) {
			emit(cpu, "fn_" f "_exit tid=" tid " " returned)
			now++
		}
		if (form[f] != PAIRS)
			emit(cpu, "fn_" f "_call tid=" tid " " given[thread, at] " " returned " duration_ns=" (end - start[thread, at]))
	}
	for (cpu = 0; cpu < cpus; cpu++)
		printf "cpu %d\n%s", cpu, script[cpu]
}
