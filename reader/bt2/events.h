/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Converts libbabeltrace2's messages to events and losses, for the source and the plugin's sinks.
 */
#ifndef LTTNG_MM_BT2_EVENTS_H
#define LTTNG_MM_BT2_EVENTS_H

#include <babeltrace2/babeltrace.h>

#include "reader/bt2/status.h"
#include "reader/events/source.h"

struct mm_bt2_events;

/*
 * Creates a converter that passes events and losses to @handler, and stores counts, declared events
 * and losses in @source. The options of @source hold the requested time range. All arguments must
 * outlive the converter. Returns NULL when out of memory; destroy accepts NULL.
 */
struct mm_bt2_events *mm_bt2_events_create(struct mm_source *source,
					   const struct mm_requests *requests,
					   const struct mm_handler *handler);
void mm_bt2_events_destroy(struct mm_bt2_events *events);

/*
 * Skips the state streams (streams with only state dumps) that @counted has already read. Their
 * events are not delivered again, and their losses are copied from @counted. Call this before the
 * first event. @counted must outlive the object.
 */
enum mm_bt2_status mm_bt2_events_skip_state(struct mm_bt2_events *events,
					    const struct mm_source *counted, struct mm_error *err);

/* Processes the next message, in the graph's order. The caller keeps its reference to @message. */
enum mm_bt2_status mm_bt2_events_take(struct mm_bt2_events *events, const bt_message *message,
				      struct mm_error *err);

/*
 * Declares event classes that a live trace has added since its streams started. Call this after the
 * last message.
 */
enum mm_bt2_status mm_bt2_events_finish(struct mm_bt2_events *events, struct mm_error *err);

/*
 * Reports the pauses after the last event. Call this after the end of all graphs; no message may
 * follow.
 */
enum mm_bt2_status mm_bt2_events_end(struct mm_bt2_events *events, struct mm_error *err);

/*
 * Returns the first stream's name, which source.ctf.fs sets to the file's path. Returns NULL if
 * there is no stream or it has no name.
 */
const char *mm_bt2_events_stream_name(const struct mm_bt2_events *events);

/*
 * Calls @visit with the name of each named stream that has arrived. Stops when @visit returns a
 * value other than 0. Returns that value, or 0.
 */
int mm_bt2_events_visit_streams(const struct mm_bt2_events *events,
				int (*visit)(void *user, const char *name), void *user);

/* Implementations of mm_source_ops for sources that use this module. */
int mm_bt2_field_at(const struct mm_event *event, size_t index, const char **name,
		    struct mm_value *value);
int mm_bt2_context_at(const struct mm_event *event, size_t index, const char **name,
		      struct mm_value *value);
int mm_bt2_field_text(const struct mm_event *event, const struct mm_value *value, char *dst,
		      size_t size);

/*
 * Searches the source's folders for damage before libbabeltrace2 reads them. libbabeltrace2
 * verifies no checksums, and delivers the events that precede damage in a packet. Returns 0, or -1
 * with @err set.
 */
int mm_bt2_check_packets(struct mm_source *source, const struct mm_requests *requests,
			 struct mm_error *err);

#endif /* LTTNG_MM_BT2_EVENTS_H */
