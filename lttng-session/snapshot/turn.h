/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A recorder's budget includes memory for one copy of its buffers: where there is a budget, the
 * recorder's snapshots are in memory one after another.
 */
#ifndef LTTNG_MM_SESSION_SNAPSHOT_TURN_H
#define LTTNG_MM_SESSION_SNAPSHOT_TURN_H

#include <stdbool.h>

/* A snapshot that is being taken is waited for at least so long. */
#define TURN_MS 30000

/* Of errors. */
#define TURN_TAKEN "another snapshot of it is still in memory, and its budget has room for one"

/*
 * Takes the turn of the recorder, or of that with the session @recorder, for which it waits up to
 * @wait_ms. *@turn is a descriptor, which has the turn until it is closed, in all processes that
 * inherit it; -1: none is needed, or nobody else could take it either. Returns false if another
 * process has it.
 */
bool turn_take(const char *recorder, unsigned int wait_ms, int *turn);

#endif /* LTTNG_MM_SESSION_SNAPSHOT_TURN_H */
