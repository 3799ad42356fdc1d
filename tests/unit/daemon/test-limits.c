// SPDX-License-Identifier: LGPL-2.1-only
/* Tests which matches request a snapshot, with a simulated clock. */
#include "lttng-session/daemon/triggers/definition/limits.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

#define S INT64_C(1000000000)
#define DAY (86400 * S)

/* A case: matches at a fixed rate from @start_ns on. */
static const struct {
	const char *name;
	struct snapshot_limits limits;
	int64_t start_ns, step_ns;
	unsigned int steps;
	unsigned int taken;
	uint64_t last_matches; /* number of matches that the last snapshot states */
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
		struct snapshot_limits limits = floods[i].limits;
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

/*
 * Tests that no interval of @max_ns contains more than @max snapshots, wherever the interval
 * starts.
 */
static void check_sliding(void)
{
	struct snapshot_limits limits = { .max = 5, .max_ns = 100 * S };
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
	struct snapshot_limits limits = { .cooldown_ns = 10 * S, .warm_up_ns = S };
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

	limits = (struct snapshot_limits){ .max = 2, .max_ns = 100 * S };
	limits_start(&limits, 0);
	limits_take(&limits, 10 * S, &matches, &at_least);
	limits_take(&limits, 20 * S, &matches, &at_least);
	limits_explain(&limits, 30 * S, text, sizeof(text));
	tap(!strcmp(text, "at its maximum of snapshots, for 80 s more"), "maximum: %s", text);
	limits.cooldown_ns = 60 * S;
	limits_explain(&limits, 30 * S, text, sizeof(text));
	tap(!strcmp(text, "at its maximum of snapshots, for 80 s more"),
	    "the maximum ends after the cooldown: %s", text);
	limits.cooldown_ns = 100 * S;
	limits_explain(&limits, 30 * S, text, sizeof(text));
	tap(!strcmp(text, "in its cooldown, for 90 s more"),
	    "the cooldown ends after the maximum: %s", text);
	limits_explain(&limits, 119 * S, text, sizeof(text));
	tap(!strcmp(text, "in its cooldown, for 1 s more"), "the maximum has ended: %s", text);
	limits.max = 0;
	limits_explain(&limits, 119 * S, text, sizeof(text));
	tap(!strcmp(text, "at its maximum of snapshots"), "a maximum of none never ends: %s", text);
	limits.max = 2;
	limits.cooldown_ns = 0;
	limits_explain(&limits, 120 * S, text, sizeof(text));
	tap(!strcmp(text, "a snapshot is permitted"), "then: %s", text);
	limits_release(&limits);
}

/* Returns limits that are loaded from @json at @now_ns, when CLOCK_REALTIME is @realtime_ns. */
static struct snapshot_limits restart(const json_t *json, const char *boot_id, int64_t now_ns,
				      int64_t realtime_ns)
{
	const struct limits_clocks clocks = { now_ns, realtime_ns, boot_id };
	struct snapshot_limits limits = {
		.cooldown_ns = 60 * S, .warm_up_ns = 15 * S, .max = 4, .max_ns = DAY
	};

	limits_start(&limits, now_ns);
	if (limits_from_json(&limits, json, &clocks))
		limits.matches = 12345;
	return limits;
}

/* Tests restarts of the daemon and of the machine, with changes of CLOCK_REALTIME. */
static void check_kept(void)
{
	static const struct {
		const char *name, *boot_id;
		int64_t now_ns, realtime_ns;
		enum limits_verdict verdict;
		int64_t next_ns;
	} restarts[] = {
		{ "the cooldown continues", "a", 50 * S, 1010 * S, LIMITS_COOLDOWN, 90 * S },
		{ "a clock that was set back", "a", 50 * S, 5 * S, LIMITS_COOLDOWN, 90 * S },
		{ "a clock that was set forward", "a", 50 * S, 10 * DAY, LIMITS_COOLDOWN, 90 * S },
		{ "it ends when it would have", "a", 90 * S, 1050 * S, LIMITS_TAKE, 90 * S },
		{ "another boot, a new warm-up", "b", 5 * S, 1100 * S, LIMITS_WARM_UP, 20 * S },
		{ "another boot, soon", "b", 5 * S, 1015 * S, LIMITS_WARM_UP, 40 * S },
		{ "another boot, the clock set back", "b", 5 * S, 0, LIMITS_WARM_UP, 55 * S },
	};
	const struct limits_clocks clocks = { 40 * S, 1000 * S, "a" };
	struct snapshot_limits limits = { .cooldown_ns = 1, .max = 4, .max_ns = DAY };
	json_t *json, *malformed = json_pack("{s:i,s:s}", "version", 1, "boot_id", "a");
	uint64_t matches;
	bool at_least;

	limits_start(&limits, 0);
	for (int i = 1; i <= 3; i++)
		limits_take(&limits, i * 10 * S, &matches, &at_least);
	limits_count(&limits, 35 * S, 7, true);
	json = limits_to_json(&limits, &clocks);
	limits_release(&limits);
	for (size_t i = 0; i < sizeof(restarts) / sizeof(restarts[0]); i++) {
		struct snapshot_limits kept = restart(json, restarts[i].boot_id, restarts[i].now_ns,
						      restarts[i].realtime_ns);

		tap(kept.taken_count == 3 && kept.matches == 7 && kept.at_least &&
			    limits_check(&kept, restarts[i].now_ns) == restarts[i].verdict &&
			    limits_next(&kept, restarts[i].now_ns) == restarts[i].next_ns,
		    "restart: %s: %lld s", restarts[i].name,
		    (long long)(limits_next(&kept, restarts[i].now_ns) / S));
		limits_release(&kept);
	}
	limits = restart(json, "b", 5 * S, 1000 * S + 2 * DAY);
	limits_check(&limits, 25 * S);
	tap(!limits.taken_count, "another boot, days later: nothing counts any more");
	limits_release(&limits);
	limits = restart(malformed, "a", 50 * S, 0);
	tap(limits.matches == 12345 && !limits.any, "malformed: nothing changes");
	limits_release(&limits);
	json_decref(malformed);
	json_decref(json);
}

/* Saves more times than fit in a file. Only the last time of each group of times is saved. */
static void check_many_kept(void)
{
	const struct limits_clocks clocks = { 20000 * S, 0, "a" };
	struct snapshot_limits limits = { .max = 10500, .max_ns = DAY };
	uint64_t matches;
	bool at_least;
	json_t *json;
	char *text;

	limits_start(&limits, 0);
	for (int i = 0; i < 10500; i++)
		limits_take(&limits, i * S, &matches, &at_least);
	json = limits_to_json(&limits, &clocks);
	text = json_dumps(json, JSON_INDENT(2));
	tap(text && strlen(text) < 60000, "10,500 snapshots are kept in %zu bytes",
	    text ? strlen(text) : 0);
	tap(!limits_from_json(&limits, json, &clocks) && limits.taken_count == 10500 &&
		    limits.taken[0] >= 0 && limits.taken[10499] == 10499 * S &&
		    limits_check(&limits, 20000 * S) == LIMITS_MAX,
	    "all stored snapshots count");
	free(text);
	json_decref(json);
	limits_release(&limits);
}

int main(void)
{
	check_kept();
	check_many_kept();
	check_floods();
	check_sliding();
	check_counts();
	return tap_status();
}
