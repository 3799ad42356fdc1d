// SPDX-License-Identifier: LGPL-2.1-only
/* Counts pages that are touched, and pages that are touched again after they were gone. */
#include "analysis/pageref/pageref-pages.h"

#include <string.h>

int pageref_pages_init(struct pageref_pages *pages)
{
	const uint32_t max = UINT32_MAX - 1;

	if (mm_rows_init(&pages->blocks, sizeof(struct pageref_block), max, 12) ||
	    mm_rows_init(&pages->huges, sizeof(struct pageref_huge), max, 8))
		return -1;
	return mm_last_ranges_init(&pages->gone) || mm_last_ranges_init(&pages->maybe) ? -1 : 0;
}

void pageref_pages_release(struct pageref_pages *pages)
{
	mm_rows_release(&pages->blocks);
	mm_rows_release(&pages->huges);
	mm_last_ranges_release(&pages->gone);
	mm_last_ranges_release(&pages->maybe);
}

static struct mm_row key_of(uint32_t mm, uint64_t number)
{
	return (struct mm_row){ mm, (uint32_t)(number >> 32), (uint32_t)number, 0 };
}

static uint64_t number_of(const struct mm_row *key)
{
	return (uint64_t)key->b << 32 | key->c;
}

/*
 * Returns the pages from *@at to the end of block @number in the first of @ranges that contains any
 * of them, and the number of this range. Moves *@at behind the range.
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

/* Returns the pages of the block @number that are gone since the change @since. */
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

/* Returns the pages of the block that may have been touched since @since, and are not gone. */
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

/* Removes the pages that are gone. */
static void update_block(const struct pageref_pages *pages, struct pageref_block *block)
{
	const unsigned int gone =
		find_gone(pages, block->key.a, number_of(&block->key), block->number);

	block->touched &= (uint16_t)~gone;
	block->written &= (uint16_t)~gone;
	block->maybe &= (uint16_t)~gone;
	block->number = pages->number;
	block->area = 0;
}

static struct pageref_huge *find_huge(const struct pageref_pages *pages, uint32_t mm,
				      uint64_t number)
{
	const struct mm_row *row;

	if (pages->huges.count == 1)
		return NULL;
	row = mm_rows_lookup3(&pages->huges, mm, (uint32_t)(number >> 32), (uint32_t)number);
	return row ? mm_rows_at(&pages->huges, (uint32_t)(((const char *)row - pages->huges.all) /
							  (ptrdiff_t)pages->huges.size))
		   : NULL;
}

/* The state of the pages of a block that has no row, because only whole blocks were changed. */
struct missing_block {
	unsigned int touched, maybe;
};

/* The changes that may apply to the blocks of a page table without rows. */
struct table_changes {
	struct pageref_huge *huge; /* NULL: not touched as a huge page */
	bool gone, maybe;	   /* there are ranges of these in the table */
};

static bool has_range(const struct mm_last_ranges *ranges, uint32_t mm, uint64_t table)
{
	const struct mm_last_range range =
		mm_last_ranges_from(ranges, mm, table * PAGEREF_TABLE_PAGES);

	return range.number && range.first < (table + 1) * PAGEREF_TABLE_PAGES;
}

static struct table_changes find_changes(const struct pageref_pages *pages, uint32_t mm,
					 uint64_t table)
{
	struct table_changes changes = { .huge = find_huge(pages, mm, table) };

	changes.gone = changes.huge && has_range(&pages->gone, mm, table);
	changes.maybe = has_range(&pages->maybe, mm, table);
	return changes;
}

static struct missing_block find_missing(const struct pageref_pages *pages,
					 const struct table_changes *changes, uint32_t mm,
					 uint64_t number)
{
	const struct pageref_huge *huge = changes->huge;
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
	const uint64_t number = number_of(&block->key);
	const struct table_changes changes =
		find_changes(pages, block->key.a, number / PAGEREF_TABLE_BLOCKS);
	const struct missing_block missing = find_missing(pages, &changes, block->key.a, number);
	struct pageref_huge *huge = changes.huge;

	block->number = pages->number;
	block->touched = (uint16_t)missing.touched;
	block->maybe = (uint16_t)missing.maybe;
	if (!huge)
		return;
	huge->rows |= 1u << number % PAGEREF_TABLE_BLOCKS;
	block->written = huge->written ? block->touched : 0;
	for (unsigned int i = 0; i < PAGEREF_BLOCK_PAGES; i++)
		block->last[i] = huge->last;
}

