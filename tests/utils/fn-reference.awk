# SPDX-License-Identifier: LGPL-2.1-only
# Prints the results that `lttng-mm report fn` must have, for a trace without losses and without
# equal timestamps. Computes them from babeltrace2's text, in quadratic time:
#
#   babeltrace2 --clock-cycles TRACE | awk -v declared="EVENT..." -f fn-reference.awk
#
# Prints, in any order:
#
#   function NAME CALLS ERRORS MEAN TOTAL SELF MAX P50 P90 P99     of functions with complete calls
#   outcome WHAT CALLS
#   value VALUE CALLS TOTAL SELF                              of --by=deep.depth
#   ns STACK SELF, calls STACK CALLS                          of --folded
function field(name,   text) {
	if (!match($0, "[{,] " name " = [^,}]*"))
		return ""
	text = substr($0, RSTART, RLENGTH)
	sub(/^[^=]*= /, "", text)
	sub(/ +$/, "", text)
	return text
}
# Is the result an error? This function knows only the functions of these tests.
function failed(name,   result) {
	result = field("ret")
	if (name == "handle_mm_fault")
		return match($0, /ret = \( [^)]*container = (0x)?[0-9A-F]*[13579BDF][ )]/) > 0
	if (name == "d_lookup")
		return result ~ /^0xFFFFFFFFFFFFF/
	return result + 0 < 0
}
# Adds a call from @start to @end (-1: open). Returns the call's number.
function add(key, name, start, end) {
	key_of[++calls] = key
	name_of[calls] = name
	start_of[calls] = start
	end_of[calls] = end
	return calls
}
function complete(call, errors) {
	is_complete[call] = 1
	count[name_of[call]]++
	error_count[name_of[call]] += errors
}
# Drops the innermost call of the thread, which has no exit.
function drop(key, now) {
	end_of[running[key, depth[key]]] = now
	pending[name_of[running[key, depth[key]--]]]++
}
function is_within(inner, outer) {
	return key_of[inner] == key_of[outer] && start_of[outer] < start_of[inner] &&
		(end_of[outer] < 0 || (end_of[inner] >= 0 && end_of[outer] > end_of[inner]))
}
BEGIN {
	events = split(declared, event, " ")
	for (i = 1; i <= events; i++)
		is_declared[event[i]] = 1
}
{
	now = substr($1, 2) + 0
	if (!match($0, / fn_[a-z0-9_]+: /))
		next
	name = form = substr($0, RSTART + 4, RLENGTH - 6)
	sub(/_[a-z]*$/, "", name)
	sub(/.*_/, "", form)
	key = field("tid") + 0 ? field("tid") : "cpu" field("cpu_id")
	threads[key] = 1
	if (form == "entry") {
		running[key, ++depth[key]] = add(key, name, now, -1)
		depth_field[calls] = field("depth")
		entered[name] = 1
		outcome["entry_without_exit"] += pending[name]
		pending[name] = 0
	} else if (form == "exit") {
		for (at = depth[key]; at > 0 && name_of[running[key, at]] != name; at--)
			;
		if (at <= 0) {
			outcome[depth[key] > 0 && entered[name] ? "exit_without_entry" : "before_trace"]++
			next
		}
		while (depth[key] > at)
			drop(key, now)
		call = running[key, depth[key]--]
		end_of[call] = now
		complete(call, failed(name))
	} else if (!(("fn_" name "_entry") in is_declared) || !(("fn_" name "_exit") in is_declared)) {
		start = now - field("duration_ns")
		while (depth[key] > 0 && start_of[running[key, depth[key]]] > start)
			drop(key, now)
		call = add(key, name, start, now)
		depth_field[call] = field("depth")
		complete(call, failed(name))
	}
}
# Returns a quantile of the function's durations.
function quantile(name, q,   rank) {
	rank = q * count[name] / 100
	rank = rank == int(rank) ? rank : int(rank) + 1
	return sorted[name, rank]
}
function sort_durations(   call, at, name) {
	for (call = 1; call <= calls; call++) {
		if (!is_complete[call])
			continue
		name = name_of[call]
		for (at = ++filled[name]; at > 1 && sorted[name, at - 1] > end_of[call] - start_of[call]; at--)
			sorted[name, at] = sorted[name, at - 1]
		sorted[name, at] = end_of[call] - start_of[call]
		sum[name] += end_of[call] - start_of[call]
	}
}
function stack_of(call,   outer, path, last, next_start, found) {
	last = -1
	do {
		found = 0
		for (outer = 1; outer <= calls; outer++)
			if (is_within(call, outer) && start_of[outer] > last && (!found || start_of[outer] < start_of[found]))
				found = outer
		if (found) {
			path = path name_of[found] ";"
			last = start_of[found]
		}
	} while (found)
	return path name_of[call]
}
END {
	for (key in threads)
		outcome["not_ended"] += depth[key]
	for (name in pending)
		outcome["stopped"] += pending[name]
	for (call = 1; call <= calls; call++) {
		if (!is_complete[call])
			continue
		caller = 0
		outermost[call] = outermost_value[call] = 1
		for (outer = 1; outer <= calls; outer++) {
			if (!is_complete[outer] || !is_within(call, outer))
				continue
			if (!caller || start_of[outer] > start_of[caller])
				caller = outer
			if (name_of[outer] != name_of[call])
				continue
			outermost[call] = 0
			if (depth_field[outer] == depth_field[call])
				outermost_value[call] = 0
		}
		callees[caller] += end_of[call] - start_of[call]
	}
	for (call = 1; call <= calls; call++) {
		if (!is_complete[call])
			continue
		name = name_of[call]
		duration = end_of[call] - start_of[call]
		own = duration - callees[call]
		self[name] += own
		total[name] += outermost[call] ? duration : 0
		if (name == "deep") {
			value_count[depth_field[call]]++
			value_total[depth_field[call]] += outermost_value[call] ? duration : 0
			value_self[depth_field[call]] += own
		}
		stack = stack_of(call)
		stack_ns[stack] += own
		stack_calls[stack]++
	}
	sort_durations()
	for (name in count)
		print "function", name, count[name], error_count[name], int(sum[name] / count[name]), total[name], self[name], quantile(name, 100), quantile(name, 50), quantile(name, 90), quantile(name, 99)
	for (what in outcome)
		if (outcome[what])
			print "outcome", what, outcome[what]
	for (value in value_count)
		print "value", value, value_count[value], value_total[value], value_self[value]
	for (stack in stack_ns)
		if (stack_ns[stack])
			print "ns", stack, stack_ns[stack]
	for (stack in stack_calls)
		print "calls", stack, stack_calls[stack]
}
