/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A snapshot whose buffers are frozen still needs the recorder's state sessions, until the state
 * has been dumped and is in memory: whoever removes these sessions waits for that.
 */
#ifndef LTTNG_MM_SESSION_SNAPSHOT_STATES_LOCK_H
#define LTTNG_MM_SESSION_SNAPSHOT_STATES_LOCK_H

#include <stdbool.h>

/* Longer than the wait for a session daemon that does not answer (ask.h). */
#define STATES_WAIT_MS 15000

/*
 * Says that the state sessions are needed, until the descriptor that is returned is closed, in all
 * processes that inherit it. -1: nobody can be told, as where there is no plan.
 */
int states_lock(void);

/* Waits up to @ms until no snapshot needs state sessions any more. Returns false if one does. */
bool states_await(unsigned int ms);

#endif /* LTTNG_MM_SESSION_SNAPSHOT_STATES_LOCK_H */
