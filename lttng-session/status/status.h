/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Measures the running recorders: rates, windows, losses and memory. Does not wait for a disk, nor
 * for the session daemon, except with a timeout in status_list().
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

/* Interval between the first two readings. */
#define STATUS_INTERVAL_MS 250

/* Stores the last reading, from which the next rates are computed. Zero-initialized. */
struct status_meter {
	bool has_before;
	struct positions before;
};

/*
 * Measures the recorders of @count sessions, as root. Waits for STATUS_INTERVAL_MS if there is no
 * earlier reading, or if it is less than half that time old. With @events, estimates event rates,
 * too. Returns an object of rates_json(), or NULL with @err set. If the buffers cannot be read,
 * err->message tells why, but err->code is 0.
 */
json_t *status_measure(struct status_meter *meter, const struct rates_session *sessions,
		       size_t count, bool events, struct mm_error *err);
void status_meter_release(struct status_meter *meter);

/*
 * Returns an array, to be released with free(), of the sessions in the plan, and of the sessions in
 * @list (@listed elements) that are not in the plan. Returns NULL when out of memory.
 */
struct rates_session *status_sessions(const struct plan *plan, const struct recorder_status *list,
				      size_t listed, size_t *count);

/*
 * Returns the average size of an event of a channel, or 0 if it is unknown. Ring buffers count
 * bytes, not events, so this decodes the start of one of the last packets. Requires root.
 */
double status_event_bytes(const struct positions *positions, unsigned int channel);

/* Measures the sessions in the plan like status_measure(). */
json_t *status_measure_plan(struct status_meter *meter, bool events, struct mm_error *err);

/*
 * Takes the first reading of the sessions in the plan early, to shorten the wait of
 * status_measure(). Ignores errors, which status_measure() reports.
 */
void status_meter_prime(struct status_meter *meter);

/* Measures windows and losses of the sessions in the plan, without rates and without waiting. */
json_t *status_windows(struct mm_error *err);

/*
 * Returns the memory, in bytes, of the recorder daemon's stage, which contains unfinished
 * snapshots; -1: it is not mounted.
 */
int64_t status_stage_bytes(void);

/*
 * Lists the recorders like recorder_list(), but waits at most @timeout_ms for the session daemon.
 * After a timeout, sets *@answers to false and returns the list of recorder_list_planned(); the
 * next call waits for the answer to the same request.
 */
int status_list(unsigned int timeout_ms, struct recorder_status **list, bool *answers,
		bool *other_boot, struct mm_error *err);

/*
 * Tracks "window_holds" of each recorder in @rates. Calls @changed if a value has changed since the
 * last call, or if the first value is false. @known is an object that stores the values.
 */
typedef void status_promise_changed(const char *recorder, bool holds, int64_t promised_ns,
				    int64_t window_ns);
void status_follow_promises(json_t *known, const json_t *rates, status_promise_changed *changed);

#endif /* LTTNG_MM_SESSION_STATUS_H */
