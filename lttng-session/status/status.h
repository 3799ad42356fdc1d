/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Measures the running recorders: rates, windows, losses and memory. These functions never wait for
 * a disk. Only status_list() waits for the session daemon, with a timeout.
 */
#ifndef LTTNG_MM_SESSION_STATUS_H
#define LTTNG_MM_SESSION_STATUS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "lttng-session/recorder/plan.h"
#include "lttng-session/recorder/recorder.h"
#include "lttng-session/status/rates.h"
#include "util/error.h"

/* Rates are computed from two readings of the buffers, which are at least this far apart. */
#define STATUS_INTERVAL_MS 250

/* The previous reading, with which the next measurement computes rates. Zero-initialize it. */
struct status_meter {
	bool has_before;
	struct positions before;
};

/*
 * Measures the recorders of @count sessions. Requires root. The rates cover the time since the
 * reading in @meter. If that reading is missing, or less than half of STATUS_INTERVAL_MS old,
 * replaces it with a new one first. Waits until the reading in @meter is STATUS_INTERVAL_MS old,
 * then reads again. With @events, also estimates event rates. Returns an object of rates_json(), or
 * NULL with @err set. If the buffers cannot be read, err->code is 0, and err->message states the
 * reason.
 */
json_t *status_measure(struct status_meter *meter, const struct rates_session *sessions,
		       size_t count, bool events, struct mm_error *err);
void status_meter_release(struct status_meter *meter);

/*
 * Returns an array of the sessions in the plan, followed by the sessions of @list (@listed
 * elements) that are not in the plan. Release it with free(). Returns NULL when out of memory.
 */
struct rates_session *status_sessions(const struct plan *plan, const struct recorder_status *list,
				      size_t listed, size_t *count);

/*
 * Returns the average size of a channel's events in bytes, or 0 if it is unknown. Ring buffers
 * count bytes, but not events, so this function decodes the start of a recent packet. Requires
 * root.
 */
double status_event_bytes(const struct positions *positions, unsigned int channel);

/* Measures the sessions of the plan, like status_measure(). */
json_t *status_measure_plan(struct status_meter *meter, bool events, struct mm_error *err);

/*
 * Makes the first reading of the sessions of the plan early, so that status_measure() waits less.
 * Ignores errors, because status_measure() reports them.
 */
void status_meter_prime(struct status_meter *meter);

/* Measures windows and losses of the sessions of the plan, but no rates, so it does not wait. */
json_t *status_windows(struct mm_error *err);

/*
 * Returns how much memory the recorder daemon's stage uses for unfinished snapshots, in bytes, or
 * -1 if the stage is not mounted.
 */
int64_t status_stage_bytes(void);

/*
 * Lists the recorders like recorder_list(), but waits at most @timeout_ms for the session daemon.
 * After a timeout, sets *@answers to false and returns the list of recorder_list_planned(). The
 * request then continues in its thread, and the next call waits for its answer.
 */
int status_list(unsigned int timeout_ms, struct recorder_status **list, bool *answers,
		bool *other_boot, struct mm_error *err);

/*
 * Follows the values "window_holds" of the recorders in @rates. Calls @changed if a value has
 * changed since the last call, or if the first value of a recorder is false. @known is an object
 * that stores the values between calls.
 */
typedef void status_promise_changed(const char *recorder, bool holds, int64_t promised_ns,
				    int64_t window_ns);
void status_follow_promises(json_t *known, const json_t *rates, status_promise_changed *changed);

#endif /* LTTNG_MM_SESSION_STATUS_H */
