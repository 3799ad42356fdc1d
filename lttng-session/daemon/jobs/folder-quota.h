/* SPDX-License-Identifier: LGPL-2.1-only */
/* Keeps the limits of a recorder's folder when a snapshot is written to it. */
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
	struct retention retention; /* refers to the whole */
	const char *session;
	atomic_ullong
		*progress; /* grows with each snapshot that is deleted; NULL: of no interest */
	bool active;
};

/*
 * @output: the folder @path, to which a snapshot of the recorder (or session) @session is to be
 * written. Limits apply if it is the recorder's, and this process is root's: nobody else may delete
 * there. The strings belong to the caller. @cause: as snapshot.json will have it; NULL: none. The
 * snapshots of users' triggers have limits in any case.
 */
void folder_quota_init(struct folder_quota *quota, const char *session, int output,
		       const char *path, const json_t *cause);

/* Before that: it takes @bytes. Returns 0, or -1 with @err set: there is no room. */
int folder_quota_make_room(const struct folder_quota *quota, uint64_t bytes, struct mm_error *err);

/* After that: @name is its name. */
void folder_quota_enforce(const struct folder_quota *quota, const char *name);

#endif /* LTTNG_MM_DAEMON_JOBS_FOLDER_QUOTA_H */
