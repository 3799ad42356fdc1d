// SPDX-License-Identifier: LGPL-2.1-only
/* Decides whether a figure changed between two reports. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reader/report/compare-pairs.h"
#include "reader/report/units.h"

const char *const mm_change_words[MM_CHANGES] = {
	[MM_CHANGE_WORSE] = "worse",	 [MM_CHANGE_NEW] = "new",
	[MM_CHANGE_GONE] = "gone",	 [MM_CHANGE_CHANGED] = "changed",
	[MM_CHANGE_BETTER] = "better",	 [MM_CHANGE_UNDETERMINED] = "undetermined",
	[MM_CHANGE_SIMILAR] = "similar", [MM_CHANGE_UNKNOWN] = "unknown",
	[MM_CHANGE_SAME] = "same",
};

const char *const mm_doubt_words[MM_DOUBTS] = {
	[MM_DOUBT_INCOMPLETE] = "incomplete", [MM_DOUBT_DURATION] = "duration",
	[MM_DOUBT_SAMPLES] = "samples",	      [MM_DOUBT_BOUND] = "bound",
	[MM_DOUBT_OVERLAP] = "overlap",
};

bool mm_comparison_is_scaled(const struct mm_comparison *comparison)
{
	return comparison->ns[0] && comparison->ns[1] && comparison->ns[0] != comparison->ns[1];
}

static bool have_same_length(const struct mm_comparison *comparison)
{
	double x = (double)comparison->ns[0], y = (double)comparison->ns[1];

	return x > 0 && y > 0 && fabs(x - y) <= MM_SAME_LENGTH * (x > y ? x : y);
}

static double number_of(const struct mm_cell *cell)
{
	return cell->kind == MM_CELL_REAL     ? cell->r
	       : cell->kind == MM_CELL_SIGNED ? (double)cell->i
					      : (double)cell->u;
}

double mm_pair_value(const struct mm_comparison *comparison, const struct mm_pair *pair, int side)
{
	double value = number_of(&pair->figures[side].cell);

	if (pair->scaling == MM_SUM && mm_comparison_is_scaled(comparison))
		return value * 1e9 / (double)comparison->ns[side];
	return value;
}

/* Are both values equal? If sums are scaled, compares values per second. */
static bool are_same(const struct mm_comparison *comparison, const struct mm_pair *pair)
{
	const struct mm_cell *old = &pair->figures[0].cell, *new = &pair->figures[1].cell;
	bool whole = old->kind == new->kind &&
		     (old->kind == MM_CELL_UNSIGNED || old->kind == MM_CELL_BOOLEAN);

	if (!whole)
		return mm_pair_value(comparison, pair, 0) == mm_pair_value(comparison, pair, 1);
	if (pair->scaling == MM_SUM && mm_comparison_is_scaled(comparison))
		return (unsigned __int128)old->u * comparison->ns[1] ==
		       (unsigned __int128)new->u * comparison->ns[0];
	return old->u == new->u;
}

static bool has_few_samples(const struct mm_pair *pair)
{
	for (int i = 0; i < MM_SIDES; i++)
		if (pair->figures[i].has_samples &&
		    (double)pair->figures[i].samples < pair->samples_min)
			return true;
	return false;
}

/* Returns the first doubt that may explain a difference; MM_DOUBT_NONE if there is none. */
static enum mm_change_doubt doubt_of(const struct mm_comparison *comparison,
				     const struct mm_pair *pair)
{
	if (comparison->doubt_count)
		return MM_DOUBT_INCOMPLETE;
	if (comparison->overlap_ns)
		return MM_DOUBT_OVERLAP;
	for (int i = 0; i < MM_SIDES; i++)
		if (pair->figures[i].cell.least || pair->figures[i].cell.most)
			return MM_DOUBT_BOUND;
	if (pair->scaling == MM_SUM && !(comparison->ns[0] && comparison->ns[1]))
		return MM_DOUBT_DURATION;
	if ((pair->scaling == MM_UNSCALED || pair->scaling == MM_MAXIMUM) &&
	    !have_same_length(comparison))
		return MM_DOUBT_DURATION;
	return has_few_samples(pair) ? MM_DOUBT_SAMPLES : MM_DOUBT_NONE;
}

/* Is the figure a count that changed by less than MM_LEAST_UNITS? */
static bool are_few(const struct mm_comparison *comparison, const struct mm_pair *pair,
		    double change)
{
	uint64_t shorter =
		comparison->ns[0] < comparison->ns[1] ? comparison->ns[0] : comparison->ns[1];

	if (pair->kind != MM_VALUE_INTEGER || mm_unit_is_measure(pair->unit))
		return false;
	if (pair->scaling == MM_SUM && mm_comparison_is_scaled(comparison))
		change *= (double)shorter / 1e9;
	/* The product of a rate and a length is inexact, so allow for rounding. */
	return change < MM_LEAST_UNITS - 1e-6;
}

static enum mm_change judge_change(const struct mm_comparison *comparison, struct mm_pair *pair)
{
	double old = mm_pair_value(comparison, pair, 0), new = mm_pair_value(comparison, pair, 1);
	double change = fabs(new - old), most = fmax(fabs(old), fabs(new));
	bool few = old != 0 && new != 0 && are_few(comparison, pair, change);

	pair->size = change;
	pair->doubt = doubt_of(comparison, pair);
	if (pair->doubt)
		return MM_CHANGE_UNDETERMINED;
	if (few || change < MM_LEAST_PART * most)
		return MM_CHANGE_SIMILAR;
	if (pair->direction == MM_NEUTRAL)
		return MM_CHANGE_CHANGED;
	return (new > old) == (pair->direction == MM_LESS_IS_BETTER) ? MM_CHANGE_WORSE
								     : MM_CHANGE_BETTER;
}

/*
 * Judges a figure that only one side has, because the other side lacks the row, or the metric with
 * these labels.
 */
static enum mm_change judge_one_sided(const struct mm_comparison *comparison, struct mm_pair *pair)
{
	bool is_new = pair->figures[1].present;
	const struct mm_cell *cell = &pair->figures[is_new].cell;

	/* If a count is missing, it is 0. If a mean or quantile is missing, it is unknown. */
	if (pair->name && (pair->scaling != MM_SUM || cell->kind == MM_CELL_EMPTY))
		return MM_CHANGE_UNKNOWN;
	if (pair->name && number_of(cell) == 0)
		return MM_CHANGE_SAME;
	pair->size = fabs(mm_pair_value(comparison, pair, is_new));
	if (comparison->doubt_count) {
		pair->doubt = MM_DOUBT_INCOMPLETE;
		return MM_CHANGE_UNDETERMINED;
	}
	return is_new ? MM_CHANGE_NEW : MM_CHANGE_GONE;
}

void mm_pair_judge(const struct mm_comparison *comparison, struct mm_pair *pair)
{
	const struct mm_figure *old = &pair->figures[0], *new = &pair->figures[1];

	pair->doubt = MM_DOUBT_NONE;
	pair->size = 0;
	if (old->present != new->present)
		pair->verdict = judge_one_sided(comparison, pair);
	else if (old->cell.kind == MM_CELL_EMPTY || new->cell.kind == MM_CELL_EMPTY)
		pair->verdict = MM_CHANGE_UNKNOWN;
	else if (are_same(comparison, pair))
		pair->verdict = MM_CHANGE_SAME;
	else
		pair->verdict = judge_change(comparison, pair);
	/* Large values in a report file may overflow. */
	if (!isfinite(pair->size))
		pair->size = DBL_MAX;
}
