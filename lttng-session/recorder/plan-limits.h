/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The folder of a recorder for triggered snapshots, and the limits of the snapshots in it. `record`
 * sets them in the plan with --output, --keep, --max-disk and --min-free.
 */
#ifndef LTTNG_MM_SESSION_PLAN_LIMITS_H
#define LTTNG_MM_SESSION_PLAN_LIMITS_H

#include "lttng-session/recorder/retention-limits.h"
#include "lttng-session/recorder/plan.h"

/*
 * Reads the folder and the limits of the recorder @name, or of the recorder that has a session
 * @name. If the plan has neither, returns the default folder and no limits.
 */
void plan_get_limits(const struct plan *plan, const char *name, struct retention_limits *limits);
/* Like plan_get_limits(), but first reads the plan. Returns 0, or -1 with @err set. */
int plan_read_limits(const char *name, struct retention_limits *limits, struct mm_error *err);

/*
 * Sets those members of @limits that are given (a folder, and limits other than 0) for a recorder
 * in the plan. The other limits of the recorder do not change. Returns 0, or -1 with @err set.
 */
int plan_set_limits(struct plan *plan, const char *recorder, const struct retention_limits *limits,
		    struct mm_error *err);

#endif /* LTTNG_MM_SESSION_PLAN_LIMITS_H */
