/* SPDX-License-Identifier: LGPL-2.1-only */
/* The streams that messages belong to: declared events, requests, clocks, and loss records. */
#ifndef LTTNG_MM_BT2_STREAMS_H
#define LTTNG_MM_BT2_STREAMS_H

#include "reader/bt2/events-private.h"

/* Returns a new stream, owned by @events, or NULL when out of memory. */
struct mm_bt2_stream *mm_bt2_stream_create(struct mm_bt2_events *events, const bt_stream *native);

/* Returns the stream that describes @native, or NULL when out of memory. */
static inline struct mm_bt2_stream *mm_bt2_stream_of(struct mm_bt2_events *events,
						     const bt_stream *native)
{
	struct mm_bt2_stream *stream = mm_bt2_table_find(&events->streams, native);

	return stream ? stream : mm_bt2_stream_create(events, native);
}

/*
 * Declares the event classes that were added to the class of @stream since the last call. Returns
 * 0, or -1 when out of memory.
 */
int mm_bt2_stream_declare(struct mm_bt2_events *events, const bt_stream *stream);

/* Finds a stream's missing packets by the name of its file. */
void mm_bt2_stream_find_missing(const struct mm_bt2_events *events, struct mm_bt2_stream *stream);

/* Sets stream->counted if the stream was read before this graph ran. */
void mm_bt2_stream_skip_counted(const struct mm_bt2_events *events, struct mm_bt2_stream *stream);

/* Returns the loss record of the stream @name, or NULL. */
struct mm_loss *mm_bt2_loss_find(const struct mm_bt2_events *events, const char *name);

/*
 * Processes the time @ns of a message. At the first message of a stream that is not a state stream,
 * converts times of day to timestamps. @stream: NULL if the message belongs to no stream.
 */
enum mm_bt2_status mm_bt2_note_time(struct mm_bt2_events *events,
				    const struct mm_bt2_stream *stream, int64_t ns,
				    struct mm_error *err);

/*
 * Declares in @source the event classes of @class, starting at index @from. Returns 0, or -1: out
 * of memory.
 */
int mm_bt2_class_declare(const bt_stream_class *class, uint64_t from, struct mm_source *source);

/* Are state dumps the only requested events in streams of @class? */
bool mm_bt2_class_is_state(const bt_stream_class *class, const struct mm_requests *requests);

#endif /* LTTNG_MM_BT2_STREAMS_H */
