/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Finds the last of many ranges that covers an address. The address spaces of all processes share
 * one object. The unit of addresses is up to the caller, for example pages.
 */
#ifndef LTTNG_MM_UTIL_LAST_RANGE_H
#define LTTNG_MM_UTIL_LAST_RANGE_H

#include "util/rows.h"

/* Addresses are below this. */
#define MM_LAST_RANGE_END (UINT64_C(1) << 52)

/*
 * Each range is divided into aligned blocks of 2^N units, at most two for each N. A block has the
 * last range that contains it, so neither setting nor finding depends on the number of ranges.
 */
struct mm_last_ranges {
	struct mm_rows blocks;
	uint64_t sizes; /* bit N: there are blocks of 2^N units */
};

/* The result of a search. */
struct mm_last_range {
	uint64_t number; /* of the range; 0: no range covers the address */
	uint32_t value;
};

/* Returns 0, or -1 when out of memory. */
int mm_last_ranges_init(struct mm_last_ranges *ranges);
void mm_last_ranges_release(struct mm_last_ranges *ranges);

/*
 * Sets the range from @first to @last of address space @mm. @number must exceed the numbers of all
 * ranges that were set before. Returns 0, or -1 when out of memory.
 */
int mm_last_ranges_set(struct mm_last_ranges *ranges, uint32_t mm, uint64_t first, uint64_t last,
		       uint64_t number, uint32_t value);

/* Finds the range with the highest number that covers @at. */
struct mm_last_range mm_last_ranges_find(const struct mm_last_ranges *ranges, uint32_t mm,
					 uint64_t at);

#endif /* LTTNG_MM_UTIL_LAST_RANGE_H */
