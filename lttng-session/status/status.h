/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Measures the running recorders: rates, windows, losses and memory. Never waits for a disk. Waits
 * for the session daemon only in status_list(), with a timeout.
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

/* The last reading; the next rates are relative to it. Initialize with zeros. */
struct status_meter {
	bool has_before;
	struct positions before;
};

/*
 * Measures the recorders of @count sessions. Requires root. Waits for STATUS_INTERVAL_MS if there
 * is no earlier reading, or if it is less than half that old. @events: also estimates event rates.
 * Returns an object of rates_json(), or NULL with @err set. If the buffers cannot be read,
 * err->message has the reason, and err->code is 0.
 */
json_t *status_measure(struct status_meter *meter, const struct rates_session *sessions,
		       size_t count, bool events, struct mm_error *err);
void status_meter_release(struct status_meter *meter);

/*
 * Returns an array of the planned sessions. Also has sessions in @list (@listed elements) that are
 * not planned. Release with free(). Returns NULL when out of memory.
 */
struct rates_session *status_sessions(const struct plan *plan, const struct recorder_status *list,
				      size_t listed, size_t *count);

/*
 * Returns the average size of a channel's events, or 0 if unknown. Ring buffers count bytes, not
 * events, so this decodes the start of a recent packet. Requires root.
 */
double status_event_bytes(const struct positions *positions, unsigned int channel);

/* Measures the sessions in the plan like status_measure(). */
json_t *status_measure_plan(struct status_meter *meter, bool events, struct mm_error *err);

/*
 * Takes the first reading of the planned sessions early, to shorten the wait of status_measure().
 * Ignores errors: status_measure() reports them.
 */
void status_meter_prime(struct status_meter *meter);

/* Measures windows and losses of the planned sessions. Does not measure rates, so does not wait. */
json_t *status_windows(struct mm_error *err);

/*
 * Returns the memory used by the recorder daemon's stage, with its unfinished snapshots, in bytes;
 * -1: not mounted.
 */
int64_t status_stage_bytes(void);

/*
 * Lists the recorders like recorder_list(), but waits at most @timeout_ms for the session daemon.
 * After a timeout, sets *@answers to false and returns the list of recorder_list_planned(). The
 * next call then waits for the answer to this request.
 */
int status_list(unsigned int timeout_ms, struct recorder_status **list, bool *answers,
		bool *other_boot, struct mm_error *err);

/*
 * Tracks "window_holds" of each recorder in @rates. Calls @changed if a value has changed since the
 * last call, or if the first value is false. @known: an object to store the values in.
 */
typedef void status_promise_changed(const char *recorder, bool holds, int64_t promised_ns,
				    int64_t window_ns);
void status_follow_promises(json_t *known, const json_t *rates, status_promise_changed *changed);

#endif /* LTTNG_MM_SESSION_STATUS_H */
