/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Computes rates, windows and losses of recorders from the positions of their buffers
 * (lttng-session/freeze/positions.h). The window of a buffer is the time that it reaches back.
 */
#ifndef LTTNG_MM_SESSION_RATES_H
#define LTTNG_MM_SESSION_RATES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lttng-session/freeze/positions.h"

/* A session whose buffers are measured. */
struct rates_session {
	char name[256];
	char recorder[256]; /* name of the recorder; empty: the session is not in the plan */
	/*
	 * names of its channels in the order of stream classes, separated by commas; may be empty
	 */
	char channels[256];
	bool state;	     /* the session records state dumps, not events */
	int64_t promised_ns; /* the window that `record --window` promised; 0: none */
};

/* Window of a buffer that is empty and has lost nothing. */
#define RATES_UNLIMITED INT64_MAX

/*
 * Returns the rate in bytes per second between two positions. The positions may wrap. Returns 0 if
 * the interval is 0.
 */
uint64_t rates_bytes_per_s(uint64_t before, uint64_t after, uint64_t interval_ns);

/*
 * Returns the window of a buffer in nanoseconds: the time before @clock that the buffer certainly
 * covers. The window is shortest when a new packet has just overwritten the oldest packet. The
 * result is the greater of
 *
 * - the window at the start of the current packet, and
 * - the window that would remain if the next packet started now.
 *
 * A buffer that has not overwritten anything yet reaches back to @started, the last start of its
 * session (0: unknown). No buffer reaches back beyond that time. The window of a stopped buffer is
 * 0.
 */
int64_t rates_window_ns(const struct lttng_mm_freeze_position *position, uint64_t started,
			uint64_t clock);

/*
 * Returns the following object for the recorders of @count sessions. Computes windows and losses
 * from @after, and rates from the difference to @before (NULL: no rates). @event_bytes (may be
 * NULL) has the average size of an event for each channel of @after; 0: unknown. Returns NULL when
 * out of memory. A null in JSON means unknown.
 *
 *   { "interval_ns": 250000000,
 *     "recorders": [ {
 *         "recorder": "lttng-mm",          null: a single session, not in the plan
 *         "bytes_per_s": N, "events_per_s": 1.5,
 *         "window_ns": N,                  shortest window of all buffers of events
 *         "window_promised_ns": N,         null: no promise
 *         "window_holds": true,            null: no promise
 *         "discarded_events": N, "overwritten_packets": N, "ring_bytes": N,
 *         "channels": [ {
 *             "session": "lttng-mm-slab", "role": "events", "channel": "lttng-mm",
 *             "recording": true, "bytes_per_s": N, "events_per_s": 1.5, "events_estimated": true,
 *             "window_ns": N, "discarded_events": N, "overwritten_packets": N, "ring_bytes": N,
 *             "cpus": [ {
 *                 "cpu": 0, "online": true, "written_bytes": N, "bytes_per_s": N,
 *                 "window_ns": N, "discarded_events": N, "overwritten_packets": N } ] } ] } ] }
 */
json_t *rates_json(const struct rates_session *sessions, size_t count,
		   const struct positions *before, const struct positions *after,
		   const double *event_bytes);

/*
 * Computes for each channel the rate of the CPU with the highest rate, in bytes per second. The
 * rate of session S and stream class C is rates[S * @channels + C], with S < @count and C <
 * @channels.
 */
void rates_greatest(const struct positions *before, const struct positions *after, uint64_t *rates,
		    size_t count, size_t channels);

#endif /* LTTNG_MM_SESSION_RATES_H */
