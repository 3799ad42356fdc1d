/* SPDX-License-Identifier: LGPL-2.1-only */
/* Starts sessions of the plan again that others have destroyed, stopped or changed. */
#ifndef LTTNG_MM_SESSION_RESTORE_H
#define LTTNG_MM_SESSION_RESTORE_H

#include "lttng-session/recorder/plan.h"
#include "lttng-session/recorder/transaction.h"
#include "util/error.h"

/*
 * Creates the session @name anew, as the plan describes it, and notes its creation time in the
 * plan, which must be locked. The caller writes the file, or rolls the transaction back. Returns 0,
 * or -1 with @err set.
 */
int restore_session(struct plan *plan, struct transaction *transaction, const char *name,
		    struct mm_error *err);

/* Starts the session again. Returns 0, or -1 with @err set. */
int restore_start(const char *name, struct mm_error *err);

/*
 * Enables what the plan says that the session records. Returns 0, or -1 with @err set.
 */
int restore_events(const struct plan_session *session, struct mm_error *err);
/* Is all of that enabled? True also if it is not known. */
bool restore_is_complete(const struct plan_session *session);

#endif /* LTTNG_MM_SESSION_RESTORE_H */
