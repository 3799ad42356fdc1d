/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Tracks unfinished rescues (held-buffers.h) with locks in /run/lttng-mm. Rescue processes outlive
 * the supervisor, so waitpid() cannot wait for them.
 */
#ifndef LTTNG_MM_DAEMON_SUPERVISOR_RESCUES_H
#define LTTNG_MM_DAEMON_SUPERVISOR_RESCUES_H

#include <stdbool.h>

/*
 * Marks a rescue as unfinished until the returned descriptor and all its copies are closed. Returns
 * -1 on failure.
 */
int rescues_begin(void);

/*
 * Waits for the turn of this rescue, so that two rescues cannot both count on the same free space.
 * Waits at most a minute, because the disk of another rescue may hang. The turn ends when the
 * returned descriptor is closed. Returns -1 on failure; the rescue then continues without a turn.
 */
int rescues_take_turn(void);

/* Waits up to @limit_ms for all rescues. Returns false if a rescue is still unfinished. */
bool rescues_await(unsigned int limit_ms);

#endif /* LTTNG_MM_DAEMON_SUPERVISOR_RESCUES_H */
