/* SPDX-License-Identifier: LGPL-2.1-only */
/* Restores sessions of the plan that other programs have destroyed, stopped or changed. */
#ifndef LTTNG_MM_SESSION_RESTORE_H
#define LTTNG_MM_SESSION_RESTORE_H

#include "lttng-session/recorder/plan.h"
#include "lttng-session/recorder/transaction.h"
#include "util/error.h"

/*
 * Creates the session @name again, as the plan describes it, and updates its creation time in
 * @plan. The plan must be locked. Afterwards, the caller writes the plan or rolls the transaction
 * back. Returns 0, or -1 with @err set.
 */
int restore_session(struct plan *plan, struct transaction *transaction, const char *name,
		    struct mm_error *err);

/* Starts a stopped session again. Returns 0, or -1 with @err set. */
int restore_start(const char *name, struct mm_error *err);

/*
 * Enables all channels and events of the session in the plan, and sets its trackers. Returns 0, or
 * -1 with @err set.
 */
int restore_events(const struct plan_session *session, struct mm_error *err);
/*
 * Are all channels and events of the session in the plan enabled? Returns true if that is unknown.
 */
bool restore_is_complete(const struct plan_session *session);

#endif /* LTTNG_MM_SESSION_RESTORE_H */
