// SPDX-License-Identifier: LGPL-2.1-only
/* Tests verdicts on a metric of two sets of runs. */
#include "regress/verdict.h"

#include <math.h>
#include <stdlib.h>

#include "tests/tap.h"

/* Ten base runs, and five new runs. */
#define BASE 100, 101, 99, 102, 98, 100, 103, 97, 100, 100
#define CONSTANT(n) n, n, n, n, n, n, n, n, n, n
#define RUNS 10

static const struct {
	const char *what;
	double base[RUNS], new[RUNS];
	size_t base_count, new_count;
	enum mm_direction direction;
	bool is_count;
	enum regress_verdict verdict;
} cases[] = {
	{ "20 % more in all new runs",
	  { BASE },
	  { 120, 119, 121, 122, 118 },
	  10,
	  5,
	  MM_LESS_IS_BETTER,
	  true,
	  REGRESS_WORSE },
	{ "20 % more, and more is better",
	  { BASE },
	  { 120, 119, 121, 122, 118 },
	  10,
	  5,
	  MM_MORE_IS_BETTER,
	  true,
	  REGRESS_BETTER },
	{ "20 % less, and more is better",
	  { BASE },
	  { 80, 81, 79, 78, 82 },
	  10,
	  5,
	  MM_MORE_IS_BETTER,
	  true,
	  REGRESS_WORSE },
	{ "20 % less",
	  { BASE },
	  { 80, 81, 79, 78, 82 },
	  10,
	  5,
	  MM_LESS_IS_BETTER,
	  true,
	  REGRESS_BETTER },
	{ "20 % more, and neither is better",
	  { BASE },
	  { 120, 119, 121, 122, 118 },
	  10,
	  5,
	  MM_NEUTRAL,
	  true,
	  REGRESS_CHANGED },
	{ "one new run is as good as the worst base run",
	  { BASE },
	  { 120, 119, 121, 122, 103 },
	  10,
	  5,
	  MM_LESS_IS_BETTER,
	  true,
	  REGRESS_SIMILAR },
	{ "one new run is a little worse than that",
	  { BASE },
	  { 120, 119, 121, 122, 104 },
	  10,
	  5,
	  MM_LESS_IS_BETTER,
	  true,
	  REGRESS_WORSE },
	{ "one new run is better",
	  { BASE },
	  { 120, 119, 121, 122, 50 },
	  10,
	  5,
	  MM_LESS_IS_BETTER,
	  true,
	  REGRESS_SIMILAR },
	{ "4.9 % more in the median",
	  { BASE },
	  { 104.9, 104.9, 104.9, 110, 104 },
	  10,
	  5,
	  MM_LESS_IS_BETTER,
	  true,
	  REGRESS_SIMILAR },
	{ "5 % more in the median",
	  { BASE },
	  { 105, 105, 105, 110, 104 },
	  10,
	  5,
	  MM_LESS_IS_BETTER,
	  true,
	  REGRESS_WORSE },
	{ "few: 2 more",
	  { 2, 2, 2, 2, 2, 2, 2, 2, 2, 3 },
	  { 4, 4, 4, 4, 4 },
	  10,
	  5,
	  MM_LESS_IS_BETTER,
	  true,
	  REGRESS_SIMILAR },
	{ "few: 3 more",
	  { 2, 2, 2, 2, 2, 2, 2, 2, 2, 3 },
	  { 5, 5, 5, 5, 5 },
	  10,
	  5,
	  MM_LESS_IS_BETTER,
	  true,
	  REGRESS_WORSE },
	{ "bytes: 2 more",
	  { 2, 2, 2, 2, 2, 2, 2, 2, 2, 3 },
	  { 4, 4, 4, 4, 4 },
	  10,
	  5,
	  MM_LESS_IS_BETTER,
	  false,
	  REGRESS_WORSE },
	{ "from 0 to 1",
	  { CONSTANT(0) },
	  { 1, 1, 1, 1, 1 },
	  10,
	  5,
	  MM_LESS_IS_BETTER,
	  true,
	  REGRESS_WORSE },
	{ "from 0 to 1, but not in all new runs",
	  { CONSTANT(0) },
	  { 1, 1, 0, 1, 1 },
	  10,
	  5,
	  MM_LESS_IS_BETTER,
	  true,
	  REGRESS_SIMILAR },
	{ "constant: 1 more of 1000",
	  { CONSTANT(1000) },
	  { 1001, 1001, 1001, 1001, 1001 },
	  10,
	  5,
	  MM_LESS_IS_BETTER,
	  true,
	  REGRESS_WORSE },
	{ "constant: 1 less of 1000",
	  { CONSTANT(1000) },
	  { 999, 999, 999, 999, 999 },
	  10,
	  5,
	  MM_LESS_IS_BETTER,
	  true,
	  REGRESS_BETTER },
	{ "from 0, not constant",
	  { 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 },
	  { 2, 2, 2, 2, 2 },
	  10,
	  5,
	  MM_LESS_IS_BETTER,
	  true,
	  REGRESS_SIMILAR },
	{ "the same constant",
	  { CONSTANT(7) },
	  { 7, 7, 7, 7, 7 },
	  10,
	  5,
	  MM_LESS_IS_BETTER,
	  true,
	  REGRESS_SAME },
	{ "negative numbers that grow",
	  { -100, -101, -99, -102, -98, -100, -103, -97, -100, -100 },
	  { -80, -80, -80, -80, -80 },
	  10,
	  5,
	  MM_LESS_IS_BETTER,
	  false,
	  REGRESS_WORSE },
	{ "nine base runs",
	  { BASE },
	  { 120, 119, 121, 122, 118 },
	  9,
	  5,
	  MM_LESS_IS_BETTER,
	  true,
	  REGRESS_MAYBE_WORSE },
	{ "four new runs",
	  { BASE },
	  { 120, 119, 121, 122, 118 },
	  10,
	  4,
	  MM_LESS_IS_BETTER,
	  true,
	  REGRESS_MAYBE_WORSE },
	{ "four new runs that are better",
	  { BASE },
	  { 80, 81, 79, 78, 82 },
	  10,
	  4,
	  MM_LESS_IS_BETTER,
	  true,
	  REGRESS_MAYBE_BETTER },
	{ "one base run",
	  { BASE },
	  { 120, 119, 121, 122, 118 },
	  1,
	  5,
	  MM_LESS_IS_BETTER,
	  true,
	  REGRESS_UNDETERMINED },
	{ "one new run",
	  { BASE },
	  { 120, 119, 121, 122, 118 },
	  10,
	  1,
	  MM_LESS_IS_BETTER,
	  true,
	  REGRESS_UNDETERMINED },
	{ "one run on each side, equal",
	  { BASE },
	  { BASE },
	  1,
	  1,
	  MM_LESS_IS_BETTER,
	  true,
	  REGRESS_SAME },
	{ "no new run", { BASE }, { 0 }, 10, 0, MM_LESS_IS_BETTER, true, REGRESS_UNDETERMINED },
};

