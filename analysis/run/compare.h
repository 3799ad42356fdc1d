/* SPDX-License-Identifier: LGPL-2.1-only */
/* Compares two traces of one boot by what an analysis reports of each. */
#ifndef LTTNG_MM_RUN_COMPARE_H
#define LTTNG_MM_RUN_COMPARE_H

#include "analysis/run/analysis.h"

/*
 * Runs @analysis on the traces at @older and @newer, folders both, and returns the report of what
 * changed between them, as mm_analysis_run() does. Traces of other boots, and a newer trace that
 * does not end after the older one, are refused. @read receives the sources of the traces that were
 * read, also on failure; the caller owns them, and has set both to NULL.
 */
struct mm_report *mm_analysis_compare(const struct mm_analysis *analysis, const char *older,
				      const char *newer,
				      const struct mm_source_options *source_options,
				      const struct mm_report_options *options,
				      struct mm_source *read[2], struct mm_error *err);

#endif /* LTTNG_MM_RUN_COMPARE_H */
