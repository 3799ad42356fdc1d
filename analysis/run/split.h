/* SPDX-License-Identifier: LGPL-2.1-only */
/* Where a trace can be cut in time, so that its parts can be read side by side. */
#ifndef LTTNG_MM_RUN_CUT_H
#define LTTNG_MM_RUN_CUT_H

#include "analysis/trace/source.h"

/*
 * Finds up to @parts - 1 times that cut the trace of @source, a fast one that has not run yet, in
 * parts of about equal bytes, by the packets' headers: not more parts than have half of @bytes_min
 * each. @options gets the source's options, times of the day resolved. Part i is from @cuts[i - 1]
 * to @cuts[i] - 1, both included, within the options' begin and end.
 *
 * Returns how many there are, rising. 0: the trace is to be read in one piece, because it has fewer
 * than
 * @bytes_min bytes, or lost something, or is damaged, or does not say or keep the times of its
 * packets, or memory is short; whoever reads it in one piece learns why.
 */
unsigned int ctf_cut_times(struct mm_source *source, unsigned int parts, uint64_t bytes_min,
			   struct mm_source_options *options, int64_t *cuts);

#endif /* LTTNG_MM_RUN_CUT_H */
