/* SPDX-License-Identifier: LGPL-2.1-only */
/* Announces in the journal what became of the requests to the recorder daemon. */
#ifndef LTTNG_MM_DAEMON_JOBS_ANNOUNCE_H
#define LTTNG_MM_DAEMON_JOBS_ANNOUNCE_H

#include <jansson.h>

/*
 * Announces a snapshot that was written, and in a second line what its certificate says is missing;
 * or why it could not be taken. @request and @result are as in request.h; a trigger is named by the
 * member "trigger" of the request's "cause".
 */
void announce_snapshot(const json_t *request, const json_t *result);

#endif /* LTTNG_MM_DAEMON_JOBS_ANNOUNCE_H */
