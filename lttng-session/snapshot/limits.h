/* SPDX-License-Identifier: LGPL-2.1-only */
/* The trackers and filters that limit what a session records. */
#ifndef LTTNG_MM_SESSION_SNAPSHOT_LIMITS_H
#define LTTNG_MM_SESSION_SNAPSHOT_LIMITS_H

#include <jansson.h>
#include <stdbool.h>

#include "lttng-session/freeze/freeze.h"
#include "lttng-session/recorder/trackers.h"

/* The limits of a session according to the plan. */
struct snapshot_promise {
	bool planned; /* the plan has the session */
	struct lttng_mm_freeze_tracked ids[TRACKER_KINDS * TRACKED_MAX];
	struct freeze_promise trackers; /* with @ids */
	json_t *limits;			/* filters, in words; NULL: none */
};

void snapshot_promise_read(const char *session, struct snapshot_promise *promise);
void snapshot_promise_release(struct snapshot_promise *promise);

/*
 * Adds to @facts of a trace what its session is to record, and what of that it does not
 * ("limited_to" and "less" in certify.h). @filters: those of snapshot.json; NULL: not known. @less:
 * sentences, of which those of other sessions are left out. @frozen: @facts already says what
 * trackers do. Returns 0, or -1 when out of memory.
 */
int snapshot_limits_add(json_t *facts, const char *session, const struct snapshot_promise *promise,
			const json_t *filters, const json_t *less, bool frozen);

#endif /* LTTNG_MM_SESSION_SNAPSHOT_LIMITS_H */
