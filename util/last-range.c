// SPDX-License-Identifier: LGPL-2.1-only
/* Of many ranges, finds the last one that covers an address. */
#include "util/last-range.h"

/* A block inside a range. The key is the address space, the size and the address. */
struct range_block {
	struct mm_row key;
	struct mm_last_range last;
};

static struct mm_row key_of(uint32_t mm, unsigned int size, uint64_t at)
{
	const uint64_t block = at >> size;

	return (struct mm_row){ mm, size << 24 | (uint32_t)(block >> 32), (uint32_t)block, 0 };
}

int mm_last_ranges_init(struct mm_last_ranges *ranges)
{
	ranges->sizes = 0;
	return mm_rows_init(&ranges->blocks, sizeof(struct range_block), UINT32_MAX - 1, 8);
}

void mm_last_ranges_release(struct mm_last_ranges *ranges)
{
	mm_rows_release(&ranges->blocks);
}

int mm_last_ranges_set(struct mm_last_ranges *ranges, uint32_t mm, uint64_t first, uint64_t last,
		       uint64_t number, uint32_t value)
{
	if (last >= MM_LAST_RANGE_END)
		last = MM_LAST_RANGE_END - 1;
	while (first <= last) {
		unsigned int fits = 63 - (unsigned int)__builtin_clzll(last - first + 1);
		unsigned int aligned = first ? (unsigned int)__builtin_ctzll(first) : fits;
		unsigned int size = aligned < fits ? aligned : fits;
		const struct mm_row key = key_of(mm, size, first);
		uint32_t block = mm_rows_number(&ranges->blocks, &key);

		if (block == MM_HASH_NONE)
			return -1;
		((struct range_block *)mm_rows_at(&ranges->blocks, block))->last =
			(struct mm_last_range){ number, value };
		ranges->sizes |= UINT64_C(1) << size;
		first += UINT64_C(1) << size;
	}
	return 0;
}

struct mm_last_range mm_last_ranges_find(const struct mm_last_ranges *ranges, uint32_t mm,
					 uint64_t at)
{
	struct mm_last_range found = { 0 };

	for (uint64_t sizes = ranges->sizes; sizes; sizes &= sizes - 1) {
		const struct mm_row key = key_of(mm, (unsigned int)__builtin_ctzll(sizes), at);
		const struct range_block *block =
			mm_rows_lookup3(&ranges->blocks, key.a, key.b, key.c);

		if (block && block->last.number > found.number)
			found = block->last;
	}
	return found;
}
