// SPDX-License-Identifier: LGPL-2.1-only
/* Handles the events of address spaces: touches, passes, and pages that are gone. */
#include <stdlib.h>

#include "analysis/mrc/pages-private.h"

#define VISITS_PER_EVENT 4096u
#define VISITS_PER_UNMARKED 8u /* per 4 KiB page that was unmarked at the start */
#define AROUND_PAGES 64u       /* maximum number of pages per event that are stored one by one */

struct space_row {
	struct mm_row key;
	struct mrc_space *space;
};

int mrc_pages_init(struct mrc_pages *pages, const struct mrc_prelude *prelude, double rate)
{
	*pages = (struct mrc_pages){ .prelude = prelude, .object_count = 1, .next_id = 1 };
	if (mrc_stack_init(&pages->stack, rate, mrc_prelude_recorded(prelude)) ||
	    mm_rows_init(&pages->spaces, sizeof(struct space_row), UINT32_MAX - 1, 6) ||
	    mm_rows_init(&pages->files[0], sizeof(struct mrc_file_row), UINT32_MAX - 1, 6) ||
	    mm_rows_init(&pages->files[1], sizeof(struct mrc_file_row), UINT32_MAX - 1, 2) ||
	    mm_rows_init(&pages->huge, sizeof(struct mm_row), UINT32_MAX - 1, 2) ||
	    mrc_mappings_init(&pages->mappings) || mm_last_ranges_init(&pages->maybes))
		return -1;
	return 0;
}

static void release_space(struct mrc_space *space)
{
	mrc_blocks_release(&space->blocks);
	free(space->opened);
	space->opened = NULL;
	space->opened_count = space->opened_room = 0;
}

void mrc_pages_release(struct mrc_pages *pages)
{
	for (uint32_t i = 1; i < pages->spaces.count; i++) {
		struct space_row *row = mm_rows_at(&pages->spaces, i);

		if (row->space)
			release_space(row->space);
		free(row->space);
	}
	mrc_stack_release(&pages->stack);
	mm_rows_release(&pages->spaces);
	mm_rows_release(&pages->files[0]);
	mm_rows_release(&pages->files[1]);
	mm_rows_release(&pages->huge);
	mrc_mappings_release(&pages->mappings);
	mm_last_ranges_release(&pages->maybes);
	free(pages->objects);
	free(pages->free);
}

static pageref_unmarked_visit_fn open_unmarked;

/* An address space whose unmarked pages are being opened. */
struct opening {
	struct mrc_pages *pages;
	struct mrc_space *space;
};

/* Returns the address space @mm. Adds it if it is new. Returns NULL when out of memory. */
static struct mrc_space *find_space(struct mrc_pages *pages, uint32_t mm)
{
	struct space_row *row = mm_rows_get(&pages->spaces, mm, 0);
	const struct mrc_known_space *known;
	struct mrc_space *space;

	pages->visits += VISITS_PER_EVENT;
	if (!row || row->space)
		return row ? row->space : NULL;
	space = row->space = calloc(1, sizeof(*space));
	if (!space)
		return NULL;
	known = mrc_prelude_space(pages->prelude, mm);
	space->mm = mm;
	space->since = space->late_since = MRC_SPAN_NONE;
	space->unseen = known ? known->first_unseen : MRC_NO_UNSEEN;
	return pageref_unmarked_visit(&pages->prelude->unmarked, mm, open_unmarked,
				      &(struct opening){ pages, space }) ||
			       mrc_spans_open_unseen(pages, space, INT64_MIN)
		       ? NULL
		       : space;
}

static void add_child(struct mrc_space *parent, struct mrc_space *child)
{
	child->parent = parent;
	parent->children[parent->child_count++ % MRC_CHILDREN] = child;
}

int mrc_pages_space(struct mrc_pages *pages, uint32_t mm, uint32_t parent)
{
	struct mrc_space *space = find_space(pages, mm);
	struct space_row *row;

	if (!space)
		return -1;
	if (!parent || parent == mm || space->parent)
		return 0;
	/* If no event of the parent was read so far, the parent has no known pages to share. */
	row = mm_rows_get(&pages->spaces, parent, 0);
	if (!row)
		return -1;
	if (!row->space)
		return 0;
	space->born = pages->next_id;
	add_child(row->space, space);
	return mrc_spans_open_copies(pages, space, space->parent);
}

/* The last use of the pages whose entries are dropped. */
struct last_use {
	uint32_t since; /* segment + 1 */
};

static int visit_replaced(struct mrc_pages *pages, struct mrc_space *space, struct mrc_block *block,
			  unsigned int at, void *user)
{
	const struct mrc_page *page = &pages->stack.pages[block->entries[at].object];
	struct last_use *last = user;

	if (page->flags & MRC_PAGE_USED && page->since + 1 > last->since)
		last->since = page->since + 1;
	return mrc_object_drop(pages, space, block, at, false);
}

