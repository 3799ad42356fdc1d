/* SPDX-License-Identifier: LGPL-2.1-only */
/* Sorts the slowest calls. Describes a call and its thread. */
#ifndef LTTNG_MM_FN_REPORT_SLOW_CALL_H
#define LTTNG_MM_FN_REPORT_SLOW_CALL_H

#include "analysis/fn/report/report.h"

/* Comparison function for qsort(): slower calls first, then earlier calls. */
int fn_slow_call_compare(const struct fn_slow_call *x, const struct fn_slow_call *y);
/* Returns the untrusted name of the call's thread, or NULL if the name is not known. */
const char *fn_slow_call_comm(const struct fn_results *results, const struct fn_slow_call *call);
/* Returns the process id of the call's thread, or -1 if it is not known. */
int32_t fn_slow_call_pid(const struct fn_results *results, const struct fn_slow_call *call);
/* Writes `f(a=1) = 0`, which is untrusted text. */
void fn_slow_call_text(const struct fn_results *results, const struct fn_slow_call *call,
		       char *text, size_t size);
#define FN_CALL_TEXT (2 * FN_TEXT_MAX)
/* Writes `thread 8 (fio) of process 7`, which is untrusted text. */
void fn_slow_call_thread(const struct fn_results *results, const struct fn_slow_call *call,
			 char *text, size_t size);
#define FN_THREAD_TEXT 256

#endif /* LTTNG_MM_FN_REPORT_SLOW_CALL_H */
