/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Makes reports in the same way as `lttng-mm report`: leaves out damaged packets, and adds
 * warnings.
 */
#ifndef LTTNG_MM_RUN_TRACE_REPORT_H
#define LTTNG_MM_RUN_TRACE_REPORT_H

#include "analysis/run/analysis.h"
#include "reader/coverage/suspects.h"

/*
 * Reads the trace at @path. Adds packets to @suspects if they have no checksum and break a rule of
 * `verify`. A report leaves these packets out if options->suspects is @suspects. Returns 0, or -1
 * with @err set.
 */
int mm_trace_suspects(const char *path, const struct mm_source_options *options,
		      struct mm_suspects *suspects, struct mm_error *err);

/*
 * Runs @analysis on the trace at @path. The report warns if the files do not match their
 * certificate. Release it with mm_report_destroy(). Returns NULL with @err set on failure.
 */
struct mm_report *mm_trace_report(const struct mm_analysis *analysis, const char *path,
				  const struct mm_source_options *source_options,
				  const struct mm_report_options *options, struct mm_error *err);

#endif /* LTTNG_MM_RUN_TRACE_REPORT_H */
