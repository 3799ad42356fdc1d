/* SPDX-License-Identifier: LGPL-2.1-only */
/* The pages of an address space that are known, in a hash table of blocks of 64 pages. */
#ifndef LTTNG_MM_MRC_BLOCKS_H
#define LTTNG_MM_MRC_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MRC_BLOCK_SHIFT 6
#define MRC_BLOCK_PAGES (1u << MRC_BLOCK_SHIFT)
#define MRC_HUGE_SHIFT 9 /* a huge page is 512 pages */

/*
 * The key of a page: its number in the address space. The key of a huge page is the number of the
 * huge page, and MRC_HUGE_KEY.
 */
#define MRC_HUGE_KEY (UINT64_C(1) << 62)

struct mrc_block {
	uint64_t number; /* of the block: the key without the lowest bits */
	uint32_t used;	 /* pages with an object */
	struct mrc_entry {
		uint32_t object; /* 0: the page is not known */
		uint8_t flags;	 /* enum mrc_entry_flags */
	} entries[MRC_BLOCK_PAGES];
};

enum mrc_entry_flags {
	MRC_ENTRY_OPEN = 1 << 0,  /* a span is open */
	MRC_ENTRY_MAYBE = 1 << 1, /* the open span has no touch */
	MRC_ENTRY_FIRST = 1 << 2, /* the object had not been used before the open span */
	MRC_ENTRY_LATE = 1 << 3,  /* the next pass closes the span, not the one in progress */
};

struct mrc_blocks {
	/* The numbers are here, too, because most searches then need no other cache line. */
	struct mrc_slot {
		uint64_t number;
		struct mrc_block *block; /* NULL: free */
	} * table;
	size_t room, count;	/* room is 0 or a power of two */
	struct mrc_block *last; /* cache of a search */
};

/*
 * Fetch what a later search for @key needs into the caches: its slot, and after some other searches
 * the entry. mrc_blocks_peek() returns the entry if it is easy to find, or NULL.
 */
void mrc_blocks_prefetch(const struct mrc_blocks *blocks, uint64_t key);
const struct mrc_entry *mrc_blocks_peek(const struct mrc_blocks *blocks, uint64_t key);

/* Returns the block that contains @key, or NULL. */
struct mrc_block *mrc_blocks_find(struct mrc_blocks *blocks, uint64_t key);
/* Returns the block that contains @key, and adds it if it is new; NULL when out of memory. */
struct mrc_block *mrc_blocks_get(struct mrc_blocks *blocks, uint64_t key);
/* Removes the block in @table[@index]. Another block may then be there. */
void mrc_blocks_remove(struct mrc_blocks *blocks, size_t index);
/* Returns the index of @block in @table. */
size_t mrc_blocks_index(const struct mrc_blocks *blocks, const struct mrc_block *block);
void mrc_blocks_release(struct mrc_blocks *blocks);

#endif /* LTTNG_MM_MRC_BLOCKS_H */
