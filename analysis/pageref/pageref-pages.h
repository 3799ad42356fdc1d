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
#define PAGEREF_BLOCK_PAGES 8u
#define PAGEREF_BLOCK_ALL 0xffu
#define PAGEREF_TABLE_BLOCKS (PAGEREF_TABLE_PAGES / PAGEREF_BLOCK_PAGES)

/* Spans of time in which a page counts once: the interval between two passes, 1 s and 10 s. */
enum { PAGEREF_INTERVAL, PAGEREF_1_S, PAGEREF_10_S, PAGEREF_SPANS };

/*
 * 8 pages of 4 KiB, in one cache line, because a touch usually finds its block in no cache. Bit N
 * of each set is page N.
 */
struct pageref_block {
	uint64_t number; /* pages->number when the sets were last updated */
	uint32_t table;	 /* number of the row of its page table */
	uint32_t area;	 /* area of all pages of the block; 0: not known, or several */
	uint8_t index;	 /* of the block in its page table */
	/* Pages that are not gone: touched; written; perhaps touched without an event. */
	uint8_t touched, written, maybe;
	uint32_t last[PAGEREF_BLOCK_PAGES]; /* 1 + the interval of the last touch; 0: none */
} __attribute__((aligned(64)));

/*
 * 512 pages: the pages of a page table, or a huge page. The key is the address space and the number
 * of the page table. A touch of the huge page applies to the blocks that do not exist yet.
 */
struct pageref_page_table {
	struct mm_row key;
	uint64_t rows;	 /* bit N: block N exists */
	uint64_t number; /* pages->number at the last touch of the huge page */
	uint32_t last;	 /* 1 + the interval of the last touch of the huge page */
	bool huge;	 /* the huge page was touched */
	bool written;	 /* the huge page was written */
	uint32_t blocks[PAGEREF_TABLE_BLOCKS]; /* numbers of blocks; 0: does not exist */
};

/* Blocks are allocated together, in 2 MiB. They never move. */
#define PAGEREF_CHUNK_SHIFT 15
#define PAGEREF_CHUNK_BLOCKS (1u << PAGEREF_CHUNK_SHIFT)

struct pageref_pages {
	struct mm_rows tables;	       /* struct pageref_page_table */
	struct pageref_block **chunks; /* of PAGEREF_CHUNK_BLOCKS blocks each */
	size_t chunk_count, chunk_room;
	uint32_t block_count; /* block 0 is unused */
	/*
	 * Ranges of pages, without values. A block already includes the ranges up to its own
	 * @number.
	 */
	struct mm_last_ranges gone;
	struct mm_last_ranges
		maybe;	 /* whole blocks that may have been touched, not existing ones */
	uint64_t number; /* of the last change */
};

struct pageref_touch {
	uint32_t table; /* row of the page table: result of pageref_pages_table() */
	uint64_t page;
	bool huge, write;
	uint32_t interval;
	const uint32_t *firsts; /* first interval of each span that contains @interval */
	uint64_t changed;	/* number of the last change of the address space */
};

/* The pages that a touch adds to each count. */
struct pageref_added {
	uint64_t pages, written;
	uint64_t huge;	/* pages of a huge page that was never touched before */
	uint64_t maybe; /* pages that were perhaps touched before, and now certainly are */
};

/* The functions that return an int return 0, or -1 when out of memory. */
int pageref_pages_init(struct pageref_pages *pages);
void pageref_pages_release(struct pageref_pages *pages);

static inline struct pageref_page_table *pageref_pages_table_at(const struct pageref_pages *pages,
								uint32_t number)
{
	return mm_rows_at(&pages->tables, number);
}

static inline struct pageref_block *pageref_pages_block_at(const struct pageref_pages *pages,
							   uint32_t number)
{
	return &pages->chunks[number >> PAGEREF_CHUNK_SHIFT][number % PAGEREF_CHUNK_BLOCKS];
}

/* Returns the index of the page's block in its page table. */
static inline unsigned int pageref_pages_block_index(uint64_t page)
{
	return page % PAGEREF_TABLE_PAGES / PAGEREF_BLOCK_PAGES;
}

/*
 * Returns the row of the page table @number, which is added if it is new, or MM_HASH_NONE when out
 * of memory.
 */
static inline uint32_t pageref_pages_table(struct pageref_pages *pages, uint32_t mm,
					   uint64_t number)
{
	const struct mm_row key = { mm, (uint32_t)(number >> 32), (uint32_t)number, 0 };

	return mm_rows_number(&pages->tables, &key);
}

/*
 * Start to fetch what a touch needs into the caches of the CPU: the row of the page table, and then
 * the block of @page in row @table. Each function reads only what the one before has fetched. GCC
 * would remove calls of a function that does nothing else, unless it is always inline.
 */
static inline __attribute__((always_inline)) void
pageref_pages_prefetch_table(const struct pageref_pages *pages, uint32_t mm, uint64_t page)
{
	const uint64_t number = page / PAGEREF_TABLE_PAGES;
	const struct mm_row key = { mm, (uint32_t)(number >> 32), (uint32_t)number, 0 };
	const uint32_t row = pages->tables.recent[mm_rows_quick(&pages->tables, &key)];
	const struct pageref_page_table *table = pageref_pages_table_at(pages, row);

	__builtin_prefetch(table);
	__builtin_prefetch(&table->blocks[pageref_pages_block_index(page)]);
}

static inline __attribute__((always_inline)) void
pageref_pages_prefetch_block(const struct pageref_pages *pages, uint32_t table, uint64_t page)
{
	const uint32_t number =
		pageref_pages_table_at(pages, table)->blocks[pageref_pages_block_index(page)];

	if (number)
		__builtin_prefetch(pageref_pages_block_at(pages, number), 1);
}

/*
 * Fills @added, and adds the pages that were not touched in a span to @in_span. Returns the block
 * of the touch, or NULL when out of memory. The touch must not be of a huge page.
 */
struct pageref_block *pageref_pages_touch(struct pageref_pages *pages,
					  const struct pageref_touch *touch,
					  struct pageref_added *added,
					  uint64_t in_span[PAGEREF_SPANS]);
/* Likewise, for a touch of a huge page. */
int pageref_pages_touch_huge(struct pageref_pages *pages, const struct pageref_touch *touch,
			     struct pageref_added *added, uint64_t in_span[PAGEREF_SPANS]);
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
