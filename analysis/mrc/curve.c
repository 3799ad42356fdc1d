// SPDX-License-Identifier: LGPL-2.1-only
/* Computes refaults by size from the distances of an LRU stack. */
#include "analysis/mrc/curve.h"

#include <math.h>

/* The 95 % quantile of Student's distribution with MRC_SUBSAMPLES - 1 degrees of freedom. */
#define STUDENT_95 1.753

/* Returns how many of @size pages are in a sample that contains the share @rate. */
static uint64_t scaled(uint64_t size, double rate)
{
	return rate < 1 ? (uint64_t)((double)size * rate) : size;
}

static double count_above(const struct mrc_distances *distances, uint64_t size, double rate)
{
	return (double)mrc_distances_above(distances, scaled(size, rate)) / rate;
}

/*
 * Returns half the width of the confidence interval. The differences between the sub-samples
 * determine the width.
 */
static double find_margin(const struct mrc_stack *stack, uint64_t size, bool by_high)
{
	const double rate = stack->rate / MRC_SUBSAMPLES;
	double sum = 0, squares = 0;

	for (unsigned int i = 1; i <= MRC_SUBSAMPLES; i++) {
		const struct mrc_tally *tally = &stack->tallies[i];
		const double is = count_above(by_high ? &tally->high : &tally->low, size, rate);

		sum += is;
		squares += is * is;
	}
	squares -= sum * sum / MRC_SUBSAMPLES;
	if (squares <= 0)
		return 0;
	return STUDENT_95 * sqrt(squares / (MRC_SUBSAMPLES - 1) / MRC_SUBSAMPLES);
}

uint64_t mrc_curve_valid_from(const struct mrc_curve *curve)
{
	return (uint64_t)ceil((double)curve->stack->tallies[0].largest / curve->stack->rate);
}

static uint64_t tally_end(const struct mrc_tally *tally, double rate)
{
	const uint64_t low = mrc_distances_end(&tally->low), high = mrc_distances_end(&tally->high);

	return (uint64_t)ceil((double)(low > high ? low : high) / rate);
}

/*
 * Returns the maximum over all tallies. A sub-sample that happens to have many pages can have
 * refaults at larger sizes than the whole sample.
 */
uint64_t mrc_curve_end(const struct mrc_curve *curve)
{
	const struct mrc_stack *stack = curve->stack;
	uint64_t end = tally_end(&stack->tallies[0], stack->rate);

	for (unsigned int i = 1; i < stack->tally_count; i++) {
		const uint64_t own = tally_end(&stack->tallies[i], stack->rate / MRC_SUBSAMPLES);

		if (own > end)
			end = own;
	}
	return end;
}

struct mrc_refaults mrc_curve_at(const struct mrc_curve *curve, uint64_t size)
{
	const struct mrc_stack *stack = curve->stack;
	struct mrc_refaults at = {
		.low = count_above(&stack->tallies[0].low, size, stack->rate),
		/*
		 * A lost touch may have been a refault. The next touch of the page may be a
		 * refault, too, although no earlier touch is known. Each lost touch therefore
		 * counts twice. If the recorder sampled pages, a lost touch also stands for touches
		 * of other pages.
		 */
		.high = count_above(&stack->tallies[0].high, size, stack->rate) +
			2 * (double)curve->lost * stack->counted / stack->rate,
	};

	if (stack->tally_count > 1) {
		at.low -= find_margin(stack, size, false);
		at.high += find_margin(stack, size, true);
	}
	if (at.low < 0)
		at.low = 0;
	if (curve->is_unbounded)
		at.high = INFINITY;
	return at;
}

uint64_t mrc_curve_needed(const struct mrc_curve *curve, double limit, bool by_high)
{
	uint64_t first = mrc_curve_valid_from(curve), last = mrc_curve_end(curve);

	if (last < first)
		last = first;
	while (first <= last) {
		const uint64_t size = first + (last - first) / 2;
		const struct mrc_refaults at = mrc_curve_at(curve, size);

		if ((by_high ? at.high : at.low) > limit) {
			first = size + 1;
			if (first > last)
				return UINT64_MAX;
		} else if (size == first) {
			return size;
		} else {
			last = size;
		}
	}
	return UINT64_MAX;
}
