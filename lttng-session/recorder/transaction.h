/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Starting and stopping sessions as transactions: before a command creates or destroys a session,
 * it notes the session in the plan, as "unfinished" (plan.h). If the command is killed, whoever
 * locks the plan next destroys the noted sessions, and no others:
 *
 *   record:  note A, create A, start A, note B, create B, start B, replace the plan (A and B)
 *   stop:    replace the plan (without A and B, which are noted), destroy A, destroy B, forget both
 *
 * The lock of the plan ends with its process, so sessions that are noted while the lock is free
 * belong to a process that was killed. All functions require the lock, unless they say otherwise.
 */
#ifndef LTTNG_MM_SESSION_RECORDER_TRANSACTION_H
#define LTTNG_MM_SESSION_RECORDER_TRANSACTION_H

#include <jansson.h>
#include <stdbool.h>

#include "lttng-session/recorder/plan.h"
#include "util/error.h"

struct lttng_session;

/* One start of sessions. */
struct transaction {
	json_t *file; /* the plan as it was before, with the sessions that are noted */
};

/* Returns 0, or -1 with @err set. It ends with transaction_end(). */
int transaction_begin(struct transaction *transaction, const struct plan *plan,
		      struct mm_error *err);

/*
 * Creates and starts a session, which must not exist. Returns 0, or -1 with @err set;
 * transaction_roll_back() then removes the sessions that were created.
 */
int transaction_start(struct transaction *transaction, const struct session_plan *session,
		      struct mm_error *err);

/*
 * Destroys the session if it was created in this transaction, which goes on without it. It remains
 * noted until the transaction ends.
 */
void transaction_abandon(struct transaction *transaction, const char *session);

/* Destroys the sessions that were started, and writes the plan as it was before. */
void transaction_roll_back(struct transaction *transaction);

/* The caller has written the plan with the new sessions, or has rolled back. */
void transaction_end(struct transaction *transaction);

/*
 * Moves a session from the plan to those that are to be destroyed. The caller writes the plan, and
 * then calls transaction_clear(). Returns 0, or -1 with @err set.
 */
int transaction_remove(struct plan *plan, const char *session, struct mm_error *err);

/*
 * Destroys what is noted in the plan, and writes the plan without it. Returns 0, or -1 with @err
 * set: what the session daemon did not destroy remains noted.
 */
int transaction_clear(struct plan *plan, struct mm_error *err);

/*
 * The same if a command was killed, in the file. Does nothing while another command has the lock,
 * or if the caller may not change the plan. The caller must not have the lock.
 */
void transaction_settle(void);

/* Is the session of the daemon one that is noted? Does not require the lock. */
bool transaction_has(const struct plan *plan, const struct lttng_session *session);

#endif /* LTTNG_MM_SESSION_RECORDER_TRANSACTION_H */
