/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The data that `lttng-mm status` shows, and its three forms:
 *
 *   cmd-status.c -> struct status_view -> status-json.c -> status-openmetrics.c
 *                                      -> status-text.c    (and the sentence "summary" of the JSON)
 */
#ifndef LTTNG_MM_CLI_STATUS_STATUS_VIEW_H
#define LTTNG_MM_CLI_STATUS_STATUS_VIEW_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lttng-session/recorder/recorder.h"
#include "lttng-session/status/status.h"

struct status_view {
	struct recorder_status *list;
	int count;
	bool answers;	       /* the session daemon responds */
	json_t *rates;	       /* rates_json(); NULL: unknown */
	char rates_why[1024];  /* why @rates is NULL */
	json_t *daemon;	       /* the recorder daemon's answer; NULL: no answer */
	char daemon_why[1024]; /* why there is no answer; empty: the daemon is not running */
	json_t *stopped;       /* fn_stopped(); NULL: unknown */
	/* memory that unfinished snapshots use (status_stage_bytes()); -1: unknown */
	int64_t stage_bytes;
};

const char *status_state_name(const struct recorder_status *status);
/*
 * Is @state the state session of the recorder to which the session @ring belongs? Returns false for
 * sessions outside the plan.
 */
bool status_is_state_of(const struct recorder_status *state, const struct recorder_status *ring);
/* Returns the size of the session's buffers in bytes, for all possible CPUs. */
uint64_t status_memory(const struct recorder_status *status);

/* Returns the status as JSON. The caller releases it. */
json_t *status_view_json(const struct status_view *view);
/*
 * Prints the sentence "summary" of @json, the result of status_view_json(). Then prints problems
 * or, with @all, the whole status.
 */
void status_view_text(FILE *out, const struct status_view *view, const json_t *json, bool all);
/* Prints @json, the result of status_view_json(), in the text format of OpenMetrics 1.0. */
void status_view_openmetrics(FILE *out, const json_t *json);

#endif /* LTTNG_MM_CLI_STATUS_STATUS_VIEW_H */
