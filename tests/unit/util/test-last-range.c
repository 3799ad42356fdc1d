// SPDX-License-Identifier: LGPL-2.1-only
/* Tests the search for the last range that covers an address, against a list of all ranges. */
#include <stdlib.h>

#include "tests/tap.h"
#include "util/last-range.h"

#define RANGES 300
#define ADDRESSES 200

struct listed_range {
	uint32_t mm;
	uint64_t first, last;
};

static struct mm_last_range search(const struct listed_range *all, uint32_t count, uint32_t mm,
				   uint64_t at)
{
	for (uint32_t i = count; i--;)
		if (all[i].mm == mm && at >= all[i].first && at <= all[i].last)
			return (struct mm_last_range){ .number = i + 1, .value = i };
	return (struct mm_last_range){ 0 };
}

/* Compares the results for all addresses after each range. */
static unsigned int count_differences(uint64_t base)
{
	struct listed_range all[RANGES];
	struct mm_last_ranges ranges;
	unsigned int differences = 0;

	if (mm_last_ranges_init(&ranges))
		return 1;
	for (uint32_t i = 0; i < RANGES; i++) {
		const uint64_t first = base + (uint64_t)rand() % ADDRESSES;

		all[i] = (struct listed_range){ (uint32_t)rand() % 2, first,
						first + (uint64_t)rand() % (1u << rand() % 8) };
		differences += (unsigned int)!!mm_last_ranges_set(&ranges, all[i].mm, first,
								  all[i].last, i + 1, i);
		for (uint64_t at = base; at < base + 2 * ADDRESSES; at++) {
			const struct mm_last_range is = mm_last_ranges_find(&ranges, i % 2, at);
			const struct mm_last_range shall = search(all, i + 1, i % 2, at);

			differences += is.number != shall.number || is.value != shall.value;
		}
	}
	mm_last_ranges_release(&ranges);
	return differences;
}

static void test_ends(void)
{
	struct mm_last_ranges ranges;

	tap(!mm_last_ranges_init(&ranges), "an object is made");
	tap(!mm_last_ranges_set(&ranges, 1, 0, UINT64_MAX, 1, 7), "a range of all addresses");
	tap(mm_last_ranges_find(&ranges, 1, 0).value == 7, "... has the first one");
	tap(mm_last_ranges_find(&ranges, 1, MM_LAST_RANGE_END - 1).value == 7, "... and the last");
	tap(!mm_last_ranges_find(&ranges, 2, 0).number, "... but none of another address space");
	tap(!mm_last_ranges_set(&ranges, 2, 5, 4, 2, 8), "a range without addresses");
	tap(!mm_last_ranges_find(&ranges, 2, 4).number, "... has none");
	mm_last_ranges_release(&ranges);
}

int main(void)
{
	srand(1);
	test_ends();
	for (unsigned int i = 0; i < 10; i++) {
		const uint64_t base = i < 5 ? i * 37 : (UINT64_C(1) << (30 + 2 * i)) - 100;
		const unsigned int differences = count_differences(base);

		tap(!differences, "random ranges from 0x%llx on: %u differences",
		    (unsigned long long)base, differences);
	}
	return tap_status();
}
