/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A snapshot with frozen buffers still needs the recorder's state sessions, until the state is
 * dumped and copied. Code that removes these sessions waits for the snapshot.
 */
#ifndef LTTNG_MM_SESSION_SNAPSHOT_STATES_LOCK_H
#define LTTNG_MM_SESSION_SNAPSHOT_STATES_LOCK_H

#include <stdbool.h>

/* Longer than the time limit for an unresponsive session daemon (ask.h). */
#define STATES_WAIT_MS 15000

/*
 * Locks the state sessions until all processes that inherit the returned descriptor have closed it.
 * Returns -1 if there is no plan: nobody removes sessions then.
 */
int states_lock(void);

/* Waits up to @ms until no snapshot needs state sessions. Returns false on timeout. */
bool states_await(unsigned int ms);

#endif /* LTTNG_MM_SESSION_SNAPSHOT_STATES_LOCK_H */
