// SPDX-License-Identifier: LGPL-2.1-only
/* Sets of time intervals, for example the times when a trace has packets. */
#include "reader/coverage/ranges.h"

#include <stdlib.h>

#include "util/hash.h"

/*
 * Maximum number of intervals. Beyond this number, intervals are dropped. The set may then show
 * false gaps, but it hides no gap.
 */
#define RANGES_MAX 65536u

static int compare_ranges(const void *a, const void *b)
{
	const struct mm_range *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns);
}

void mm_ranges_join(struct mm_ranges *ranges)
{
	size_t count = 0;

	if (!ranges->count)
		return;
	qsort(ranges->all, ranges->count, sizeof(*ranges->all), compare_ranges);
	for (size_t i = 1; i < ranges->count; i++) {
		struct mm_range *last = &ranges->all[count];

		if (ranges->all[i].start_ns > last->end_ns)
			ranges->all[++count] = ranges->all[i];
		else if (ranges->all[i].end_ns > last->end_ns)
			last->end_ns = ranges->all[i].end_ns;
	}
	ranges->count = count + 1;
}

int mm_ranges_add(struct mm_ranges *ranges, int64_t start_ns, int64_t end_ns)
{
	struct mm_range *last = ranges->count ? &ranges->all[ranges->count - 1] : NULL;
	struct mm_range *grown;

	if (end_ns < start_ns)
		return 0;
	/* Packets of a stream are added in order, so an interval usually extends the last one. */
	if (last && start_ns >= last->start_ns && start_ns <= last->end_ns) {
		if (end_ns > last->end_ns)
			last->end_ns = end_ns;
		return 0;
	}
	if (ranges->count == RANGES_MAX) {
		mm_ranges_join(ranges);
		if (ranges->count > RANGES_MAX / 2)
			ranges->count = RANGES_MAX / 2;
	}
	grown = mm_array_grow(ranges->all, ranges->count, &ranges->room, sizeof(*grown));
	if (!grown)
		return -1;
	ranges->all = grown;
	grown[ranges->count++] = (struct mm_range){ start_ns, end_ns };
	return 0;
}

size_t mm_range_first_from(const struct mm_range *ranges, size_t count, int64_t ns)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ranges[middle].start_ns < ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void mm_range_sort_by_reach(struct mm_range *ranges, size_t count)
{
	if (count)
		qsort(ranges, count, sizeof(*ranges), compare_ranges);
	for (size_t i = 1; i < count; i++)
		if (ranges[i].end_ns < ranges[i - 1].end_ns)
			ranges[i].end_ns = ranges[i - 1].end_ns;
}

int64_t mm_range_reach(const struct mm_range *ranges, size_t count, int64_t ns)
{
	size_t next = mm_range_first_from(ranges, count, ns);

	return next ? ranges[next - 1].end_ns : INT64_MIN;
}
