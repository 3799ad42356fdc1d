/* SPDX-License-Identifier: LGPL-2.1-only */
/* The options of `lttng-mm report`: common options, and options of the analysis. */
#ifndef LTTNG_MM_CLI_REPORT_REPORT_OPTIONS_H
#define LTTNG_MM_CLI_REPORT_REPORT_OPTIONS_H

#include <stdbool.h>

#include "analysis/subsystem/analysis.h"

/* An option of the analysis, as it was given on the command line. */
struct given_option {
	const struct mm_option *option;
	const char *argument;
};

struct report_options {
	const struct mm_analysis *analysis;
	const char *name, *trace, *newer; /* arguments; @newer only with --compare */
	const char *table;		  /* name of the only table to show; or NULL */
	const char *sort;		  /* for mm_report_sort(); NULL: the default order */
	bool json, wide, all, compare, require_complete;
	struct mm_report_options *report; /* first member of the analysis's own struct */
	struct mm_source_options source;
	struct given_option *given;
	size_t given_count, given_room;
};

/*
 * Parses the command line. Exits on bad usage and after --help. If an option's value is invalid,
 * returns -1 with @err set. Returns 0 on success.
 */
int report_options_parse(struct report_options *options, int argc, char **argv,
			 struct mm_error *err);
void report_options_release(struct report_options *options);

/*
 * @command is a command that a message suggests, such as "lttng-mm report slab --leaks TRACE".
 * Returns the options with which it selects the same part of the trace as the current command, such
 * as " --pid=7 --begin=-10s". Release with free(). Returns NULL when out of memory.
 */
char *report_options_selection(const struct report_options *options, const char *command);

#endif /* LTTNG_MM_CLI_REPORT_REPORT_OPTIONS_H */
