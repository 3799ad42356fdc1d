// SPDX-License-Identifier: LGPL-2.1-only
/* Finds the object of each touch, and opens and closes spans. */
#include "analysis/mrc/pages.h"

#include <stdlib.h>

#define NO_SEGMENT UINT32_MAX
#define VISITS_PER_EVENT 4096u
#define AROUND_PAGES 64u /* more pages are not known one by one */
#define ANCESTORS 16u

struct space_row {
	struct mm_row key;
	struct mrc_space *space;
};

struct file_row {
	struct mm_row key;
	uint32_t object;
};

int mrc_pages_init(struct mrc_pages *pages, const struct mrc_prelude *prelude, double rate)
{
	*pages = (struct mrc_pages){ .prelude = prelude, .object_count = 1, .next_id = 1 };
	if (mrc_stack_init(&pages->stack, rate, mrc_prelude_recorded(prelude)) ||
	    mm_rows_init(&pages->spaces, sizeof(struct space_row), UINT32_MAX - 1, 6) ||
	    mm_rows_init(&pages->files[0], sizeof(struct file_row), UINT32_MAX - 1, 6) ||
	    mm_rows_init(&pages->files[1], sizeof(struct file_row), UINT32_MAX - 1, 2) ||
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
	mrc_mappings_release(&pages->mappings);
	mm_last_ranges_release(&pages->maybes);
	free(pages->objects);
	free(pages->free);
}

/* Is the page in the recorder's sample, with its lowest threshold? */
static bool is_sampled(const struct mrc_pages *pages, uint64_t page)
{
	return lttng_mm_sample_has(pages->prelude->sample, page);
}

/*
 * Adds an object, which @page is the first one to use. Returns its number, or 0 when out of memory.
 *
 * The recorder samples by page numbers, so objects of one page number are in one sub-sample, too.
 */
static uint32_t add_object(struct mrc_pages *pages, bool is_file, bool is_huge, uint64_t page)
{
	const uint64_t hash = lttng_mm_sample_mix(pages->next_id);
	uint32_t number;

	if (pages->free_count) {
		number = pages->free[--pages->free_count];
	} else {
		struct mrc_object *objects = mm_array_grow(pages->objects, pages->object_count,
							   &pages->object_room, sizeof(*objects));

		if (!objects || pages->object_count >= UINT32_MAX)
			return 0;
		pages->objects = objects;
		number = (uint32_t)pages->object_count++;
	}
	pages->objects[number] = (struct mrc_object){ .id = pages->next_id, .is_file = is_file };
	pages->next_id++;
	if (mrc_stack_add(&pages->stack, number, is_huge ? MRC_HUGE_PAGES : 1, hash,
			  pages->stack.rate < pages->stack.counted ? lttng_mm_sample_mix(page)
								   : hash))
		return 0;
	return number;
}

/* An entry no longer refers to the object. */
static int unmap_object(struct mrc_pages *pages, uint32_t number, bool may_be_freed)
{
	struct mrc_object *object = &pages->objects[number];
	uint32_t *numbers;

	object->mappings--;
	if (object->is_file && may_be_freed)
		mrc_stack_doubt(&pages->stack, number);
	if (object->is_file || object->mappings)
		return 0;
	mrc_stack_free(&pages->stack, number);
	if (pages->freed && pages->freed(pages->user, number))
		return -1;
	if (pages->keep)
		return 0;
	numbers =
		mm_array_grow(pages->free, pages->free_count, &pages->free_room, sizeof(*numbers));
	if (!numbers)
		return -1;
	pages->free = numbers;
	numbers[pages->free_count++] = number;
	return 0;
}

static void set_object(struct mrc_pages *pages, struct mrc_block *block, unsigned int at,
		       uint32_t number)
{
	block->objects[at] = number;
	block->flags[at] = 0;
	block->used++;
	pages->objects[number].mappings++;
}

/*
 * Passes an anonymous object on to the copies of @space, which the space itself is about to lose.
 */
static int hand_over(struct mrc_pages *pages, struct mrc_space *space, uint64_t key,
		     uint32_t number)
{
	const struct mrc_object *object = &pages->objects[number];
	const unsigned int at = key % MRC_BLOCK_PAGES;

	for (uint32_t i = 0; i < MRC_CHILDREN && !object->is_file; i++) {
		struct mrc_space *child = space->children[i];
		struct mrc_block *block;

		if (!child || child->ended || object->id >= child->born)
			continue;
		block = mrc_blocks_get(&child->blocks, key);
		if (!block)
			return -1;
		if (!block->objects[at])
			set_object(pages, block, at, number);
		child->has_huge |= !!(key & MRC_HUGE_KEY);
	}
	return 0;
}

/* Removes the object of an entry. */
static int drop(struct mrc_pages *pages, struct mrc_space *space, struct mrc_block *block,
		unsigned int at, bool may_be_freed)
{
	const uint32_t number = block->objects[at];
	const uint8_t flags = block->flags[at];

	if (space->child_count &&
	    hand_over(pages, space, block->number << MRC_BLOCK_SHIFT | at, number))
		return -1;
	if (flags & MRC_ENTRY_OPEN &&
	    mrc_stack_close(&pages->stack, number, flags & MRC_ENTRY_MAYBE,
			    flags & MRC_ENTRY_FIRST))
		return -1;
	block->objects[at] = 0;
	block->flags[at] = 0;
	block->used--;
	return unmap_object(pages, number, may_be_freed);
}

static int open_unseen(struct mrc_pages *pages, struct mrc_space *space, int64_t since_ns);

/* Returns the address space of an event, and adds it if it is new; NULL when out of memory. */
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
	space->since = space->late_since = NO_SEGMENT;
	space->unseen = known ? known->first_unseen : MRC_NO_UNSEEN;
	return open_unseen(pages, space, INT64_MIN) ? NULL : space;
}

