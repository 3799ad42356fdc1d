/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The folder of a recorder for triggered snapshots, and the limits on the snapshots kept in it.
 * `record --output`, `--keep`, `--max-disk` and `--min-free` set them in the plan.
 */
#ifndef LTTNG_MM_SESSION_PLAN_LIMITS_H
#define LTTNG_MM_SESSION_PLAN_LIMITS_H

#include "lttng-session/recorder/retention-limits.h"
#include "lttng-session/recorder/plan.h"

/*
 * Reads the folder and limits of the recorder @name, or of the recorder with a session @name. If it
 * is not in the plan, returns the default folder and no limits.
 */
void plan_get_limits(const struct plan *plan, const char *name, struct retention_limits *limits);
/* Reads folder and limits from the plan's file. Returns 0, or -1 with @err set. */
int plan_read_limits(const char *name, struct retention_limits *limits, struct mm_error *err);

/*
 * Sets the given members (a folder, and limits other than 0) of a recorder in the plan. Other
 * members do not change. Returns 0, or -1 with @err set.
 */
int plan_set_limits(struct plan *plan, const char *recorder, const struct retention_limits *limits,
		    struct mm_error *err);

#endif /* LTTNG_MM_SESSION_PLAN_LIMITS_H */
