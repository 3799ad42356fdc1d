/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Of many ranges, finds the last one that covers an address. One object has the address spaces of
 * all processes. The caller chooses the unit of addresses, such as pages.
 */
#ifndef LTTNG_MM_UTIL_LAST_RANGE_H
#define LTTNG_MM_UTIL_LAST_RANGE_H

#include "util/rows.h"

/* All addresses are smaller. */
#define MM_LAST_RANGE_END (UINT64_C(1) << 52)

/*
 * Each range is divided into aligned blocks of 2^N units, at most two for each N. A block stores
 * the last range that contains it. The time to set or find does not depend on the number of ranges.
 */
struct mm_last_ranges {
	struct mm_rows blocks;
	uint64_t sizes; /* bit N: some blocks have 2^N units */
};

struct mm_last_range {
	uint64_t number; /* the range's number; 0: no range covers the address */
	uint32_t value;
};

/* Returns 0, or -1 when out of memory. */
int mm_last_ranges_init(struct mm_last_ranges *ranges);
void mm_last_ranges_release(struct mm_last_ranges *ranges);

/*
 * Sets the range from @first to @last of address space @mm. @number must exceed the numbers of all
 * ranges set before. Returns 0, or -1 when out of memory.
 */
int mm_last_ranges_set(struct mm_last_ranges *ranges, uint32_t mm, uint64_t first, uint64_t last,
		       uint64_t number, uint32_t value);

/* Finds the range with the highest number that covers @at. */
struct mm_last_range mm_last_ranges_find(const struct mm_last_ranges *ranges, uint32_t mm,
					 uint64_t at);

#endif /* LTTNG_MM_UTIL_LAST_RANGE_H */