/* Finds or adds a block, and updates it. Returns NULL when out of memory. */
static struct pageref_block *get_block(struct pageref_pages *pages, uint32_t mm, uint64_t number,
				       uint64_t changed)
{
	const uint32_t count = pages->blocks.count;
	const struct mm_row key = key_of(mm, number);
	const uint32_t row = mm_rows_number(&pages->blocks, &key);
	struct pageref_block *block;

	if (row == MM_HASH_NONE)
		return NULL;
	block = mm_rows_at(&pages->blocks, row);
	if (pages->blocks.count > count)
		start_block(pages, block);
	else if (block->number < changed)
		update_block(pages, block);
	return block;
}

/* Returns an updated block, or NULL if there is none. */
static struct pageref_block *look_up_block(struct pageref_pages *pages, uint32_t mm,
					   uint64_t number, uint64_t changed)
{
	const struct mm_row key = key_of(mm, number);

	if (!mm_rows_lookup3(&pages->blocks, key.a, key.b, key.c))
		return NULL;
	return get_block(pages, mm, number, changed);
}

/* Adds a touch of the pages @bits. */
static void touch_block(struct pageref_block *block, unsigned int bits,
			const struct pageref_touch *touch, struct pageref_added *added)
{
	const unsigned int written = touch->write ? bits : 0;

	added->pages += (unsigned int)__builtin_popcount(bits & ~block->touched);
	added->written += (unsigned int)__builtin_popcount(written & ~block->written);
	added->maybe += (unsigned int)__builtin_popcount(bits & block->maybe);
	block->touched |= (uint16_t)bits;
	block->written |= (uint16_t)written;
	block->maybe &= (uint16_t)~bits;
	for (; bits; bits &= bits - 1) {
		uint32_t *last = &block->last[__builtin_ctz(bits)];

		for (int span = 0; span < PAGEREF_SPANS; span++)
			added->in_span[span] += *last <= touch->firsts[span];
		*last = 1 + touch->interval;
	}
}

/*
 * Adds a touch of all pages of @count blocks without rows. For @gone pages, it is the first touch.
 */
static void touch_missing(const struct pageref_huge *huge, uint64_t count, uint64_t gone,
			  const struct pageref_touch *touch, struct pageref_added *added)
{
	const uint64_t pages = count * PAGEREF_BLOCK_PAGES;

	added->pages += gone;
	if (touch->write)
		added->written += huge && huge->written ? gone : pages;
	for (int span = 0; span < PAGEREF_SPANS; span++)
		if (!huge || huge->last <= touch->firsts[span])
			added->in_span[span] += pages;
}

/* Adds a touch of all blocks of a page table that have no rows. */
static void touch_all_missing(const struct pageref_pages *pages,
			      const struct table_changes *changes, uint32_t rows,
			      const struct pageref_touch *touch, struct pageref_added *added)
{
	const uint64_t number = touch->page / PAGEREF_BLOCK_PAGES;
	const uint64_t count = PAGEREF_TABLE_BLOCKS - (unsigned int)__builtin_popcount(rows);
	uint64_t gone = changes->huge ? 0 : count * PAGEREF_BLOCK_PAGES;

	for (uint32_t left = changes->gone || changes->maybe ? ~rows : 0; left; left &= left - 1) {
		const struct missing_block missing = find_missing(
			pages, changes, touch->mm, number + (unsigned int)__builtin_ctz(left));

		if (changes->huge)
			gone += PAGEREF_BLOCK_PAGES -
				(unsigned int)__builtin_popcount(missing.touched);
		added->maybe += (unsigned int)__builtin_popcount(missing.maybe);
	}
	touch_missing(changes->huge, count, gone, touch, added);
}

