/* SPDX-License-Identifier: LGPL-2.1-only */
/* Runs an analysis on a trace and makes its report. */
#ifndef LTTNG_MM_RUN_ANALYSIS_H
#define LTTNG_MM_RUN_ANALYSIS_H

#include "analysis/subsystem/analysis.h"

/*
 * Runs @analysis on the trace at @path. @source_options may be NULL for the defaults. Returns a
 * report to release with mm_report_destroy(), or NULL with @err set. On success, *@read receives
 * the source, which the caller then owns. @read may be NULL.
 */
struct mm_report *mm_analysis_run(const struct mm_analysis *analysis, const char *path,
				  const struct mm_source_options *source_options,
				  const struct mm_report_options *options, struct mm_source **read,
				  struct mm_error *err);

/*
 * Finishes @state and makes the report. The caller has passed all events of @source to @state.
 * Returns NULL with @err set on failure.
 */
struct mm_report *mm_analysis_report(const struct mm_analysis *analysis, void *state,
				     const struct mm_source *source,
				     const struct mm_sysinfo *sysinfo,
				     const struct mm_report_options *options, struct mm_error *err);

#endif /* LTTNG_MM_RUN_ANALYSIS_H */
