/* SPDX-License-Identifier: LGPL-2.1-only */
/* Rates, windows and losses of recorders, from the positions of their buffers: arithmetic only. */
#ifndef LTTNG_MM_SESSION_RATES_H
#define LTTNG_MM_SESSION_RATES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lttng-session/freeze/positions.h"

/* An LTTng session whose positions were requested. */
struct rates_session {
	char name[256];
	char recorder[256]; /* empty: not in the plan */
	/* of its channels, by their stream classes, separated by commas; empty: not known */
	char channels[256];
	bool state;	     /* for the state dump; otherwise for events */
	int64_t promised_ns; /* by `record --window`; 0: nothing was */
};

/* A buffer reaches as far back as anything does: its CPU has written nothing, nor lost anything. */
#define RATES_UNLIMITED INT64_MAX

/* Bytes per second between two positions, which may have wrapped around; 0 without an interval. */
uint64_t rates_bytes_per_s(uint64_t before, uint64_t after, uint64_t interval_ns);

/*
 * How far back from @clock a buffer reaches at least, at its present rate, in nanoseconds. It
 * reaches back least when it starts a packet in the place of the oldest one. The window is what it
 * was when the last packet was started, or, if that is more, the time since the start of the oldest
 * packet that the next one leaves. If the next one overwrites nothing, and none has, it reaches to
 * @started, the last start of its session (0: not known). It never reaches further than that. A
 * buffer that was cleared or that does not record reaches back 0.
 */
int64_t rates_window_ns(const struct lttng_mm_freeze_position *position, uint64_t started,
			uint64_t clock);

/*
 * What @after says of the recorders of @count sessions, and @before (NULL: there is none) of their
 * rates. @event_bytes: the bytes of an event, for each channel of @after, or 0 where that is not
 * known (NULL: nowhere). NULL: out of memory. Null in JSON: not known.
 *
 *   { "interval_ns": 250000000,
 *     "recorders": [ {
 *         "recorder": "lttng-mm",          null: not in the plan; then it has one session
 *         "bytes_per_s": N, "events_per_s": 1.5,
 *         "window_ns": N,                  how far back all buffers of events reach at least
 *         "window_promised_ns": N,         null: nothing was promised
 *         "window_holds": true,            null: nothing was promised
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
 * The greatest rate of a CPU, in bytes per second, of the first @channels channels, by their stream
 * classes, of each of the @count sessions. @rates has @count times @channels elements.
 */
void rates_greatest(const struct positions *before, const struct positions *after, uint64_t *rates,
		    size_t count, size_t channels);

#endif /* LTTNG_MM_SESSION_RATES_H */
