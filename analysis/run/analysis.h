/* SPDX-License-Identifier: LGPL-2.1-only */
/* Runs an analysis over a trace and makes its report. */
#ifndef LTTNG_MM_RUN_ANALYSIS_H
#define LTTNG_MM_RUN_ANALYSIS_H

#include "analysis/subsystem/analysis.h"

/*
 * Runs @analysis over the trace at @path, opened as mm_source_open() does with @source_options (may
 * be NULL). NULL and @err set on bad input; otherwise a report to release with mm_report_destroy().
 */
struct mm_report *mm_analysis_run(const struct mm_analysis *analysis, const char *path,
				  const struct mm_source_options *source_options,
				  const struct mm_report_options *options, struct mm_error *err);

/*
 * The second half of that, for those who hand events to @state themselves: finishes @state with
 * what
 * @source knows by now and makes the report. NULL and @err set when there is none to make.
 */
struct mm_report *mm_analysis_report(const struct mm_analysis *analysis, void *state,
				     const struct mm_source *source,
				     const struct mm_context *context,
				     const struct mm_report_options *options, struct mm_error *err);

#endif /* LTTNG_MM_RUN_ANALYSIS_H */
