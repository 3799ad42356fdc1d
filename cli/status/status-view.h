/* SPDX-License-Identifier: LGPL-2.1-only */
/* What `lttng-mm status` shows, and its three forms. */
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
	bool answers;	       /* the session daemon does */
	json_t *rates;	       /* rates_json(); NULL: not known, */
	char rates_why[1024];  /* ... and why */
	json_t *daemon;	       /* the answer of the recorder daemon; NULL: none, */
	char daemon_why[1024]; /* ... and why; empty: it does not run */
	json_t *stopped;       /* fn_stopped(); NULL: not known */
	int64_t stage_bytes;   /* -1: there is no stage */
};

const char *status_state_name(const struct recorder_status *status);
/* Is @state a state session of the recorder of @ring? Of others, nobody knows which is whose. */
bool status_is_state_of(const struct recorder_status *state, const struct recorder_status *ring);
/* Of the buffers of a session on all CPUs that the machine can have. */
uint64_t status_memory(const struct recorder_status *status);

/* An object with everything; a new reference. */
json_t *status_view_json(const struct status_view *view);
/*
 * Prints the sentence "summary" of @json, which status_view_json() has returned, and what is not as
 * it normally is; @all: everything.
 */
void status_view_text(FILE *out, const struct status_view *view, const json_t *json, bool all);
/* The text format of OpenMetrics 1.0, for what status_view_json() has returned. */
void status_view_openmetrics(FILE *out, const json_t *json);

#endif /* LTTNG_MM_CLI_STATUS_STATUS_VIEW_H */
