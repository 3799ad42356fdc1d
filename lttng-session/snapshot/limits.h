/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds the trackers and filters that limit what a session records. */
#ifndef LTTNG_MM_SESSION_SNAPSHOT_LIMITS_H
#define LTTNG_MM_SESSION_SNAPSHOT_LIMITS_H

#include <jansson.h>
#include <stdbool.h>

#include "lttng-session/freeze/freeze.h"
#include "lttng-session/recorder/trackers.h"

/* The limits that a session should have according to the plan. */
struct snapshot_promise {
	bool planned; /* the session is in the plan */
	struct lttng_mm_freeze_tracked ids[TRACKER_KINDS * TRACKED_MAX];
	struct freeze_promise trackers; /* its pointers refer to @ids */
	json_t *limits;			/* the filters as texts; may be NULL */
};

void snapshot_promise_read(const char *session, struct snapshot_promise *promise);
void snapshot_promise_release(struct snapshot_promise *promise);

/*
 * Adds two members to the @facts of a trace (certify.h). "limited_to" has the limits that the
 * trace's session should have. "less" has sentences about events that the session should record
 * within these limits, but does not. @filters has the filters as in snapshot.json; NULL: unknown.
 * @less has sentences about all sessions; only the sentences about @session are added. If @frozen
 * is true, there was a freeze, and @facts already describes the trackers. Returns 0, or -1 when out
 * of memory.
 */
int snapshot_limits_add(json_t *facts, const char *session, const struct snapshot_promise *promise,
			const json_t *filters, const json_t *less, bool frozen);

#endif /* LTTNG_MM_SESSION_SNAPSHOT_LIMITS_H */
