/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A snapshot with frozen buffers still needs the recorder's state sessions until it has dumped and
 * copied the state. A command that removes these sessions waits until then.
 */
#ifndef LTTNG_MM_SESSION_SNAPSHOT_STATES_LOCK_H
#define LTTNG_MM_SESSION_SNAPSHOT_STATES_LOCK_H

#include <stdbool.h>

/* Time to wait. It exceeds the time limit for a session daemon that does not respond (ask.h). */
#define STATES_WAIT_MS 15000

/*
 * Locks the state sessions until all processes that inherit the returned descriptor have closed it.
 * Returns -1 without a lock if there is no plan, because no command removes sessions then.
 */
int states_lock(void);

/* Waits up to @ms until no snapshot needs the state sessions. Returns false on timeout. */
bool states_await(unsigned int ms);

#endif /* LTTNG_MM_SESSION_SNAPSHOT_STATES_LOCK_H */
