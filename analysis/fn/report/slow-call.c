// SPDX-License-Identifier: LGPL-2.1-only
/* Sorts the slowest calls. Describes a call and its thread. */
#include "analysis/fn/report/slow-call.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/fn/report/report.h"

int fn_slow_call_compare(const struct fn_slow_call *x, const struct fn_slow_call *y)
{
	if (x->duration_ns != y->duration_ns)
		return x->duration_ns > y->duration_ns ? -1 : 1;
	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

const char *fn_slow_call_comm(const struct fn_results *results, const struct fn_slow_call *call)
{
	if (!call->tid)
		return "swapper";
	return call->thread == MM_HASH_NONE
		       ? NULL
		       : mm_threads_comm(results->threads, call->thread, results->sysinfo);
}

int32_t fn_slow_call_pid(const struct fn_results *results, const struct fn_slow_call *call)
{
	return call->thread == MM_HASH_NONE || !call->tid
		       ? -1
		       : mm_threads_pid(results->threads, call->thread, results->sysinfo);
}

void fn_slow_call_thread(const struct fn_results *results, const struct fn_slow_call *call,
			 char *text, size_t size)
{
	const char *comm = fn_slow_call_comm(results, call);
	const int32_t pid = fn_slow_call_pid(results, call);
	char process[48] = "";

	if (pid >= 0 && (uint32_t)pid != call->tid)
		snprintf(process, sizeof(process), " of process %" PRId32, pid);
	snprintf(text, size, "thread %" PRIu32 "%s%s%s%s", call->tid, comm ? " (" : "",
		 comm ? comm : "", comm ? ")" : "", process);
}

void fn_slow_call_text(const struct fn_results *results, const struct fn_slow_call *call,
		       char *text, size_t size)
{
	const char *name = results->classes->names[call->exit->function];
	char arguments[FN_TEXT_MAX], result[FN_TEXT_MAX / 4] = "";

	fn_arguments_text(call->entry, call->values, call->unread, "", arguments,
			  sizeof(arguments));
	if (call->exit->has_ret)
		fn_result_text(call->exit, call->ret, call->ret_unread, result, sizeof(result));
	snprintf(text, size, "%s(%s)%s%s", name, arguments, *result ? " = " : "", result);
}
