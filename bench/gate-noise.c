// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Estimates how often a gate raises a false alarm, and how often it finds a change: gate-noise DIR.
 * DIR is a folder with the output of `lttng-mm run --runs 40`, runs of identical code. The estimate
 * comes from random draws of these runs.
 *
 * Each draw uses 10 runs as the base, 5 others as new runs, and 5 more runs to confirm a change.
 * Prints "NAME VALUE" lines:
 *
 *   runs, metrics               number of runs; number of judged metrics, which are counts with a
 *                               value in all runs
 *   constant                    metrics with the same value in all runs
 *   spread_3, spread_6          metrics with a median of at least 30 and a spread of up to 3 %, or
 *                               3 to 6 %; the spread is the standard deviation divided by the mean
 *   first_alarms                percentage of draws with any worse metric, before confirmation
 *   alarms                      percentage of draws with any worse metric that 5 runs confirm
 *   found_3, found_6            for metrics of that spread: percentage of draws in which a metric
 *                               is found worse if its new runs are 20 % higher
 *   times                       time metrics of at least 30 ns. A gate judges them only if the
 *                               clock counts instructions
 *   found_times                 like found_3, for times
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/report/units.h"
#include "regress/diff.h"

/* Groups of metrics in which the estimate searches for changes. */
enum group { SPREAD_3, SPREAD_6, TIMES, GROUPS, NO_GROUP = GROUPS };

enum { DRAWS = 1000, BASE = REGRESS_BASE_MIN, NEW = REGRESS_NEW_MIN, DRAWN = BASE + 2 * NEW };

static long double raised(long double value)
{
	return rintl(value * 1.2L);
}

/* Is the metric worse in runs @order[from] to @order[from + NEW - 1], raised by 20 % if @raise? */
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
		base[i] = metric->bounds[REGRESS_BASE][order[i]];
	for (size_t i = 0; i < NEW; i++) {
		new[i] = metric->bounds[REGRESS_BASE][order[from + i]];
		if (raise)
			new[i] = (struct regress_bounds){ raised(new[i].low), raised(new[i].high) };
	}
	return regress_judge(&samples) == REGRESS_WORSE;
}

static bool is_confirmed(const struct regress_difference *metric, const size_t *order, bool raise)
{
	return is_worse(metric, order, BASE, raise) && is_worse(metric, order, BASE + NEW, raise);
}

static bool is_time(const struct regress_difference *metric)
{
	return !strcmp(metric->value.item->unit, MM_UNIT_NS);
}

/* Does the metric have a direction, and a value in all runs? */
static bool is_known(const struct regress_difference *metric, size_t runs)
{
	const struct mm_catalogue_item *item = metric->value.item;

	if (item->source != MM_ITEM_METRIC || item->direction == MM_NEUTRAL)
		return false;
	for (size_t i = 0; i < runs; i++)
		if (isnan(metric->values[REGRESS_BASE][i]))
			return false;
	return true;
}

/*
 * Returns the group in which an increase of 20 % should be found. A metric below 30 has no group,
 * because 20 % of it is hardly more than 3 units. A constant count has no group, because any change
 * of the count is found.
 */
static enum group group_of(const struct regress_difference *metric, double spread)
{
	if (metric->medians[REGRESS_BASE] < 30 ||
	    metric->value.item->direction != MM_LESS_IS_BETTER)
		return NO_GROUP;
	if (is_time(metric))
		return TIMES;
	return spread <= 0 || spread > 0.06 ? NO_GROUP : spread > 0.03 ? SPREAD_6 : SPREAD_3;
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

static void print_found(const char *name, size_t found, size_t metrics)
{
	if (metrics)
		printf("%s %.1f\n", name, 100.0 * (double)found / DRAWS / (double)metrics);
}

static void measure(const struct regress_diff *diff, size_t runs)
{
	size_t metrics = 0, constant = 0, first = 0, alarms = 0, sizes[GROUPS + 1] = { 0 };
	size_t found[GROUPS + 1] = { 0 }, *order = calloc(runs, sizeof(*order));

	if (!order)
		fail("out of memory");
	for (size_t i = 0; i < runs; i++)
		order[i] = i;
	for (size_t m = 0; m < diff->count; m++) {
		const double spread = spread_of(&diff->all[m], runs);

		if (!is_known(&diff->all[m], runs))
			continue;
		sizes[group_of(&diff->all[m], spread)]++;
		if (is_time(&diff->all[m]) && !diff->has_instructions)
			continue;
		metrics++;
		constant += spread == 0;
	}
	for (int draw = 0; draw < DRAWS; draw++) {
		bool any_first = false, any = false;

		shuffle(order, runs);
		for (size_t m = 0; m < diff->count; m++) {
			const struct regress_difference *metric = &diff->all[m];
			enum group group;

			if (!is_known(metric, runs))
				continue;
			group = group_of(metric, spread_of(metric, runs));
			if (group != NO_GROUP)
				found[group] += is_confirmed(metric, order, true);
			if ((is_time(metric) && !diff->has_instructions) ||
			    !is_worse(metric, order, BASE, false))
				continue;
			any_first = true;
			any |= is_confirmed(metric, order, false);
		}
		first += any_first;
		alarms += any;
	}
	printf("runs %zu\nmetrics %zu\nconstant %zu\nspread_3 %zu\nspread_6 %zu\ntimes %zu\n", runs,
	       metrics, constant, sizes[SPREAD_3], sizes[SPREAD_6], sizes[TIMES]);
	printf("first_alarms %.1f\nalarms %.1f\n", 100.0 * (double)first / DRAWS,
	       100.0 * (double)alarms / DRAWS);
	print_found("found_3", found[SPREAD_3], sizes[SPREAD_3]);
	print_found("found_6", found[SPREAD_6], sizes[SPREAD_6]);
	print_found("found_times", found[TIMES], sizes[TIMES]);
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
