// SPDX-License-Identifier: LGPL-2.1-only
/* Which matches of a trigger get a snapshot, by a clock of the test. */
#include "lttng-session/trigger/limits.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

#define S INT64_C(1000000000)
#define DAY (86400 * S)

/* Matches at a fixed rate, from @start on. */
static const struct {
	const char *name;
	struct limits limits;
	int64_t start_ns, step_ns;
	unsigned int steps;
	unsigned int taken;
	uint64_t last_matches; /* that the last of them states */
} floods[] = {
	{ "without limits, each match has one", { 0 }, 0, S, 10, 10, 1 },
	{ "10,000 a second, a cooldown of a minute, three minutes",
	  { .cooldown_ns = 60 * S },
	  0,
	  S / 10000,
	  1800000,
	  3,
	  600000 },
	{ "the first after the warm-up only",
	  { .cooldown_ns = 60 * S, .warm_up_ns = 10 * S },
	  0,
	  S / 100,
	  1500,
	  1,
	  1 },
	{ "nothing in the warm-up", { .warm_up_ns = 10 * S }, 0, S, 10, 0, 0 },
	{ "a match at the end of the warm-up counts",
	  { .warm_up_ns = 10 * S },
	  10 * S,
	  S,
	  1,
	  1,
	  1 },
	{ "a maximum", { .max = 3, .max_ns = DAY }, 0, S, 1000, 3, 1 },
	{ "a maximum of none", { .max_ns = DAY }, 0, S, 1000, 0, 0 },
	{ "20 a day, with a cooldown of a minute, in two days",
	  { .max = 20, .max_ns = DAY, .cooldown_ns = 60 * S },
	  0,
	  S,
	  2 * 86400,
	  40,
	  60 },
	{ "a time before the clock's zero", { .cooldown_ns = 60 * S }, -DAY, S, 61, 2, 60 },
};

static void check_floods(void)
{
	for (size_t i = 0; i < sizeof(floods) / sizeof(floods[0]); i++) {
		struct limits limits = floods[i].limits;
		uint64_t matches = 0;
		unsigned int taken = 0;
		bool at_least = false;

		limits_start(&limits, floods[i].start_ns < 0 ? floods[i].start_ns : 0);
		for (unsigned int step = 0; step < floods[i].steps; step++) {
			int64_t now_ns = floods[i].start_ns + step * floods[i].step_ns;

			limits_count(&limits, now_ns, 1, false);
			if (limits_check(&limits, now_ns) == LIMITS_TAKE)
				taken += !limits_take(&limits, now_ns, &matches, &at_least);
		}
		tap(taken == floods[i].taken && matches == floods[i].last_matches && !at_least,
		    "%s: %u snapshots, the last of %llu matches", floods[i].name, taken,
		    (unsigned long long)matches);
		limits_release(&limits);
	}
}

/* In no interval of that length there are more, wherever it starts. */
static void check_sliding(void)
{
	struct limits limits = { .max = 5, .max_ns = 100 * S };
	int64_t taken[1000];
	size_t count = 0;
	bool at_least, sliding = true;
	uint64_t matches;

	limits_start(&limits, 0);
	srand(1);
	for (int64_t now_ns = 0; now_ns < 10000 * S; now_ns += rand() % 40 * S / 4) {
		if (limits_check(&limits, now_ns) == LIMITS_TAKE && count < 1000 &&
		    !limits_take(&limits, now_ns, &matches, &at_least))
			taken[count++] = now_ns;
	}
	for (size_t i = 5; i < count; i++)
		sliding &= taken[i] - taken[i - 5] >= 100 * S;
	tap(sliding && count >= 400, "never more than the maximum in an interval: %zu in all",
	    count);
	tap(limits.taken_room < 100, "old snapshots are forgotten");
	limits_release(&limits);
}

static void check_counts(void)
{
	struct limits limits = { .cooldown_ns = 10 * S, .warm_up_ns = S };
	char text[LIMITS_TEXT];
	uint64_t matches;
	bool at_least;

	limits_start(&limits, 0);
	limits_count(&limits, S / 2, 7, true);
	limits_explain(&limits, S / 2, text, sizeof(text));
	tap(!strcmp(text, "in its warm-up, for 500 ms more"), "warm-up: %s", text);
	limits_count(&limits, 2 * S, 3, false);
	limits_take(&limits, 2 * S, &matches, &at_least);
	tap(matches == 3 && !at_least, "matches in the warm-up do not count");
	limits_count(&limits, 3 * S, 5, true);
	limits_count(&limits, 4 * S, 1, false);
	limits_explain(&limits, 4 * S, text, sizeof(text));
	tap(!strcmp(text, "in its cooldown, for 8 s more"), "cooldown: %s", text);
	tap(limits_next(&limits, 4 * S) == 12 * S, "the end of the cooldown");
	limits_take(&limits, 12 * S, &matches, &at_least);
	tap(matches == 6 && at_least, "matches that were dropped are not forgotten");
	limits_count(&limits, 13 * S, UINT64_MAX, false);
	limits_count(&limits, 13 * S, UINT64_MAX, false);
	limits_take(&limits, 30 * S, &matches, &at_least);
	tap(matches == UINT64_MAX && at_least, "a count that is too large does not wrap");
	limits_release(&limits);

	limits = (struct limits){ .max = 2, .max_ns = 100 * S };
	limits_start(&limits, 0);
	limits_take(&limits, 10 * S, &matches, &at_least);
	limits_take(&limits, 20 * S, &matches, &at_least);
	limits_explain(&limits, 30 * S, text, sizeof(text));
	tap(!strcmp(text, "at its maximum of snapshots, for 80 s more"), "maximum: %s", text);
	limits_explain(&limits, 111 * S, text, sizeof(text));
	tap(!strcmp(text, "a snapshot is permitted"), "then: %s", text);
	limits_release(&limits);
}

int main(void)
{
	check_floods();
	check_sliding();
	check_counts();
	return tap_status();
}