/* Notes that a span of the page with @key is open. */
static int list_opened(struct mrc_pages *pages, struct mrc_space *space, uint64_t key)
{
	uint64_t *opened = mm_array_grow(space->opened, space->opened_count, &space->opened_room,
					 sizeof(*opened));
	uint32_t *since = space->in_pass ? &space->late_since : &space->since;

	if (!opened)
		return -1;
	space->opened = opened;
	opened[space->opened_count++] = key;
	if (*since == NO_SEGMENT)
		*since = pages->stack.segment;
	return 0;
}

/* Opens a span without a touch, unless a span is open already. */
static int open_maybe(struct mrc_pages *pages, struct mrc_space *space, struct mrc_block *block,
		      unsigned int at)
{
	const uint32_t number = block->objects[at];
	uint8_t *flags = &block->flags[at];
	const bool is_open = *flags & MRC_ENTRY_OPEN;
	bool is_first;

	/* The pass in progress ends the open span, and another one follows. */
	if (is_open && (!space->in_pass || *flags & MRC_ENTRY_LATE))
		return 0;
	if (is_open && mrc_stack_close(&pages->stack, number, *flags & MRC_ENTRY_MAYBE,
				       *flags & MRC_ENTRY_FIRST))
		return -1;
	is_first = !(pages->stack.pages[number].flags & MRC_PAGE_USED);
	mrc_stack_open(&pages->stack, number, true);
	*flags = MRC_ENTRY_OPEN | MRC_ENTRY_MAYBE | (is_first ? MRC_ENTRY_FIRST : 0) |
		 (space->in_pass ? MRC_ENTRY_LATE : 0);
	return list_opened(pages, space, block->number << MRC_BLOCK_SHIFT | at);
}

static bool may_visit(struct mrc_pages *pages)
{
	if (!pages->visits) {
		pages->gave_up = true;
		return false;
	}
	pages->visits--;
	return true;
}