/* Returns the blocks of a page table that have rows. */
static uint32_t find_rows(const struct pageref_pages *pages, const struct pageref_touch *touch)
{
	uint32_t rows = 0;

	for (uint64_t i = 0; i < PAGEREF_TABLE_BLOCKS; i++) {
		const struct mm_row key = key_of(touch->mm, touch->page / PAGEREF_BLOCK_PAGES + i);

		if (mm_rows_lookup3(&pages->blocks, key.a, key.b, key.c))
			rows |= 1u << i;
	}
	return rows;
}

static int touch_huge(struct pageref_pages *pages, const struct pageref_touch *touch,
		      struct pageref_added *added)
{
	const uint64_t number = touch->page / PAGEREF_TABLE_PAGES;
	const struct mm_row key = key_of(touch->mm, number);
	const struct table_changes before = find_changes(pages, touch->mm, number);
	uint32_t rows = before.huge ? before.huge->rows : find_rows(pages, touch);
	struct pageref_huge *huge;
	uint32_t row;

	/*
	 * All pages without rows share huge->written. If some of them are gone, a read makes them
	 * differ from the pages that were written, so give each block a row.
	 */
	if (before.gone && before.huge->written && !touch->write)
		rows = UINT32_MAX;
	for (uint32_t left = rows; left; left &= left - 1) {
		struct pageref_block *block = get_block(pages, touch->mm,
							touch->page / PAGEREF_BLOCK_PAGES +
								(unsigned int)__builtin_ctz(left),
							touch->changed);

		if (!block)
			return -1;
		touch_block(block, PAGEREF_BLOCK_ALL, touch, added);
	}
	touch_all_missing(pages, &before, rows, touch, added);
	row = mm_rows_number(&pages->huges, &key);
	if (row == MM_HASH_NONE)
		return -1;
	huge = mm_rows_at(&pages->huges, row);
	huge->written |= touch->write;
	huge->rows = rows;
	huge->last = 1 + touch->interval;
	huge->number = ++pages->number;
	return 0;
}

int pageref_pages_touch(struct pageref_pages *pages, const struct pageref_touch *touch,
			struct pageref_added *added, struct pageref_block **block)
{
	*added = (struct pageref_added){ 0 };
	*block = NULL;
	if (touch->huge)
		return touch_huge(pages, touch, added);
	*block = get_block(pages, touch->mm, touch->page / PAGEREF_BLOCK_PAGES, touch->changed);
	if (!*block)
		return -1;
	touch_block(*block, 1u << touch->page % PAGEREF_BLOCK_PAGES, touch, added);
	return 0;
}

/*
 * Notes that the pages @bits of a block may have been touched. Returns 0, or 1 if the block has no
 * row and needs none, or -1 when out of memory.
 */
static int note_maybe(struct pageref_pages *pages, const struct table_changes *changes, uint32_t mm,
		      uint64_t number, unsigned int bits, uint64_t changed, uint64_t *added)
{
	struct pageref_block *block = bits == PAGEREF_BLOCK_ALL
					      ? look_up_block(pages, mm, number, changed)
					      : get_block(pages, mm, number, changed);
	struct missing_block missing;

	if (!block && bits != PAGEREF_BLOCK_ALL)
		return -1;
	if (!block) {
		missing = find_missing(pages, changes, mm, number);
		bits &= ~(missing.touched | missing.maybe);
		*added += (unsigned int)__builtin_popcount(bits);
		return 1;
	}
	bits &= ~(unsigned int)(block->touched | block->maybe);
	*added += (unsigned int)__builtin_popcount(bits);
	block->maybe |= (uint16_t)bits;
	return 0;
}

/* Adds the pages from @first to @end (exclusive), which are whole blocks without rows. */
static int add_maybe(struct pageref_pages *pages, uint32_t mm, uint64_t first, uint64_t end)
{
	return first == end
		       ? 0
		       : mm_last_ranges_set(&pages->maybe, mm, first, end - 1, ++pages->number, 0);
}

