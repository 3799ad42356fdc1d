/* SPDX-License-Identifier: LGPL-2.1-only */
/* The limits of a recorder's folder, applied when a snapshot is written to it. */
#ifndef LTTNG_MM_DAEMON_JOBS_FOLDER_QUOTA_H
#define LTTNG_MM_DAEMON_JOBS_FOLDER_QUOTA_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lttng-session/recorder/plan-limits.h"
#include "lttng-session/snapshot/retention.h"
#include "util/error.h"

struct folder_quota {
	struct retention_limits limits;
	struct retention retention;
	const char *session;
	atomic_ullong *progress; /* counts deleted snapshots; may be NULL */
	bool active;
};

/*
 * Prepares to write a snapshot of the recorder or session @session to the folder @output at @path.
 *
 * The limits apply only if @output is the recorder's folder and this process is root, because only
 * root may delete snapshots there. Snapshots of users' triggers have default limits if the recorder
 * has no limits (retention.h). @cause is the "cause" of snapshot.json, or NULL. The caller keeps
 * ownership of the strings.
 */
void folder_quota_init(struct folder_quota *quota, const char *session, int output,
		       const char *path, const json_t *cause);

/* Makes room for @bytes before the snapshot is written. Returns 0, or -1 with @err set. */
int folder_quota_make_room(const struct folder_quota *quota, uint64_t bytes, struct mm_error *err);

/* Deletes snapshots that exceed the limits. Call this after writing the snapshot @name. */
void folder_quota_enforce(const struct folder_quota *quota, const char *name);

#endif /* LTTNG_MM_DAEMON_JOBS_FOLDER_QUOTA_H */
