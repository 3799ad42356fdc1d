/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds the timestamps at which a trace can be split, so that its parts can be read in parallel. */
#ifndef LTTNG_MM_OPEN_SPLIT_H
#define LTTNG_MM_OPEN_SPLIT_H

#include "reader/events/source.h"

/*
 * Finds up to @parts - 1 timestamps that split the trace of @source, a fast source that has not run
 * yet, into parts of about equal size, of at least half of @bytes_min each. Reads the packets'
 * headers only. Stores the source's options in @options, with times of day resolved. Part i is from
 * @splits[i - 1] to @splits[i] - 1, both included, within the time range of @options.
 *
 * Returns the number of timestamps, which are in ascending order. 0 means that the trace must be
 * read in one piece because it has fewer than @bytes_min bytes, is incomplete or damaged, or has
 * packets with missing or non-monotonic timestamps, or when out of memory. Reading in one piece
 * reports the reason.
 */
unsigned int ctf_split_times(struct mm_source *source, unsigned int parts, uint64_t bytes_min,
			     struct mm_source_options *options, int64_t *splits);

#endif /* LTTNG_MM_OPEN_SPLIT_H */
