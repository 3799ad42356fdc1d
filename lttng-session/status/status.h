/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What the recorders do now: rates, windows, losses and memory. Nothing here waits for the session
 * daemon, which may hang, or for a disk.
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

/* Between the two readings that a rate is made of, if there was none before. */
#define STATUS_INTERVAL_MS 250

/* Keeps a reading, so that the next rates are those since then. All zeros at first. */
struct status_meter {
	bool has_before;
	struct positions before;
};

/*
 * Measures the recorders of @count sessions; the first time, and after less than half of
 * STATUS_INTERVAL_MS, it waits for an interval. @events: estimates the numbers of events, too.
 * Returns what rates_json() does, or NULL with @err set; err->code is 0 if the buffers cannot be
 * read, and err->message says why. Requires root.
 */
json_t *status_measure(struct status_meter *meter, const struct rates_session *sessions,
		       size_t count, bool events, struct mm_error *err);
void status_meter_release(struct status_meter *meter);

/*
 * The sessions of the plan, and those of @list (@listed of them) that are not in it, in a new array
 * that the caller frees with free(). NULL: out of memory.
 */
struct rates_session *status_sessions(const struct plan *plan, const struct recorder_status *list,
				      size_t listed, size_t *count);

/*
 * Returns the average number of bytes of an event of a channel, measured at the start of one of the
 * last packets of the channel, or 0 if it is not known: ring buffers count bytes, not events.
 * Requires root.
 */
double status_event_bytes(const struct positions *positions, unsigned int channel);

/* Measures the sessions of the plan. Fails as status_measure(). */
json_t *status_measure_plan(struct status_meter *meter, bool events, struct mm_error *err);

/*
 * Takes the first reading of the sessions of the plan, so that status_measure() need not wait as
 * long for the second one. What cannot be read is left to that.
 */
void status_meter_prime(struct status_meter *meter);

/* As status_measure_plan() without rates, in one reading; it does not wait. */
json_t *status_windows(struct mm_error *err);

/*
 * Bytes of memory of the recorder daemon's stage, in which snapshots are assembled; -1: it is not
 * mounted.
 */
int64_t status_stage_bytes(void);

/*
 * Lists the recorders as recorder_list(), but waits at most @timeout_ms for the session daemon. If
 * it does not answer by then, *@answers becomes false, and the list is that of
 * recorder_list_planned(). A call that follows waits for the answer to the same request.
 */
int status_list(unsigned int timeout_ms, struct recorder_status **list, bool *answers,
		bool *other_boot, struct mm_error *err);

/*
 * Compares "window_holds" of each recorder in @rates with what @known (an object, which is updated)
 * says, and calls @changed for each that has changed, or that does not hold at first.
 */
typedef void status_promise_changed(const char *recorder, bool holds, int64_t promised_ns,
				    int64_t window_ns);
void status_follow_promises(json_t *known, const json_t *rates, status_promise_changed *changed);

#endif /* LTTNG_MM_SESSION_STATUS_H */