/* Pages that are not marked in the parent are not marked in its copy, either. */
static int open_copies(struct mrc_pages *pages, struct mrc_space *space, struct mrc_space *parent)
{
	for (size_t i = 0; i < parent->opened_count && may_visit(pages); i++) {
		const uint64_t key = parent->opened[i];
		const unsigned int at = key % MRC_BLOCK_PAGES;
		struct mrc_block *block = mrc_blocks_find(&parent->blocks, key);
		const uint32_t number = block ? block->objects[at] : 0;

		if (!number || pages->objects[number].is_file ||
		    !(block->flags[at] & MRC_ENTRY_OPEN))
			continue;
		block = mrc_blocks_get(&space->blocks, key);
		if (!block)
			return -1;
		if (block->objects[at])
			continue;
		set_object(pages, block, at, number);
		space->has_huge |= !!(key & MRC_HUGE_KEY);
		if (open_maybe(pages, space, block, at))
			return -1;
	}
	return 0;
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
	/* A parent that is not known yet has no pages to share. */
	row = mm_rows_get(&pages->spaces, parent, 0);
	if (!row)
		return -1;
	if (!row->space)
		return 0;
	space->born = pages->next_id;
	add_child(row->space, space);
	return open_copies(pages, space, space->parent);
}

/* Calls @visit for each known page with a key from @first to @last, and removes empty blocks. */
static int visit_range(struct mrc_pages *pages, struct mrc_space *space, uint64_t first,
		       uint64_t last,
		       int (*visit)(struct mrc_pages *pages, struct mrc_space *space,
				    struct mrc_block *block, unsigned int at, void *user),
		       void *user)
{
	struct mrc_blocks *blocks = &space->blocks;
	const uint64_t start = first >> MRC_BLOCK_SHIFT, end = last >> MRC_BLOCK_SHIFT;
	const bool by_number = end - start < blocks->room;
	const uint64_t steps = by_number ? end - start + 1 : blocks->room;

	for (uint64_t i = 0; i < steps && blocks->count;) {
		struct mrc_block *block =
			by_number ? mrc_blocks_find(blocks, (start + i) << MRC_BLOCK_SHIFT)
				  : blocks->table[i];

		if (!may_visit(pages))
			return 0;
		i++;
		if (!block || block->number < start || block->number > end)
			continue;
		for (unsigned int at = 0; at < MRC_BLOCK_PAGES; at++) {
			const uint64_t key = block->number << MRC_BLOCK_SHIFT | at;

			if (block->objects[at] && key >= first && key <= last &&
			    visit(pages, space, block, at, user))
				return -1;
		}
		if (block->used)
			continue;
		mrc_blocks_remove(blocks, mrc_blocks_index(blocks, block));
		/* Another block may have come to this place. */
		i -= !by_number;
	}
	return 0;
}

static int visit_maybe(struct mrc_pages *pages, struct mrc_space *space, struct mrc_block *block,
		       unsigned int at, void *user)
{
	*(uint64_t *)user += pages->stack.pages[block->objects[at]].weight;
	return open_maybe(pages, space, block, at);
}

/* Finds the object that the page had in the parent when the copy was made; 0: none. */
static uint32_t inherit(struct mrc_pages *pages, struct mrc_space *space, uint64_t key)
{
	uint64_t born = UINT64_MAX;

	for (unsigned int i = 0; i < ANCESTORS && space->parent; i++) {
		struct mrc_block *block;
		uint32_t number;

		born = space->born < born ? space->born : born;
		space = space->parent;
		block = mrc_blocks_find(&space->blocks, key);
		number = block ? block->objects[key % MRC_BLOCK_PAGES] : 0;
		if (number)
			return pages->objects[number].id < born && !pages->objects[number].is_file
				       ? number
				       : 0;
	}
	return 0;
}

/* Gives a page of a copy the object of the parent. */
static int inherit_page(struct mrc_pages *pages, struct mrc_space *space, uint64_t key)
{
	const uint32_t number = inherit(pages, space, key);
	struct mrc_block *block = number ? mrc_blocks_get(&space->blocks, key) : NULL;

	if (number && !block)
		return -1;
	if (number && !block->objects[key % MRC_BLOCK_PAGES])
		set_object(pages, block, key % MRC_BLOCK_PAGES, number);
	space->has_huge |= number && key & MRC_HUGE_KEY;
	return 0;
}

