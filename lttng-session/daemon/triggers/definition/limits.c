// SPDX-License-Identifier: LGPL-2.1-only
/* Implements the limits: warm-up, cooldown and the number of snapshots in an interval. */
#include "lttng-session/daemon/triggers/definition/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/hash.h"

#define VERSION 1
/* Maximum number of snapshot times in saved limits. */
#define KEPT_MAX 1000

void limits_start(struct snapshot_limits *limits, int64_t now_ns)
{
	limits->since_ns = now_ns;
}

void limits_release(struct snapshot_limits *limits)
{
	free(limits->taken);
	limits->taken = NULL;
	limits->taken_count = limits->taken_room = 0;
}

/* Removes the times of snapshots that no longer count towards the maximum. */
static void forget(struct snapshot_limits *limits, int64_t now_ns)
{
	size_t old = 0;

	while (old < limits->taken_count && now_ns - limits->taken[old] >= limits->max_ns)
		old++;
	limits->taken_count -= old;
	if (old)
		memmove(limits->taken, limits->taken + old,
			limits->taken_count * sizeof(limits->taken[0]));
}

enum limits_verdict limits_check(struct snapshot_limits *limits, int64_t now_ns)
{
	if (now_ns - limits->since_ns < limits->warm_up_ns)
		return LIMITS_WARM_UP;
	if (limits->any && now_ns - limits->last_ns < limits->cooldown_ns)
		return LIMITS_COOLDOWN;
	forget(limits, now_ns);
	if (limits->max_ns > 0 && limits->taken_count >= limits->max)
		return LIMITS_MAX;
	return LIMITS_TAKE;
}

void limits_count(struct snapshot_limits *limits, int64_t now_ns, uint64_t matches, bool at_least)
{
	if (now_ns - limits->since_ns < limits->warm_up_ns)
		return;
	if (__builtin_add_overflow(limits->matches, matches, &limits->matches)) {
		limits->matches = UINT64_MAX;
		at_least = true;
	}
	limits->at_least |= at_least;
}

int limits_take(struct snapshot_limits *limits, int64_t now_ns, uint64_t *matches, bool *at_least)
{
	if (limits->max_ns > 0) {
		int64_t *grown = mm_array_grow(limits->taken, limits->taken_count,
					       &limits->taken_room, sizeof(*grown));

		if (!grown)
			return -1;
		limits->taken = grown;
		limits->taken[limits->taken_count++] = now_ns;
	}
	limits->any = true;
	limits->last_ns = now_ns;
	*matches = limits->matches;
	*at_least = limits->at_least;
	limits->matches = 0;
	limits->at_least = false;
	return 0;
}

/* Returns the time from which the maximum number per interval allows another snapshot. */
static int64_t max_until(struct snapshot_limits *limits, int64_t now_ns)
{
	forget(limits, now_ns);
	if (limits->max_ns <= 0 || (limits->max && limits->taken_count < limits->max))
		return now_ns;
	return limits->max ? limits->taken[limits->taken_count - limits->max] + limits->max_ns
			   : INT64_MAX;
}

/*
 * Returns the time from which a match can get a snapshot. Sets *@why to the limit that ends last.
 */
static int64_t find_next(struct snapshot_limits *limits, int64_t now_ns, enum limits_verdict *why)
{
	const int64_t ends[] = {
		[LIMITS_TAKE] = now_ns,
		[LIMITS_WARM_UP] = limits->since_ns + limits->warm_up_ns,
		[LIMITS_COOLDOWN] = limits->any ? limits->last_ns + limits->cooldown_ns : now_ns,
		[LIMITS_MAX] = max_until(limits, now_ns),
	};

	*why = LIMITS_TAKE;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (ends[i] > ends[*why])
			*why = (enum limits_verdict)i;
	return ends[*why];
}

int64_t limits_next(struct snapshot_limits *limits, int64_t now_ns)
{
	enum limits_verdict ignored;

	return find_next(limits, now_ns, &ignored);
}

void limits_explain(struct snapshot_limits *limits, int64_t now_ns, char *text, size_t size)
{
	static const char *const texts[] = {
		[LIMITS_TAKE] = "a snapshot is permitted",
		[LIMITS_WARM_UP] = "in its warm-up",
		[LIMITS_COOLDOWN] = "in its cooldown",
		[LIMITS_MAX] = "at its maximum of snapshots",
	};
	char more[MM_DURATION_TEXT];
	enum limits_verdict why;
	int64_t next_ns = find_next(limits, now_ns, &why);

	if (why == LIMITS_TAKE || next_ns == INT64_MAX) {
		snprintf(text, size, "%s", texts[why]);
		return;
	}
	mm_duration_format(more, sizeof(more), next_ns - now_ns);
	snprintf(text, size, "%s, for %s more", texts[why], more);
}

