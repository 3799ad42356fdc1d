/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The recorder daemon's part of `lttng-mm status`. A child process per request measures rates.
 * Every ten seconds, the daemon checks whether the buffers still reach back as far as `record
 * --window` promised. Nothing here blocks.
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
 * Starts a child process that measures rates, adds them to a copy of @base as "rates", and sends
 * the result to @socket. The caller may close its descriptor of @socket afterwards. Returns 0, or
 * -1 if no process was started. After -1, the caller must answer without rates.
 */
int serve_status_answer(struct serve_status *status, int socket, const json_t *base);

/*
 * Adds @rates to @answer and releases @rates. If the message becomes too long, removes the rates of
 * single CPUs, or even all channels. "left_out" in "rates" then names the removed part. If the
 * message is still too long, removes "rates" from it.
 */
void serve_status_add_rates(json_t *answer, json_t *rates);

#endif /* LTTNG_MM_DAEMON_SERVER_STATUS_H */
