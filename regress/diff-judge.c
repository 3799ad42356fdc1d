// SPDX-License-Identifier: LGPL-2.1-only
/* Judges one metric of a comparison, or states why it cannot be judged. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reader/report/units.h"
#include "regress/diff.h"

/* Returns the median of the known values; NAN: there are none. */
static double known_median(const double *values, size_t count)
{
	double *known = malloc((count + 1) * sizeof(*known)), median = NAN;
	size_t known_count = 0;

	for (size_t i = 0; known && i < count; i++)
		if (!isnan(values[i]))
			known[known_count++] = values[i];
	if (known_count)
		median = regress_median(known, known_count);
	free(known);
	return median;
}

/* Returns NULL if all values are known. Otherwise, returns the worst reason. */
static const char *why_unknown(const struct regress_difference *difference)
{
	const char *why = NULL;

	for (int side = 0; side < REGRESS_SIDES; side++)
		for (size_t i = 0; i < difference->counts[side]; i++) {
			const struct regress_bounds *value = &difference->bounds[side][i];

			if (isinf(value->low) && isinf(value->high))
				return "not known";
			if (value->low != value->high)
				why = "bound";
		}
	return why;
}

/* Is nothing known about the metric's value in any run? */
static bool has_no_value(const struct regress_difference *difference)
{
	for (int side = 0; side < REGRESS_SIDES; side++)
		for (size_t i = 0; i < difference->counts[side]; i++)
			if (!isinf(difference->bounds[side][i].low) ||
			    !isinf(difference->bounds[side][i].high))
				return false;
	return true;
}

/* If the metric cannot be judged, sets verdict and reason, and returns true. */
static bool find_obstacle(const struct regress_diff *diff, struct regress_difference *difference)
{
	const struct mm_catalogue_item *item = difference->value.item;
	const bool is_time = !strcmp(item->unit, MM_UNIT_NS);
	const char *reason = NULL;

	if (has_no_value(difference))
		reason = "no value";
	else if (is_time && !diff->has_instructions)
		reason = "time";
	else if (diff->is_scaled && (item->scaling == MM_UNSCALED || item->scaling == MM_MAXIMUM))
		reason = "length";
	if (reason) {
		difference->verdict = REGRESS_SHOWN;
	} else {
		difference->verdict = REGRESS_UNDETERMINED;
		/* fill() sets the reason if a side lacks the metric. */
		reason = difference->reason;
		if (reason)
			return true;
		if (diff->sides[REGRESS_BASE].doubt || diff->sides[REGRESS_NEW].doubt)
			reason = "incomplete";
		else if (difference->counts[REGRESS_BASE] == 1 ||
			 difference->counts[REGRESS_NEW] == 1)
			reason = "one run";
	}
	difference->reason = reason;
	return reason;
}

static bool is_open(const struct regress_bounds *value)
{
	return isinf(value->low) || isinf(value->high);
}

/*
 * Does a base run lack an upper or a lower bound? The metric cannot be judged then, even if nothing
 * is missing in the new runs.
 */
static bool has_open_base(const struct regress_difference *difference)
{
	for (size_t i = 0; i < difference->counts[REGRESS_BASE]; i++)
		if (is_open(&difference->bounds[REGRESS_BASE][i]))
			return true;
	return false;
}

/* Does any run of the side lack the bound that limits how bad its value can be? */
static bool may_be_any(const struct regress_difference *difference, int side,
		       enum mm_direction direction)
{
	for (size_t i = 0; i < difference->counts[side]; i++) {
		const struct regress_bounds *value = &difference->bounds[side][i];

		if (direction == MM_MORE_IS_BETTER ? isinf(value->low) : isinf(value->high))
			return true;
	}
	return false;
}

/* Copies to @to the values that have a bound. A single bound becomes the exact value. */
static size_t close_bounds(const struct regress_bounds *from, size_t count,
			   struct regress_bounds *to)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (isinf(from[i].low) && isinf(from[i].high))
			continue;
		to[kept] = from[i];
		if (isinf(to[kept].low))
			to[kept].low = to[kept].high;
		else if (isinf(to[kept].high))
			to[kept].high = to[kept].low;
		kept++;
	}
	return kept;
}

/* Would the metric be worse or undetermined if each single bound were the exact value? */
static bool is_worse_by_bounds(const struct regress_difference *difference,
			       const struct regress_samples *samples)
{
	struct regress_samples closed = *samples;
	enum regress_verdict verdict = REGRESS_UNDETERMINED;
	struct regress_bounds *all;

	/* close_bounds() may skip runs, so @lengths would belong to other runs. */
	if (samples->lengths[0])
		return true;
	if (may_be_any(difference, REGRESS_NEW, samples->direction) &&
	    !may_be_any(difference, REGRESS_BASE, samples->direction))
		return true;
	all = calloc(samples->counts[0] + samples->counts[1], sizeof(*all));
	if (!all)
		return true;
	closed.values[0] = all;
	closed.counts[0] = close_bounds(difference->bounds[0], samples->counts[0], all);
	closed.values[1] = all + closed.counts[0];
	closed.counts[1] =
		close_bounds(difference->bounds[1], samples->counts[1], all + closed.counts[0]);
	if (closed.counts[0] && closed.counts[1])
		verdict = regress_judge(&closed);
	free(all);
	return !regress_is_not_worse(verdict);
}

void regress_diff_judge(const struct regress_diff *diff, struct regress_difference *difference)
{
	const struct mm_catalogue_item *item = difference->value.item;
	const bool depends = diff->have_lengths && item->scaling != MM_STEADY;
	const struct regress_samples samples = {
		.values = { difference->bounds[REGRESS_BASE], difference->bounds[REGRESS_NEW] },
		.lengths = { depends ? difference->lengths[REGRESS_BASE] : NULL,
			     depends ? difference->lengths[REGRESS_NEW] : NULL },
		.counts = { difference->counts[REGRESS_BASE], difference->counts[REGRESS_NEW] },
		.direction = item->direction,
		.is_count = item->kind == MM_VALUE_INTEGER && !mm_unit_is_measure(item->unit),
	};
	enum regress_verdict verdict = regress_judge(&samples);
	double *medians = difference->medians;

	difference->is_beyond = verdict < REGRESS_SHOWN;
	if ((verdict == REGRESS_SAME && !has_no_value(difference)) ||
	    !find_obstacle(diff, difference)) {
		difference->verdict = verdict;
		difference->reason =
			verdict == REGRESS_UNDETERMINED ? why_unknown(difference) : NULL;
		if (verdict == REGRESS_UNDETERMINED && has_open_base(difference) &&
		    !is_worse_by_bounds(difference, &samples))
			difference->verdict = REGRESS_SHOWN;
	}
	for (int side = 0; side < REGRESS_SIDES; side++)
		medians[side] = known_median(difference->values[side], diff->sides[side].count);
	difference->change = medians[0] != 0	 ? (medians[1] - medians[0]) / fabs(medians[0])
			     : medians[1] == 0	 ? 0
			     : isnan(medians[1]) ? NAN
						 : copysign(INFINITY, medians[1]);
}
