/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Memory by segment of the trace. A segment is the time between two closings of spans (stack.h). A
 * page is in the segment of its last use, so the sum over the segments from S on is the memory used
 * since S.
 *
 * A page that is freed leaves a hole in its segment: a cache that held the page has room for
 * another one. The next page that comes to the top fills the latest hole, and the hole moves to
 * the segment that this page has left. The sum over segments with holes is thus the largest amount
 * of memory that was in use at one time since S: the smallest cache that has evicted no page used
 * since S. Source: Mattson et al., "Evaluation techniques for storage hierarchies", 1970, on
 * deleted pages; Thompson and Smith, "Efficient (stack) algorithms for analysis of write-back and
 * sector memories", 1989.
 */
#ifndef LTTNG_MM_MRC_COUNTS_H
#define LTTNG_MM_MRC_COUNTS_H

#include <stddef.h>
#include <stdint.h>

/* A page that is in no segment yet. */
#define MRC_NO_SEGMENT UINT32_MAX

/* Two Fenwick trees, indexed by segment + 1: pages and holes, and holes alone. */
struct mrc_counts {
	uint64_t *sums, *holes;
	uint64_t total, hole_total; /* of both trees */
	uint64_t current;	    /* pages of the last segment, which are not in @sums yet */
	uint32_t count;		    /* number of segments */
	size_t room;
};

/* Starts with segment 0. Returns 0, or -1 when out of memory. */
int mrc_counts_init(struct mrc_counts *counts);
void mrc_counts_release(struct mrc_counts *counts);

/* Starts the next segment. Returns 0, or -1 when out of memory. */
int mrc_counts_next(struct mrc_counts *counts);

/* Adds a page of @weight to the last segment. */
static inline void mrc_counts_add(struct mrc_counts *counts, uint64_t weight)
{
	counts->current += weight;
}

/*
 * A page comes to the top, from segment @from or, for a new page, from MRC_NO_SEGMENT. The caller
 * counts the page at the top.
 */
void mrc_counts_leave(struct mrc_counts *counts, uint32_t from, uint64_t weight);

/* The page in segment @from is freed. */
void mrc_counts_free(struct mrc_counts *counts, uint32_t from, uint64_t weight);

/* Returns the memory of the segments from @segment on. */
uint64_t mrc_counts_since(const struct mrc_counts *counts, uint32_t segment);

#endif /* LTTNG_MM_MRC_COUNTS_H */
