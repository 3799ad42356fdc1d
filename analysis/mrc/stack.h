/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The LRU stack of a trace that records only the first touch of a page between two passes.
 *
 * A pass marks the pages of an address space. The next touch of a marked page is recorded, and
 * removes the mark. Further uses of the page are not recorded until a later pass has marked the
 * page again. The time from the recorded touch to the end of that pass is a span of the page. The
 * span is open during this time.
 *
 * The stack distance of a touch is the amount of memory that was used since the previous use of the
 * page, including the page itself. Because not all uses are recorded, only bounds are known:
 *
 *   low   memory that was certainly used since the page's last span was closed
 *   high  memory that may have been used since the page's last certain use
 *
 * A memory of N pages misses the touch if the distance exceeds N. The first use in a span is the
 * recorded touch. Later uses in the span are hits if the memory is at least as large as the set of
 * all pages that may have been used in this span. The bounds are therefore valid for a memory that
 * is at least as large as the largest such set. Sources: Smith, "Two methods for the efficient
 * analysis of memory address trace data", 1977; Mattson et al., "Evaluation techniques for storage
 * hierarchies", 1970.
 *
 * A span may also start without a touch: a pass found the page without a mark, or a fault on
 * another page mapped it. The page may have been used in this span, and the first use may be a
 * miss. This possible miss counts for the upper bound when the span is closed.
 *
 * With sampling, only pages whose hash is below a threshold are counted, and the counts and
 * distances are divided by the sampling rate. If the recorder has sampled pages, too, the rate is
 * the product of both rates. The sampled pages are divided into sub-samples by a hash. The
 * differences between the sub-samples show how exact the estimate is. Source: Waldspurger et al.,
 * "Efficient MRC construction with SHARDS", 2015.
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

/*
 * Counts for a set of pages, either all counted pages or a sub-sample. Sizes are in pages of 4 KiB.
 */
struct mrc_tally {
	/* pages without an open span, by the segment in which their last span was closed */
	struct mrc_counts may;
	struct mrc_counts certain; /* pages by the segment of their last certain use */
	uint64_t open;		   /* pages with open spans */
	struct mrc_distances low, high;
	uint64_t largest; /* size of the largest set of pages that may have been used in one span */
};

struct mrc_page {
	uint32_t since;	 /* segment of the last certain use, or else of the first possible use */
	uint32_t closed; /* segment in which the last span was closed */
	/* number of open spans; a page has one in each address space that maps it */
	uint32_t spans;
	uint32_t maybes; /* number of open spans without a touch */
	uint32_t weight; /* size in pages of 4 KiB; 0: this element is unused */
	uint8_t flags;
	uint8_t subsample; /* MRC_UNSAMPLED: not counted */
};

#define MRC_UNSAMPLED UINT8_MAX

enum mrc_page_flags {
	MRC_PAGE_USED = 1 << 0,	   /* the page may have been used */
	MRC_PAGE_CERTAIN = 1 << 1, /* @since is the segment of a certain use */
	MRC_PAGE_COUNTED = 1 << 2, /* the page is part of mrc_tally.open or mrc_tally.may */
};

struct mrc_stack {
	struct mrc_page *pages;
	size_t page_count, page_room;
	uint32_t segment;
	uint64_t limit; /* pages whose hash is below this number are counted */
	double rate;	/* share of all pages that is counted */
	double counted; /* share of the trace's pages that is counted */
	unsigned int tally_count;
	/* [0]: all counted pages; the others are sub-samples */
	struct mrc_tally tallies[MRC_TALLIES];
	/* first touches, also of pages that are not counted */
	uint64_t first_touches;
	/*
	 * Optional. May events be missing since the start of segment @since? A touch then counts
	 * for the upper bound at all sizes, and not for the lower bound.
	 */
	bool (*lacks)(void *user, uint32_t since);
	void *user;
};

/*
 * @counted is the share of the trace's pages to count; 1: all. @recorded is the share of all pages
 * that the trace records. Functions that return an int return 0, or -1 when out of memory.
 */
int mrc_stack_init(struct mrc_stack *stack, double counted, double recorded);
void mrc_stack_release(struct mrc_stack *stack);

/*
 * Makes @page a new page of @weight (in pages of 4 KiB). @hash decides whether the page is counted.
 * @spread selects its sub-sample.
 */
int mrc_stack_add(struct mrc_stack *stack, uint32_t page, uint32_t weight, uint64_t hash,
		  uint64_t spread);
/* Prefetches a page for one of the next functions. A page may be in two cache lines. */
static inline __attribute__((always_inline)) void mrc_stack_prefetch(const struct mrc_stack *stack,
								     uint32_t page)
{
	__builtin_prefetch(&stack->pages[page].since, 1);
	__builtin_prefetch(&stack->pages[page].subsample, 1);
}

/* Notes that a new page may have been used before, from @segment on. */
void mrc_stack_maybe_since(struct mrc_stack *stack, uint32_t page, uint32_t segment);
/*
 * Notes a certain use of the page. @own_maybe is true if the page has an open span without a touch,
 * and was not used before this span. The touch is then not a refault.
 */
int mrc_stack_touch(struct mrc_stack *stack, uint32_t page, bool own_maybe);
/*
 * Opens a span. @maybe is true if the span starts without a touch. If a touch starts the span, call
 * mrc_stack_touch() first.
 */
void mrc_stack_open(struct mrc_stack *stack, uint32_t page, bool maybe);
/* Notes the first touch in an open span that started without a touch. */
static inline void mrc_stack_is_touched(struct mrc_stack *stack, uint32_t page)
{
	stack->pages[page].maybes--;
}
/*
 * Closes a span. @maybe is true if the span has no touch. @is_first is true if, in addition, the
 * page was not used before this span.
 */
int mrc_stack_close(struct mrc_stack *stack, uint32_t page, bool maybe, bool is_first);
/* Removes a freed page. Its spans must be closed. The number @page may be reused. */
void mrc_stack_free(struct mrc_stack *stack, uint32_t page);
/* Notes that the page may have been freed, so its next touch may be a first touch. */
void mrc_stack_doubt(struct mrc_stack *stack, uint32_t page);
/* Open and close spans of @pages pages that are only counted: mrc_stack.pages is not used. */
void mrc_stack_open_others(struct mrc_stack *stack, uint64_t pages);
void mrc_stack_close_others(struct mrc_stack *stack, uint64_t pages);
/*
 * Updates mrc_tally.largest for a span that started in @segment. Call it before spans are closed.
 */
void mrc_stack_measure(struct mrc_stack *stack, uint32_t segment);
/* Starts the next segment. Call it after spans were closed. */
int mrc_stack_next(struct mrc_stack *stack);
void mrc_stack_finish(struct mrc_stack *stack);

#endif /* LTTNG_MM_MRC_STACK_H */