/* Bounds of one value, and the equal values of five or ten runs. */
#define UNKNOWN                     \
	{                           \
		-INFINITY, INFINITY \
	}
#define LEAST(n)            \
	{                   \
		n, INFINITY \
	}
#define MOST(n)              \
	{                    \
		-INFINITY, n \
	}
#define EXACT(n)     \
	{            \
		n, n \
	}
#define WITHIN(low, high) \
	{                 \
		low, high \
	}
#define FIVE(x)               \
	{                     \
		x, x, x, x, x \
	}
#define TEN(x)                               \
	{                                    \
		x, x, x, x, x, x, x, x, x, x \
	}

static const struct {
	const char *what;
	struct regress_bounds base[RUNS], new[RUNS];
	double lengths[2][RUNS]; /* 0: they do not matter */
	enum regress_verdict verdict;
} bounded[] = {
	{ "one value is not known",
	  TEN(EXACT(100)),
	  { EXACT(1000), EXACT(1000), EXACT(1000), EXACT(1000), UNKNOWN },
	  { { 0 } },
	  REGRESS_UNDETERMINED },
	{ "one value is not known, and the others are like base",
	  TEN(EXACT(100)),
	  { EXACT(100), EXACT(100), EXACT(100), EXACT(100), UNKNOWN },
	  { { 0 } },
	  REGRESS_SIMILAR },
	{ "from 100 to at least 1000",
	  TEN(EXACT(100)),
	  FIVE(LEAST(1000)),
	  { { 0 } },
	  REGRESS_WORSE },
	{ "from 100 to at least 90",
	  TEN(EXACT(100)),
	  FIVE(LEAST(90)),
	  { { 0 } },
	  REGRESS_UNDETERMINED },
	{ "from at least 100 to 90", TEN(LEAST(100)), FIVE(EXACT(90)), { { 0 } }, REGRESS_BETTER },
	{ "from at most 100 to 120", TEN(MOST(100)), FIVE(EXACT(120)), { { 0 } }, REGRESS_WORSE },
	{ "from at most 100 to 90",
	  TEN(MOST(100)),
	  FIVE(EXACT(90)),
	  { { 0 } },
	  REGRESS_UNDETERMINED },
	{ "from 100 to at most 80", TEN(EXACT(100)), FIVE(MOST(80)), { { 0 } }, REGRESS_BETTER },
	{ "from 100 to at most 120",
	  TEN(EXACT(100)),
	  FIVE(MOST(120)),
	  { { 0 } },
	  REGRESS_UNDETERMINED },
	{ "quantiles of a histogram: 20 % more",
	  TEN(WITHIN(992, 1000)),
	  FIVE(WITHIN(1190, 1200)),
	  { { 0 } },
	  REGRESS_WORSE },
	{ "quantiles of a histogram: equal",
	  TEN(WITHIN(992, 1000)),
	  FIVE(WITHIN(992, 1000)),
	  { { 0 } },
	  REGRESS_SIMILAR },
	{ "bounds on both sides",
	  TEN(LEAST(100)),
	  FIVE(LEAST(1000)),
	  { { 0 } },
	  REGRESS_UNDETERMINED },
	{ "equal bounds", TEN(LEAST(100)), FIVE(LEAST(100)), { { 0 } }, REGRESS_UNDETERMINED },
	{ "one base value is a bound, and new is 1 % better",
	  { EXACT(100), EXACT(100), EXACT(100), EXACT(100), EXACT(100), EXACT(100), EXACT(100),
	    EXACT(100), EXACT(100), LEAST(100) },
	  FIVE(EXACT(99)),
	  { { 0 } },
	  REGRESS_SIMILAR },
	{ "above 2^53, one more",
	  TEN(EXACT(9007199254740992.0L)),
	  FIVE(EXACT(9007199254740993.0L)),
	  { { 0 } },
	  REGRESS_WORSE },
	{ "2 % shorter, equal counts",
	  TEN(EXACT(100)),
	  FIVE(EXACT(100)),
	  { TEN(10), FIVE(9.8) },
	  REGRESS_SAME },
	{ "7 % shorter, two events",
	  TEN(EXACT(2)),
	  FIVE(EXACT(2)),
	  { TEN(10), FIVE(9.3) },
	  REGRESS_SAME },
	{ "lengths vary, two events",
	  TEN(EXACT(2)),
	  FIVE(EXACT(2)),
	  { { 10, 10.05, 9.95, 10, 10, 10, 10, 10, 10, 10 }, FIVE(9.3) },
	  REGRESS_SAME },
	{ "8 % longer, 8 % more",
	  { EXACT(100), EXACT(101), EXACT(99), EXACT(100), EXACT(100), EXACT(100), EXACT(100),
	    EXACT(100), EXACT(100), EXACT(100) },
	  FIVE(EXACT(108)),
	  { TEN(10), FIVE(10.8) },
	  REGRESS_SIMILAR },
	{ "8 % longer, 30 % more",
	  { EXACT(100), EXACT(101), EXACT(99), EXACT(100), EXACT(100), EXACT(100), EXACT(100),
	    EXACT(100), EXACT(100), EXACT(100) },
	  FIVE(EXACT(130)),
	  { TEN(10), FIVE(10.8) },
	  REGRESS_WORSE },
	{ "half the length, as many",
	  { EXACT(100), EXACT(101), EXACT(99), EXACT(100), EXACT(100), EXACT(100), EXACT(100),
	    EXACT(100), EXACT(100), EXACT(100) },
	  FIVE(EXACT(100)),
	  { TEN(10), FIVE(5) },
	  REGRESS_WORSE },
	{ "half the length, two more per second of ten, but one event",
	  { EXACT(2), EXACT(3), EXACT(2), EXACT(2), EXACT(2), EXACT(2), EXACT(2), EXACT(2),
	    EXACT(2), EXACT(2) },
	  FIVE(EXACT(2)),
	  { TEN(10), FIVE(5) },
	  REGRESS_SIMILAR },
	{ "a tenth of the length, 0 to 1",
	  TEN(EXACT(0)),
	  FIVE(EXACT(1)),
	  { TEN(10), FIVE(1) },
	  REGRESS_WORSE },
	{ "twice the length, twice as many",
	  TEN(EXACT(10)),
	  FIVE(EXACT(20)),
	  { TEN(10), FIVE(20) },
	  REGRESS_SAME },
};