int pageref_pages_maybe(struct pageref_pages *pages, uint32_t mm, uint64_t first, uint64_t count,
			uint64_t changed, uint64_t *added)
{
	/* Events are of one page table. */
	const uint64_t end = first + (count < PAGEREF_TABLE_PAGES ? count : PAGEREF_TABLE_PAGES);
	uint64_t start = first; /* of the blocks without rows before @at */
	struct table_changes changes = { 0 };

	*added += count - (end - first);
	for (uint64_t at = first; at < end;) {
		const unsigned int from = (unsigned int)(at % PAGEREF_BLOCK_PAGES);
		unsigned int size = PAGEREF_BLOCK_PAGES - from;
		int ret;

		if (end - at < size)
			size = (unsigned int)(end - at);
		if (at == first || at % PAGEREF_TABLE_PAGES == 0)
			changes = find_changes(pages, mm, at / PAGEREF_TABLE_PAGES);
		ret = note_maybe(pages, &changes, mm, at / PAGEREF_BLOCK_PAGES,
				 PAGEREF_BLOCK_ALL >> (PAGEREF_BLOCK_PAGES - size) << from, changed,
				 added);
		if (ret < 0 || (!ret && add_maybe(pages, mm, start, at)))
			return -1;
		at += size;
		start = ret ? start : at;
	}
	return add_maybe(pages, mm, start, end);
}

int pageref_pages_gone(struct pageref_pages *pages, uint32_t mm, uint64_t first, uint64_t last)
{
	return mm_last_ranges_set(&pages->gone, mm, first, last, ++pages->number, 0);
}

/* Pages that are to be visited together. */
struct page_run {
	void *user;
	pageref_visit_fn *visit;
	uint32_t mm, last; /* @last as in struct pageref_block */
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

static int visit_block(const struct pageref_block *block, struct page_run *run)
{
	const uint64_t first = number_of(&block->key) * PAGEREF_BLOCK_PAGES;

	run->mm = block->key.a;
	for (unsigned int bits = block->touched; bits; bits &= bits - 1) {
		const unsigned int i = (unsigned int)__builtin_ctz(bits);

		add_to_run(run, first + i, 1, block->last[i]);
	}
	end_run(run);
	return run->ret;
}

/* Visits the blocks of a huge page that have no rows. */
static int visit_huge(const struct pageref_pages *pages, struct pageref_huge *huge,
		      struct page_run *run)
{
	const uint64_t table = number_of(&huge->key);
	const struct table_changes changes = {
		.huge = huge, .gone = has_range(&pages->gone, huge->key.a, table)
	};

	run->mm = huge->key.a;
	for (uint32_t left = ~huge->rows; left; left &= left - 1) {
		const uint64_t number =
			table * PAGEREF_TABLE_BLOCKS + (unsigned int)__builtin_ctz(left);
		unsigned int bits = find_missing(pages, &changes, huge->key.a, number).touched;

		if (bits == PAGEREF_BLOCK_ALL) {
			add_to_run(run, number * PAGEREF_BLOCK_PAGES, PAGEREF_BLOCK_PAGES,
				   huge->last);
			continue;
		}
		for (; bits; bits &= bits - 1)
			add_to_run(run,
				   number * PAGEREF_BLOCK_PAGES + (unsigned int)__builtin_ctz(bits),
				   1, huge->last);
	}
	end_run(run);
	return run->ret;
}

int pageref_pages_visit(struct pageref_pages *pages, void *user, pageref_visit_fn *visit)
{
	struct page_run run = { .user = user, .visit = visit };
	int ret = 0;

	for (uint32_t i = 1; i < pages->blocks.count && !ret; i++) {
		struct pageref_block *block = mm_rows_at(&pages->blocks, i);

		update_block(pages, block);
		ret = visit_block(block, &run);
	}
	for (uint32_t i = 1; i < pages->huges.count && !ret; i++)
		ret = visit_huge(pages, mm_rows_at(&pages->huges, i), &run);
	return ret;
}
