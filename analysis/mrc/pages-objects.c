// SPDX-License-Identifier: LGPL-2.1-only
/* The objects of pages: pages of files, or anonymous memory, which address spaces may share. */
#include "analysis/mrc/pages-private.h"

bool mrc_is_sampled(const struct mrc_pages *pages, uint64_t page)
{
	return lttng_mm_sample_has(pages->prelude->sample, page);
}

uint32_t mrc_object_add(struct mrc_pages *pages, bool is_file, bool is_huge, uint64_t page)
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

/*
 * Notes that an entry no longer refers to the object. Frees an anonymous object after its last
 * entry.
 */
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

void mrc_object_set(struct mrc_pages *pages, struct mrc_block *block, unsigned int at,
		    uint32_t number)
{
	block->entries[at].object = number;
	block->entries[at].flags = 0;
	block->used++;
	pages->objects[number].mappings++;
}

/* Hands an anonymous object over to the copies of @space, because @space is about to lose it. */
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
		if (!block->entries[at].object)
			mrc_object_set(pages, block, at, number);
		child->has_huge |= !!(key & MRC_HUGE_KEY);
	}
	return 0;
}

int mrc_object_drop(struct mrc_pages *pages, struct mrc_space *space, struct mrc_block *block,
		    unsigned int at, bool may_be_freed)
{
	const uint32_t number = block->entries[at].object;
	const uint8_t flags = block->entries[at].flags;

	if (space->child_count &&
	    hand_over(pages, space, block->number << MRC_BLOCK_SHIFT | at, number))
		return -1;
	if (flags & MRC_ENTRY_OPEN &&
	    mrc_stack_close(&pages->stack, number, flags & MRC_ENTRY_MAYBE,
			    flags & MRC_ENTRY_FIRST))
		return -1;
	block->entries[at].object = 0;
	block->entries[at].flags = 0;
	block->used--;
	return unmap_object(pages, number, may_be_freed);
}

bool mrc_may_visit(struct mrc_pages *pages)
{
	if (!pages->visits) {
		pages->gave_up = true;
		return false;
	}
	pages->visits--;
	return true;
}

int mrc_visit_range(struct mrc_pages *pages, struct mrc_space *space, uint64_t first, uint64_t last,
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
				  : blocks->table[i].block;

		if (!mrc_may_visit(pages))
			return 0;
		i++;
		if (!block || block->number < start || block->number > end)
			continue;
		for (unsigned int at = 0; at < MRC_BLOCK_PAGES; at++) {
			const uint64_t key = block->number << MRC_BLOCK_SHIFT | at;

			if (block->entries[at].object && key >= first && key <= last &&
			    visit(pages, space, block, at, user))
				return -1;
		}
		if (block->used)
			continue;
		mrc_blocks_remove(blocks, mrc_blocks_index(blocks, block));
		/* Another block may have moved to this index, so visit the index again. */
		i -= !by_number;
	}
	return 0;
}

/* Returns the object that the page had in the parent when the copy was made, or 0. */
static uint32_t inherit(struct mrc_pages *pages, struct mrc_space *space, uint64_t key)
{
	uint64_t born = UINT64_MAX;

	for (unsigned int i = 0; i < MRC_ANCESTORS && space->parent; i++) {
		struct mrc_block *block;
		uint32_t number;

		born = space->born < born ? space->born : born;
		space = space->parent;
		block = mrc_blocks_find(&space->blocks, key);
		number = block ? block->entries[key % MRC_BLOCK_PAGES].object : 0;
		if (number)
			return pages->objects[number].id < born && !pages->objects[number].is_file
				       ? number
				       : 0;
	}
	return 0;
}

/* Assigns the parent's object to a page of its copy @space. */
static int inherit_page(struct mrc_pages *pages, struct mrc_space *space, uint64_t key)
{
	const uint32_t number = inherit(pages, space, key);
	struct mrc_block *block = number ? mrc_blocks_get(&space->blocks, key) : NULL;

	if (number && !block)
		return -1;
	if (number && !block->entries[key % MRC_BLOCK_PAGES].object)
		mrc_object_set(pages, block, key % MRC_BLOCK_PAGES, number);
	space->has_huge |= number && key & MRC_HUGE_KEY;
	return 0;
}

int mrc_inherit_range(struct mrc_pages *pages, struct mrc_space *space, uint64_t first,
		      uint64_t last)
{
	for (uint64_t page = first; page <= last && mrc_may_visit(pages); page++) {
		if (inherit_page(pages, space, page) ||
		    (!(page % MRC_HUGE_PAGES) &&
		     inherit_page(pages, space, page >> MRC_HUGE_SHIFT | MRC_HUGE_KEY)))
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
	struct mrc_file_row *row;
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
		row->object = mrc_object_add(pages, true, is_huge, page);
	return row->object;
}

int mrc_object_copy(struct mrc_pages *pages, uint32_t number)
{
	if (mrc_stack_touch(&pages->stack, number, false))
		return -1;
	mrc_stack_open(&pages->stack, number, false);
	return mrc_stack_close(&pages->stack, number, false, false);
}

uint32_t mrc_object_identify(struct mrc_pages *pages, struct mrc_space *space,
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
	if (number && mrc_object_copy(pages, number))
		return 0;
	if (mapping && mapping->is_file && !number) {
		/*
		 * In a private, writable mapping, a page may be a copy of the file's page. It is
		 * certainly not a copy if this touch maps the page for reading.
		 */
		const bool is_copy = !mapping->is_shared && mapping->is_writable &&
				     (touch->is_write || !is_demand);

		number = find_file_object(pages, mapping, page, touch->is_huge);
		if (!number || !is_copy)
			return number;
		if ((is_demand || touch->kind == LTTNG_MM_PAGEREF_COPY) &&
		    mrc_object_copy(pages, number))
			return 0;
	}
	return mrc_object_add(pages, false, touch->is_huge, page);
}
