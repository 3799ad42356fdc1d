/* SPDX-License-Identifier: LGPL-2.1-only */
/* The options of the slab report. */
#ifndef LTTNG_MM_SLAB_REPORT_OPTIONS_H
#define LTTNG_MM_SLAB_REPORT_OPTIONS_H

#include "analysis/subsystem/options.h"

struct slab_options {
	struct mm_report_options report;
	/* --by, which selects tables of the text form; NULL: show the first rows of all tables */
	const char *by;
	bool leaks; /* show leak candidates instead of the other tables */
	/* list only leak candidates that were allocated after this time */
	struct mm_report_time since;
	/* NULL: no restriction */
	const char *cache, *call_site;
};

extern const struct mm_options slab_report_options;

/* Callbacks of struct mm_analysis. */
int slab_check_options(const struct mm_report_options *options, struct mm_error *err);
const char *slab_needs_again(const struct mm_report_options *options);

#endif /* LTTNG_MM_SLAB_REPORT_OPTIONS_H */