static int inherit_range(struct mrc_pages *pages, struct mrc_space *space, uint64_t first,
			 uint64_t last)
{
	for (uint64_t page = first; page <= last && may_visit(pages); page++) {
		if (inherit_page(pages, space, page) ||
		    (!(page % MRC_HUGE_PAGES) &&
		     inherit_page(pages, space, page >> MRC_HUGE_SHIFT | MRC_HUGE_KEY)))
			return -1;
	}
	return 0;
}

/* Opens spans of pages that may have been used from now on. */
static int open_range(struct mrc_pages *pages, struct mrc_space *space, uint64_t first,
		      uint64_t count)
{
	uint64_t known = 0, last;

	if (!count || first >= MM_LAST_RANGE_END)
		return 0;
	last = count > MM_LAST_RANGE_END - first ? MM_LAST_RANGE_END - 1 : first + count - 1;
	if ((space->parent && inherit_range(pages, space, first, last)) ||
	    visit_range(pages, space, first, last, visit_maybe, &known) ||
	    (space->has_huge &&
	     visit_range(pages, space, first >> MRC_HUGE_SHIFT | MRC_HUGE_KEY,
			 last >> MRC_HUGE_SHIFT | MRC_HUGE_KEY, visit_maybe, &known)))
		return -1;
	if (known >= count)
		return 0;
	/* The others are counted, and their next touch may not be the first use. */
	space->has_maybes = true;
	mrc_stack_open_others(&pages->stack, count - known);
	*(space->in_pass ? &space->late_others : &space->others) += count - known;
	if (space->in_pass && space->late_since == NO_SEGMENT)
		space->late_since = pages->stack.segment;
	if (!space->in_pass && space->since == NO_SEGMENT)
		space->since = pages->stack.segment;
	return mm_last_ranges_set(&pages->maybes, space->mm, first, last, ++pages->maybe_number,
				  pages->stack.segment + 1);
}

/* As open_range(), for the pages that are in the sample. Adds their number to *@sum. */
static int open_sampled(struct mrc_pages *pages, struct mrc_space *space, uint64_t first,
			uint64_t count, uint64_t *sum)
{
	uint64_t from = first;

	/* Events of the probe are of one page table. */
	if (pages->stack.rate >= pages->stack.counted || count > MRC_HUGE_PAGES) {
		*sum += count;
		return open_range(pages, space, first, count);
	}
	for (uint64_t page = first; page <= first + count; page++) {
		if (page < first + count && is_sampled(pages, page))
			continue;
		if (open_range(pages, space, from, page - from))
			return -1;
		*sum += page - from;
		from = page + 1;
	}
	return 0;
}

static int open_unseen(struct mrc_pages *pages, struct mrc_space *space, int64_t since_ns)
{
	while (space->unseen != MRC_NO_UNSEEN) {
		const struct mrc_unseen *unseen = &pages->prelude->unseen[space->unseen];

		if (unseen->since_ns > since_ns)
			break;
		space->unseen = unseen->next;
		if (open_sampled(pages, space, unseen->first, unseen->pages, &pages->unseen))
			return -1;
	}
	return 0;
}

/* Returns the object of a page of a file, or 0 when out of memory. */
static uint32_t find_file_object(struct mrc_pages *pages, const struct mrc_mapping *mapping,
				 uint64_t page, bool is_huge)
{
	uint64_t in_file = mapping->file_page + page - mapping->first;
	struct mm_row key = { mapping->dev, (uint32_t)mapping->ino, 0, 0 };
	struct file_row *row;
	uint32_t number;

	if (is_huge)
		in_file >>= MRC_HUGE_SHIFT;
	key.c = (uint32_t)(mapping->ino >> 32) ^ (uint32_t)(in_file >> 32) << 16;
	key.d = (uint32_t)in_file;
	number = mm_rows_number(&pages->files[is_huge], &key);
	if (number == MM_HASH_NONE)
		return 0;
	row = mm_rows_at(&pages->files[is_huge], number);
	if (!row->object)
		row->object = add_object(pages, true, is_huge, page);
	return row->object;
}

