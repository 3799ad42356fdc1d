/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Starts and stops sessions as transactions: before a command creates or destroys a session, it
 * adds the session to the "unfinished" list of the plan (plan.h). If the command is killed, the
 * next command that locks the plan destroys these sessions, and no others:
 *
 *   record:  list A, create A, start A, list B, create B, start B, replace the plan (A and B)
 *   stop:    replace the plan (A and B moved to the list), destroy A, destroy B, empty the list
 *
 * The lock of the plan ends with the process that has it, so sessions that are listed while the
 * lock is free belong to a killed process. All functions require the lock, unless they say
 * otherwise.
 */
#ifndef LTTNG_MM_SESSION_RECORDER_TRANSACTION_H
#define LTTNG_MM_SESSION_RECORDER_TRANSACTION_H

#include <jansson.h>
#include <stdbool.h>

#include "lttng-session/recorder/plan.h"
#include "util/error.h"

struct lttng_session;

/* A transaction that starts sessions. */
struct transaction {
	json_t *file; /* the plan before the transaction, plus the unfinished sessions */
};

/* Begins a transaction; end it with transaction_end(). Returns 0, or -1 with @err set. */
int transaction_begin(struct transaction *transaction, const struct plan *plan,
		      struct mm_error *err);

/*
 * Creates and starts a session, which must not exist yet. Returns 0; or -1 with @err set, and
 * transaction_roll_back() destroys the sessions created so far.
 */
int transaction_start(struct transaction *transaction, const struct session_plan *session,
		      struct mm_error *err);

/*
 * Destroys the session if this transaction created it. The transaction continues without it. The
 * session stays in the list until the transaction ends.
 */
void transaction_abandon(struct transaction *transaction, const char *session);

/* Destroys the started sessions, and writes the previous plan. */
void transaction_roll_back(struct transaction *transaction);

/* Ends the transaction. The caller has written the plan with the new sessions, or rolled back. */
void transaction_end(struct transaction *transaction);

/*
 * Moves a session from the plan to its list of sessions to destroy. The caller writes the plan and
 * calls transaction_clear(). Returns 0, or -1 with @err set.
 */
int transaction_remove(struct plan *plan, const char *session, struct mm_error *err);

/*
 * Destroys the unfinished sessions, and writes the plan without them. Returns 0; or -1 with @err
 * set, and sessions that the session daemon did not destroy stay in the list.
 */
int transaction_clear(struct plan *plan, struct mm_error *err);

/*
 * Calls transaction_clear() on the plan's file if a command was killed. Does nothing while another
 * command holds the lock, or if the caller may not change the plan. The caller must not hold the
 * lock.
 */
void transaction_settle(void);

/* Is the daemon's session listed as unfinished? Needs no lock. */
bool transaction_has(const struct plan *plan, const struct lttng_session *session);

#endif /* LTTNG_MM_SESSION_RECORDER_TRANSACTION_H */
