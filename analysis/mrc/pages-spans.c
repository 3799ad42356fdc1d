// SPDX-License-Identifier: LGPL-2.1-only
/* Opens and closes the spans in which pages may have been used. */
#include <stdlib.h>

#include "analysis/mrc/pages-private.h"
#include "analysis/pageref/sampled-pages.h"

/* look_ahead() prefetches data for spans this far after the span that is being closed. */
#define SLOT_AHEAD 24u
#define ENTRY_AHEAD 16u
#define PAGE_AHEAD 8u

int mrc_spans_list(struct mrc_pages *pages, struct mrc_space *space, uint64_t key)
{
	uint64_t *opened = mm_array_grow(space->opened, space->opened_count, &space->opened_room,
					 sizeof(*opened));
	uint32_t *since = space->in_pass ? &space->late_since : &space->since;

	if (!opened)
		return -1;
	space->opened = opened;
	opened[space->opened_count++] = key;
	if (*since == MRC_SPAN_NONE)
		*since = pages->stack.segment;
	return 0;
}

int mrc_spans_open_maybe(struct mrc_pages *pages, struct mrc_space *space, struct mrc_block *block,
			 unsigned int at)
{
	const uint32_t number = block->entries[at].object;
	uint8_t *flags = &block->entries[at].flags;
	const bool is_open = *flags & MRC_ENTRY_OPEN;
	bool is_first;

	/*
	 * If the pass in progress ends the open span, close the span, and open another one.
	 * Otherwise, the open span continues.
	 */
	if (is_open && (!space->in_pass || *flags & MRC_ENTRY_LATE))
		return 0;
	if (is_open && mrc_stack_close(&pages->stack, number, *flags & MRC_ENTRY_MAYBE,
				       *flags & MRC_ENTRY_FIRST))
		return -1;
	is_first = !(pages->stack.pages[number].flags & MRC_PAGE_USED);
	mrc_stack_open(&pages->stack, number, true);
	*flags = MRC_ENTRY_OPEN | MRC_ENTRY_MAYBE | (is_first ? MRC_ENTRY_FIRST : 0) |
		 (space->in_pass ? MRC_ENTRY_LATE : 0);
	return mrc_spans_list(pages, space, block->number << MRC_BLOCK_SHIFT | at);
}

int mrc_spans_open_copies(struct mrc_pages *pages, struct mrc_space *space,
			  struct mrc_space *parent)
{
	for (size_t i = 0; i < parent->opened_count && mrc_may_visit(pages); i++) {
		const uint64_t key = parent->opened[i];
		const unsigned int at = key % MRC_BLOCK_PAGES;
		struct mrc_block *block = mrc_blocks_find(&parent->blocks, key);
		const uint32_t number = block ? block->entries[at].object : 0;

		if (!number || pages->objects[number].is_file ||
		    !(block->entries[at].flags & MRC_ENTRY_OPEN))
			continue;
		block = mrc_blocks_get(&space->blocks, key);
		if (!block)
			return -1;
		if (block->entries[at].object)
			continue;
		mrc_object_set(pages, block, at, number);
		space->has_huge |= !!(key & MRC_HUGE_KEY);
		if (mrc_spans_open_maybe(pages, space, block, at))
			return -1;
	}
	return 0;
}

static int visit_maybe(struct mrc_pages *pages, struct mrc_space *space, struct mrc_block *block,
		       unsigned int at, void *user)
{
	*(uint64_t *)user += pages->stack.pages[block->entries[at].object].weight;
	return mrc_spans_open_maybe(pages, space, block, at);
}

/* Opens spans of the pages of a range. From now on, these pages may be used without a record. */
static int open_range(struct mrc_pages *pages, struct mrc_space *space, uint64_t first,
		      uint64_t count)
{
	uint64_t known = 0, last;

	if (!count || first >= MM_LAST_RANGE_END)
		return 0;
	last = count > MM_LAST_RANGE_END - first ? MM_LAST_RANGE_END - 1 : first + count - 1;
	if ((space->parent && mrc_inherit_range(pages, space, first, last)) ||
	    mrc_visit_range(pages, space, first, last, visit_maybe, &known) ||
	    (space->has_huge &&
	     mrc_visit_range(pages, space, first >> MRC_HUGE_SHIFT | MRC_HUGE_KEY,
			     last >> MRC_HUGE_SHIFT | MRC_HUGE_KEY, visit_maybe, &known)))
		return -1;
	if (known >= count)
		return 0;
	/*
	 * The pages without an entry are only counted. Because they may be used now, their next
	 * touch may not be their first use.
	 */
	space->has_maybes = true;
	mrc_stack_open_others(&pages->stack, count - known);
	*(space->in_pass ? &space->late_others : &space->others) += count - known;
	if (space->in_pass && space->late_since == MRC_SPAN_NONE)
		space->late_since = pages->stack.segment;
	if (!space->in_pass && space->since == MRC_SPAN_NONE)
		space->since = pages->stack.segment;
	return mm_last_ranges_set(&pages->maybes, space->mm, first, last, ++pages->maybe_number,
				  pages->stack.segment + 1);
}