/*
 * Drops replaced pages: a huge page replaces 4 KiB pages, or a 4 KiB page replaces a huge page. The
 * kernel has assembled or split the huge page, so the memory may have been used before. Sets
 * *@since to the segment of the last use plus 1, or to 0.
 */
static int replace_others(struct mrc_pages *pages, struct mrc_space *space, uint64_t page,
			  bool is_huge, uint32_t *since)
{
	const uint64_t huge = page >> MRC_HUGE_SHIFT;
	struct last_use last = { 0 };

	if (is_huge) {
		space->has_huge = true;
		if (mrc_visit_range(pages, space, huge << MRC_HUGE_SHIFT,
				    (huge << MRC_HUGE_SHIFT) + MRC_HUGE_PAGES - 1, visit_replaced,
				    &last))
			return -1;
	} else if (space->has_huge) {
		if (mrc_visit_range(pages, space, huge | MRC_HUGE_KEY, huge | MRC_HUGE_KEY,
				    visit_replaced, &last))
			return -1;
		if (last.since) {
			space->has_maybes = true;
			if (mm_last_ranges_set(&pages->maybes, space->mm, huge << MRC_HUGE_SHIFT,
					       (huge << MRC_HUGE_SHIFT) + MRC_HUGE_PAGES - 1,
					       ++pages->maybe_number, last.since))
				return -1;
		}
	}
	for (unsigned int i = 0; i < MRC_ANCESTORS && space && !last.since; i++) {
		if (space->has_maybes)
			last.since = mm_last_ranges_find(&pages->maybes, space->mm, page).value;
		space = space->parent;
	}
	*since = last.since;
	return 0;
}

/*
 * Assigns an object to the entry. @is_copied is true if the touch has copied the entry's last
 * object.
 */
static int fill_entry(struct mrc_pages *pages, struct mrc_space *space,
		      const struct mrc_touch *touch, bool is_copied, uint64_t key,
		      struct mrc_block **block)
{
	const uint64_t page = touch->address >> MRC_PAGE_SHIFT;
	uint32_t number, since;

	if (replace_others(pages, space, page, touch->is_huge, &since))
		return -1;
	number = is_copied ? mrc_object_add(pages, false, touch->is_huge, page)
			   : mrc_object_identify(pages, space, touch, key);
	/* replace_others() may have removed the block. */
	*block = number ? mrc_blocks_get(&space->blocks, key) : NULL;
	if (!*block)
		return -1;
	if (since && !(pages->stack.pages[number].flags & MRC_PAGE_USED))
		mrc_stack_maybe_since(&pages->stack, number, since - 1);
	mrc_object_set(pages, *block, key % MRC_BLOCK_PAGES, number);
	return 0;
}

/* Drops the object of an entry if the touch replaces the object. */
static int drop_replaced(struct mrc_pages *pages, struct mrc_space *space,
			 const struct mrc_touch *touch, struct mrc_block *block, unsigned int at)
{
	const uint32_t number = block->entries[at].object;

	/* The kernel read the old object to copy it. */
	if (touch->kind == LTTNG_MM_PAGEREF_COPY)
		return mrc_object_copy(pages, number)
			       ? -1
			       : mrc_object_drop(pages, space, block, at, false);
	if (touch->kind == LTTNG_MM_PAGEREF_DEMAND && !pages->objects[number].is_file)
		return mrc_object_drop(pages, space, block, at, false);
	return 0;
}

static uint64_t key_of(const struct mrc_touch *touch)
{
	const uint64_t page = touch->address >> MRC_PAGE_SHIFT;

	return touch->is_huge ? page >> MRC_HUGE_SHIFT | MRC_HUGE_KEY : page;
}

