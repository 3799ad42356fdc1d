/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds times for splitting a trace into parts that can be read in parallel. */
#ifndef LTTNG_MM_OPEN_SPLIT_H
#define LTTNG_MM_OPEN_SPLIT_H

#include "reader/events/source.h"

/*
 * Finds up to @parts - 1 timestamps that split the trace of @source into parts of about equal size,
 * each at least half of @bytes_min. Reads only packet headers. @source must be a fast source that
 * has not run.
 *
 * Stores the source's options in @options, with times of day resolved. Part i reaches from
 * @splits[i - 1] to @splits[i] - 1, inclusive, within the time range of @options.
 *
 * Returns the number of timestamps, which are in ascending order. Returns 0 if the trace must be
 * read as a whole: it has fewer than @bytes_min bytes, is incomplete or damaged, has missing or
 * non-monotonic timestamps, or memory is exhausted. Reading the whole trace then reports the
 * reason.
 */
unsigned int ctf_split_times(struct mm_source *source, unsigned int parts, uint64_t bytes_min,
			     struct mm_source_options *options, int64_t *splits);

#endif /* LTTNG_MM_OPEN_SPLIT_H */
