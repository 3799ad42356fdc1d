// SPDX-License-Identifier: LGPL-2.1-only
/* Counts touched pages. A page that is touched again after it was gone counts again. */
#include "analysis/pageref/pageref-pages.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "util/hash.h"

int pageref_pages_init(struct pageref_pages *pages)
{
	pages->block_count = 1;
	if (mm_rows_init(&pages->tables, sizeof(struct pageref_page_table), UINT32_MAX - 1, 14))
		return -1;
	return mm_last_ranges_init(&pages->gone) || mm_last_ranges_init(&pages->maybe) ? -1 : 0;
}

void pageref_pages_release(struct pageref_pages *pages)
{
	for (size_t i = 0; i < pages->chunk_count; i++)
		free(pages->chunks[i]);
	free(pages->chunks);
	mm_rows_release(&pages->tables);
	mm_last_ranges_release(&pages->gone);
	mm_last_ranges_release(&pages->maybe);
}

/* Returns the number of a page table. */
static uint64_t number_of(const struct mm_row *key)
{
	return (uint64_t)key->b << 32 | key->c;
}

/* Returns the number of the block among all blocks of its address space. */
static uint64_t block_number(const struct pageref_pages *pages, const struct pageref_block *block)
{
	return number_of(&pageref_pages_table_at(pages, block->table)->key) * PAGEREF_TABLE_BLOCKS +
	       block->index;
}

/*
 * From page *@at on, finds the first range that contains pages of block @number. Returns the set of
 * these pages, and sets *@change to the number of the range. Moves *@at past these pages. If
 * there is no such range, returns 0, and moves *@at to the end of the block.
 */
static unsigned int next_pages(const struct mm_last_ranges *ranges, uint32_t mm, uint64_t number,
			       uint64_t *at, uint64_t *change)
{
	const uint64_t first = number * PAGEREF_BLOCK_PAGES, last = first + PAGEREF_BLOCK_PAGES - 1;
	const struct mm_last_range range = mm_last_ranges_from(ranges, mm, *at);
	uint64_t from, to;

	*at = last + 1;
	if (!range.number || range.first > last)
		return 0;
	from = range.first > first ? range.first - first : 0;
	to = (range.last < last ? range.last : last) - first;
	*at = first + to + 1;
	*change = range.number;
	return PAGEREF_BLOCK_ALL << from & PAGEREF_BLOCK_ALL >> (PAGEREF_BLOCK_PAGES - 1 - to);
}

/* Returns the set of pages of block @number that are gone because of a change after @since. */
static unsigned int find_gone(const struct pageref_pages *pages, uint32_t mm, uint64_t number,
			      uint64_t since)
{
	const uint64_t end = (number + 1) * PAGEREF_BLOCK_PAGES;
	unsigned int gone = 0;

	for (uint64_t at = end - PAGEREF_BLOCK_PAGES, change = 0; at < end;) {
		const unsigned int bits = next_pages(&pages->gone, mm, number, &at, &change);

		gone |= change > since ? bits : 0;
	}
	return gone;
}

/*
 * Returns the set of pages of block @number that may have been touched after change @since. Leaves
 * out pages that are gone since then.
 */
static unsigned int find_maybe(const struct pageref_pages *pages, uint32_t mm, uint64_t number,
			       uint64_t since)
{
	const uint64_t end = (number + 1) * PAGEREF_BLOCK_PAGES;
	unsigned int maybe = 0;

	for (uint64_t at = end - PAGEREF_BLOCK_PAGES, change = 0; at < end;) {
		const unsigned int bits = next_pages(&pages->maybe, mm, number, &at, &change);

		if (bits && change > since)
			maybe |= bits & ~find_gone(pages, mm, number, change);
	}
	return maybe;
}

/* Removes the pages that are gone from the sets of the block. */
static void update_block(const struct pageref_pages *pages, struct pageref_block *block)
{
	const unsigned int gone =
		find_gone(pages, pageref_pages_table_at(pages, block->table)->key.a,
			  block_number(pages, block), block->number);

	block->touched &= (uint8_t)~gone;
	block->written &= (uint8_t)~gone;
	block->maybe &= (uint8_t)~gone;
	block->number = pages->number;
	block->area = 0;
}

