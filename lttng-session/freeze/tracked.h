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

/* Maximum number of IDs in an earlier state: the current IDs, plus one per undone change. */
#define TRACKED_ROOM (LTTNG_MM_FREEZE_TRACKED + LTTNG_MM_FREEZE_CHANGES)

/* The processes and users that a session records at some time. */
struct tracked {
	unsigned int restricted; /* bit mask of the trackers that are set */
	struct lttng_mm_freeze_tracked ids[TRACKED_ROOM];
	size_t count;
};

/* A range of trace clock values. @start is included, @end is not. */
struct tracked_range {
	uint64_t start, end;
};

/*
 * Searches the changes in @watch for time ranges in which trackers excluded a process or user of
 * @promise. @frozen is the clock value of the freeze; later changes are ignored. If @promise is
 * NULL, uses the state at the freeze as the promise. Fills @ranges (LTTNG_MM_FREEZE_CHANGES + 1
 * elements), earliest first. Sets @end to the state at the freeze. Returns the number of ranges.
 */
size_t tracked_exclusions(const struct lttng_mm_freeze_watch *watch, uint64_t frozen,
			  const struct freeze_promise *promise, struct tracked_range *ranges,
			  struct tracked *end);

/* Do the trackers exclude a process or user of the promise? */
bool tracked_excludes(const struct tracked *tracked, const struct freeze_promise *promise);

/* Returns the name of a tracker, such as "pid". It is the option of lttng-track(1) without `--`. */
const char *tracked_name(enum lttng_mm_freeze_tracker tracker);

/*
 * Returns an array with one text per tracker of @promise: "pid 1234, 1235" or "no pid". If @promise
 * is NULL, or if @now excludes a process or user of @promise, describes the trackers of @now
 * instead. Returns a new reference, or NULL when out of memory.
 */
json_t *tracked_limits(const struct tracked *now, const struct freeze_promise *promise);

/*
 * Returns an array with one sentence if @now excludes a process or user of @promise; otherwise an
 * empty array. @session is the name in the sentence. @promise may be NULL. Returns a new reference,
 * or NULL when out of memory.
 */
json_t *tracked_less(const char *session, const struct tracked *now,
		     const struct freeze_promise *promise);

#endif /* LTTNG_MM_SESSION_FREEZE_TRACKED_H */
