/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The recorder daemon's part of `status`: rates, measured by a process of its own for each request,
 * and promised windows, which are checked continuously. Nothing here blocks.
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
 * Measures, adds "rates" to a copy of @base, and sends it through @socket, all in another process;
 * the caller may close its socket. Returns 0, or -1: not started; the caller answers without rates.
 */
int serve_status_answer(struct serve_status *status, int socket, const json_t *base);

/*
 * Adds @rates to @answer, as far as a message has room: without single CPUs, or without channels
 * ("left_out" of @rates says so). Releases @rates.
 */
void serve_status_add_rates(json_t *answer, json_t *rates);

#endif /* LTTNG_MM_DAEMON_SERVER_STATUS_H */
