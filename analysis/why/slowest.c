// SPDX-License-Identifier: LGPL-2.1-only
/* Keeps the slowest intervals. */
#include "analysis/why/slowest.h"

#include <stdlib.h>

int why_slowest_init(struct why_slowest *slowest)
{
	*slowest = (struct why_slowest){ .all = calloc(WHY_CANDIDATES_MAX, sizeof(*slowest->all)) };
	return slowest->all ? 0 : -1;
}

void why_slowest_release(struct why_slowest *slowest)
{
	free(slowest->all);
}

/*
 * Is @a listed before @b? Longer intervals come first. Of two equally long intervals, the earlier
 * start comes first, then the later end. An interval therefore precedes the intervals inside it.
 */
static bool is_before(const struct why_interval *a, const struct why_interval *b)
{
	if (a->duration_ns != b->duration_ns)
		return a->duration_ns > b->duration_ns;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns;
	return a->end_serial > b->end_serial;
}

static void swap(struct why_slowest *slowest, uint32_t a, uint32_t b)
{
	struct why_interval kept = slowest->all[a];

	slowest->all[a] = slowest->all[b];
	slowest->all[b] = kept;
}

/* Moves the root of the heap down to its place. */
static void sink(struct why_slowest *slowest)
{
	uint32_t at = 0, next;

	while ((next = 2 * at + 1) < slowest->count) {
		next += next + 1 < slowest->count &&
			is_before(&slowest->all[next], &slowest->all[next + 1]);
		if (!is_before(&slowest->all[at], &slowest->all[next]))
			break;
		swap(slowest, at, next);
		at = next;
	}
}

void why_slowest_add(struct why_slowest *slowest, const struct why_interval *interval)
{
	uint32_t at = slowest->count;

	if (at == WHY_CANDIDATES_MAX) {
		slowest->is_full = true;
		if (!is_before(interval, &slowest->all[0]))
			return;
		slowest->all[0] = *interval;
		sink(slowest);
		return;
	}
	slowest->all[at] = *interval;
	slowest->count++;
	for (; at && is_before(&slowest->all[(at - 1) / 2], &slowest->all[at]); at = (at - 1) / 2)
		swap(slowest, at, (at - 1) / 2);
}

static int compare(const void *a, const void *b)
{
	return is_before(a, b) ? -1 : is_before(b, a);
}

void why_slowest_sort(struct why_slowest *slowest)
{
	qsort(slowest->all, slowest->count, sizeof(*slowest->all), compare);
}

static bool is_within(const struct why_interval *inner, const struct why_interval *outer)
{
	if (inner->key != outer->key || inner->start_ns < outer->start_ns ||
	    inner->end_ns > outer->end_ns || inner->end_serial > outer->end_serial)
		return false;
	return inner->start_serial == WHY_NO_SERIAL || outer->start_serial == WHY_NO_SERIAL ||
	       inner->start_serial >= outer->start_serial;
}

uint32_t why_slowest_select(const struct why_slowest *slowest, uint32_t *numbers, uint32_t max)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < slowest->count && count < max; i++) {
		bool within = false;

		for (uint32_t k = 0; k < count && !within; k++)
			within = is_within(&slowest->all[i], &slowest->all[numbers[k]]);
		if (!within)
			numbers[count++] = i;
	}
	return count;
}

uint32_t why_slowest_rank(const struct why_slowest *slowest, uint32_t number)
{
	const struct why_interval *of = &slowest->all[number];
	uint32_t rank = 1;

	for (uint32_t i = 0; i < number; i++)
		rank += slowest->all[i].kind == of->kind &&
			slowest->all[i].function == of->function &&
			slowest->all[i].duration_ns > of->duration_ns;
	return rank;
}
