/* SPDX-License-Identifier: LGPL-2.1-only */
/* Runs an analysis over a trace, in parts side by side where that gives the same result. */
#ifndef LTTNG_MM_RUN_PARTS_H
#define LTTNG_MM_RUN_PARTS_H

#include "analysis/subsystem/analysis.h"

/* Smaller traces are read faster than they are cut. */
#define MM_PARTS_BYTES_MIN (4u << 20)

/*
 * The trace at @path, as mm_source_open() opens it with @options. With options->jobs above 1 it is
 * cut in as many parts, each read by a source and an instance of its own on a thread of its own,
 * and these are merged; in one piece otherwise, and where the parts could tell anything else than
 * one piece: something was lost, damaged or out of order, the instances will not be merged, or the
 * trace has fewer than @bytes_min bytes.
 *
 * Returns 0 with @source, which has run, and @state, not finished yet; or -1 with @err set and both
 * NULL.
 * @joined: the number of parts that were joined (may be NULL).
 */
int mm_parts_run(const struct mm_analysis *analysis, const char *path,
		 const struct mm_source_options *options, uint64_t bytes_min,
		 struct mm_source **source, void **state, unsigned int *joined,
		 struct mm_error *err);

#endif /* LTTNG_MM_RUN_PARTS_H */
