/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Finds the last of many ranges that covers an address. The address spaces of all processes share
 * one object. The unit of addresses is up to the caller, for example pages.
 */
#ifndef LTTNG_MM_PAGEREF_RANGES_H
#define LTTNG_MM_PAGEREF_RANGES_H

#include "util/rows.h"

/* Addresses are below this. */
#define PAGEREF_RANGE_END (UINT64_C(1) << 52)

/*
 * Each range is divided into aligned blocks of 2^N units, at most two for each N. A block has the
 * last range that contains it, so neither setting nor finding depends on the number of ranges.
 */
struct pageref_ranges {
	struct mm_rows blocks;
	uint64_t sizes; /* bit N: there are blocks of 2^N units */
};

/* The result of a search. */
struct pageref_range {
	uint64_t number; /* of the range; 0: no range covers the address */
	uint32_t value;
};

/* Returns 0, or -1 when out of memory. */
int pageref_ranges_init(struct pageref_ranges *ranges);
void pageref_ranges_release(struct pageref_ranges *ranges);

/*
 * Sets the range from @first to @last of address space @mm. @number must exceed the numbers of all
 * ranges that were set before. Returns 0, or -1 when out of memory.
 */
int pageref_ranges_set(struct pageref_ranges *ranges, uint32_t mm, uint64_t first, uint64_t last,
		       uint64_t number, uint32_t value);

/* Finds the range with the highest number that covers @at. */
struct pageref_range pageref_ranges_find(const struct pageref_ranges *ranges, uint32_t mm,
					 uint64_t at);

#endif /* LTTNG_MM_PAGEREF_RANGES_H */
