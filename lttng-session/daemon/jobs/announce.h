/* SPDX-License-Identifier: LGPL-2.1-only */
/* Writes the results of snapshots to the journal. */
#ifndef LTTNG_MM_DAEMON_JOBS_ANNOUNCE_H
#define LTTNG_MM_DAEMON_JOBS_ANNOUNCE_H

#include <jansson.h>

/*
 * Writes a journal entry for a snapshot that was written or failed. If its certificate states that
 * data is missing, writes a second entry. request.h describes @request and @result. If the snapshot
 * was triggered, the "cause" in @request names the trigger.
 */
void announce_snapshot(const json_t *request, const json_t *result);

#endif /* LTTNG_MM_DAEMON_JOBS_ANNOUNCE_H */
