// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Finds out when trackers excluded processes or users from a session. The module records each step
 * in which a tracker changes (probes/freeze/trackers.c), and reads the current state of the
 * trackers. Undoing the steps, latest first, gives the earlier states.
 */
#include "lttng-session/freeze/tracked.h"

#include <stdio.h>

/* Maximum number of IDs to list in a text. */
#define NAMED_MAX 8
/* Size of the text that lists IDs, in bytes. */
#define TEXT_MAX 160

static size_t find(const struct tracked *tracked, unsigned int tracker, int id)
{
	size_t i = 0;

	while (i < tracked->count &&
	       (tracked->ids[i].tracker != tracker || tracked->ids[i].id != id))
		i++;
	return i;
}

static void undo(struct tracked *tracked, const struct lttng_mm_freeze_change *step)
{
	const unsigned int bit = 1u << step->tracker;
	size_t at = find(tracked, step->tracker, step->id);

	if (step->id == LTTNG_MM_FREEZE_ALL && step->active)
		tracked->restricted |= bit;
	else if (step->id == LTTNG_MM_FREEZE_ALL)
		tracked->restricted &= ~bit;
	else if (step->active && at < tracked->count)
		tracked->ids[at] = tracked->ids[--tracked->count];
	else if (!step->active && at == tracked->count && tracked->count < TRACKED_ROOM)
		tracked->ids[tracked->count++] =
			(struct lttng_mm_freeze_tracked){ step->tracker, step->id };
}

bool tracked_excludes(const struct tracked *tracked, const struct freeze_promise *promise)
{
	if (tracked->restricted & ~promise->restricted)
		return true;
	for (size_t i = 0; i < promise->count; i++) {
		const struct lttng_mm_freeze_tracked *id = &promise->ids[i];

		if (tracked->restricted & 1u << id->tracker &&
		    find(tracked, id->tracker, id->id) == tracked->count)
			return true;
	}
	return false;
}

/*
 * Adds a range that is earlier than all others. If the new range ends where the earliest range
 * starts, extends the earliest range instead. Returns the new number of ranges.
 */
static size_t add_before(struct tracked_range *ranges, size_t count, uint64_t start, uint64_t end)
{
	if (start >= end)
		return count;
	/*
	 * Until all ranges are found, the array is in reverse order, so the last element is the
	 * earliest.
	 */
	if (count && ranges[count - 1].start == end)
		ranges[count - 1].start = start;
	else
		ranges[count++] = (struct tracked_range){ start, end };
	return count;
}

static void reverse(struct tracked_range *ranges, size_t count)
{
	for (size_t i = 0; i < count / 2; i++) {
		const struct tracked_range range = ranges[i];

		ranges[i] = ranges[count - 1 - i];
		ranges[count - 1 - i] = range;
	}
}

size_t tracked_exclusions(const struct lttng_mm_freeze_watch *watch, uint64_t frozen,
			  const struct freeze_promise *promise, struct tracked_range *ranges,
			  struct tracked *end)
{
	struct tracked state = { .restricted = watch->restricted };
	struct freeze_promise own;
	unsigned int i = watch->count;
	uint64_t until = frozen;
	size_t count = 0;

	while (state.count < watch->tracked_count && state.count < LTTNG_MM_FREEZE_TRACKED) {
		state.ids[state.count] = watch->tracked[state.count];
		state.count++;
	}
	/* Undo the changes after the freeze, so that @state becomes the state at the freeze. */
	for (; i && watch->changes[i - 1].clock > frozen; i--)
		if (watch->changes[i - 1].what == LTTNG_MM_FREEZE_TRACKER)
			undo(&state, &watch->changes[i - 1]);
	*end = state;
	own = (struct freeze_promise){ end->restricted, end->ids, end->count };
	if (!promise)
		promise = &own;
	for (; i; i--) {
		const struct lttng_mm_freeze_change *change = &watch->changes[i - 1];

		if (change->what != LTTNG_MM_FREEZE_TRACKER)
			continue;
		if (tracked_excludes(&state, promise))
			count = add_before(ranges, count, change->clock, until);
		until = change->clock;
		undo(&state, change);
	}
	if (tracked_excludes(&state, promise))
		count = add_before(ranges, count, watch->since, until);
	reverse(ranges, count);
	return count;
}

const char *tracked_name(enum lttng_mm_freeze_tracker tracker)
{
	static const char *const names[LTTNG_MM_FREEZE_TRACKERS] = {
		[LTTNG_MM_FREEZE_PID] = "pid", [LTTNG_MM_FREEZE_VPID] = "vpid",
		[LTTNG_MM_FREEZE_UID] = "uid", [LTTNG_MM_FREEZE_VUID] = "vuid",
		[LTTNG_MM_FREEZE_GID] = "gid", [LTTNG_MM_FREEZE_VGID] = "vgid",
	};

	return names[tracker];
}

static void name_ids(const struct freeze_promise *promise, enum lttng_mm_freeze_tracker tracker,
		     char *text, size_t size)
{
	size_t length = (size_t)snprintf(text, size, "%s", tracked_name(tracker)), named = 0;

	for (size_t i = 0; i < promise->count && length < size; i++)
		if (promise->ids[i].tracker == tracker && ++named <= NAMED_MAX)
			length += (size_t)snprintf(text + length, size - length, "%s%d",
						   named > 1 ? ", " : " ", promise->ids[i].id);
	if (!named)
		snprintf(text, size, "no %s", tracked_name(tracker));
	else if (named > NAMED_MAX && length < size)
		snprintf(text + length, size - length, " and %zu more", named - NAMED_MAX);
}

json_t *tracked_limits(const struct tracked *now, const struct freeze_promise *promise)
{
	const struct freeze_promise own = { now->restricted, now->ids, now->count };
	json_t *limits = json_array();
	char text[TEXT_MAX];

	if (!promise || tracked_excludes(now, promise))
		promise = &own;
	for (unsigned int i = 0; limits && i < LTTNG_MM_FREEZE_TRACKERS; i++) {
		if (!(promise->restricted & 1u << i))
			continue;
		name_ids(promise, (enum lttng_mm_freeze_tracker)i, text, sizeof(text));
		if (json_array_append_new(limits, json_string(text))) {
			json_decref(limits);
			limits = NULL;
		}
	}
	return limits;
}

json_t *tracked_less(const char *session, const struct tracked *now,
		     const struct freeze_promise *promise)
{
	json_t *less = json_array(), *limits;
	char only[LTTNG_MM_FREEZE_TRACKERS * TEXT_MAX] = "";
	size_t length = 0;

	if (!less || !promise || !tracked_excludes(now, promise))
		return less;
	limits = tracked_limits(now, NULL);
	for (size_t i = 0; i < json_array_size(limits) && length < sizeof(only); i++)
		length += (size_t)snprintf(only + length, sizeof(only) - length, "%s%s",
					   i ? ", " : "",
					   json_string_value(json_array_get(limits, i)));
	if (!limits ||
	    json_array_append_new(
		    less, json_sprintf("%s: another program has set a tracker; since then, events "
				       "were recorded only for %s.",
				       session, only))) {
		json_decref(less);
		less = NULL;
	}
	json_decref(limits);
	return less;
}
