/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Requests about triggers to the recorder daemon, and their answers:
 *
 *   { "request": "trigger-add", "trigger": { ... } }     trigger_to_json(); the user is the
 *                                                        requester; the answer is {}
 *   { "request": "trigger-list", "after": "NAME" }       the triggers after NAME, sorted by name:
 *       { "triggers": [ ... ], "next": "NAME" }          engine_list(); "next" if more follow
 *   { "request": "trigger-remove", "name": "NAME" }      {}
 *   { "request": "trigger-test", "name": "NAME" }        engine_test()
 */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_ENGINE_REQUESTS_H
#define LTTNG_MM_DAEMON_TRIGGERS_ENGINE_REQUESTS_H

#include "lttng-session/daemon/triggers/engine.h"

struct engine_requests;

/* Creates the server of requests. Calls @answer once per request. Returns NULL if out of memory. */
struct engine_requests *engine_requests_create(sd_event *event, struct engine *engine,
					       client_answer *answer);
void engine_requests_destroy(struct engine_requests *requests);

/* Loads the stored triggers, then the profiles' triggers. Logs each trigger that is refused. */
void engine_requests_load(struct engine_requests *requests);

/*
 * Serves a request. Child processes check and store triggers, because that may block. Returns 0 if
 * the request is answered, now or later, 1 if the request is not about triggers, or -1 with @err
 * set on failure.
 */
int engine_requests_serve(struct engine_requests *requests, void *client,
			  const struct requester *requester, const json_t *request,
			  struct mm_error *err);
/* Forgets @client, which no longer waits. The client's requests are still carried out. */
void engine_requests_forget(struct engine_requests *requests, void *client);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_ENGINE_REQUESTS_H */
