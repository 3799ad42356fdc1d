// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Estimates how often a gate raises a false alarm, and how often it finds a change: gate-noise DIR.
 * DIR is a folder with the output of `lttng-mm run --runs 40`, runs of identical code. The estimate
 * comes from random draws of these runs.
 *
 * Each draw uses 10 runs as the base, 5 others as new runs, and 5 more runs to confirm a change.
 * Prints "NAME VALUE" lines:
 *
 *   runs, metrics               runs, and judged metrics: counts that are known in all runs
 *   constant                    metrics with the same value in all runs
 *   spread_3, spread_6          metrics with a median of at least 30 and a spread of up to 3 %, or
 *                               3 to 6 %; the spread is the standard deviation divided by the mean
 *   first_alarms                percentage of draws with any worse metric, before confirmation
 *   alarms                      percentage of draws with any worse metric that 5 runs confirm
 *   found_3, found_6            percentage of draws in which a metric of that spread is found if
 *                               its new runs are 20 % higher
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/report/units.h"
#include "regress/diff.h"

enum { DRAWS = 1000, BASE = REGRESS_BASE_MIN, NEW = REGRESS_NEW_MIN, DRAWN = BASE + 2 * NEW };

static double raised(double value)
{
	return rint(value * 1.2);
}

/* Is the metric worse in the runs @order[from] to @order[from + NEW - 1]? */
static bool is_worse(const struct regress_difference *metric, const size_t *order, size_t from,
		     bool raise)
{
	struct regress_bounds base[BASE], new[NEW];
	const struct regress_samples samples = {
		.values = { base, new },
		.counts = { BASE, NEW },
		.direction = metric->value.item->direction,
		.is_count = !mm_unit_is_measure(metric->value.item->unit),
	};

	for (size_t i = 0; i < BASE; i++)
		base[i].low = base[i].high = metric->values[REGRESS_BASE][order[i]];
	for (size_t i = 0; i < NEW; i++) {
		const double value = metric->values[REGRESS_BASE][order[from + i]];

		new[i].low = new[i].high = raise ? raised(value) : value;
	}
	return regress_judge(&samples) == REGRESS_WORSE;
}

static bool is_confirmed(const struct regress_difference *metric, const size_t *order, bool raise)
{
	return is_worse(metric, order, BASE, raise) && is_worse(metric, order, BASE + NEW, raise);
}

/*
 * Does a gate judge the metric? It judges counts that have a direction and are known in all runs.
 */
static bool is_judged(const struct regress_difference *metric, size_t runs)
{
	const struct mm_catalogue_item *item = metric->value.item;

	if (item->source != MM_ITEM_METRIC || item->direction == MM_NEUTRAL ||
	    !strcmp(item->unit, MM_UNIT_NS))
		return false;
	for (size_t i = 0; i < runs; i++)
		if (isnan(metric->values[REGRESS_BASE][i]))
			return false;
	return true;
}

/*
 * Is the metric suitable for measuring how often an increase of 20 % is found? If the median is
 * below 30, the increase is hardly more than the limit of 3 units. An increase of a constant metric
 * is always found.
 */
static bool can_be_found(const struct regress_difference *metric, double spread)
{
	return spread > 0 && spread <= 0.06 && metric->medians[REGRESS_BASE] >= 30 &&
	       metric->value.item->direction == MM_LESS_IS_BETTER;
}

/* Returns the standard deviation divided by the mean, or 0 if all values are equal. */
static double spread_of(const struct regress_difference *metric, size_t runs)
{
	const double *values = metric->values[REGRESS_BASE];
	double sum = 0, squares = 0, mean;

	for (size_t i = 0; i < runs; i++)
		sum += values[i];
	mean = sum / (double)runs;
	for (size_t i = 0; i < runs; i++)
		squares += (values[i] - mean) * (values[i] - mean);
	return squares > 0 ? sqrt(squares / (double)(runs - 1)) / fabs(mean) : 0;
}

static void shuffle(size_t *order, size_t count)
{
	for (size_t i = 0; i < DRAWN; i++) {
		const size_t other = i + (size_t)random() % (count - i);
		const size_t kept = order[i];

		order[i] = order[other];
		order[other] = kept;
	}
}

static void fail(const char *message)
{
	fprintf(stderr, "gate-noise: %s\n", message);
	exit(1);
}

static void measure(const struct regress_diff *diff, size_t runs)
{
	size_t metrics = 0, constant = 0, first = 0, alarms = 0, spreads[2] = { 0 };
	size_t found[2] = { 0 }, *order = calloc(runs, sizeof(*order));

	if (!order)
		fail("out of memory");
	for (size_t i = 0; i < runs; i++)
		order[i] = i;
	for (size_t m = 0; m < diff->count; m++) {
		const double spread = spread_of(&diff->all[m], runs);

		if (!is_judged(&diff->all[m], runs))
			continue;
		metrics++;
		constant += spread == 0;
		if (can_be_found(&diff->all[m], spread))
			spreads[spread > 0.03]++;
	}
	for (int draw = 0; draw < DRAWS; draw++) {
		bool any_first = false, any = false;

		shuffle(order, runs);
		for (size_t m = 0; m < diff->count; m++) {
			const struct regress_difference *metric = &diff->all[m];
			const double spread = spread_of(metric, runs);

			if (!is_judged(metric, runs))
				continue;
			if (is_worse(metric, order, BASE, false)) {
				any_first = true;
				any |= is_confirmed(metric, order, false);
			}
			if (can_be_found(metric, spread))
				found[spread > 0.03] += is_confirmed(metric, order, true);
		}
		first += any_first;
		alarms += any;
	}
	printf("runs %zu\nmetrics %zu\nconstant %zu\nspread_3 %zu\nspread_6 %zu\n", runs, metrics,
	       constant, spreads[0], spreads[1]);
	printf("first_alarms %.1f\nalarms %.1f\n", 100.0 * (double)first / DRAWS,
	       100.0 * (double)alarms / DRAWS);
	for (int i = 0; i < 2; i++)
		if (spreads[i])
			printf("found_%d %.1f\n", i ? 6 : 3,
			       100.0 * (double)found[i] / DRAWS / (double)spreads[i]);
	free(order);
}

int main(int argc, char **argv)
{
	struct regress_side sides[REGRESS_SIDES] = { { NULL } };
	struct mm_catalogue catalogue = { NULL };
	struct regress_runs runs = { NULL };
	struct mm_error err = MM_ERROR_INIT;
	struct mm_source_options options;
	struct regress_diff diff;

	if (argc != 2)
		fail("usage: gate-noise DIR");
	mm_source_options_init(&options);
	if (regress_catalogue(&catalogue) ||
	    regress_runs_add(&runs, argv[1], NULL, &options, &err) ||
	    regress_side_collect(&sides[REGRESS_BASE], &runs, &catalogue))
		fail(err.code ? err.message : "out of memory");
	if (sides[REGRESS_BASE].doubt)
		fail(sides[REGRESS_BASE].doubt);
	if (runs.count < DRAWN)
		fail("there are fewer than 20 runs");
	sides[REGRESS_NEW] = sides[REGRESS_BASE];
	if (regress_diff(&diff, sides, false, &err))
		fail(err.message);
	measure(&diff, runs.count);
	regress_diff_release(&diff);
	regress_side_release(&sides[REGRESS_BASE]);
	regress_runs_release(&runs);
	mm_catalogue_release(&catalogue);
	return 0;
}
