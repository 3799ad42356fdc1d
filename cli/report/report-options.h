/* SPDX-License-Identifier: LGPL-2.1-only */
/* The options of `lttng-mm report`: those of all reports, and those of the analysis's table. */
#ifndef LTTNG_MM_CLI_REPORT_REPORT_OPTIONS_H
#define LTTNG_MM_CLI_REPORT_REPORT_OPTIONS_H

#include <stdbool.h>

#include "analysis/subsystem/analysis.h"

/* An option of an analysis's table, as given. */
struct given_option {
	const struct mm_option *option;
	const char *argument;
};

struct report_options {
	const struct mm_analysis *analysis;
	const char *name, *trace, *newer; /* as given; @newer: with --compare */
	const char *table;		  /* the only one to show; NULL: not given */
	/* keys of columns, as mm_report_sort() accepts them; NULL: the default order */
	const char *sort;
	bool json, wide, all, compare, require_complete;
	struct mm_report_options *report; /* the start of the analysis's own struct */
	struct mm_source_options source;
	struct given_option *given;
	size_t given_count, given_room;
};

/*
 * Parses the command line. What is wrong with it, and --help, ends the program; what is wrong with
 * an option's value is an error: -1 with @err set.
 */
int report_options_parse(struct report_options *options, int argc, char **argv,
			 struct mm_error *err);
void report_options_release(struct report_options *options);

/*
 * What `lttng-mm report` must be given, besides @command ("lttng-mm report slab --leaks TRACE"), to
 * be about the same part of the trace: " --pid=7 --begin=-10s". NULL: out of memory. Release with
 * free().
 */
char *report_options_selection(const struct report_options *options, const char *command);

#endif /* LTTNG_MM_CLI_REPORT_REPORT_OPTIONS_H */
