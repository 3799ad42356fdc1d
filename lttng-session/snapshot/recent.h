/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds the newest snapshots in a folder by reading their snapshot.json. */
#ifndef LTTNG_MM_SESSION_SNAPSHOT_RECENT_H
#define LTTNG_MM_SESSION_SNAPSHOT_RECENT_H

#include <jansson.h>

#define RECENT_MAX 16

/*
 * Returns an array of this user's snapshots in the folder @path, oldest first. Selects the
 * RECENT_MAX snapshots with the latest changes. The array may have fewer elements, and is empty
 * when out of memory. Ignores snapshots without a valid snapshot.json, and truncates long strings.
 *
 *   [ { "state": "written", "requested": N, "ended": N, "uid": 0, "path": "/var/lib/...",
 *       "reason": "...", "cause": { "kind": "trigger", "trigger": "oom" }, "frozen_ns": N } ]
 *
 * Times are seconds since the Epoch; "frozen_ns" is in nanoseconds. "reason" may be absent.
 * Depending on its kind, the cause may have one more member: "trigger", "unit", or "what" for the
 * kind "rescue".
 */
json_t *recent_snapshots(const char *path);

#endif /* LTTNG_MM_SESSION_SNAPSHOT_RECENT_H */
