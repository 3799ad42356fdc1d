/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Tracks the rescues that are being written, with locks in /run/lttng-mm: the rescue processes
 * outlive the supervisor, so waitpid() cannot wait for them.
 */
#ifndef LTTNG_MM_DAEMON_SUPERVISOR_RESCUES_H
#define LTTNG_MM_DAEMON_SUPERVISOR_RESCUES_H

#include <stdbool.h>

/* Marks a rescue as under way while the returned descriptor, or a copy, is open; -1: failed. */
int rescues_begin(void);

/*
 * Waits for the turns of other rescues, at most a minute, because a disk may hang. (Two rescues at
 * once could both count on the same free space.) The turn ends when the returned descriptor is
 * closed; -1: the wait has failed, and the rescue goes on without a turn.
 */
int rescues_take_turn(void);

/* Waits at most @limit_ms for all rescues. Returns false if some are still being written. */
bool rescues_await(unsigned int limit_ms);

#endif /* LTTNG_MM_DAEMON_SUPERVISOR_RESCUES_H */
