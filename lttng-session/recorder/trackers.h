/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Which processes and users a session records: LTTng's trackers of process ids and user ids. In the
 * plan:
 *
 *   "trackers": { "pid": [ 4711 ], "uid": [ 1000, 1001 ] }
 *
 * Without one of the two, its kind does not matter; without both, "trackers" may be missing.
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

/* No numbers of a kind: everything is recorded, as far as that kind goes. */
struct trackers {
	uint32_t ids[TRACKER_KINDS][TRACKED_MAX];
	size_t count[TRACKER_KINDS];
};

/*
 * Adds the numbers of @list, which are separated by commas, and for TRACKER_UID also names of
 * users. Returns 0, or -1 with @err set, which names the option.
 */
int trackers_parse(struct trackers *trackers, enum tracker_kind kind, const char *list,
		   struct mm_error *err);

bool trackers_are_set(const struct trackers *trackers);

/* Sets them for the kernel's events of a session that has a channel. Returns 0, or -1 (@err). */
int trackers_apply(const struct trackers *trackers, const char *session, struct mm_error *err);
/* Prints the equivalent lttng commands. */
void trackers_print(FILE *out, const struct trackers *trackers, const char *session);

/* The member of the plan; NULL: out of memory. */
json_t *trackers_to_json(const struct trackers *trackers);
/* Reads it; NULL: there is none. Returns false if it is not valid. */
bool trackers_from_json(const json_t *json, struct trackers *trackers);

/* As "pid 4711, uid 1000, 1001"; empty if nothing is set. */
void trackers_text(const struct trackers *trackers, char *text, size_t size);

#endif /* LTTNG_MM_SESSION_TRACKERS_H */
