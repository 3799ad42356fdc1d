/* SPDX-License-Identifier: LGPL-2.1-only */
/* The values of the options of the report of function calls. */
#ifndef LTTNG_MM_FN_OPTIONS_H
#define LTTNG_MM_FN_OPTIONS_H

#include "analysis/subsystem/options.h"

struct fn_option_values {
	struct mm_report_options report;
	const char *by;	      /* the argument, ret or caller that a list groups by; NULL: no list */
	const char *function; /* a list of shell patterns; NULL: all functions */
	bool graph;
	bool by_task;	    /* the graph shows the thread in place of the CPU */
	const char *folded; /* the sum at the end of each stack, "ns" or "calls"; NULL: no stacks */
};

#endif /* LTTNG_MM_FN_OPTIONS_H */