/* Sets of pages of a block that does not exist. */
struct missing_block {
	unsigned int touched, maybe;
};

/* Changes that may apply to a page table's missing blocks (blocks that do not exist yet). */
struct table_changes {
	/* NULL: the huge page was not touched */
	const struct pageref_page_table *huge;
	/* the page table contains a range of pageref_pages.gone, or of pageref_pages.maybe */
	bool gone, maybe;
};

static bool has_range(const struct mm_last_ranges *ranges, uint32_t mm, uint64_t table)
{
	const struct mm_last_range range =
		mm_last_ranges_from(ranges, mm, table * PAGEREF_TABLE_PAGES);

	return range.number && range.first < (table + 1) * PAGEREF_TABLE_PAGES;
}

/* @table: row of page table @number; NULL: the page table has no row */
static struct table_changes find_changes(const struct pageref_pages *pages,
					 const struct pageref_page_table *table, uint32_t mm,
					 uint64_t number)
{
	struct table_changes changes = { .huge = table && table->huge ? table : NULL };

	changes.gone = changes.huge && has_range(&pages->gone, mm, number);
	changes.maybe = has_range(&pages->maybe, mm, number);
	return changes;
}

static struct missing_block find_missing(const struct pageref_pages *pages,
					 const struct table_changes *changes, uint32_t mm,
					 uint64_t number)
{
	const struct pageref_page_table *huge = changes->huge;
	struct missing_block missing = { 0 };

	if (huge)
		missing.touched = PAGEREF_BLOCK_ALL;
	if (changes->gone)
		missing.touched &= ~find_gone(pages, mm, number, huge->number);
	if (changes->maybe)
		missing.maybe =
			find_maybe(pages, mm, number, huge ? huge->number : 0) & ~missing.touched;
	return missing;
}

static void start_block(const struct pageref_pages *pages, struct pageref_block *block)
{
	struct pageref_page_table *table = pageref_pages_table_at(pages, block->table);
	const uint32_t mm = table->key.a;
	const struct table_changes changes = find_changes(pages, table, mm, number_of(&table->key));
	const struct missing_block missing =
		find_missing(pages, &changes, mm, block_number(pages, block));

	block->number = pages->number;
	block->touched = (uint8_t)missing.touched;
	block->maybe = (uint8_t)missing.maybe;
	if (!table->huge)
		return;
	block->written = table->written ? block->touched : 0;
	for (unsigned int i = 0; i < PAGEREF_BLOCK_PAGES; i++)
		block->last[i] = table->last;
}

/* Makes room for one more block. Returns 0, or -1 when out of memory. */
static int make_room(struct pageref_pages *pages)
{
	const size_t bytes = PAGEREF_CHUNK_BLOCKS * sizeof(struct pageref_block);
	struct pageref_block **chunks;
	struct pageref_block *chunk;

	if (pages->block_count == UINT32_MAX)
		return -1;
	if (pages->block_count >> PAGEREF_CHUNK_SHIFT < pages->chunk_count)
		return 0;
	chunks = mm_array_grow(pages->chunks, pages->chunk_count, &pages->chunk_room,
			       sizeof(struct pageref_block *));
	if (!chunks)
		return -1;
	pages->chunks = chunks;
	chunk = aligned_alloc(bytes, bytes);
	if (!chunk)
		return -1;
	/*
	 * With huge pages, most accesses to blocks need no page walk. The first chunk gets no huge
	 * page, because a small trace has few blocks.
	 */
	if (pages->chunk_count)
		madvise(chunk, bytes, MADV_HUGEPAGE);
	chunks[pages->chunk_count++] = chunk;
	return 0;
}

/* Adds a block to row @table. Returns NULL when out of memory. */
static struct pageref_block *add_block(struct pageref_pages *pages, uint32_t table,
				       unsigned int index)
{
	struct pageref_block *block;

	if (make_room(pages))
		return NULL;
	block = pageref_pages_block_at(pages, pages->block_count);
	*block = (struct pageref_block){ .table = table, .index = (uint8_t)index };
	start_block(pages, block);
	pageref_pages_table_at(pages, table)->blocks[index] = pages->block_count++;
	pageref_pages_table_at(pages, table)->rows |= UINT64_C(1) << index;
	return block;
}