static void check_bounded(void)
{
	for (size_t i = 0; i < sizeof(bounded) / sizeof(bounded[0]); i++) {
		const bool has_lengths = bounded[i].lengths[0][0] > 0;
		const struct regress_samples samples = {
			.values = { bounded[i].base, bounded[i].new },
			.lengths = { has_lengths ? bounded[i].lengths[0] : NULL,
				     has_lengths ? bounded[i].lengths[1] : NULL },
			.counts = { 10, 5 },
			.direction = MM_LESS_IS_BETTER,
			.is_count = true,
		};
		const enum regress_verdict verdict = regress_judge(&samples);

		tap(verdict == bounded[i].verdict, "%s: %s", bounded[i].what,
		    regress_verdict_words[bounded[i].verdict]);
		if (verdict != bounded[i].verdict)
			printf("# %s\n", regress_verdict_words[verdict]);
	}
}

/* If neither direction is better, a change counts if its direction is certain. */
static void check_neutral(void)
{
	const struct regress_bounds base[] = TEN(EXACT(100));
	const struct regress_bounds unknown[] = FIVE(UNKNOWN), more[] = FIVE(LEAST(200));
	struct regress_samples samples = {
		.values = { base, unknown },
		.counts = { 10, 5 },
		.direction = MM_NEUTRAL,
	};

	tap(regress_judge(&samples) == REGRESS_UNDETERMINED,
	    "neither is better, and no new value is known");
	samples.values[1] = more;
	tap(regress_judge(&samples) == REGRESS_CHANGED, "neither is better, and all are above");
}

int main(void)
{
	const double odd[] = { 3, 1, 2 }, even[] = { 4, 1, 2, 3 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct regress_bounds base[RUNS], new[RUNS];
		const struct regress_samples samples = {
			.values = { base, new },
			.counts = { cases[i].base_count, cases[i].new_count },
			.direction = cases[i].direction,
			.is_count = cases[i].is_count,
		};
		enum regress_verdict verdict;

		for (size_t run = 0; run < RUNS; run++) {
			base[run] = (struct regress_bounds)EXACT(cases[i].base[run]);
			new[run] = (struct regress_bounds)EXACT(cases[i].new[run]);
		}
		verdict = regress_judge(&samples);
		tap(verdict == cases[i].verdict, "%s: %s", cases[i].what,
		    regress_verdict_words[cases[i].verdict]);
		if (verdict != cases[i].verdict)
			printf("# %s\n", regress_verdict_words[verdict]);
	}
	check_bounded();
	check_neutral();
	tap(regress_median(odd, 3) == 2 && regress_median(even, 4) == 2.5, "medians");
	return tap_status();
}
