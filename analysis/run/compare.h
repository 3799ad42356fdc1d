/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Compares two reports of an analysis. Two traces of one boot have the same call sites and
 * addresses, so mm_analysis.compare() adds more comparisons for them.
 */
#ifndef LTTNG_MM_RUN_COMPARE_H
#define LTTNG_MM_RUN_COMPARE_H

#include "analysis/run/analysis.h"
#include "reader/report/compare.h"

/*
 * Must both sides be of one boot? True if the analysis has a compare() function, and no side is a
 * stored report (@any_stored), whose boot is unknown.
 */
bool mm_compare_is_of_one_boot(const struct mm_analysis *analysis, bool any_stored);

/* Refuses traces of different or unknown boots. Returns 0, or -1 with @err set. */
int mm_compare_check_boots(const struct mm_analysis *analysis, const char *older, const char *newer,
			   const struct mm_source_options *options, struct mm_error *err);

/*
 * Checks that the same options select the compared part on both sides. Their arguments may differ,
 * because process IDs change. @options and @source_options apply to traces; a stored report
 * contains the options that it was made with. If both sides are stored reports, refuses a time
 * range, and options that differ from theirs. The @report of a trace may be NULL. Returns 0, or -1
 * with @err set.
 */
int mm_compare_check_selections(const struct mm_analysis *analysis,
				const struct mm_compare_side sides[2],
				const struct mm_report_options *options,
				const struct mm_source_options *source_options,
				struct mm_error *err);

/*
 * Compares the reports of @sides: [0] is OLD, [1] is NEW. If both are of one boot, NEW must end
 * after OLD. @top limits the rows of a table in the text form. Returns a new report to release with
 * mm_report_destroy(), or NULL with @err set.
 */
struct mm_report *mm_analysis_compare(const struct mm_analysis *analysis,
				      const struct mm_compare_side sides[2], unsigned int top,
				      struct mm_error *err);

#endif /* LTTNG_MM_RUN_COMPARE_H */
