/* SPDX-License-Identifier: LGPL-2.1-only */
/* Pages of address spaces: which were touched, and when for the last time. */
#ifndef LTTNG_MM_PAGEREF_PAGEREF_PAGES_H
#define LTTNG_MM_PAGEREF_PAGEREF_PAGES_H

#include "util/last-range.h"
#include "util/rows.h"

/* Pages are of 4 KiB; a huge page is all pages of its page table. */
#define PAGEREF_PAGE_SHIFT 12
#define PAGEREF_PAGE_BYTES (UINT64_C(1) << PAGEREF_PAGE_SHIFT)
#define PAGEREF_TABLE_SHIFT 9
#define PAGEREF_TABLE_PAGES (1u << PAGEREF_TABLE_SHIFT)
#define PAGEREF_BLOCK_PAGES 16u
#define PAGEREF_BLOCK_ALL 0xffffu
#define PAGEREF_TABLE_BLOCKS (PAGEREF_TABLE_PAGES / PAGEREF_BLOCK_PAGES)

/* Spans of time in which a page counts once: the interval between two passes, 1 s and 10 s. */
enum { PAGEREF_INTERVAL, PAGEREF_1_S, PAGEREF_10_S, PAGEREF_SPANS };

/*
 * 16 pages of 4 KiB: a fault maps up to 64 KiB around a touch. Bit N of each set is page N. The key
 * is the address space and the number of the block.
 */
struct pageref_block {
	struct mm_row key;
	uint64_t number; /* pages->number when the sets were last updated */
	uint32_t area;	 /* area of all pages of the block; 0: not known, or several */
	/* Pages that are not gone: touched; written; perhaps touched without an event. */
	uint16_t touched, written, maybe;
	uint32_t last[PAGEREF_BLOCK_PAGES]; /* 1 + the interval of the last touch; 0: none */
};

/*
 * A huge page that was touched. The touch applies to blocks that have no row yet. The key is the
 * address space and the number of the page table.
 */
struct pageref_huge {
	struct mm_row key;
	uint64_t number; /* pages->number at the last touch */
	uint32_t last;	 /* 1 + the interval of the last touch */
	uint32_t rows;	 /* bit N: block N of the page table has a row */
	bool written;
};

struct pageref_pages {
	struct mm_rows blocks; /* struct pageref_block */
	struct mm_rows huges;  /* struct pageref_huge */
	/*
	 * Ranges of pages, without values. A row already includes the ranges up to its own @number.
	 */
	struct mm_last_ranges gone;
	struct mm_last_ranges maybe; /* whole blocks without rows that may have been touched */
	uint64_t number;	     /* of the last change */
};

struct pageref_touch {
	uint32_t mm;
	uint64_t page;
	bool huge, write;
	uint32_t interval;
	const uint32_t *firsts; /* first interval of each span that contains @interval */
	uint64_t changed;	/* number of the last change of the address space */
};

/* The pages that a touch adds to each count. */
struct pageref_added {
	uint64_t pages, written;
	uint64_t maybe; /* pages that were perhaps touched before, and now certainly are */
	uint64_t in_span[PAGEREF_SPANS];
};

/* The functions that return an int return 0, or -1 when out of memory. */
int pageref_pages_init(struct pageref_pages *pages);
void pageref_pages_release(struct pageref_pages *pages);

/* Sets *@block to the block of the touch, or to NULL for a huge page. */
int pageref_pages_touch(struct pageref_pages *pages, const struct pageref_touch *touch,
			struct pageref_added *added, struct pageref_block **block);
/*
 * Notes that pages may have been touched. Adds to *@added the pages that were neither known to be
 * touched nor noted before. @changed is as in struct pageref_touch.
 */
int pageref_pages_maybe(struct pageref_pages *pages, uint32_t mm, uint64_t first, uint64_t count,
			uint64_t changed, uint64_t *added);
/* Forgets the pages from @first to @last. Increments pages->number. */
int pageref_pages_gone(struct pageref_pages *pages, uint32_t mm, uint64_t first, uint64_t last);

/* Receives the pages from @first to @last, whose last touches were in the interval @interval. */
typedef int pageref_visit_fn(void *user, uint32_t mm, uint64_t first, uint64_t last,
			     uint32_t interval);
/*
 * Calls @visit for all pages that were touched and are not gone, after the last event. Returns 0,
 * or the first result of @visit that is not 0.
 */
int pageref_pages_visit(struct pageref_pages *pages, void *user, pageref_visit_fn *visit);

#endif /* LTTNG_MM_PAGEREF_PAGEREF_PAGES_H */
