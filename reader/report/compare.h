/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Compares two reports of one analysis by their schema: metrics by name and labels, rows of tables
 * by the columns that the schema names. Nothing here knows an analysis.
 *
 * A figure has a verdict. It is "better", "worse" or "changed" (more is neither) only if nothing
 * that is missing could explain the difference: both sides are complete, of as many CPUs, and
 * limited to the same events. Otherwise it is "undetermined", as is a figure that cannot be scaled
 * to the length of the recording where the lengths differ. Sums are compared per second.
 */
#ifndef LTTNG_MM_REPORT_COMPARE_H
#define LTTNG_MM_REPORT_COMPARE_H

#include "reader/report/report.h"

/* OLD and NEW. */
#define MM_SIDES 2

struct mm_compare_side {
	const struct mm_report *report;
	const char *path; /* as given; may be hostile */
	bool stored;	  /* it was read from a file */
};

/*
 * What a comparison contains. An analysis that compares more has a schema of its own, with this one
 * as its base.
 */
extern const struct mm_report_schema mm_compare_schema;

/*
 * Fills @report, whose schema is mm_compare_schema or has it as its base, with what differs between
 * @sides, OLD and NEW, whose reports have the same schema. Being out of memory sets report->failed.
 */
void mm_report_compare(const struct mm_compare_side sides[MM_SIDES], struct mm_report *report);

#endif /* LTTNG_MM_REPORT_COMPARE_H */
