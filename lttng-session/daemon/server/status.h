/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The recorder daemon's part of `status`. A child process per request measures rates. The daemon
 * checks every ten seconds whether the buffers still cover the promised windows. Nothing here
 * blocks.
 */
#ifndef LTTNG_MM_DAEMON_SERVER_STATUS_H
#define LTTNG_MM_DAEMON_SERVER_STATUS_H

#include <jansson.h>
#include <systemd/sd-event.h>

struct serve_status;

/* Returns NULL if out of memory. */
struct serve_status *serve_status_create(sd_event *event);
/* Accepts NULL. */
void serve_status_destroy(struct serve_status *status);

/*
 * Starts a child process that measures rates and adds them to a copy of @base as "rates". It sends
 * the result to @socket. The caller may close its own descriptor. Returns 0. If no process was
 * started, returns -1, and the caller answers without rates.
 */
int serve_status_answer(struct serve_status *status, int socket, const json_t *base);

/*
 * Adds @rates to @answer and releases @rates. If the message becomes too long, removes the rates
 * per CPU, or even all channels. "left_out" names the removed part.
 */
void serve_status_add_rates(json_t *answer, json_t *rates);

#endif /* LTTNG_MM_DAEMON_SERVER_STATUS_H */
