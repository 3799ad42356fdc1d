/* SPDX-License-Identifier: LGPL-2.1-only */
/* Runs an analysis on a trace, in parallel parts where that gives the same result. */
#ifndef LTTNG_MM_RUN_PARTS_H
#define LTTNG_MM_RUN_PARTS_H

#include "analysis/subsystem/analysis.h"

/* Reading a smaller trace takes less time than splitting it. */
#define MM_PARTS_BYTES_MIN (4u << 20)

/*
 * Runs @analysis on the trace at @path, which is opened as by mm_source_open() with @options. With
 * options->jobs above 1, the trace is split into that many parts; each has its own source, thread
 * and instance of the analysis, and the instances are merged. The trace is read in one piece if the
 * result could differ otherwise (something is lost, damaged or out of order, or the instances
 * refuse to merge), or if it has fewer than @bytes_min bytes.
 *
 * Returns 0 with @source, which has run, and @state, which is not finished yet; the caller owns
 * both. Returns -1 with @err set and both NULL on failure.
 * @report_options: for mm_analysis.configure(); NULL: those are not known.
 * @sysinfo: the system information, if the analysis expects it before the first event, else NULL;
 * the caller owns it. May be NULL: the analysis goes without.
 * @joined: the number of parts that were merged (may be NULL).
 */
int mm_parts_run(const struct mm_analysis *analysis, const char *path,
		 const struct mm_source_options *options,
		 const struct mm_report_options *report_options, uint64_t bytes_min,
		 struct mm_source **source, void **state, struct mm_sysinfo **sysinfo,
		 unsigned int *joined, struct mm_error *err);

#endif /* LTTNG_MM_RUN_PARTS_H */
