/* SPDX-License-Identifier: LGPL-2.1-only */
/* Runs an analysis on a trace. Reads parts of it in parallel if this does not change the result. */
#ifndef LTTNG_MM_RUN_PARTS_H
#define LTTNG_MM_RUN_PARTS_H

#include "analysis/subsystem/analysis.h"

/* A smaller trace is read faster without splitting. */
#define MM_PARTS_BYTES_MIN (4u << 20)

/*
 * Runs @analysis on the trace at @path, opened with @options. If options->jobs is above 1, splits
 * the trace into as many parts. Each part has its own source, thread and state, and the states are
 * merged afterwards. Reads a trace of fewer than @bytes_min bytes as a whole. Also reads the trace
 * as a whole if data is lost, damaged or out of order, or if states cannot be merged.
 *
 * Returns 0 on success. The caller then owns *@source and *@state. The source has run; finish() has
 * not been called yet. On failure, returns -1 with @err set, and both are NULL.
 *
 * @report_options is for mm_analysis.configure() and may be NULL. *@sysinfo receives the system
 * information if the analysis needs it before the first event, else NULL. The caller owns it. If
 * @sysinfo itself is NULL, no selection takes place: all threads count. *@joined receives the
 * number of merged parts. @joined may be NULL.
 */
int mm_parts_run(const struct mm_analysis *analysis, const char *path,
		 const struct mm_source_options *options,
		 const struct mm_report_options *report_options, uint64_t bytes_min,
		 struct mm_source **source, void **state, struct mm_sysinfo **sysinfo,
		 unsigned int *joined, struct mm_error *err);

#endif /* LTTNG_MM_RUN_PARTS_H */
