// SPDX-License-Identifier: LGPL-2.1-only
/* A hash table of blocks of pages, with linear probing. */
#include "analysis/mrc/blocks.h"

#include <stdlib.h>

static size_t home_of(const struct mrc_blocks *blocks, uint64_t number)
{
	return (size_t)((number * 0x9e3779b97f4a7c15u) >> 20) & (blocks->room - 1);
}

/* Returns the index of the block, or of the free slot for it. The table must have a free slot. */
static size_t probe(const struct mrc_blocks *blocks, uint64_t number)
{
	size_t i = home_of(blocks, number);

	while (blocks->table[i].block && blocks->table[i].number != number)
		i = (i + 1) & (blocks->room - 1);
	return i;
}

void mrc_blocks_prefetch(const struct mrc_blocks *blocks, uint64_t key)
{
	if (blocks->room)
		__builtin_prefetch(&blocks->table[home_of(blocks, key >> MRC_BLOCK_SHIFT)]);
}

const struct mrc_entry *mrc_blocks_peek(const struct mrc_blocks *blocks, uint64_t key)
{
	const struct mrc_block *block =
		blocks->room ? blocks->table[probe(blocks, key >> MRC_BLOCK_SHIFT)].block : NULL;

	return block ? &block->entries[key % MRC_BLOCK_PAGES] : NULL;
}

static void set_last(struct mrc_blocks *blocks, struct mrc_block *block, uint64_t number)
{
	blocks->last = block;
	blocks->last_number = number;
}

struct mrc_block *mrc_blocks_find(struct mrc_blocks *blocks, uint64_t key)
{
	const uint64_t number = key >> MRC_BLOCK_SHIFT;
	struct mrc_block *block = blocks->last;

	if (block && blocks->last_number == number)
		return block;
	if (!blocks->count)
		return NULL;
	block = blocks->table[probe(blocks, number)].block;
	if (block)
		set_last(blocks, block, number);
	return block;
}

static int grow(struct mrc_blocks *blocks)
{
	const struct mrc_blocks old = *blocks;
	const size_t room = old.room ? old.room * 2 : 16;
	struct mrc_slot *table = calloc(room, sizeof(*table));

	if (!table)
		return -1;
	blocks->table = table;
	blocks->room = room;
	for (size_t i = 0; i < old.room; i++)
		if (old.table[i].block)
			table[probe(blocks, old.table[i].number)] = old.table[i];
	free(old.table);
	return 0;
}

struct mrc_block *mrc_blocks_get(struct mrc_blocks *blocks, uint64_t key)
{
	struct mrc_block *block = mrc_blocks_find(blocks, key);

	if (block)
		return block;
	if (blocks->count >= blocks->room / 2 && grow(blocks))
		return NULL;
	block = calloc(1, sizeof(*block));
	if (!block)
		return NULL;
	block->number = key >> MRC_BLOCK_SHIFT;
	blocks->table[probe(blocks, block->number)] = (struct mrc_slot){ block->number, block };
	blocks->count++;
	set_last(blocks, block, block->number);
	return block;
}

size_t mrc_blocks_index(const struct mrc_blocks *blocks, const struct mrc_block *block)
{
	return probe(blocks, block->number);
}

void mrc_blocks_remove(struct mrc_blocks *blocks, size_t index)
{
	const size_t mask = blocks->room - 1;

	if (blocks->last == blocks->table[index].block)
		blocks->last = NULL;
	free(blocks->table[index].block);
	blocks->table[index].block = NULL;
	blocks->count--;
	/*
	 * A search stops at a free slot. Move the following blocks that a search would no longer
	 * reach.
	 */
	for (size_t i = (index + 1) & mask; blocks->table[i].block; i = (i + 1) & mask) {
		const size_t home = home_of(blocks, blocks->table[i].number);

		if (((i - home) & mask) < ((i - index) & mask))
			continue;
		blocks->table[index] = blocks->table[i];
		blocks->table[i].block = NULL;
		index = i;
	}
}

void mrc_blocks_release(struct mrc_blocks *blocks)
{
	for (size_t i = 0; i < blocks->room; i++)
		free(blocks->table[i].block);
	free(blocks->table);
	*blocks = (struct mrc_blocks){ NULL };
}
