/* SPDX-License-Identifier: LGPL-2.1-only */
/* The options of `lttng-mm report`: those of all reports, and those of the analysis's table. */
#ifndef LTTNG_MM_CLI_REPORT_OPTIONS_H
#define LTTNG_MM_CLI_REPORT_OPTIONS_H

#include <stdbool.h>

#include "analysis/subsystem/analysis.h"

struct report_options {
	const struct mm_analysis *analysis;
	const char *name, *trace, *newer; /* as given; @newer: with --compare */
	const char *table;		  /* the only one to show; NULL: not given */
	bool json, wide, all, require_complete;
	struct mm_report_options report;
	struct mm_source_options source;
};

/*
 * Parses the command line. What is wrong with it, and --help, ends the program; what is wrong with
 * an option's value is an error: -1 with @err set.
 */
int report_options_parse(struct report_options *options, int argc, char **argv,
			 struct mm_error *err);

#endif /* LTTNG_MM_CLI_REPORT_OPTIONS_H */