json_t *limits_to_json(const struct snapshot_limits *limits, const struct limits_clocks *clocks)
{
	size_t group = limits->taken_count / KEPT_MAX + 1;
	json_t *taken = json_array();
	json_t *json =
		json_pack("{s:i,s:s,s:I,s:I,s:I,s:I,s:b,s:o}", "version", VERSION, "boot_id",
			  clocks->boot_id, "now_ns", (json_int_t)clocks->now_ns, "realtime_ns",
			  (json_int_t)clocks->realtime_ns, "since_ns", (json_int_t)limits->since_ns,
			  "matches", (json_int_t)(limits->matches & INT64_MAX), "at_least",
			  limits->at_least, "taken", taken);

	if (json && limits->any)
		json_object_set_new(json, "last_ns", json_integer(limits->last_ns));
	/*
	 * To save space, save only the last time of each group of snapshots. The other snapshots of
	 * the group count for longer, so the limit becomes stricter.
	 */
	for (size_t i = 0; json && i < limits->taken_count; i += group) {
		size_t count = limits->taken_count - i < group ? limits->taken_count - i : group;

		json_array_append_new(taken,
				      json_pack("[I,I]", (json_int_t)limits->taken[i + count - 1],
						(json_int_t)count));
	}
	return json;
}

static int get(const json_t *json, const char *name, int64_t *value)
{
	const json_t *member = json_object_get(json, name);

	*value = json_integer_value(member);
	return json_is_integer(member) ? 0 : -1;
}

/* Adds the saved times, which are in ascending order. */
static int read_taken(struct snapshot_limits *read, const json_t *taken, int64_t now_ns,
		      int64_t shift_ns)
{
	const json_t *entry;
	size_t i;

	json_array_foreach(taken, i, entry)
	{
		int64_t at_ns = json_integer_value(json_array_get(entry, 0)) - shift_ns;
		int64_t count = json_integer_value(json_array_get(entry, 1));

		for (; count > 0 && read->taken_count < read->max; count--) {
			int64_t *grown = mm_array_grow(read->taken, read->taken_count,
						       &read->taken_room, sizeof(*grown));

			if (!grown)
				return -1;
			read->taken = grown;
			read->taken[read->taken_count++] = at_ns < now_ns ? at_ns : now_ns;
		}
	}
	return 0;
}

int limits_from_json(struct snapshot_limits *limits, const json_t *json,
		     const struct limits_clocks *clocks)
{
	const char *boot_id = json_string_value(json_object_get(json, "boot_id"));
	int64_t version, then_ns, realtime_ns, since_ns, matches, shift_ns = 0;
	struct snapshot_limits read = *limits;

	if (get(json, "version", &version) || version != VERSION || !boot_id ||
	    get(json, "now_ns", &then_ns) || get(json, "realtime_ns", &realtime_ns) ||
	    get(json, "since_ns", &since_ns) || get(json, "matches", &matches) || matches < 0 ||
	    !json_is_array(json_object_get(json, "taken")))
		return -1;
	if (strcmp(boot_id, clocks->boot_id) != 0) {
		int64_t passed_ns = clocks->realtime_ns - realtime_ns;

		shift_ns = then_ns - clocks->now_ns + (passed_ns > 0 ? passed_ns : 0);
		since_ns = limits->since_ns;
	}
	read.taken = NULL;
	read.taken_count = read.taken_room = 0;
	if (limits->max_ns > 0 &&
	    read_taken(&read, json_object_get(json, "taken"), clocks->now_ns, shift_ns)) {
		limits_release(&read);
		return -1;
	}
	read.since_ns = since_ns < limits->since_ns ? since_ns : limits->since_ns;
	read.any = !get(json, "last_ns", &read.last_ns);
	read.last_ns -= shift_ns;
	if (read.last_ns > clocks->now_ns)
		read.last_ns = clocks->now_ns;
	read.matches = (uint64_t)matches;
	read.at_least = json_is_true(json_object_get(json, "at_least"));
	limits_release(limits);
	*limits = read;
	return 0;
}
