/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Compares two reports of one analysis. Uses the analysis's schema: compares metrics by name and
 * labels, and table rows by the schema's key columns.
 *
 * Each figure gets a verdict. "better", "worse" or "changed" (if neither direction is better) means
 * that the recorded system changed: nothing else explains the difference. This requires that both
 * sides are complete, have the same number of CPUs, record the same events, and do not overlap in
 * time. Otherwise the verdict is "undetermined". It is also "undetermined" if the recordings differ
 * in length and the figure cannot be scaled. Sums are compared per second.
 */
#ifndef LTTNG_MM_REPORT_COMPARE_H
#define LTTNG_MM_REPORT_COMPARE_H

#include "reader/report/report.h"

/*
 * Two values are similar if they differ by less than this part of the larger value, or by less than
 * this number of units.
 */
#define MM_LEAST_PART 0.05
#define MM_LEAST_UNITS 3
/* Two recordings have equal length if their lengths differ by at most this part. */
#define MM_SAME_LENGTH 0.01

/* The sides of a comparison: OLD and NEW. */
#define MM_SIDES 2

struct mm_compare_side {
	const struct mm_report *report;
	const char *path; /* as given; may be hostile */
	bool stored;	  /* from a file, not computed from a trace */
};

/*
 * The schema of a comparison. An analysis may add items: it then declares a schema with this base.
 */
extern const struct mm_report_schema mm_compare_schema;

/*
 * Fills in @report with the differences between @sides, whose reports must have the same schema.
 * The schema of @report is mm_compare_schema or a schema with this base. Sets report->failed when
 * out of memory.
 */
void mm_report_compare(const struct mm_compare_side sides[MM_SIDES], struct mm_report *report);

#endif
