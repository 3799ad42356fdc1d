/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The snapshots that the recorder daemon is to take. Requests that arrive while another snapshot is
 * being taken share the next one, if they are for the same folder and by the same user.
 */
#ifndef LTTNG_MM_SESSION_JOBS_H
#define LTTNG_MM_SESSION_JOBS_H

#include <jansson.h>
#include <stdbool.h>
#include <systemd/sd-event.h>

#include "lttng-session/serve/requester.h"
#include "util/error.h"

struct jobs;

/*
 * Gets an answer to a request: {"path": …} or {"error": …}. @client is what was given to jobs_add().
 * Called once per request.
 */
typedef void jobs_answer(void *client, const json_t *answer);

/* @stage: a folder in memory. Returns NULL if out of memory. */
struct jobs *jobs_create(sd_event *event, const char *stage, jobs_answer *answer);
/* Ends the processes that write snapshots. */
void jobs_destroy(struct jobs *jobs);

/*
 * Takes a snapshot for @client. Keeps @request and takes over the descriptor @output, in any case.
 * Returns 0, or -1 with @err set: there will be no answer.
 */
int jobs_add(struct jobs *jobs, void *client, const struct requester *requester, json_t *request,
	     int output, struct mm_error *err);
/* @client no longer waits. */
void jobs_forget(struct jobs *jobs, void *client);

/* Are snapshots being taken or written, or waiting for that? */
bool jobs_busy(const struct jobs *jobs);
/* Accepts no more requests; the ones that wait are answered. */
void jobs_finish(struct jobs *jobs);

/* The snapshots in progress and the last ones, as an array; a new reference. */
json_t *jobs_list(const struct jobs *jobs);

#endif /* LTTNG_MM_SESSION_JOBS_H */
