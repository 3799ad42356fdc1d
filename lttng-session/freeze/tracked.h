/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds out when trackers excluded processes or users from a session. */
#ifndef LTTNG_MM_SESSION_FREEZE_TRACKED_H
#define LTTNG_MM_SESSION_FREEZE_TRACKED_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "instrumentation/wire/freeze.h"
#include "lttng-session/freeze/freeze.h"

/* Maximum number of IDs in an earlier state: the current IDs, plus one per change. */
#define TRACKED_ROOM (LTTNG_MM_FREEZE_TRACKED + LTTNG_MM_FREEZE_CHANGES)

/* The processes and users that a session records. */
struct tracked {
	unsigned int restricted; /* bit mask of the trackers that are set */
	struct lttng_mm_freeze_tracked ids[TRACKED_ROOM];
	size_t count;
};

/* A range of trace clock values, from @start to before @end. */
struct tracked_range {
	uint64_t start, end;
};

/*
 * Searches the module's data @watch for times before the freeze (@frozen) in which trackers
 * excluded a process or user of @promise. If @promise is NULL, uses the state at the freeze. Fills
 * @ranges (LTTNG_MM_FREEZE_CHANGES + 1 elements), earliest first. Stores the state at the freeze in
 * @end. Returns the number of ranges.
 */
size_t tracked_exclusions(const struct lttng_mm_freeze_watch *watch, uint64_t frozen,
			  const struct freeze_promise *promise, struct tracked_range *ranges,
			  struct tracked *end);

/* Do the trackers exclude a process or user of the promise? */
bool tracked_excludes(const struct tracked *tracked, const struct freeze_promise *promise);

/* Returns the name of a tracker, such as "pid": lttng-track(1)'s option without `--`. */
const char *tracked_name(enum lttng_mm_freeze_tracker tracker);

/*
 * Returns an array with one text per tracker of @promise: "pid 1234, 1235" or "no pid". If @promise
 * is NULL, or @now excludes something of it, describes the trackers of @now instead. Returns a new
 * reference, or NULL when out of memory.
 */
json_t *tracked_limits(const struct tracked *now, const struct freeze_promise *promise);

/*
 * Returns an array with one sentence if @now excludes something of @promise; otherwise empty.
 * @session: the name in the sentence. @promise may be NULL. Returns a new reference, or NULL when
 * out of memory.
 */
json_t *tracked_less(const char *session, const struct tracked *now,
		     const struct freeze_promise *promise);

#endif /* LTTNG_MM_SESSION_FREEZE_TRACKED_H */