/* Finds or adds a block of row @table, and updates it. Returns NULL when out of memory. */
static inline struct pageref_block *get_block(struct pageref_pages *pages, uint32_t table,
					      unsigned int index, uint64_t changed)
{
	const uint32_t number = pageref_pages_table_at(pages, table)->blocks[index];
	struct pageref_block *block;

	if (!number)
		return add_block(pages, table, index);
	block = pageref_pages_block_at(pages, number);
	if (block->number < changed)
		update_block(pages, block);
	return block;
}

static const struct pageref_page_table *look_up_table(const struct pageref_pages *pages,
						      uint32_t mm, uint64_t number)
{
	return mm_rows_lookup3(&pages->tables, mm, (uint32_t)(number >> 32), (uint32_t)number);
}

static unsigned int count_bits(unsigned int bits)
{
	return (unsigned int)__builtin_popcount(bits);
}

/* Counts a touch of all pages of a block. */
static void touch_block(struct pageref_block *block, const struct pageref_touch *touch,
			struct pageref_added *added, uint64_t in_span[PAGEREF_SPANS])
{
	added->pages += count_bits(PAGEREF_BLOCK_ALL & ~block->touched);
	if (touch->write)
		added->written += count_bits(PAGEREF_BLOCK_ALL & ~block->written);
	added->maybe += count_bits(block->maybe);
	block->touched = PAGEREF_BLOCK_ALL;
	if (touch->write)
		block->written = PAGEREF_BLOCK_ALL;
	block->maybe = 0;
	for (unsigned int at = 0; at < PAGEREF_BLOCK_PAGES; at++) {
		for (int span = 0; span < PAGEREF_SPANS; span++)
			in_span[span] += block->last[at] <= touch->firsts[span];
		block->last[at] = 1 + touch->interval;
	}
}

/*
 * Counts a touch of all pages of @count missing blocks. @gone: number of pages that were never
 * touched, or are gone since their last touch.
 */
static void touch_missing(const struct pageref_page_table *huge, uint64_t count, uint64_t gone,
			  const struct pageref_touch *touch, struct pageref_added *added,
			  uint64_t in_span[PAGEREF_SPANS])
{
	const uint64_t pages = count * PAGEREF_BLOCK_PAGES;

	added->pages += gone;
	if (touch->write)
		added->written += huge && huge->written ? gone : pages;
	for (int span = 0; span < PAGEREF_SPANS; span++)
		if (!huge || huge->last <= touch->firsts[span])
			in_span[span] += pages;
}

/*
 * Counts a touch of a huge page for the pages in missing blocks. @rows: set of the existing blocks
 */
static void touch_all_missing(const struct pageref_pages *pages,
			      const struct table_changes *changes, uint64_t rows,
			      const struct pageref_touch *touch, struct pageref_added *added,
			      uint64_t in_span[PAGEREF_SPANS])
{
	const uint32_t mm = pageref_pages_table_at(pages, touch->table)->key.a;
	const uint64_t number = touch->page / PAGEREF_BLOCK_PAGES;
	const uint64_t count = PAGEREF_TABLE_BLOCKS - (unsigned int)__builtin_popcountll(rows);
	uint64_t gone = changes->huge ? 0 : count * PAGEREF_BLOCK_PAGES;

	for (uint64_t left = changes->gone || changes->maybe ? ~rows : 0; left; left &= left - 1) {
		const struct missing_block missing = find_missing(
			pages, changes, mm, number + (unsigned int)__builtin_ctzll(left));

		if (changes->huge)
			gone += PAGEREF_BLOCK_PAGES - count_bits(missing.touched);
		added->maybe += count_bits(missing.maybe);
	}
	touch_missing(changes->huge, count, gone, touch, added, in_span);
}

int pageref_pages_touch_huge(struct pageref_pages *pages, const struct pageref_touch *touch,
			     struct pageref_added *added, uint64_t in_span[PAGEREF_SPANS])
{
	struct pageref_page_table *table = pageref_pages_table_at(pages, touch->table);
	const struct table_changes before =
		find_changes(pages, table, table->key.a, number_of(&table->key));
	uint64_t rows = table->rows;

