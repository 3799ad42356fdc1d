/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The known pages of an address space: a hash table of blocks of 64 pages. A page is known if it
 * has an object (pages.h).
 */
#ifndef LTTNG_MM_MRC_BLOCKS_H
#define LTTNG_MM_MRC_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MRC_BLOCK_SHIFT 6
#define MRC_BLOCK_PAGES (1u << MRC_BLOCK_SHIFT)
#define MRC_HUGE_SHIFT 9 /* a huge page is 512 pages */

/*
 * The key of a page of 4 KiB is its address divided by 4 KiB. The key of a huge page is its address
 * divided by 2 MiB, with this bit set.
 */
#define MRC_HUGE_KEY (UINT64_C(1) << 62)

struct mrc_block {
	/* The entries come first, so that none of them is in two cache lines. */
	struct mrc_entry {
		uint32_t object; /* number of the page's object; 0: the page is not known */
		uint8_t flags;	 /* enum mrc_entry_flags */
	} entries[MRC_BLOCK_PAGES];
	uint64_t number; /* common part of the keys of its pages: key >> MRC_BLOCK_SHIFT */
	uint32_t used;	 /* number of pages with an object */
};

enum mrc_entry_flags {
	MRC_ENTRY_OPEN = 1 << 0,  /* a span of the page is open (stack.h) */
	MRC_ENTRY_MAYBE = 1 << 1, /* the page was not touched in the open span */
	MRC_ENTRY_FIRST = 1 << 2, /* the object had not been used before the open span */
	MRC_ENTRY_LATE = 1 << 3,  /* the next pass ends the span; the pass in progress does not */
};

struct mrc_blocks {
	/*
	 * @number is a copy of the block's number. With this copy, most searches read only one
	 * cache line.
	 */
	struct mrc_slot {
		uint64_t number;
		struct mrc_block *block; /* NULL: free */
	} * table;
	size_t room, count;	/* room is 0 or a power of two */
	struct mrc_block *last; /* block that the last search found; NULL: none */
	uint64_t last_number;	/* of @last: a search need not read the block */
};

/*
 * mrc_blocks_prefetch() prefetches the slot that probably belongs to @key. When the slot is in the
 * CPU's caches, call mrc_blocks_peek(): it returns the entry of @key, which the caller can
 * prefetch, too. It returns NULL if there is no block with @key.
 */
void mrc_blocks_prefetch(const struct mrc_blocks *blocks, uint64_t key);
const struct mrc_entry *mrc_blocks_peek(const struct mrc_blocks *blocks, uint64_t key);

/* Returns the block that contains @key, or NULL. */
struct mrc_block *mrc_blocks_find(struct mrc_blocks *blocks, uint64_t key);
/*
 * Returns the block that contains @key. Adds the block if it is new. Returns NULL when out of
 * memory.
 */
struct mrc_block *mrc_blocks_get(struct mrc_blocks *blocks, uint64_t key);
/* Removes the block in @table[@index]. Another block may move to this index. */
void mrc_blocks_remove(struct mrc_blocks *blocks, size_t index);
/* Returns the index of @block in @table. */
size_t mrc_blocks_index(const struct mrc_blocks *blocks, const struct mrc_block *block);
void mrc_blocks_release(struct mrc_blocks *blocks);

#endif /* LTTNG_MM_MRC_BLOCKS_H */
