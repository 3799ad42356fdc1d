/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A recorder's budget includes one copy of its buffers. So only one snapshot of a recorder with a
 * budget may be in memory at a time.
 */
#ifndef LTTNG_MM_SESSION_SNAPSHOT_TURN_H
#define LTTNG_MM_SESSION_SNAPSHOT_TURN_H

#include <stdbool.h>

/* Minimum time to wait for a snapshot in progress. */
#define TURN_MS 30000

/* Error message if another snapshot has the turn. */
#define TURN_TAKEN \
	"another snapshot of this recorder is still in memory, and the recorder's budget has room for only one"

/*
 * Takes the turn of the recorder @recorder (or of the recorder with the session @recorder). Waits
 * up to @wait_ms. *@turn is a descriptor: the turn lasts until all processes that inherit it have
 * closed it. It is -1 if no turn is needed or locks are unavailable. Returns false if another
 * process has the turn.
 */
bool turn_take(const char *recorder, unsigned int wait_ms, int *turn);

#endif /* LTTNG_MM_SESSION_SNAPSHOT_TURN_H */
