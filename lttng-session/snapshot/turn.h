/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A recorder's budget has room for one copy of its buffers, so a recorder with a budget may have
 * only one snapshot in memory at a time. Only the process that has the recorder's turn may take a
 * snapshot.
 */
#ifndef LTTNG_MM_SESSION_SNAPSHOT_TURN_H
#define LTTNG_MM_SESSION_SNAPSHOT_TURN_H

#include <stdbool.h>

/*
 * `lttng-mm snapshot` and the recorder daemon wait at least this long for another snapshot's turn
 * to end before they give up. A rescue snapshot does not wait.
 */
#define TURN_MS 30000

/* Error message if another snapshot has the turn. */
#define TURN_TAKEN \
	"another snapshot of this recorder is still in memory, and the recorder's budget has room for only one"

/*
 * Takes the turn of the recorder @recorder, or of the recorder that has a session @recorder. Waits
 * up to @wait_ms. Sets *@turn to a descriptor: the turn lasts until all processes that inherit the
 * descriptor have closed it. Sets *@turn to -1 if the recorder needs no turn or locks are
 * unavailable. Returns false if another process has the turn.
 */
bool turn_take(const char *recorder, unsigned int wait_ms, int *turn);

#endif /* LTTNG_MM_SESSION_SNAPSHOT_TURN_H */