static int on_touch(struct mrc_pages *pages, const struct mrc_touch *touch)
{
	struct mrc_space *space = find_space(pages, touch->mm);
	const uint64_t page = touch->address >> MRC_PAGE_SHIFT;
	const uint64_t key = key_of(touch);
	const unsigned int at = key % MRC_BLOCK_PAGES;
	struct mrc_block *block = space ? mrc_blocks_get(&space->blocks, key) : NULL;
	uint8_t *flags;
	uint32_t number;
	bool was_known;

	if (!block || (touch->is_huge && !mm_rows_get3(&pages->huge, touch->mm,
						       (uint32_t)(page >> MRC_HUGE_SHIFT >> 32),
						       (uint32_t)(page >> MRC_HUGE_SHIFT))))
		return -1;
	was_known = block->entries[at].object;
	if ((was_known && drop_replaced(pages, space, touch, block, at)) ||
	    (!block->entries[at].object &&
	     fill_entry(pages, space, touch, was_known && touch->kind == LTTNG_MM_PAGEREF_COPY, key,
			&block)))
		return -1;
	pages->touches++;
	number = block->entries[at].object;
	flags = &block->entries[at].flags;
	if (mrc_stack_touch(&pages->stack, number,
			    (*flags & (MRC_ENTRY_MAYBE | MRC_ENTRY_FIRST)) ==
				    (MRC_ENTRY_MAYBE | MRC_ENTRY_FIRST)))
		return -1;
	if (*flags & MRC_ENTRY_MAYBE) {
		mrc_stack_is_touched(&pages->stack, number);
		*flags &= (uint8_t) ~(MRC_ENTRY_MAYBE | MRC_ENTRY_FIRST);
	}
	if (pages->touched && pages->touched(pages->user, number))
		return -1;
	if (*flags & MRC_ENTRY_OPEN && (!space->in_pass || *flags & MRC_ENTRY_LATE))
		return 0;
	if (!(*flags & MRC_ENTRY_OPEN))
		mrc_stack_open(&pages->stack, number, false);
	/*
	 * The touch of a page during a pass is recorded only if this pass has already marked the
	 * page. The next pass therefore ends the span.
	 */
	*flags |= MRC_ENTRY_OPEN | (space->in_pass ? MRC_ENTRY_LATE : 0);
	return mrc_spans_list(pages, space, key);
}

int mrc_pages_touch(struct mrc_pages *pages, const struct mrc_touch *touch)
{
	const uint64_t page = touch->address >> MRC_PAGE_SHIFT;

	return mrc_is_sampled(pages, touch->is_huge ? page & ~(uint64_t)(MRC_HUGE_PAGES - 1) : page)
		       ? on_touch(pages, touch)
		       : 0;
}

/*
 * Opens a span without a touch, because the page is mapped without a mark. If @kind is DEMAND, a
 * fault has just mapped the page of the file. If @kind is ARMED, the page may be a private copy.
 */
static int open_untouched(struct mrc_pages *pages, struct mrc_space *space, uint64_t page,
			  bool is_huge, unsigned int kind)
{
	const struct mrc_touch touch = {
		.mm = space->mm, .address = page << MRC_PAGE_SHIFT, .kind = kind, .is_huge = is_huge
	};
	const uint64_t key = key_of(&touch);
	const unsigned int at = key % MRC_BLOCK_PAGES;
	struct mrc_block *block = mrc_blocks_get(&space->blocks, key);

	return !block ||
			       (!block->entries[at].object &&
				fill_entry(pages, space, &touch, false, key, &block)) ||
			       mrc_spans_open_maybe(pages, space, block, at)
		       ? -1
		       : 0;
}

static int open_unmarked(void *user, uint32_t mm, uint64_t page, bool is_huge)
{
	const struct opening *opening = user;
	struct mrc_pages *pages = opening->pages;
	struct mrc_space *space = opening->space;
	const size_t opened = space->opened_count;

	(void)mm;
	if (!mrc_is_sampled(pages, page))
		return 0;
	pages->visits += is_huge ? MRC_HUGE_PAGES : VISITS_PER_UNMARKED;
	if (open_untouched(pages, space, page, is_huge, LTTNG_MM_PAGEREF_ARMED))
		return -1;
	/* Some pages are visited more than once. */
	if (space->opened_count > opened)
		pages->unmarked += is_huge ? MRC_HUGE_PAGES : 1;
	return 0;
}

/* Returns the blocks of an address space, or NULL. */
static const struct mrc_blocks *find_blocks(const struct mrc_pages *pages, uint32_t mm)
{
	const struct space_row *row = mm_rows_lookup(&pages->spaces, mm, 0);

	return row && row->space ? &row->space->blocks : NULL;
}

void mrc_pages_prefetch(const struct mrc_pages *pages, const struct mrc_touch *touches,
			size_t count)
{
	const struct mrc_blocks *blocks[MRC_PREFETCH_MAX];
	const struct mrc_entry *entries[MRC_PREFETCH_MAX];

	if (count > MRC_PREFETCH_MAX)
		count = MRC_PREFETCH_MAX;
	/* Each loop uses the data that the loop before it has prefetched. */
	for (size_t i = 0; i < count; i++) {
		blocks[i] = i && touches[i].mm == touches[i - 1].mm
				    ? blocks[i - 1]
				    : find_blocks(pages, touches[i].mm);
		if (blocks[i])
			mrc_blocks_prefetch(blocks[i], key_of(&touches[i]));
	}
	for (size_t i = 0; i < count; i++) {
		entries[i] = blocks[i] ? mrc_blocks_peek(blocks[i], key_of(&touches[i])) : NULL;
		__builtin_prefetch(entries[i], 1);
	}
	for (size_t i = 0; i < count; i++)
		if (entries[i] && entries[i]->object)
			mrc_stack_prefetch(&pages->stack, entries[i]->object);
}

