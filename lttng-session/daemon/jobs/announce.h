/* SPDX-License-Identifier: LGPL-2.1-only */
/* Writes the results of snapshots to the journal. */
#ifndef LTTNG_MM_DAEMON_JOBS_ANNOUNCE_H
#define LTTNG_MM_DAEMON_JOBS_ANNOUNCE_H

#include <jansson.h>

/*
 * Writes an entry for a snapshot that was written or has failed, and a second entry if the
 * snapshot's certificate says that data is missing. request.h describes @request and @result; the
 * "cause" of @request may name a trigger.
 */
void announce_snapshot(const json_t *request, const json_t *result);

#endif /* LTTNG_MM_DAEMON_JOBS_ANNOUNCE_H */
