/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Compares two reports of an analysis. An analysis with a comparison of its own extends the general
 * one; its own is of two traces of one boot, in which call sites and addresses are the same.
 */
#ifndef LTTNG_MM_RUN_COMPARE_H
#define LTTNG_MM_RUN_COMPARE_H

#include "analysis/run/analysis.h"
#include "reader/report/compare.h"

/* Is it a comparison within one boot? @any_stored: a side is a stored report, not a trace. */
bool mm_compare_is_of_one_boot(const struct mm_analysis *analysis, bool any_stored);

/*
 * Refuses traces of different boots, folders both, and those that do not state their boot. Returns
 * 0, or -1 with @err set.
 */
int mm_compare_check_boots(const struct mm_analysis *analysis, const char *older, const char *newer,
			   const struct mm_source_options *options, struct mm_error *err);

/*
 * Refuses stored reports that other options restricted than those that restrict the other side, and
 * options that no side obeys. A trace obeys @options and @source_options, and its side needs no
 * report yet. Returns 0, or -1 with @err set.
 */
int mm_compare_check_selections(const struct mm_analysis *analysis,
				const struct mm_compare_side sides[2],
				const struct mm_report_options *options,
				const struct mm_source_options *source_options,
				struct mm_error *err);

/*
 * Returns what differs between the reports of @sides, OLD and NEW, as mm_analysis_run() does.
 * Within one boot, a newer trace that does not end after the older one is refused. @top: rows of
 * each table in the text form.
 */
struct mm_report *mm_analysis_compare(const struct mm_analysis *analysis,
				      const struct mm_compare_side sides[2], unsigned int top,
				      struct mm_error *err);

#endif /* LTTNG_MM_RUN_COMPARE_H */