/* The kernel has read the object to copy it. */
static int use_source(struct mrc_pages *pages, uint32_t number)
{
	if (mrc_stack_touch(&pages->stack, number, false))
		return -1;
	mrc_stack_open(&pages->stack, number, false);
	return mrc_stack_close(&pages->stack, number, false, false);
}

/* Returns the object of a page that the address space has not touched yet; 0: out of memory. */
static uint32_t identify(struct mrc_pages *pages, struct mrc_space *space,
			 const struct mrc_touch *touch, uint64_t key)
{
	const uint64_t page = touch->address >> MRC_PAGE_SHIFT;
	const bool is_demand = touch->kind == LTTNG_MM_PAGEREF_DEMAND;
	const struct mrc_mapping *mapping;
	uint32_t number;
	bool known;

	mapping = mrc_mappings_find(&pages->mappings, space->mm, page, &known);
	if (!known)
		mapping = mrc_mappings_find(&pages->prelude->mappings, space->mm, page, NULL);
	number = is_demand ? 0 : inherit(pages, space, key);
	if (number && touch->kind != LTTNG_MM_PAGEREF_COPY)
		return number;
	if (number && use_source(pages, number))
		return 0;
	if (mapping && mapping->is_file && !number) {
		/* Other pages of a private mapping that was writable are copies. */
		const bool is_copy = !mapping->is_shared && mapping->is_writable &&
				     (touch->is_write || !is_demand);

		number = find_file_object(pages, mapping, page, touch->is_huge);
		if (!number || !is_copy)
			return number;
		if ((is_demand || touch->kind == LTTNG_MM_PAGEREF_COPY) &&
		    use_source(pages, number))
			return 0;
	}
	return add_object(pages, false, touch->is_huge, page);
}

/* Collects the last use of entries that are dropped. */
struct last_use {
	uint32_t since; /* segment + 1 */
};

static int visit_replaced(struct mrc_pages *pages, struct mrc_space *space, struct mrc_block *block,
			  unsigned int at, void *user)
{
	const struct mrc_page *page = &pages->stack.pages[block->objects[at]];
	struct last_use *last = user;

	if (page->flags & MRC_PAGE_USED && page->since + 1 > last->since)
		last->since = page->since + 1;
	return drop(pages, space, block, at, false);
}

/*
 * A huge page replaces pages of its range, or the reverse. The kernel has split or assembled the
 * huge page, so the memory may have been used before. Sets *@since to a segment + 1, or to 0.
 */
