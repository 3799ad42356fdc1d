/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds the newest snapshots in a folder by their snapshot.json. */
#ifndef LTTNG_MM_SESSION_SNAPSHOT_RECENT_H
#define LTTNG_MM_SESSION_SNAPSHOT_RECENT_H

#include <jansson.h>

#define RECENT_MAX 16

/*
 * Returns an array of up to RECENT_MAX snapshots of this user in the folder @path: the most
 * recently changed, oldest first. The array may be empty, also when out of memory. Ignores
 * snapshots without a valid file, and truncates long strings.
 *
 *   [ { "state": "written", "requested": N, "ended": N, "uid": 0, "path": "/var/lib/...",
 *       "reason": "...", "cause": { "kind": "trigger", "trigger": "oom" }, "frozen_ns": N } ]
 *
 * Times are seconds since the Epoch; "frozen_ns" is in nanoseconds. "reason" may be absent, and so
 * may the members of the cause: "trigger" for the kind trigger, "unit" for the kind unit, and
 * "what" for the kind rescue.
 */
json_t *recent_snapshots(const char *path);

#endif /* LTTNG_MM_SESSION_SNAPSHOT_RECENT_H */
