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
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double regress_median(const double *values, size_t count)
{
	double *sorted = malloc(count * sizeof(*sorted)), median;

	/* Without memory, any value is better than none: the verdict also needs the extremes. */
	if (!sorted)
		return values[0];
	memcpy(sorted, values, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare);
	median = count % 2 ? sorted[count / 2] : sorted[count / 2 - 1] / 2 + sorted[count / 2] / 2;
	free(sorted);
	return median;
}

struct range {
	double low, high;
};

static struct range range_of(const struct regress_samples *samples, int side)
{
	const double *values = samples->values[side];
	struct range range = { values[0], values[0] };

	for (size_t i = 1; i < samples->counts[side]; i++) {
		range.low = fmin(range.low, values[i]);
		range.high = fmax(range.high, values[i]);
	}
	return range;
}

/* Is the difference between the medians large enough, if the base varies? */
static bool is_large(const struct regress_samples *samples)
{
	const double base = regress_median(samples->values[0], samples->counts[0]);
	const double change = fabs(regress_median(samples->values[1], samples->counts[1]) - base);

	return change >= MM_LEAST_PART * fabs(base) &&
	       (!samples->is_count || change >= MM_LEAST_UNITS);
}

enum regress_verdict regress_judge(const struct regress_samples *samples)
{
	const bool enough =
		samples->counts[0] >= REGRESS_BASE_MIN && samples->counts[1] >= REGRESS_NEW_MIN;
	struct range base, new;
	bool is_higher, is_worse;

	if (!samples->counts[0] || !samples->counts[1])
		return REGRESS_UNDETERMINED;
	base = range_of(samples, 0);
	new = range_of(samples, 1);
	if (base.low == base.high && new.low == base.low &&new.high == base.high)
		return REGRESS_SAME;
	/* With one run, the noise is not known. */
	if (samples->counts[0] == 1 || samples->counts[1] == 1)
		return REGRESS_UNDETERMINED;
	is_higher = new.low > base.high;
	if (!is_higher && new.high >= base.low)
		return REGRESS_SIMILAR;
	if (base.low != base.high && !is_large(samples))
		return REGRESS_SIMILAR;
	if (samples->direction == MM_NEUTRAL)
		return REGRESS_CHANGED;
	is_worse = is_higher == (samples->direction == MM_LESS_IS_BETTER);
	if (enough)
		return is_worse ? REGRESS_WORSE : REGRESS_BETTER;
	return is_worse ? REGRESS_MAYBE_WORSE : REGRESS_MAYBE_BETTER;
}