static int replace_others(struct mrc_pages *pages, struct mrc_space *space, uint64_t page,
			  bool is_huge, uint32_t *since)
{
	const uint64_t huge = page >> MRC_HUGE_SHIFT;
	struct last_use last = { 0 };

	if (is_huge) {
		space->has_huge = true;
		if (visit_range(pages, space, huge << MRC_HUGE_SHIFT,
				(huge << MRC_HUGE_SHIFT) + MRC_HUGE_PAGES - 1, visit_replaced,
				&last))
			return -1;
	} else if (space->has_huge) {
		if (visit_range(pages, space, huge | MRC_HUGE_KEY, huge | MRC_HUGE_KEY,
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
	for (unsigned int i = 0; i < ANCESTORS && space && !last.since; i++) {
		if (space->has_maybes)
			last.since = mm_last_ranges_find(&pages->maybes, space->mm, page).value;
		space = space->parent;
	}
	*since = last.since;
	return 0;
}

/* Gives the entry an object. @is_copied: the touch has made a copy of the entry's last object. */
static int fill_entry(struct mrc_pages *pages, struct mrc_space *space,
		      const struct mrc_touch *touch, bool is_copied, uint64_t key,
		      struct mrc_block **block)
{
	const uint64_t page = touch->address >> MRC_PAGE_SHIFT;
	uint32_t number, since;

	if (replace_others(pages, space, page, touch->is_huge, &since))
		return -1;
	number = is_copied ? add_object(pages, false, touch->is_huge, page)
			   : identify(pages, space, touch, key);
	/* Blocks may have been removed. */
	*block = number ? mrc_blocks_get(&space->blocks, key) : NULL;
	if (!*block)
		return -1;
	if (since && !(pages->stack.pages[number].flags & MRC_PAGE_USED))
		mrc_stack_maybe_since(&pages->stack, number, since - 1);
	set_object(pages, *block, key % MRC_BLOCK_PAGES, number);
	return 0;
}

/* Drops the object of an entry if the touch replaces it by another one. */
static int drop_replaced(struct mrc_pages *pages, struct mrc_space *space,
			 const struct mrc_touch *touch, struct mrc_block *block, unsigned int at)
{
	const uint32_t number = block->objects[at];

	/* The copy reads the object, which a span of this page may keep open. */
	if (touch->kind == LTTNG_MM_PAGEREF_COPY)
		return use_source(pages, number) ? -1 : drop(pages, space, block, at, false);
	if (touch->kind == LTTNG_MM_PAGEREF_DEMAND && !pages->objects[number].is_file)
		return drop(pages, space, block, at, false);
	return 0;
}

static int on_touch(struct mrc_pages *pages, const struct mrc_touch *touch)
{
	struct mrc_space *space = find_space(pages, touch->mm);
	const uint64_t page = touch->address >> MRC_PAGE_SHIFT;
	const uint64_t key = touch->is_huge ? page >> MRC_HUGE_SHIFT | MRC_HUGE_KEY : page;
	const unsigned int at = key % MRC_BLOCK_PAGES;
	struct mrc_block *block = space ? mrc_blocks_get(&space->blocks, key) : NULL;
	uint8_t *flags;
	uint32_t number;
	bool was_known;

	if (!block)
		return -1;
	was_known = block->objects[at];
	if ((was_known && drop_replaced(pages, space, touch, block, at)) ||
	    (!block->objects[at] &&
	     fill_entry(pages, space, touch, was_known && touch->kind == LTTNG_MM_PAGEREF_COPY, key,
			&block)))
		return -1;
	pages->touches++;
	number = block->objects[at];
	flags = &block->flags[at];
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
	/* A page that is touched during a pass has been marked by it already. */
	*flags |= MRC_ENTRY_OPEN | (space->in_pass ? MRC_ENTRY_LATE : 0);
	return list_opened(pages, space, key);
}

int mrc_pages_touch(struct mrc_pages *pages, const struct mrc_touch *touch)
{
	const uint64_t page = touch->address >> MRC_PAGE_SHIFT;

	return is_sampled(pages, touch->is_huge ? page & ~(uint64_t)(MRC_HUGE_PAGES - 1) : page)
		       ? on_touch(pages, touch)
		       : 0;
}

int mrc_pages_around(struct mrc_pages *pages, uint32_t mm, uint64_t address, uint64_t count)
{
	struct mrc_space *space = find_space(pages, mm);
	const uint64_t first = address >> MRC_PAGE_SHIFT;

	if (!space)
		return -1;
	if (count > AROUND_PAGES)
		return open_sampled(pages, space, first, count, &pages->around);
	for (uint64_t page = first; page < first + count; page++) {
		const struct mrc_touch touch = { .mm = mm,
						 .address = page << MRC_PAGE_SHIFT,
						 .kind = LTTNG_MM_PAGEREF_DEMAND };
		struct mrc_block *block = mrc_blocks_get(&space->blocks, page);
		const unsigned int at = page % MRC_BLOCK_PAGES;

		if (!is_sampled(pages, page))
			continue;
		pages->around++;
		if (!block ||
		    (!block->objects[at] &&
		     fill_entry(pages, space, &touch, false, page, &block)) ||
		    open_maybe(pages, space, block, at))
			return -1;
	}
	return 0;
}

/* Closes the first @count spans of the list, except those that the next pass closes. */
static int close_spans(struct mrc_pages *pages, struct mrc_space *space, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const uint64_t key = space->opened[i];
		struct mrc_block *block = mrc_blocks_find(&space->blocks, key);
		uint8_t *flags = block ? &block->flags[key % MRC_BLOCK_PAGES] : NULL;

		if (!flags || (*flags & (MRC_ENTRY_OPEN | MRC_ENTRY_LATE)) != MRC_ENTRY_OPEN)
			continue;
		if (mrc_stack_close(&pages->stack, block->objects[key % MRC_BLOCK_PAGES],
				    *flags & MRC_ENTRY_MAYBE, *flags & MRC_ENTRY_FIRST))
			return -1;
		*flags = 0;
	}
	mrc_stack_close_others(&pages->stack, space->others);
	space->others = 0;
	return 0;
}

/* Moves late spans to the front of the list. */
static void keep_late_spans(struct mrc_space *space, size_t late)
{
	for (size_t i = late; i < space->opened_count; i++) {
		const uint64_t key = space->opened[i];
		struct mrc_block *block = mrc_blocks_find(&space->blocks, key);

		if (block)
			block->flags[key % MRC_BLOCK_PAGES] &= (uint8_t)~MRC_ENTRY_LATE;
		space->opened[i - late] = key;
	}
	space->opened_count -= late;
	space->others += space->late_others;
	space->late_others = 0;
	if (space->late_since != NO_SEGMENT && space->since > space->late_since)
		space->since = space->late_since;
	space->late_since = NO_SEGMENT;
}

static int end_pass(struct mrc_pages *pages, struct mrc_space *space)
{
	if (!space->in_pass)
		return 0;
	space->in_pass = false;
	if (space->since == NO_SEGMENT) {
		keep_late_spans(space, 0);
		return 0;
	}
	mrc_stack_measure(&pages->stack, space->since);
	if (close_spans(pages, space, space->late))
		return -1;
	space->since = NO_SEGMENT;
	keep_late_spans(space, space->late);
	return mrc_stack_next(&pages->stack);
}

int mrc_pages_pass(struct mrc_pages *pages, uint32_t mm, bool is_end, int64_t time_ns)
{
	struct mrc_space *space = find_space(pages, mm);

	if (!space)
		return -1;
	if (is_end)
		return end_pass(pages, space);
	/* Without the end of the last pass, no span is known to be closed. */
	if (space->in_pass)
		keep_late_spans(space, 0);
	space->in_pass = true;
	space->late = space->opened_count;
	return open_unseen(pages, space, time_ns);
}

static int visit_gone(struct mrc_pages *pages, struct mrc_space *space, struct mrc_block *block,
		      unsigned int at, void *user)
{
	return drop(pages, space, block, at, *(const bool *)user);
}

/* Closes all spans of the address space. */
static int close_all(struct mrc_pages *pages, struct mrc_space *space)
{
	space->in_pass = false;
	keep_late_spans(space, 0);
	if (space->since == NO_SEGMENT)
		return 0;
	mrc_stack_measure(&pages->stack, space->since);
	if (close_spans(pages, space, space->opened_count))
		return -1;
	space->since = NO_SEGMENT;
	space->opened_count = 0;
	return mrc_stack_next(&pages->stack);
}

/* Copies of an address space that ends have its pages already, and those of its own parent. */
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

/* Unlike other ranges, an address space that ends is visited as a whole. */
static int end_space(struct mrc_pages *pages, struct mrc_space *space)
{
	bool may_be_freed = false;

	if (close_all(pages, space))
		return -1;
	for (size_t i = 0; i < space->blocks.room; i++)
		for (unsigned int at = 0; at < MRC_BLOCK_PAGES && space->blocks.table[i]; at++)
			if (space->blocks.table[i]->objects[at] &&
			    visit_gone(pages, space, space->blocks.table[i], at, &may_be_freed))
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
	if (visit_range(pages, space, first, last, visit_gone, &may_be_freed))
		return -1;
	return space->has_huge ? visit_range(pages, space, first >> MRC_HUGE_SHIFT | MRC_HUGE_KEY,
					     last >> MRC_HUGE_SHIFT | MRC_HUGE_KEY, visit_gone,
					     &may_be_freed)
			       : 0;
}

int mrc_pages_finish(struct mrc_pages *pages)
{
	for (uint32_t i = 1; i < pages->spaces.count; i++) {
		struct space_row *row = mm_rows_at(&pages->spaces, i);

		if (row->space && close_all(pages, row->space))
			return -1;
	}
	mrc_stack_finish(&pages->stack);
	return 0;
}
