/* SPDX-License-Identifier: LGPL-2.1-only */
/* The options of the report. Each subsystem with operations has its own flag, such as --dax. */
#ifndef LTTNG_MM_WHY_OPTIONS_H
#define LTTNG_MM_WHY_OPTIONS_H

#include "analysis/registry/registry.h"

struct why_option_values {
	struct mm_report_options report;
	const char *function; /* a list of shell patterns; NULL: not given */
	/* The flags of subsystems, such as --dax, indexed like mm_subsystems. */
	bool only[MM_SUBSYSTEMS_MAX];
	const char *file;   /* a shell pattern; NULL: not given */
	const char *pair;   /* `START,END`; NULL: not given */
	unsigned int lines; /* maximum number of lines of a time line */
};

extern const struct mm_options why_options;

/* Do the options select only some intervals? By default, all calls and all operations count. */
bool why_options_select(const struct why_option_values *values);

/* Implements mm_analysis.check_options(). */
int why_options_check(const struct mm_report_options *options, struct mm_error *err);

#endif /* LTTNG_MM_WHY_OPTIONS_H */