/* A range that is being opened. */
struct opening_range {
	struct mrc_pages *pages;
	struct mrc_space *space;
	uint64_t *sum;
};

static int open_sampled(void *user, uint64_t first, uint64_t count)
{
	const struct opening_range *opening = user;

	*opening->sum += count;
	return open_range(opening->pages, opening->space, first, count);
}

int mrc_spans_open_range(struct mrc_pages *pages, struct mrc_space *space, uint64_t first,
			 uint64_t count, uint64_t *sum)
{
	return pageref_sampled_visit(pages->prelude->sample, pages->prelude->highest, first, count,
				     open_sampled, &(struct opening_range){ pages, space, sum });
}

int mrc_spans_open_unseen(struct mrc_pages *pages, struct mrc_space *space, int64_t since_ns)
{
	while (space->unseen != MRC_NO_UNSEEN) {
		const struct mrc_unseen *unseen = &pages->prelude->unseen[space->unseen];

		if (unseen->since_ns > since_ns)
			break;
		space->unseen = unseen->next;
		if (mrc_spans_open_range(pages, space, unseen->first, unseen->pages,
					 &pages->unseen))
			return -1;
	}
	return 0;
}

/*
 * Prefetches the data that closing the next spans needs, because the pages of these spans may be
 * anywhere in memory. Prefetches the slot of the block first, then the entry, then the page of the
 * stack.
 */
static void look_ahead(const struct mrc_pages *pages, const struct mrc_space *space, size_t i,
		       size_t count)
{
	const struct mrc_entry *entry;

	if (i + SLOT_AHEAD < count)
		mrc_blocks_prefetch(&space->blocks, space->opened[i + SLOT_AHEAD]);
	if (i + ENTRY_AHEAD < count) {
		entry = mrc_blocks_peek(&space->blocks, space->opened[i + ENTRY_AHEAD]);
		__builtin_prefetch(entry, 1);
	}
	if (i + PAGE_AHEAD < count) {
		entry = mrc_blocks_peek(&space->blocks, space->opened[i + PAGE_AHEAD]);
		if (entry)
			mrc_stack_prefetch(&pages->stack, entry->object);
	}
}

/* Closes the first @count spans of the list, except late spans. */
static int close_spans(struct mrc_pages *pages, struct mrc_space *space, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		look_ahead(pages, space, i, count);

		const uint64_t key = space->opened[i];
		struct mrc_block *block = mrc_blocks_find(&space->blocks, key);
		uint8_t *flags = block ? &block->entries[key % MRC_BLOCK_PAGES].flags : NULL;

		if (!flags || (*flags & (MRC_ENTRY_OPEN | MRC_ENTRY_LATE)) != MRC_ENTRY_OPEN)
			continue;
		if (mrc_stack_close(&pages->stack, block->entries[key % MRC_BLOCK_PAGES].object,
				    *flags & MRC_ENTRY_MAYBE, *flags & MRC_ENTRY_FIRST))
			return -1;
		*flags = 0;
	}
	mrc_stack_close_others(&pages->stack, space->others);
	space->others = 0;
	return 0;
}

/* Moves late spans to the front of the list. */
void mrc_spans_keep_late(struct mrc_space *space, size_t late)
{
	for (size_t i = late; i < space->opened_count; i++) {
		const uint64_t key = space->opened[i];
		struct mrc_block *block = mrc_blocks_find(&space->blocks, key);

		if (block)
			block->entries[key % MRC_BLOCK_PAGES].flags &= (uint8_t)~MRC_ENTRY_LATE;
		space->opened[i - late] = key;
	}
	space->opened_count -= late;
	space->others += space->late_others;
	space->late_others = 0;
	if (space->late_since != MRC_SPAN_NONE && space->since > space->late_since)
		space->since = space->late_since;
	space->late_since = MRC_SPAN_NONE;
}

int mrc_spans_end_pass(struct mrc_pages *pages, struct mrc_space *space)
{
	if (!space->in_pass)
		return 0;
	space->in_pass = false;
	if (space->since == MRC_SPAN_NONE) {
		mrc_spans_keep_late(space, 0);
		return 0;
	}
	mrc_stack_measure(&pages->stack, space->since);
	if (close_spans(pages, space, space->late))
		return -1;
	space->since = MRC_SPAN_NONE;
	mrc_spans_keep_late(space, space->late);
	return mrc_stack_next(&pages->stack);
}

int mrc_spans_close_all(struct mrc_pages *pages, struct mrc_space *space)
{
	space->in_pass = false;
	mrc_spans_keep_late(space, 0);
	if (space->since == MRC_SPAN_NONE)
		return 0;
	mrc_stack_measure(&pages->stack, space->since);
	if (close_spans(pages, space, space->opened_count))
		return -1;
	space->since = MRC_SPAN_NONE;
	space->opened_count = 0;
	return mrc_stack_next(&pages->stack);
}