	*added = (struct pageref_added){ 0 };
	/*
	 * A row stores only one value of @written for all blocks that do not exist. A page that is
	 * gone and is now read must not count as written, so make all blocks.
	 */
	if (before.gone && table->written && !touch->write)
		rows = UINT64_MAX;
	for (uint64_t left = rows; left; left &= left - 1) {
		struct pageref_block *block = get_block(
			pages, touch->table, (unsigned int)__builtin_ctzll(left), touch->changed);

		if (!block)
			return -1;
		touch_block(block, touch, added, in_span);
	}
	touch_all_missing(pages, &before, rows, touch, added, in_span);
	added->huge = table->huge ? 0 : PAGEREF_TABLE_PAGES;
	table->huge = true;
	table->written |= touch->write;
	table->last = 1 + touch->interval;
	table->number = ++pages->number;
	return 0;
}

struct pageref_block *pageref_pages_touch(struct pageref_pages *pages,
					  const struct pageref_touch *touch,
					  struct pageref_added *added,
					  uint64_t in_span[PAGEREF_SPANS])
{
	struct pageref_block *block = get_block(
		pages, touch->table, pageref_pages_block_index(touch->page), touch->changed);
	const unsigned int at = touch->page % PAGEREF_BLOCK_PAGES, bit = 1u << at;
	const unsigned int written = touch->write ? bit : 0;
	uint32_t last;

	if (!block)
		return NULL;
	*added = (struct pageref_added){
		.pages = !(block->touched & bit),
		.written = (written & ~(unsigned int)block->written) != 0,
		.maybe = (block->maybe & bit) != 0,
	};
	block->touched |= (uint8_t)bit;
	block->written |= (uint8_t)written;
	block->maybe &= (uint8_t)~bit;
	last = block->last[at];
	for (int span = 0; span < PAGEREF_SPANS; span++)
		in_span[span] += last <= touch->firsts[span];
	block->last[at] = 1 + touch->interval;
	return block;
}

/*
 * Notes that the pages @bits of block @number may have been touched. @row: row of its page table,
 * or NULL. Returns 0, or -1 when out of memory. Returns 1 if the block does not exist and need not
 * be made, because @bits are all its pages.
 */
static int note_maybe(struct pageref_pages *pages, const struct pageref_page_table *row,
		      const struct table_changes *changes, uint32_t mm, uint64_t number,
		      unsigned int bits, uint64_t changed, uint64_t *added)
{
	const unsigned int index = number % PAGEREF_TABLE_BLOCKS;
	struct pageref_block *block;
	struct missing_block missing;
	uint32_t table;

	if (bits == PAGEREF_BLOCK_ALL && !(row && row->blocks[index])) {
		missing = find_missing(pages, changes, mm, number);
		*added += count_bits(bits & ~(missing.touched | missing.maybe));
		return 1;
	}
	table = pageref_pages_table(pages, mm, number / PAGEREF_TABLE_BLOCKS);
	block = table == MM_HASH_NONE ? NULL : get_block(pages, table, index, changed);
	if (!block)
		return -1;
	bits &= ~(unsigned int)(block->touched | block->maybe);
	*added += count_bits(bits);
	block->maybe |= (uint8_t)bits;
	return 0;
}

/* Adds missing blocks to pages->maybe: the pages from @first to before @end. */
static int add_maybe(struct pageref_pages *pages, uint32_t mm, uint64_t first, uint64_t end)
{
	return first == end
		       ? 0
		       : mm_last_ranges_set(&pages->maybe, mm, first, end - 1, ++pages->number, 0);
}