int mrc_pages_around(struct mrc_pages *pages, uint32_t mm, uint64_t address, uint64_t count)
{
	struct mrc_space *space = find_space(pages, mm);
	const uint64_t first = address >> MRC_PAGE_SHIFT;

	if (!space)
		return -1;
	if (count > AROUND_PAGES)
		return mrc_spans_open_range(pages, space, first, count, &pages->around);
	for (uint64_t page = first; page < first + count; page++) {
		if (!mrc_is_sampled(pages, page))
			continue;
		pages->around++;
		if (open_untouched(pages, space, page, false, LTTNG_MM_PAGEREF_DEMAND))
			return -1;
	}
	return 0;
}

int mrc_pages_pass(struct mrc_pages *pages, uint32_t mm, bool is_end, int64_t time_ns)
{
	struct mrc_space *space = find_space(pages, mm);

	if (!space)
		return -1;
	if (is_end)
		return mrc_spans_end_pass(pages, space);
	/* The end of the last pass is missing, so it is unknown which spans have ended. */
	if (space->in_pass)
		mrc_spans_keep_late(space, 0);
	space->in_pass = true;
	space->late = space->opened_count;
	return mrc_spans_open_unseen(pages, space, time_ns);
}

static int visit_gone(struct mrc_pages *pages, struct mrc_space *space, struct mrc_block *block,
		      unsigned int at, void *user)
{
	return mrc_object_drop(pages, space, block, at, *(const bool *)user);
}

/*
 * When an address space ends, its copies become copies of its parent. These copies have already
 * received the objects of the ended address space, but may still share objects of the parent.
 */
static void pass_on_children(struct mrc_space *space)
{
	for (unsigned int i = 0; i < MRC_CHILDREN && space->parent; i++) {
		struct mrc_space *child = space->children[i];

		if (!child || child->ended || child == space->parent)
			continue;
		if (child->born > space->born)
			child->born = space->born;
		add_child(space->parent, child);
	}
}

/*
 * Drops all pages of an address space that ends. Does not count visits, because each block is
 * visited only once, and then released.
 */
static int end_space(struct mrc_pages *pages, struct mrc_space *space)
{
	bool may_be_freed = false;

	if (mrc_spans_close_all(pages, space))
		return -1;
	for (size_t i = 0; i < space->blocks.room; i++)
		for (unsigned int at = 0; at < MRC_BLOCK_PAGES && space->blocks.table[i].block;
		     at++)
			if (space->blocks.table[i].block->entries[at].object &&
			    visit_gone(pages, space, space->blocks.table[i].block, at,
				       &may_be_freed))
				return -1;
	space->ended = true;
	pass_on_children(space);
	release_space(space);
	return 0;
}

int mrc_pages_gone(struct mrc_pages *pages, uint32_t mm, uint64_t address, uint64_t count,
		   unsigned int cause)
{
	struct mrc_space *space = find_space(pages, mm);
	const uint64_t first = address >> MRC_PAGE_SHIFT;
	bool may_be_freed = cause == LTTNG_MM_PAGEREF_GONE_DISCARD;
	uint64_t last;

	if (!space)
		return -1;
	if (cause == LTTNG_MM_PAGEREF_GONE_EXIT)
		return end_space(pages, space);
	if (!count || first >= MM_LAST_RANGE_END)
		return 0;
	last = count > MM_LAST_RANGE_END - first ? MM_LAST_RANGE_END - 1 : first + count - 1;
	if (cause == LTTNG_MM_PAGEREF_GONE_UNMAP &&
	    mrc_mappings_remove(&pages->mappings, mm, first, last))
		return -1;
	if (space->has_maybes &&
	    mm_last_ranges_set(&pages->maybes, mm, first, last, ++pages->maybe_number, 0))
		return -1;
	if (mrc_visit_range(pages, space, first, last, visit_gone, &may_be_freed))
		return -1;
	return space->has_huge
		       ? mrc_visit_range(pages, space, first >> MRC_HUGE_SHIFT | MRC_HUGE_KEY,
					 last >> MRC_HUGE_SHIFT | MRC_HUGE_KEY, visit_gone,
					 &may_be_freed)
		       : 0;
}

int mrc_pages_finish(struct mrc_pages *pages)
{
	for (uint32_t i = 1; i < pages->spaces.count; i++) {
		struct space_row *row = mm_rows_at(&pages->spaces, i);

		if (row->space && mrc_spans_close_all(pages, row->space))
			return -1;
	}
	mrc_stack_finish(&pages->stack);
	return 0;
}
