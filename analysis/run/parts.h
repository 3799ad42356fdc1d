/* SPDX-License-Identifier: LGPL-2.1-only */
/* Runs an analysis on a trace. Uses parallel parts if the result is equal. */
#ifndef LTTNG_MM_RUN_PARTS_H
#define LTTNG_MM_RUN_PARTS_H

#include "analysis/subsystem/analysis.h"

/* A smaller trace is read faster without splitting. */
#define MM_PARTS_BYTES_MIN (4u << 20)

/*
 * Runs @analysis on the trace at @path, opened with @options. If options->jobs is above 1, splits
 * the trace into as many parts. Each has its own source, thread and state. Merges the states
 * afterwards. Reads the trace as a whole if it has fewer than @bytes_min bytes. Also does so if the
 * result could differ: something is lost, damaged or out of order, or states cannot be merged.
 *
 * Returns 0 with *@source, which has run, and *@state, before finish(). The caller owns both. On
 * failure, returns -1 with @err set, and both are NULL.
 *
 * @report_options is for mm_analysis.configure() and may be NULL. @sysinfo receives the system
 * information if the analysis needs it before the first event, else NULL. The caller owns it. If
 * @sysinfo is NULL, the analysis does without. @joined receives the number of merged parts and may
 * be NULL.
 */
int mm_parts_run(const struct mm_analysis *analysis, const char *path,
		 const struct mm_source_options *options,
		 const struct mm_report_options *report_options, uint64_t bytes_min,
		 struct mm_source **source, void **state, struct mm_sysinfo **sysinfo,
		 unsigned int *joined, struct mm_error *err);

#endif /* LTTNG_MM_RUN_PARTS_H */
