/* SPDX-License-Identifier: LGPL-2.1-only */
/* Stores which pages of address spaces were touched, and when they were touched last. */
#ifndef LTTNG_MM_PAGEREF_PAGEREF_PAGES_H
#define LTTNG_MM_PAGEREF_PAGEREF_PAGES_H

#include "util/last-range.h"
#include "util/rows.h"

/* A page has 4 KiB. A huge page consists of the 512 pages of a page table. */
#define PAGEREF_PAGE_SHIFT 12
#define PAGEREF_PAGE_BYTES (UINT64_C(1) << PAGEREF_PAGE_SHIFT)
#define PAGEREF_TABLE_SHIFT 9
#define PAGEREF_TABLE_PAGES (1u << PAGEREF_TABLE_SHIFT)
#define PAGEREF_BLOCK_PAGES 8u
#define PAGEREF_BLOCK_ALL 0xffu
#define PAGEREF_TABLE_BLOCKS (PAGEREF_TABLE_PAGES / PAGEREF_BLOCK_PAGES)

/* Spans of time in which a page counts once: the interval between two passes, 1 s, and 10 s. */
enum { PAGEREF_INTERVAL, PAGEREF_1_S, PAGEREF_10_S, PAGEREF_SPANS };

/*
 * 8 pages of 4 KiB. A block fills one cache line, because most touches must load their block from
 * memory. In each set of pages, bit N is page N.
 */
struct pageref_block {
	uint64_t number; /* pages->number when the sets were last updated */
	uint32_t table;	 /* number of the row of its page table */
	uint32_t area;	 /* area of all pages of the block; 0: not known, or several */
	uint8_t index;	 /* index of the block in its page table */
	/*
	 * Sets of pages, without pages that are gone. @maybe: pages that may have been touched
	 * without an event.
	 */
	uint8_t touched, written, maybe;
	uint32_t last[PAGEREF_BLOCK_PAGES]; /* 1 + the interval of the last touch; 0: none */
} __attribute__((aligned(64)));

/*
 * 512 pages, which are the pages of a page table or a huge page. The key is the address space and
 * the number of the page table. While a block does not exist, its pages have the state of the huge
 * page.
 */
struct pageref_page_table {
	struct mm_row key;
	uint64_t rows;	 /* bit N: block N exists */
	uint64_t number; /* pages->number after the last touch of the huge page */
	uint32_t last;	 /* 1 + the interval of the last touch of the huge page */
	bool huge;	 /* the huge page was touched */
	bool written;	 /* the huge page was written */
	uint32_t blocks[PAGEREF_TABLE_BLOCKS]; /* block numbers; 0: does not exist */
} __attribute__((aligned(64)));		       /* aligned, so that a key is in one cache line */

/* Blocks are allocated in chunks of 2 MiB, and never move. */
#define PAGEREF_CHUNK_SHIFT 15
#define PAGEREF_CHUNK_BLOCKS (1u << PAGEREF_CHUNK_SHIFT)

struct pageref_pages {
	struct mm_rows tables;	       /* struct pageref_page_table */
	struct pageref_block **chunks; /* arrays of PAGEREF_CHUNK_BLOCKS blocks */
	size_t chunk_count, chunk_room;
	uint32_t block_count; /* block 0 is unused */
	/*
	 * Ranges of pages that are gone, without values. Each range has the number of a change. A
	 * block has already applied the changes up to its own @number.
	 */
	struct mm_last_ranges gone;
	/* ranges of missing blocks; all their pages may have been touched */
	struct mm_last_ranges maybe;
	uint64_t number; /* number of the last change */
};

struct pageref_touch {
	uint32_t table; /* row of the page table, from pageref_pages_table() */
	uint64_t page;
	bool huge, write;
	uint32_t interval;
	/* for each span of time that contains @interval: its first interval */
	const uint32_t *firsts;
	/* number of the last change of the address space's pages or mappings */
	uint64_t changed;
};

/* The numbers of pages that a touch adds to the counts. */
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
 * Returns the row of page table @number. Adds the row if it is new. Returns MM_HASH_NONE when out
 * of memory.
 */
static inline uint32_t pageref_pages_table(struct pageref_pages *pages, uint32_t mm,
					   uint64_t number)
{
	const struct mm_row key = { mm, (uint32_t)(number >> 32), (uint32_t)number, 0 };

	return mm_rows_number(&pages->tables, &key);
}

/*
 * Prefetch the data for a touch of @page. The first function prefetches the row of the page table.
 * When the row is in the CPU's caches, the second function prefetches the block of @page. Both are
 * always inline: otherwise, GCC would remove the calls, because a prefetch is not an effect.
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
 * Counts a touch of a page that is not huge. Fills @added. Increments the elements of @in_span for
 * the spans in which the page was not touched before. Returns the block of the page, or NULL when
 * out of memory.
 */
struct pageref_block *pageref_pages_touch(struct pageref_pages *pages,
					  const struct pageref_touch *touch,
					  struct pageref_added *added,
					  uint64_t in_span[PAGEREF_SPANS]);
/* Like pageref_pages_touch(), for a touch of a huge page. Returns 0, or -1 when out of memory. */
int pageref_pages_touch_huge(struct pageref_pages *pages, const struct pageref_touch *touch,
			     struct pageref_added *added, uint64_t in_span[PAGEREF_SPANS]);
/*
 * Notes that pages may have been touched. Adds to *@added the number of these pages without an
 * earlier touch or note. @changed is as in struct pageref_touch.
 */
int pageref_pages_maybe(struct pageref_pages *pages, uint32_t mm, uint64_t first, uint64_t count,
			uint64_t changed, uint64_t *added);
/* Notes that the pages from @first to @last are gone. Increments pages->number. */
int pageref_pages_gone(struct pageref_pages *pages, uint32_t mm, uint64_t first, uint64_t last);

/* Receives the pages from @first to @last. All of them were last touched in @interval. */
typedef int pageref_visit_fn(void *user, uint32_t mm, uint64_t first, uint64_t last,
			     uint32_t interval);
/*
 * Calls @visit for all pages that were touched and are not gone. Call it after the last event.
 * Returns 0, or the first result of @visit that is not 0.
 */
int pageref_pages_visit(struct pageref_pages *pages, void *user, pageref_visit_fn *visit);

#endif /* LTTNG_MM_PAGEREF_PAGEREF_PAGES_H */
