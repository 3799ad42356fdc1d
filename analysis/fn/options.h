/* SPDX-License-Identifier: LGPL-2.1-only */
/* Option values of the report of function calls. */
#ifndef LTTNG_MM_FN_OPTIONS_H
#define LTTNG_MM_FN_OPTIONS_H

#include "analysis/subsystem/options.h"

struct fn_option_values {
	struct mm_report_options report;
	const char *by;	      /* FUNCTION.ARGUMENT to group calls by; NULL: no grouping */
	const char *function; /* a list of shell patterns; NULL: all functions */
	bool graph;
	bool by_task; /* start graph lines with the thread, not the CPU */
	/* value that is summed up for each stack: "ns" or "calls"; NULL: no stacks */
	const char *folded;
};

#endif /* LTTNG_MM_FN_OPTIONS_H */
