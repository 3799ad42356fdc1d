/* SPDX-License-Identifier: LGPL-2.1-only */
/* When trackers excluded processes or users from a session. */
#ifndef LTTNG_MM_SESSION_FREEZE_TRACKED_H
#define LTTNG_MM_SESSION_FREEZE_TRACKED_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "instrumentation/wire/freeze.h"
#include "lttng-session/freeze/freeze.h"

/* A tracker may have had the IDs that it has now, and one more for each change. */
#define TRACKED_ROOM (LTTNG_MM_FREEZE_TRACKED + LTTNG_MM_FREEZE_CHANGES)

/* Which processes and users a session records. */
struct tracked {
	unsigned int restricted; /* a bit for each tracker that is set */
	struct lttng_mm_freeze_tracked ids[TRACKED_ROOM];
	size_t count;
};

/* Times from @start on, before @end, by the trace clock. */
struct tracked_range {
	uint64_t start, end;
};

/*
 * Derives from what the module noted, @watch, when the session did not record all of @promise, up
 * to the freeze at @frozen: @ranges, LTTNG_MM_FREEZE_CHANGES + 1 of them, the earliest first.
 * @promise NULL: what it records at the freeze. Writes what that is to @end. Returns the number of
 * ranges.
 */
size_t tracked_exclusions(const struct lttng_mm_freeze_watch *watch, uint64_t frozen,
			  const struct freeze_promise *promise, struct tracked_range *ranges,
			  struct tracked *end);

/* Do the trackers exclude a process or user that is promised? */
bool tracked_excludes(const struct tracked *tracked, const struct freeze_promise *promise);

/* The name of a tracker, as lttng-track(1) names it without `--`: "pid". */
const char *tracked_name(enum lttng_mm_freeze_tracker tracker);

/*
 * An array with a text for each tracker of @promise, such as "pid 1234, 1235" or "no pid"; for each
 * tracker of @now, if @promise is NULL or @now excludes something of it. Returns a new reference,
 * or NULL: out of memory.
 */
json_t *tracked_limits(const struct tracked *now, const struct freeze_promise *promise);

/*
 * An array with a sentence if @now excludes something of @promise, which may be NULL, of the
 * session of that name. Returns a new reference, or NULL: out of memory.
 */
json_t *tracked_less(const char *session, const struct tracked *now,
		     const struct freeze_promise *promise);

#endif /* LTTNG_MM_SESSION_FREEZE_TRACKED_H */
