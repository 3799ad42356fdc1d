/* SPDX-License-Identifier: LGPL-2.1-only */
/* Rescues under way, which processes of their own write, by locks in /run/lttng-mm. */
#ifndef LTTNG_MM_DAEMON_SUPERVISOR_RESCUES_H
#define LTTNG_MM_DAEMON_SUPERVISOR_RESCUES_H

#include <stdbool.h>

/* A rescue is under way while the returned descriptor, or a copy of it, is open; -1: not known. */
int rescues_begin(void);

/*
 * Waits until no other rescue is being written, for a minute at most: a disk may hang. One checks
 * the free space, and then uses it. The rescue's turn ends when the descriptor is closed; -1: none.
 */
int rescues_take_turn(void);

/* Waits for those under way, for @limit_ms at most. Returns false if some still are. */
bool rescues_await(unsigned int limit_ms);

#endif /* LTTNG_MM_DAEMON_SUPERVISOR_RESCUES_H */
