/* SPDX-License-Identifier: LGPL-2.1-only */
/* Restores sessions of the plan that other programs have destroyed, stopped or changed. */
#ifndef LTTNG_MM_SESSION_RESTORE_H
#define LTTNG_MM_SESSION_RESTORE_H

#include "lttng-session/recorder/plan.h"
#include "lttng-session/recorder/transaction.h"
#include "util/error.h"

/*
 * Creates the session @name again from the plan, which must be locked, and updates its creation
 * time in the plan. The caller then writes the plan, or rolls the transaction back. Returns 0, or
 * -1 with @err set.
 */
int restore_session(struct plan *plan, struct transaction *transaction, const char *name,
		    struct mm_error *err);

/* Starts a stopped session again. Returns 0, or -1 with @err set. */
int restore_start(const char *name, struct mm_error *err);

/*
 * Enables everything that the session should record according to the plan. Returns 0, or -1 with
 * @err set.
 */
int restore_events(const struct plan_session *session, struct mm_error *err);
/* Is everything enabled that the session should record? True if it is not known. */
bool restore_is_complete(const struct plan_session *session);

#endif /* LTTNG_MM_SESSION_RESTORE_H */
