// SPDX-License-Identifier: LGPL-2.1-only
/* Counts memory by segment, in Fenwick trees. */
#include "analysis/mrc/counts.h"

#include <stdlib.h>

/*
 * In a Fenwick tree, node I contains the sum of the values from I - low_bit(I) + 1 to I. Source:
 * Fenwick, "A new data structure for cumulative frequency tables", 1994.
 */
static uint32_t low_bit(uint32_t i)
{
	return i & -i;
}

static void add(uint64_t *tree, uint32_t count, uint32_t segment, uint64_t value)
{
	for (uint32_t i = segment + 1; i <= count; i += low_bit(i))
		tree[i] += value;
}

/* Returns the sum over the segments before @segment. */
static uint64_t before(const uint64_t *tree, uint32_t segment)
{
	uint64_t sum = 0;

	for (uint32_t i = segment; i; i -= low_bit(i))
		sum += tree[i];
	return sum;
}

/* Appends node @i for an empty segment. */
static void append(uint64_t *tree, uint32_t i)
{
	tree[i] = 0;
	for (uint32_t j = i - 1; j > i - low_bit(i); j -= low_bit(j))
		tree[i] += tree[j];
}

int mrc_counts_init(struct mrc_counts *counts)
{
	*counts = (struct mrc_counts){ NULL };
	return mrc_counts_next(counts);
}

void mrc_counts_release(struct mrc_counts *counts)
{
	free(counts->sums);
	free(counts->holes);
	*counts = (struct mrc_counts){ NULL };
}

static int grow(struct mrc_counts *counts)
{
	const size_t room = counts->room ? counts->room * 2 : 64;
	uint64_t *sums = realloc(counts->sums, room * sizeof(*sums)), *holes;

	if (!sums)
		return -1;
	counts->sums = sums;
	holes = realloc(counts->holes, room * sizeof(*holes));
	if (!holes)
		return -1;
	counts->holes = holes;
	counts->room = room;
	return 0;
}

int mrc_counts_next(struct mrc_counts *counts)
{
	if (counts->count + 1 >= counts->room && grow(counts))
		return -1;
	if (counts->count) {
		add(counts->sums, counts->count, counts->count - 1, counts->current);
		counts->total += counts->current;
		counts->current = 0;
	}
	counts->count++;
	append(counts->sums, counts->count);
	append(counts->holes, counts->count);
	return 0;
}

/* Returns the latest segment with holes. There must be one. */
static uint32_t find_hole(const struct mrc_counts *counts)
{
	uint32_t step = 1, at = 0;
	uint64_t sum = 0;

	while (step <= counts->count / 2)
		step *= 2;
	for (; step; step /= 2)
		if (at + step <= counts->count &&
		    sum + counts->holes[at + step] < counts->hole_total) {
			at += step;
			sum += counts->holes[at];
		}
	return at;
}

static void change(struct mrc_counts *counts, uint32_t segment, uint64_t value)
{
	add(counts->sums, counts->count, segment, value);
	counts->total += value;
}

static void change_holes(struct mrc_counts *counts, uint32_t segment, uint64_t value)
{
	add(counts->holes, counts->count, segment, value);
	counts->hole_total += value;
}

/*
 * Fills holes after segment @from with a page of @weight. Returns the part of @weight for which
 * there was no hole.
 */
static uint64_t fill_holes(struct mrc_counts *counts, uint32_t from, uint64_t weight)
{
	while (weight && counts->hole_total) {
		const uint32_t segment = find_hole(counts);
		const uint64_t room =
			before(counts->holes, segment + 1) - before(counts->holes, segment);
		const uint64_t filled = room < weight ? room : weight;

		if (from != MRC_NO_SEGMENT && segment <= from)
			break;
		change(counts, segment, -filled);
		change_holes(counts, segment, -filled);
		if (from != MRC_NO_SEGMENT)
			change_holes(counts, from, filled);
		weight -= filled;
	}
	return weight;
}

void mrc_counts_leave(struct mrc_counts *counts, uint32_t from, uint64_t weight)
{
	if (counts->hole_total)
		weight = fill_holes(counts, from, weight);
	if (from == MRC_NO_SEGMENT)
		return;
	if (from == counts->count - 1)
		counts->current -= weight;
	else if (weight)
		change(counts, from, -weight);
}

void mrc_counts_free(struct mrc_counts *counts, uint32_t from, uint64_t weight)
{
	if (from == counts->count - 1) {
		counts->current -= weight;
		change(counts, from, weight);
	}
	change_holes(counts, from, weight);
}

uint64_t mrc_counts_since(const struct mrc_counts *counts, uint32_t segment)
{
	if (segment >= counts->count)
		return 0;
	return counts->total - before(counts->sums, segment) + counts->current;
}
