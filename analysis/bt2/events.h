/* SPDX-License-Identifier: LGPL-2.1-only */
/* Turns libbabeltrace2's messages into events and losses, for our source and the plugin's sinks. */
#ifndef LTTNG_MM_BT2_EVENTS_H
#define LTTNG_MM_BT2_EVENTS_H

#include <babeltrace2/babeltrace.h>

#include "analysis/trace/source.h"

struct mm_bt2_events;

enum mm_bt2_status {
	MM_BT2_FAILED = -1, /* the error is set */
	MM_BT2_OK,
	MM_BT2_DONE, /* nothing after this is requested: past the source's end_ns */
};

/*
 * Events and losses go to @handler, counts, declared events and losses into @source, whose options
 * tell which time is requested. All of them outlive it. NULL when memory is short; destroy takes NULL.
 */
struct mm_bt2_events *mm_bt2_events_create(struct mm_source *source,
					   const struct mm_requests *requests,
					   const struct mm_handler *handler);
void mm_bt2_events_destroy(struct mm_bt2_events *events);

/*
 * Before the first event: the streams of state that @counted has read already, with the same
 * handler. Their events are not handed over again, and their losses are @counted's. It outlives the
 * object.
 */
enum mm_bt2_status mm_bt2_events_skip_state(struct mm_bt2_events *events,
					    const struct mm_source *counted, struct mm_error *err);

/* The next message, in the graph's order. The reference to it stays the caller's. */
enum mm_bt2_status mm_bt2_events_take(struct mm_bt2_events *events, const bt_message *message,
				      struct mm_error *err);

/* After the last message: a live trace may have declared events since its streams began. */
enum mm_bt2_status mm_bt2_events_finish(struct mm_bt2_events *events, struct mm_error *err);

/* The first stream's name, from source.ctf.fs a file's path; NULL: no stream, or it has none. */
const char *mm_bt2_events_stream_name(const struct mm_bt2_events *events);

/*
 * Calls @visit with the name of each stream that has come and has one, until it returns other than
 * 0.
 */
int mm_bt2_events_visit_streams(const struct mm_bt2_events *events,
				int (*visit)(void *user, const char *name), void *user);

/* Notes in @source the event classes of @class, from number @from on. 0, or -1: out of memory. */
int mm_bt2_class_declare(const bt_stream_class *class, uint64_t from, struct mm_source *source);

/* Is what streams of @class have for @requests nothing but state dumps? */
bool mm_bt2_class_is_state(const bt_stream_class *class, const struct mm_requests *requests);

/* Two of mm_source_ops, for sources whose events come from here. */
int mm_bt2_field_at(const struct mm_event *event, size_t index, const char **name,
		    struct mm_value *value);
int mm_bt2_field_text(const struct mm_event *event, const struct mm_value *value, char *dst,
		      size_t size);

#endif /* LTTNG_MM_BT2_EVENTS_H */
