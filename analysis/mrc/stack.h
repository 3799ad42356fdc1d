/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The LRU stack of a trace that knows only the first touch of a page in each interval.
 *
 * From its touch until it is marked again, a page may have been used without a trace of it: its
 * span is open. The stack distance of a touch, the memory used since the last use of the page and
 * the page itself, therefore lies between two bounds:
 *
 *   low   memory that was used for certain since the page's last span was closed
 *   high  memory that may have been used since the page's last certain use
 *
 * A memory of N pages misses the touch if the distance exceeds N. All uses within a span but the
 * first are hits if the memory is at least as large as all that may have been used in this span.
 * The bounds are valid from the largest such set on. Source: Smith, "Two methods for the efficient
 * analysis of memory address trace data", 1977; Mattson et al., "Evaluation techniques for storage
 * hierarchies", 1970.
 *
 * A span may also start without a touch, when a page was found unmarked or was mapped untouched.
 * Its first use is a possible miss, which counts for the upper bound when the span is closed.
 *
 * With sampling, a page is counted if a hash of it is below a threshold, and distances and counts
 * are divided by the rate. A trace may have a sample only, because the recorder has sampled in the
 * same way: then the rate is the product of both. The pages of a sample are split into sub-samples
 * by their hash, too.
 * Source: Waldspurger et al., "Efficient MRC construction with SHARDS", 2015.
 */
#ifndef LTTNG_MM_MRC_STACK_H
#define LTTNG_MM_MRC_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/mrc/counts.h"
#include "analysis/mrc/distances.h"

#define MRC_SUBSAMPLES 16u
#define MRC_TALLIES (1 + MRC_SUBSAMPLES)

/* Pages of the stack with their bounds: all of them, a sample, or a sub-sample. */
struct mrc_tally {
	struct mrc_counts may;	   /* closed pages, by the segment in which their span was closed */
	struct mrc_counts certain; /* by the segment of the last certain use */
	uint64_t open;		   /* memory of open spans */
	struct mrc_distances low, high;
	uint64_t largest; /* the largest set that a span may have used */
};

struct mrc_page {
	uint32_t since;	 /* segment of the last certain use, or else of the first possible use */
	uint32_t closed; /* segment in which the last span was closed */
	uint32_t spans;	 /* open spans: a page has one in each address space that maps it */
	uint32_t maybes; /* open spans without a touch */
	uint32_t weight; /* 0: not a page */
	uint8_t flags;
	uint8_t subsample; /* MRC_UNSAMPLED: not counted */
};

#define MRC_UNSAMPLED UINT8_MAX

enum mrc_page_flags {
	MRC_PAGE_USED = 1 << 0,	   /* it may have been used */
	MRC_PAGE_CERTAIN = 1 << 1, /* @since is a certain use */
	MRC_PAGE_COUNTED = 1 << 2, /* it is in mrc_tally.open or mrc_tally.may */
};

struct mrc_stack {
	struct mrc_page *pages;
	size_t page_count, page_room;
	uint32_t segment;
	uint64_t limit; /* pages with a hash below are counted */
	double rate;	/* part of all pages that is counted */
	double counted; /* part of the trace's pages that is counted */
	unsigned int tally_count;
	struct mrc_tally tallies[MRC_TALLIES]; /* the first one has all pages */
	uint64_t first_touches;		       /* of all pages, with and without a sample */
	/*
	 * Optional: may events be missing between the start of a segment and now? Then a touch
	 * counts for the upper bound at all sizes, and not for the lower bound.
	 */
	bool (*lacks)(void *user, uint32_t since);
	void *user;
};

/*
 * @counted: part of the trace's pages to count; 1: all. @recorded: part of the pages that the trace
 * has. The functions that return an int return 0, or -1: out of memory.
 */
int mrc_stack_init(struct mrc_stack *stack, double counted, double recorded);
void mrc_stack_release(struct mrc_stack *stack);

/*
 * Makes @page a new page of @weight (in pages of 4 KiB). @hash decides whether it is counted, and
 * @spread in which sub-sample.
 */
int mrc_stack_add(struct mrc_stack *stack, uint32_t page, uint32_t weight, uint64_t hash,
		  uint64_t spread);
/* Notes that a new page may have been used before, from @segment on. */
void mrc_stack_maybe_since(struct mrc_stack *stack, uint32_t page, uint32_t segment);
/*
 * A certain use. @own_maybe: the page is open only by a span without a touch, before which the page
 * had not been used.
 */
int mrc_stack_touch(struct mrc_stack *stack, uint32_t page, bool own_maybe);
/* Opens a span. @maybe: the span has no touch. Otherwise, call it after mrc_stack_touch(). */
void mrc_stack_open(struct mrc_stack *stack, uint32_t page, bool maybe);
/* Notes that a page is touched whose open span had no touch so far. */
static inline void mrc_stack_is_touched(struct mrc_stack *stack, uint32_t page)
{
	stack->pages[page].maybes--;
}
/*
 * Closes a span. @maybe: the span has no touch. @is_first: in addition, the page had not been used
 * before the span.
 */
int mrc_stack_close(struct mrc_stack *stack, uint32_t page, bool maybe, bool is_first);
/* Removes a freed page. Its spans must be closed. Its number may be used again. */
void mrc_stack_free(struct mrc_stack *stack, uint32_t page);
/* Notes that the page may have been freed, so its next touch may be a first touch. */
void mrc_stack_doubt(struct mrc_stack *stack, uint32_t page);
/* Open and close spans of pages of which only the number is known. */
void mrc_stack_open_others(struct mrc_stack *stack, uint64_t pages);
void mrc_stack_close_others(struct mrc_stack *stack, uint64_t pages);
/* Notes the set that a span since @segment may have used. Call it before spans are closed. */
void mrc_stack_measure(struct mrc_stack *stack, uint32_t segment);
/* Starts the next segment, after spans were closed. */
int mrc_stack_next(struct mrc_stack *stack);
void mrc_stack_finish(struct mrc_stack *stack);

#endif /* LTTNG_MM_MRC_STACK_H */