int pageref_pages_maybe(struct pageref_pages *pages, uint32_t mm, uint64_t first, uint64_t count,
			uint64_t changed, uint64_t *added)
{
	/*
	 * An event of the probe describes pages of one page table. Further pages are only counted.
	 */
	const uint64_t end = first + (count < PAGEREF_TABLE_PAGES ? count : PAGEREF_TABLE_PAGES);
	uint64_t start = first; /* the pages from @start to before @at are in missing blocks */
	const struct pageref_page_table *table = NULL;
	struct table_changes changes = { 0 };
	bool is_new = true; /* the row of the page table must be looked up */

	*added += count - (end - first);
	for (uint64_t at = first; at < end;) {
		const unsigned int from = (unsigned int)(at % PAGEREF_BLOCK_PAGES);
		unsigned int size = PAGEREF_BLOCK_PAGES - from;
		int ret;

		if (end - at < size)
			size = (unsigned int)(end - at);
		if (is_new || at % PAGEREF_TABLE_PAGES == 0) {
			table = look_up_table(pages, mm, at / PAGEREF_TABLE_PAGES);
			changes = find_changes(pages, table, mm, at / PAGEREF_TABLE_PAGES);
		}
		ret = note_maybe(pages, table, &changes, mm, at / PAGEREF_BLOCK_PAGES,
				 PAGEREF_BLOCK_ALL >> (PAGEREF_BLOCK_PAGES - size) << from, changed,
				 added);
		if (ret < 0 || (!ret && add_maybe(pages, mm, start, at)))
			return -1;
		is_new = !table && !ret;
		at += size;
		start = ret ? start : at;
	}
	return add_maybe(pages, mm, start, end);
}

int pageref_pages_gone(struct pageref_pages *pages, uint32_t mm, uint64_t first, uint64_t last)
{
	return mm_last_ranges_set(&pages->gone, mm, first, last, ++pages->number, 0);
}

/* Consecutive pages with the same last touch, which are visited together. */
struct page_run {
	void *user;
	pageref_visit_fn *visit;
	uint32_t mm, last; /* @last: see pageref_block.last */
	uint64_t first, end;
	int ret; /* the first result that is not 0 */
};

static void end_run(struct page_run *run)
{
	if (run->first < run->end && !run->ret)
		run->ret = run->visit(run->user, run->mm, run->first, run->end - 1, run->last - 1);
	run->first = run->end = 0;
}

/* Adds @count pages from @page on. */
static void add_to_run(struct page_run *run, uint64_t page, uint64_t count, uint32_t last)
{
	if (page != run->end || last != run->last) {
		end_run(run);
		run->first = page;
		run->last = last;
	}
	run->end = page + count;
}

/* Visits the pages @bits of a block whose first page is @first. */
static void add_pages(struct page_run *run, uint64_t first, unsigned int bits,
		      const uint32_t last[PAGEREF_BLOCK_PAGES])
{
	for (; bits; bits &= bits - 1) {
		const unsigned int i = (unsigned int)__builtin_ctz(bits);

		add_to_run(run, first + i, 1, last[i]);
	}
}

static int visit_block(const struct pageref_pages *pages, const struct pageref_block *block,
		       struct page_run *run)
{
	run->mm = pageref_pages_table_at(pages, block->table)->key.a;
	add_pages(run, block_number(pages, block) * PAGEREF_BLOCK_PAGES, block->touched,
		  block->last);
	end_run(run);
	return run->ret;
}

/* Visits the pages of a huge page that are in missing blocks. */
static int visit_huge(const struct pageref_pages *pages, const struct pageref_page_table *huge,
		      struct page_run *run)
{
	const uint64_t number = number_of(&huge->key);
	const struct table_changes changes = {
		.huge = huge, .gone = has_range(&pages->gone, huge->key.a, number)
	};
	uint32_t last[PAGEREF_BLOCK_PAGES];

	for (unsigned int i = 0; i < PAGEREF_BLOCK_PAGES; i++)
		last[i] = huge->last;
	run->mm = huge->key.a;
	for (uint64_t left = ~huge->rows; left; left &= left - 1) {
		const uint64_t block =
			number * PAGEREF_TABLE_BLOCKS + (unsigned int)__builtin_ctzll(left);

		add_pages(run, block * PAGEREF_BLOCK_PAGES,
			  find_missing(pages, &changes, huge->key.a, block).touched, last);
	}
	end_run(run);
	return run->ret;
}

int pageref_pages_visit(struct pageref_pages *pages, void *user, pageref_visit_fn *visit)
{
	struct page_run run = { .user = user, .visit = visit };
	int ret = 0;

	for (uint32_t i = 1; i < pages->block_count && !ret; i++) {
		update_block(pages, pageref_pages_block_at(pages, i));
		ret = visit_block(pages, pageref_pages_block_at(pages, i), &run);
	}
	for (uint32_t i = 1; i < pages->tables.count && !ret; i++)
		if (pageref_pages_table_at(pages, i)->huge)
			ret = visit_huge(pages, pageref_pages_table_at(pages, i), &run);
	return ret;
}
