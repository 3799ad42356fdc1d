// SPDX-License-Identifier: LGPL-2.1-only
/* Finds how much memory was touched between two passes, in 1 s and in 10 s. */
#include <stdlib.h>
#include <string.h>

#include "analysis/pageref/pageref-report.h"

static int compare_numbers(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

uint64_t pageref_quantile(const uint64_t *values, size_t count, double q)
{
	size_t rank = (size_t)(q * (double)count);

	rank += (double)rank < q * (double)count;
	return values[rank ? rank - 1 : 0];
}

/*
 * Adds the pages of each interval to its window of @span. A window has the number of its first
 * interval.
 */
static void sum_windows(const struct pageref_state *state, const struct mm_report_options *options,
			unsigned int span, uint64_t *bytes, uint64_t *most)
{
	for (uint32_t i = 1; i < state->interval_uses.count; i++) {
		const struct pageref_interval_use *use = mm_rows_at(&state->interval_uses, i);
		const uint32_t first = state->intervals[use->key.b].firsts[span];

		if (!pageref_selected(state, use->key.a, options))
			continue;
		bytes[first] += use->pages[span] * PAGEREF_PAGE_BYTES;
		most[first] += (use->pages[span] + use->unseen + use->around) * PAGEREF_PAGE_BYTES;
	}
}

/*
 * Returns the number of the window after window @first. Sets *@lacks_events if events may be
 * missing in window @first.
 */
static uint32_t find_next(const struct pageref_state *state, unsigned int span, uint32_t first,
			  bool *lacks_events)
{
	uint32_t next = first;

	*lacks_events = false;
	for (; next < state->interval_count && state->intervals[next].firsts[span] == first; next++)
		*lacks_events |= state->intervals[next].lacks_events;
	return next;
}

/*
 * Moves the values of complete windows to the start of the arrays, scales them and sorts them.
 * Returns the number of windows that are left out because events may be missing.
 */
static size_t keep_windows(const struct pageref_state *state, const struct pageref_sums *sums,
			   unsigned int span, struct pageref_windows *windows)
{
	const uint64_t all = (sums->counts.pages + sums->counts.maybe) * PAGEREF_PAGE_BYTES;
	size_t excluded = 0;
	uint32_t next;
	bool lacks;

	for (uint32_t i = 1; i < sums->last_passed; i = next) {
		next = find_next(state, span, i, &lacks);
		if (i < sums->first_passed || next > sums->last_passed)
			continue;
		if (lacks) {
			excluded++;
			continue;
		}
		windows->bytes[windows->count] = windows->bytes[i];
		windows->most[windows->count++] = windows->most[i];
	}
	for (size_t i = 0; i < windows->count; i++) {
		const struct pageref_range pages =
			pageref_range(state, windows->bytes[i] / PAGEREF_PAGE_BYTES,
				      windows->most[i] / PAGEREF_PAGE_BYTES, sums->cluster);

		windows->bytes[i] = pages.least * PAGEREF_PAGE_BYTES;
		windows->most[i] = pages.most * PAGEREF_PAGE_BYTES;
		/* A page that may have been touched counts in each interval of the window. */
		if (!sums->lacking && windows->most[i] > all)
			windows->most[i] = all > windows->bytes[i] ? all : windows->bytes[i];
	}
	qsort(windows->bytes, windows->count, sizeof(*windows->bytes), compare_numbers);
	qsort(windows->most, windows->count, sizeof(*windows->most), compare_numbers);
	return excluded;
}

int pageref_working_set_find(const struct pageref_state *state,
			     const struct mm_report_options *options,
			     const struct pageref_sums *sums, struct pageref_working_set *set)
{
	*set = (struct pageref_working_set){ 0 };
	for (unsigned int span = 0; span < PAGEREF_SPANS; span++) {
		struct pageref_windows *windows = &set->windows[span];
		size_t excluded;

		windows->bytes = calloc(state->interval_count, sizeof(*windows->bytes));
		windows->most = calloc(state->interval_count, sizeof(*windows->most));
		if (!windows->bytes || !windows->most)
			return -1;
		sum_windows(state, options, span, windows->bytes, windows->most);
		excluded = keep_windows(state, sums, span, windows);
		if (span == PAGEREF_INTERVAL)
			set->excluded = excluded;
	}
	return 0;
}

void pageref_working_set_release(struct pageref_working_set *set)
{
	for (unsigned int span = 0; span < PAGEREF_SPANS; span++) {
		free(set->windows[span].bytes);
		free(set->windows[span].most);
	}
}
