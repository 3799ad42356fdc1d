/* SPDX-License-Identifier: LGPL-2.1-only */
/* Sets of time intervals, for example the times when a trace has packets. */
#ifndef LTTNG_MM_COVERAGE_RANGES_H
#define LTTNG_MM_COVERAGE_RANGES_H

#include <stddef.h>
#include <stdint.h>

struct mm_range {
	int64_t start_ns, end_ns;
};

struct mm_ranges {
	struct mm_range *all;
	size_t count, room;
};

/* Adds an interval. Returns 0, or -1 when out of memory. */
int mm_ranges_add(struct mm_ranges *ranges, int64_t start_ns, int64_t end_ns);
/* Sorts the intervals, and joins intervals that overlap or touch. */
void mm_ranges_join(struct mm_ranges *ranges);

/*
 * Returns the index of the first range that starts at @ns or later. @ranges must be sorted by
 * start.
 */
size_t mm_range_first_from(const struct mm_range *ranges, size_t count, int64_t ns);
/*
 * Sorts intervals by start, and replaces each end with the latest end so far. Intervals may
 * overlap.
 */
void mm_range_sort_by_reach(struct mm_range *ranges, size_t count);
/*
 * Returns the latest end among the intervals that start before @ns; INT64_MIN: there are none. Call
 * mm_range_sort_by_reach() first.
 */
int64_t mm_range_reach(const struct mm_range *ranges, size_t count, int64_t ns);

#endif /* LTTNG_MM_COVERAGE_RANGES_H */
