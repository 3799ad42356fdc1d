// SPDX-License-Identifier: LGPL-2.1-only
/* Warm-up, cooldown and the number of snapshots in an interval. */
#include "lttng-session/trigger/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/hash.h"

void limits_start(struct limits *limits, int64_t now_ns)
{
	limits->since_ns = now_ns;
}

void limits_release(struct limits *limits)
{
	free(limits->taken);
	limits->taken = NULL;
	limits->taken_count = limits->taken_room = 0;
}

/* Forgets the snapshots that no longer count. */
static void forget(struct limits *limits, int64_t now_ns)
{
	size_t old = 0;

	while (old < limits->taken_count && now_ns - limits->taken[old] >= limits->max_ns)
		old++;
	limits->taken_count -= old;
	if (old)
		memmove(limits->taken, limits->taken + old,
			limits->taken_count * sizeof(limits->taken[0]));
}

enum limits_verdict limits_check(struct limits *limits, int64_t now_ns)
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

void limits_count(struct limits *limits, int64_t now_ns, uint64_t matches, bool at_least)
{
	if (now_ns - limits->since_ns < limits->warm_up_ns)
		return;
	if (__builtin_add_overflow(limits->matches, matches, &limits->matches)) {
		limits->matches = UINT64_MAX;
		at_least = true;
	}
	limits->at_least |= at_least;
}

int limits_take(struct limits *limits, int64_t now_ns, uint64_t *matches, bool *at_least)
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

int64_t limits_next(struct limits *limits, int64_t now_ns)
{
	int64_t next_ns = now_ns, warm_ns = limits->since_ns + limits->warm_up_ns;

	if (warm_ns > next_ns)
		next_ns = warm_ns;
	if (limits->any && limits->last_ns + limits->cooldown_ns > next_ns)
		next_ns = limits->last_ns + limits->cooldown_ns;
	forget(limits, now_ns);
	if (limits->max_ns > 0 && !limits->max)
		return INT64_MAX;
	if (limits->max_ns > 0 && limits->taken_count >= limits->max) {
		int64_t free_ns = limits->taken[limits->taken_count - limits->max] + limits->max_ns;

		if (free_ns > next_ns)
			next_ns = free_ns;
	}
	return next_ns;
}

void limits_explain(struct limits *limits, int64_t now_ns, char *text, size_t size)
{
	static const char *const why[] = {
		[LIMITS_TAKE] = "a snapshot is permitted",
		[LIMITS_WARM_UP] = "in its warm-up",
		[LIMITS_COOLDOWN] = "in its cooldown",
		[LIMITS_MAX] = "at its maximum of snapshots",
	};
	enum limits_verdict verdict = limits_check(limits, now_ns);
	int64_t next_ns = limits_next(limits, now_ns);
	char more[MM_DURATION_TEXT];

	if (verdict == LIMITS_TAKE || next_ns == INT64_MAX) {
		snprintf(text, size, "%s", why[verdict]);
		return;
	}
	mm_duration_format(more, sizeof(more), next_ns - now_ns);
	snprintf(text, size, "%s, for %s more", why[verdict], more);
}
