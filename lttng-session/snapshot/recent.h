/* SPDX-License-Identifier: LGPL-2.1-only */
/* The newest snapshots in a folder, by what their snapshot.json says. */
#ifndef LTTNG_MM_SESSION_SNAPSHOT_RECENT_H
#define LTTNG_MM_SESSION_SNAPSHOT_RECENT_H

#include <jansson.h>

#define RECENT_MAX 16

/*
 * Reads up to RECENT_MAX snapshots of this user in the folder @path, the ones that changed last,
 * and returns an array, the oldest first; empty if there is none, or out of memory. A snapshot
 * without a valid file is left out. Texts that are too long are cut.
 *
 *   [ { "state": "written", "requested": N, "ended": N, "uid": 0, "path": "/var/lib/...",
 *       "reason": "...", "cause": { "kind": "trigger", "trigger": "oom" }, "frozen_ns": N } ]
 *
 * Times are seconds since the Epoch, "frozen_ns" nanoseconds. "reason" may be missing, as may the
 * members of the cause: "trigger" of the kind trigger, and "what" of the kind rescue.
 */
json_t *recent_snapshots(const char *path);

#endif /* LTTNG_MM_SESSION_SNAPSHOT_RECENT_H */
