/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Counts the memory that was used since the start of any segment of the trace. A segment ends when
 * spans are closed (stack.h), and the next segment starts. A page belongs to the segment of its
 * last use, so the sum over the segments from S on is the memory used since the start of S.
 *
 * A freed page leaves a hole in its segment, because a cache that contained the page has room for
 * another one. The next page that is used fills the latest hole, and the hole moves to the segment
 * that this page leaves. The sum over the segments from S on, including holes, is then the largest
 * amount of memory that was in use at one time since S. It is the size of the smallest cache that
 * has evicted no page used since S.
 *
 * Sources: Mattson et al., "Evaluation techniques for storage hierarchies", 1970, on deleted pages;
 * Thompson and Smith, "Efficient (stack) algorithms for analysis of write-back and sector
 * memories", 1989.
 */
#ifndef LTTNG_MM_MRC_COUNTS_H
#define LTTNG_MM_MRC_COUNTS_H

#include <stddef.h>
#include <stdint.h>

/* Stands for the segment of a page that was not counted before. */
#define MRC_NO_SEGMENT UINT32_MAX

/*
 * Two Fenwick trees, indexed by segment + 1. @sums counts pages and holes, @holes counts only
 * holes. The unit of all counts is a page of 4 KiB.
 */
struct mrc_counts {
	uint64_t *sums, *holes;
	uint64_t total, hole_total; /* sums over each tree */
	uint64_t current;	    /* pages of the last segment; @sums does not contain them yet */
	uint32_t count;		    /* number of segments */
	size_t room;
};

/* Starts with segment 0. Returns 0, or -1 when out of memory. */
int mrc_counts_init(struct mrc_counts *counts);
void mrc_counts_release(struct mrc_counts *counts);

/* Starts the next segment. Returns 0, or -1 when out of memory. */
int mrc_counts_next(struct mrc_counts *counts);

/* Adds a page that is used now to the last segment. @weight is its size in pages of 4 KiB. */
static inline void mrc_counts_add(struct mrc_counts *counts, uint64_t weight)
{
	counts->current += weight;
}

/*
 * Handles a page that is used again. Removes the page from segment @from, and fills holes with it.
 * For a new page, @from is MRC_NO_SEGMENT. The caller counts the page as used now.
 */
void mrc_counts_leave(struct mrc_counts *counts, uint32_t from, uint64_t weight);

/* Turns the page in segment @from into a hole, because the page was freed. */
void mrc_counts_free(struct mrc_counts *counts, uint32_t from, uint64_t weight);

/* Returns the memory of the segments from @segment on. */
uint64_t mrc_counts_since(const struct mrc_counts *counts, uint32_t segment);

#endif /* LTTNG_MM_MRC_COUNTS_H */
