/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The processes and users that a session records. LTTng's trackers of process IDs and user IDs
 * select them. The format in the plan:
 *
 *   "trackers": { "pid": [ 4711 ], "uid": [ 1000, 1001 ] }
 *
 * A kind that is absent does not restrict the session. "trackers" itself may be absent.
 */
#ifndef LTTNG_MM_SESSION_TRACKERS_H
#define LTTNG_MM_SESSION_TRACKERS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "util/error.h"

#define TRACKED_MAX 64

enum tracker_kind { TRACKER_PID, TRACKER_UID };
#define TRACKER_KINDS 2

/* IDs by kind. A kind without IDs does not restrict the session. */
struct trackers {
	uint32_t ids[TRACKER_KINDS][TRACKED_MAX];
	size_t count[TRACKER_KINDS];
};

/*
 * Adds the IDs in the comma-separated @list. For TRACKER_UID, the list may also contain user names.
 * Returns 0, or -1 with @err set to a message that names the option.
 */
int trackers_parse(struct trackers *trackers, enum tracker_kind kind, const char *list,
		   struct mm_error *err);

bool trackers_are_set(const struct trackers *trackers);

/*
 * Sets the trackers of a session for kernel events. The session must already have a channel.
 * Returns 0, or -1 with @err set.
 */
int trackers_apply(const struct trackers *trackers, const char *session, struct mm_error *err);
/* Prints the lttng commands that set the trackers. */
void trackers_print(FILE *out, const struct trackers *trackers, const char *session);

/* Returns the trackers in the format of the plan, or NULL when out of memory. */
json_t *trackers_to_json(const struct trackers *trackers);
/*
 * Reads trackers in the format of the plan. If @json is NULL, there are no trackers. Returns false
 * if @json is invalid.
 */
bool trackers_from_json(const json_t *json, struct trackers *trackers);

/* Formats the trackers as "pid 4711, uid 1000, 1001"; empty if none is set. */
void trackers_text(const struct trackers *trackers, char *text, size_t size);

#endif /* LTTNG_MM_SESSION_TRACKERS_H */
