/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Starts and stops sessions as transactions. Before a command creates or destroys a session, it
 * adds the session to the list "unfinished" of the plan (plan.h). If the command is killed, the
 * next command that locks the plan destroys the listed sessions, and no others:
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
	json_t *file; /* the plan's file before the transaction, plus the unfinished sessions */
};

/* Begins a transaction. Call transaction_end() afterwards. Returns 0, or -1 with @err set. */
int transaction_begin(struct transaction *transaction, const struct plan *plan,
		      struct mm_error *err);

/*
 * Creates and starts a session, which must not exist yet. Returns 0, or -1 with @err set. After -1,
 * call transaction_roll_back() to destroy all sessions of the transaction.
 */
int transaction_start(struct transaction *transaction, const struct session_plan *session,
		      struct mm_error *err);

/*
 * Destroys the session if this transaction created it. The transaction can continue. The session
 * stays in the list of unfinished sessions until the transaction ends.
 */
void transaction_abandon(struct transaction *transaction, const char *session);

/* Destroys the sessions that the transaction has started, and writes the plan as it was before. */
void transaction_roll_back(struct transaction *transaction);

/*
 * Ends the transaction. The caller must first write the plan with the new sessions, or roll back.
 */
void transaction_end(struct transaction *transaction);

/*
 * Moves a session of the plan to the list of sessions to destroy. Afterwards, the caller writes the
 * plan and calls transaction_clear(). Returns 0, or -1 with @err set.
 */
int transaction_remove(struct plan *plan, const char *session, struct mm_error *err);

/*
 * Destroys the unfinished sessions, and writes the plan without them. Returns 0, or -1 with @err
 * set. Sessions that the session daemon could not destroy stay in the list.
 */
int transaction_clear(struct plan *plan, struct mm_error *err);

/*
 * Reads the plan and calls transaction_clear() if a killed command has left unfinished sessions.
 * Does nothing while another command has the lock, or if the caller may not change the plan. The
 * caller must not have the lock.
 */
void transaction_settle(void);

/* Is @session, a session of the session daemon, listed as unfinished? Does not require the lock. */
bool transaction_has(const struct plan *plan, const struct lttng_session *session);

#endif /* LTTNG_MM_SESSION_RECORDER_TRANSACTION_H */
