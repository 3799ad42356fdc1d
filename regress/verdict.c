// SPDX-License-Identifier: LGPL-2.1-only
/* Decides whether a metric became worse. */
#include "regress/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reader/report/compare.h"

const char *const regress_verdict_words[REGRESS_VERDICTS] = {
	[REGRESS_WORSE] = "worse",
	[REGRESS_MAYBE_WORSE] = "maybe worse",
	[REGRESS_CHANGED] = "changed",
	[REGRESS_MAYBE_BETTER] = "maybe better",
	[REGRESS_BETTER] = "better",
	[REGRESS_SHOWN] = "not judged",
	[REGRESS_UNDETERMINED] = "undetermined",
	[REGRESS_SIMILAR] = "similar",
	[REGRESS_SAME] = "same",
};

static int compare(const void *a, const void *b)
{
	const long double x = *(const long double *)a, y = *(const long double *)b;

	return (x > y) - (x < y);
}

/* Sorts @values. Returns the median. */
static long double median_of(long double *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare);
	return count % 2 ? values[count / 2] : values[count / 2 - 1] / 2 + values[count / 2] / 2;
}

double regress_median(const double *values, size_t count)
{
	long double *copy = malloc(count * sizeof(*copy)), median;

	/* When out of memory, return any value rather than fail. */
	if (!copy)
		return values[0];
	for (size_t i = 0; i < count; i++)
		copy[i] = values[i];
	median = median_of(copy, count);
	free(copy);
	return (double)median;
}

/* Values of both sides, in which each bound has been replaced by an assumed value. */
struct assumption {
	long double *values[2];	  /* ascending */
	long double least_change; /* smaller changes of the median are ignored */
	bool is_constant;	  /* all base values are known, and equal */
};

static enum regress_verdict judge_sorted(const struct regress_samples *samples,
					 const struct assumption *assumed)
{
	const size_t *counts = samples->counts;
	const long double *base = assumed->values[0], *new = assumed->values[1];
	const bool enough = counts[0] >= REGRESS_BASE_MIN && counts[1] >= REGRESS_NEW_MIN;
	const bool is_higher = new[0] > base[counts[0] - 1];
	bool is_worse;

	if (assumed->is_constant && new[0] == base[0] && new[counts[1] - 1] == base[0])
		return REGRESS_SAME;
	/* A single run does not show how much values vary by chance. */
	if (counts[0] == 1 || counts[1] == 1)
		return REGRESS_UNDETERMINED;
	if (!is_higher && new[counts[1] - 1] >= base[0])
		return REGRESS_SIMILAR;
	if (!assumed->is_constant) {
		const long double median = median_of(assumed->values[0], counts[0]);
		const long double change = fabsl(median_of(assumed->values[1], counts[1]) - median);

		if (!((double)change >= MM_LEAST_PART * (double)fabsl(median)) ||
		    change < assumed->least_change)
			return REGRESS_SIMILAR;
	}
	is_worse = is_higher == (samples->direction != MM_MORE_IS_BETTER);
	if (enough)
		return is_worse ? REGRESS_WORSE : REGRESS_BETTER;
	return is_worse ? REGRESS_MAYBE_WORSE : REGRESS_MAYBE_BETTER;
}

/* Returns the shortest length, and sets *@are_similar. */
static double shortest_of(const struct regress_samples *samples, bool *are_similar)
{
	double shortest = INFINITY, longest = 0;

	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < samples->counts[side]; i++) {
			shortest = fmin(shortest, samples->lengths[side][i]);
			longest = fmax(longest, samples->lengths[side][i]);
		}
	*are_similar = shortest >= (1 - REGRESS_SIMILAR_LENGTH) * longest;
	return shortest;
}

/* Are all values exact? Sets *@is_constant if all base values are exact and equal. */
static bool are_known(const struct regress_samples *samples, bool *is_constant)
{
	bool known = true;

	*is_constant = true;
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < samples->counts[side]; i++) {
			const struct regress_bounds *value = &samples->values[side][i];

			known &= value->low == value->high;
			if (!side)
				*is_constant &= value->low == value->high &&
						value->low == samples->values[0][0].low;
		}
	return known;
}

/*
 * Judges the case in which new is as low as possible and base as high as possible, or the reverse.
 */
static enum regress_verdict judge_case(const struct regress_samples *samples, bool new_is_low,
				       bool per_second, bool is_constant, long double *memory)
{
	struct assumption assumed = {
		.values = { memory, memory + samples->counts[0] },
		.least_change = samples->is_count ? MM_LEAST_UNITS : 0,
		.is_constant = is_constant,
	};
	bool are_similar;

	for (int side = 0; side < 2; side++) {
		for (size_t i = 0; i < samples->counts[side]; i++) {
			const struct regress_bounds *value = &samples->values[side][i];
			const long double length = per_second ? samples->lengths[side][i] : 1;

			assumed.values[side][i] =
				((side == 1) == new_is_low ? value->low : value->high) / length;
		}
		qsort(assumed.values[side], samples->counts[side], sizeof(*memory), compare);
	}
	if (per_second) {
		/* Tolerate the rounding errors of the division. */
		assumed.least_change *= (1 - 1e-9) / shortest_of(samples, &are_similar);
		assumed.is_constant &=
			assumed.values[0][0] == assumed.values[0][samples->counts[0] - 1];
	}
	return judge_sorted(samples, &assumed);
}

static enum regress_verdict judge_lengths(const struct regress_samples *samples, bool new_is_low,
					  bool is_constant, long double *memory)
{
	const enum regress_verdict plain =
		judge_case(samples, new_is_low, false, is_constant, memory);
	enum regress_verdict rate;
	bool are_similar;

	if (!samples->lengths[0])
		return plain;
	shortest_of(samples, &are_similar);
	if (are_similar && is_constant)
		return plain;
	rate = judge_case(samples, new_is_low, true, is_constant, memory);
	if (!are_similar && !is_constant)
		return rate;
	if (plain == REGRESS_SAME || rate == REGRESS_SAME)
		return REGRESS_SAME;
	return plain == rate ? plain : REGRESS_SIMILAR;
}

bool regress_is_not_worse(enum regress_verdict verdict)
{
	return verdict == REGRESS_SAME || verdict == REGRESS_SIMILAR || verdict == REGRESS_BETTER ||
	       verdict == REGRESS_MAYBE_BETTER;
}

enum regress_verdict regress_judge(const struct regress_samples *samples)
{
	enum regress_verdict low, high;
	long double *memory;
	bool is_constant;

	if (!samples->counts[0] || !samples->counts[1])
		return REGRESS_UNDETERMINED;
	memory = calloc(samples->counts[0] + samples->counts[1], sizeof(*memory));
	if (!memory)
		return REGRESS_UNDETERMINED;
	high = are_known(samples, &is_constant)
		       ? REGRESS_VERDICTS
		       : judge_lengths(samples, false, is_constant, memory);
	low = judge_lengths(samples, true, is_constant, memory);
	free(memory);
	if (high != REGRESS_VERDICTS && high != low)
		return samples->direction != MM_NEUTRAL && regress_is_not_worse(low) &&
				       regress_is_not_worse(high)
			       ? REGRESS_SIMILAR
			       : REGRESS_UNDETERMINED;
	/*
	 * For a neutral metric, better and worse both become `changed`. Convert them here, because
	 * the comparison above must distinguish them.
	 */
	return samples->direction == MM_NEUTRAL && low < REGRESS_SHOWN ? REGRESS_CHANGED : low;
}
