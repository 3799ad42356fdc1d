// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Converts messages to events. Stores the requested fields per event class, and the CPU, clock and
 * losses per stream.
 */
#include "reader/bt2/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "reader/bt2/events-private.h"
#include "reader/bt2/layout.h"
#include "reader/bt2/packets.h"
#include "reader/bt2/streams.h"
#include "reader/bt2/table.h"
#include "reader/bt2/text.h"
#include "reader/coverage/missing.h"
#include "reader/coverage/pauses.h"

#define NS_PER_S UINT64_C(1000000000)

struct mm_bt2_events *mm_bt2_events_create(struct mm_source *source,
					   const struct mm_requests *requests,
					   const struct mm_handler *handler)
{
	struct mm_bt2_events *events = calloc(1, sizeof(*events));

	if (!events)
		return NULL;
	events->source = source;
	events->requests = requests;
	events->handler = handler;
	events->first_ns = INT64_MAX;
	events->timed = mm_source_options_windowed(&source->options);
	return events;
}

void mm_bt2_events_destroy(struct mm_bt2_events *events)
{
	if (!events)
		return;
	for (size_t i = 0; i < events->layouts.room; i++)
		mm_bt2_layout_destroy(events->layouts.entries[i].value);
	for (size_t i = 0; i < events->streams.room; i++) {
		struct mm_bt2_stream *stream = events->streams.entries[i].value;

		if (stream)
			bt_stream_put_ref(stream->native);
		free(stream);
	}
	for (size_t i = 0; i < events->declared.room; i++)
		free(events->declared.entries[i].value);
	free(events->declared.entries);
	free(events->layouts.entries);
	free(events->streams.entries);
	mm_pauses_release(&events->pauses);
	free(events->text.data);
	free(events->fields);
	free(events);
}

static int make_room(struct mm_bt2_events *events, const struct mm_bt2_layout *layout)
{
	union mm_scalar *grown;

	if (layout->type.field_count <= events->field_room)
		return 0;
	grown = reallocarray(events->fields, layout->type.field_count, sizeof(*grown));
	if (!grown)
		return -1;
	events->fields = grown;
	events->field_room = layout->type.field_count;
	return 0;
}

/* Returns NULL with @err set on failure. */
static struct mm_bt2_layout *new_layout(struct mm_bt2_events *events, const bt_event_class *class,
					struct mm_error *err)
{
	struct mm_bt2_layout *layout = mm_bt2_layout_create(class, events->requests);

	if (!layout || make_room(events, layout) ||
	    mm_bt2_table_add(&events->layouts, class, layout)) {
		mm_bt2_layout_destroy(layout);
		mm_bt2_no_memory(err);
		return NULL;
	}
	if (layout->type.request >= 0 &&
	    mm_source_bind(events->source, events->requests, events->handler, &layout->type, err))
		return NULL;
	layout->ignored = layout->type.request < 0 && !events->timed &&
			  !(events->counted &&
			    mm_bt2_class_is_state(bt_event_class_borrow_stream_class_const(class),
						  events->requests));
	return layout;
}

/*
 * Returns the folder of the stream's file, or NULL. source.ctf.fs gives each stream the path of its
 * file as name.
 */
static char *folder_of(const bt_stream *native)
{
	const char *name = bt_stream_get_name(native), *slash = name ? strrchr(name, '/') : NULL;
	struct stat st;

	if (!slash || name[0] != '/' || stat(name, &st) || !S_ISREG(st.st_mode))
		return NULL;
	return strndup(name, (size_t)(slash - name));
}

static int add_folder(struct mm_source *source, char *folder)
{
	char **grown;

	for (size_t i = 0; i < source->folder_count; i++)
		if (!strcmp(source->folders[i], folder)) {
			free(folder);
			return 0;
		}
	grown = reallocarray(source->folders, source->folder_count + 1, sizeof(*grown));
	if (!grown) {
		free(folder);
		return -1;
	}
	source->folders = grown;
	grown[source->folder_count++] = folder;
	return 0;
}

int mm_bt2_check_packets(struct mm_source *source, const struct mm_requests *requests,
			 struct mm_error *err)
{
	return source->folder_ops && source->folder_count
		       ? source->folder_ops->check_packets(source, requests, err)
		       : 0;
}

/*
 * Finds missing packets and pauses. For the plugin's sinks, first finds the trace's folders from
 * the names of the streams. Runs after the messages that begin streams, when all streams are known.
 */
static enum mm_bt2_status start(struct mm_bt2_events *events, struct mm_error *err)
{
	struct mm_source *source = events->source;
	bool opened = source->folder_count;

	events->started = true;
	for (size_t i = 0; i < events->streams.room && !opened; i++) {
		const struct mm_bt2_stream *stream = events->streams.entries[i].value;
		char *folder = stream ? folder_of(stream->native) : NULL;

		if (folder && add_folder(source, folder))
			return mm_bt2_no_memory(err);
	}
	if (!opened && source->folder_ops && source->folder_ops->read_clock(source))
		return mm_bt2_no_memory(err);
	if ((!opened && mm_bt2_check_packets(source, events->requests, err)) ||
	    mm_missing_find(source, err) ||
	    mm_missing_report(source, events->requests, events->handler, err))
		return MM_BT2_FAILED;
	events->handler = mm_pauses_begin(&events->pauses, source, events->handler);
	for (size_t i = 0; i < events->streams.room; i++) {
		struct mm_bt2_stream *stream = events->streams.entries[i].value;

		if (stream)
			mm_bt2_stream_find_missing(events, stream);
	}
	return MM_BT2_OK;
}

static enum mm_bt2_status take_stream_end(struct mm_bt2_events *events, const bt_message *message,
					  struct mm_error *err)
{
	const struct mm_bt2_stream *stream =
		mm_bt2_stream_of(events, bt_message_stream_end_borrow_stream_const(message));

	if (!stream)
		return mm_bt2_no_memory(err);
	if (stream->missing && !stream->counted)
		mm_missing_report_end(events->source, stream->missing,
				      &events->source->losses[stream->loss], events->handler);
	return MM_BT2_OK;
}

static enum mm_bt2_status done(struct mm_bt2_events *events)
{
	events->done = true;
	return MM_BT2_DONE;
}

static int call_handler(struct mm_bt2_events *events, struct mm_event *event, struct mm_error *err)
{
	const struct mm_handler *handler = events->handler;

	if (handler->render) {
		events->text.length = 0;
		if (handler->render(handler->user, event, &events->text) ||
		    events->text.length > UINT32_MAX)
			return mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: out of memory");
		event->text = events->text.data;
		event->text_length = (uint32_t)events->text.length;
	}
	if (handler->events)
		return handler->events(handler->user, event->type, event, 1, err);
	return handler->event(handler->user, event, err);
}

/*
 * Reports that time goes backwards in @stream. A muxer refuses such streams, but a graph may have
 * no muxer.
 */
static int go_back(struct mm_bt2_events *events, const struct mm_bt2_stream *stream)
{
	struct mm_loss *loss = &events->source->losses[stream->loss];
	char *message;

	events->source->backward = events->source->disordered = true;
	loss->damaged_since_ns = INT64_MIN;
	if (loss->packets_damaged++)
		return 0;
	if (asprintf(&message,
		     "trace: %s: an event is earlier than the previous event; times are wrong here",
		     loss->stream) < 0)
		return -1;
	mm_source_damage(events->source, events->handler, message, false);
	free(message);
	if (!events->handler->lost)
		return 0;
	loss->at_unknown_place = loss->backward = true;
	loss->lost_until_ns = INT64_MAX;
	loss->lost_events = UINT64_MAX;
	events->handler->lost(events->handler->user, loss, INT64_MIN);
	loss->at_unknown_place = loss->backward = false;
	return 0;
}

static enum mm_bt2_status take_event(struct mm_bt2_events *events, const bt_message *message,
				     struct mm_error *err)
{
	const bt_event *native = bt_message_event_borrow_event_const(message);
	const bt_event_class *class = bt_event_borrow_class_const(native);
	struct mm_bt2_layout *layout = mm_bt2_table_find(&events->layouts, class);
	struct mm_event event = { .source = events->source, .native = native };
	struct mm_bt2_stream *stream;

	if (!layout && !(layout = new_layout(events, class, err)))
		return MM_BT2_FAILED;
	/* In most traces, most events return here, so this path must be cheap. */
	if (layout->ignored) {
		events->source->event_count++;
		return MM_BT2_OK;
	}
	stream = mm_bt2_stream_of(events, bt_event_borrow_stream_const(native));
	if (!stream)
		return mm_bt2_no_memory(err);
	if (stream->frequency) {
		const bt_clock_snapshot *snapshot =
			bt_message_event_borrow_default_clock_snapshot_const(message);

		event.time_ns = mm_bt2_snapshot_ns(events, snapshot, 0);
		event.clock_ns = bt_clock_snapshot_get_value(snapshot);
		if (stream->frequency != NS_PER_S)
			event.clock_ns = (uint64_t)((__uint128_t)event.clock_ns * NS_PER_S /
						    stream->frequency);
		if (mm_bt2_note_time(events, stream, event.time_ns, err))
			return MM_BT2_FAILED;
		if (event.time_ns < stream->last_ns && go_back(events, stream))
			return mm_bt2_no_memory(err);
		stream->last_ns = event.time_ns;
		if (events->timed && !mm_loss_is_state(&events->source->losses[stream->loss])) {
			if (event.time_ns > events->source->options.end_ns)
				return done(events);
			if (event.time_ns < events->source->options.begin_ns)
				return MM_BT2_OK;
		}
	}
	if (stream->counted && event.time_ns <= stream->counted_until_ns)
		return MM_BT2_OK;
	events->source->event_count++;
	events->source->state_event_count +=
		mm_loss_is_state(&events->source->losses[stream->loss]);
	if (layout->type.request < 0)
		return MM_BT2_OK;
	if (mm_bt2_layout_read(layout, native, events->fields))
		return mm_bt2_no_memory(err);
	event.fields = events->fields;
	event.type = &layout->type;
	event.cpu = stream->cpu;
	return call_handler(events, &event, err) ? MM_BT2_FAILED : MM_BT2_OK;
}

/* Handles the current time that an idle live session reports periodically. */
static enum mm_bt2_status take_inactivity(struct mm_bt2_events *events, const bt_message *message,
					  struct mm_error *err)
{
	int64_t ns = mm_bt2_snapshot_ns(
		events, bt_message_message_iterator_inactivity_borrow_clock_snapshot_const(message),
		INT64_MIN);

	if (ns == INT64_MIN)
		return MM_BT2_OK;
	if (mm_bt2_note_time(events, NULL, ns, err))
		return MM_BT2_FAILED;
	return ns > events->source->options.end_ns ? done(events) : MM_BT2_OK;
}

enum mm_bt2_status mm_bt2_events_take(struct mm_bt2_events *events, const bt_message *message,
				      struct mm_error *err)
{
	if (!events->started && bt_message_get_type(message) != BT_MESSAGE_TYPE_STREAM_BEGINNING &&
	    start(events, err) != MM_BT2_OK)
		return MM_BT2_FAILED;
	switch (bt_message_get_type(message)) {
	case BT_MESSAGE_TYPE_EVENT:
		return take_event(events, message, err);
	case BT_MESSAGE_TYPE_STREAM_BEGINNING:
		return mm_bt2_stream_of(events,
					bt_message_stream_beginning_borrow_stream_const(message))
			       ? MM_BT2_OK
			       : mm_bt2_no_memory(err);
	case BT_MESSAGE_TYPE_STREAM_END:
		return take_stream_end(events, message, err);
	case BT_MESSAGE_TYPE_PACKET_BEGINNING:
		return mm_bt2_take_packet_beginning(events, message, err);
	case BT_MESSAGE_TYPE_PACKET_END:
		return mm_bt2_take_packet_end(events, message, err);
	case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
		return mm_bt2_take_discarded_events(events, message, err);
	case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
		return mm_bt2_take_discarded_packets(events, message, err);
	case BT_MESSAGE_TYPE_MESSAGE_ITERATOR_INACTIVITY:
		return take_inactivity(events, message, err);
	default:
		return MM_BT2_OK;
	}
}

enum mm_bt2_status mm_bt2_events_finish(struct mm_bt2_events *events, struct mm_error *err)
{
	/* If the graph delivered no message, start() has not been called. */
	if (!events->started && start(events, err) != MM_BT2_OK)
		return MM_BT2_FAILED;
	for (size_t i = 0; i < events->streams.room; i++) {
		const struct mm_bt2_stream *stream = events->streams.entries[i].value;

		if (stream && mm_bt2_stream_declare(events, stream->native))
			return mm_bt2_no_memory(err);
		/*
		 * The stream continues after the requested time range. Set its end to the end of
		 * the range.
		 */
		if (stream && stream->open && events->done)
			events->source->losses[stream->loss].end_ns =
				events->source->options.end_ns;
	}
	return MM_BT2_OK;
}

enum mm_bt2_status mm_bt2_events_end(struct mm_bt2_events *events, struct mm_error *err)
{
	if (!events->started)
		return MM_BT2_OK;
	return mm_pauses_end(&events->pauses, err) ? MM_BT2_FAILED : MM_BT2_OK;
}

enum mm_bt2_status mm_bt2_events_skip_state(struct mm_bt2_events *events,
					    const struct mm_source *counted, struct mm_error *err)
{
	events->counted = counted;
	for (size_t i = 0; i < counted->loss_count; i++) {
		const struct mm_loss *from = &counted->losses[i];
		struct mm_loss *loss;
		char *name;

		if (!mm_loss_is_state(from))
			continue;
		loss = mm_bt2_loss_find(events, from->stream);
		if (!loss)
			loss = mm_source_add_loss(events->source, from->stream, from->cpu);
		if (!loss)
			return mm_bt2_no_memory(err);
		name = loss->stream;
		*loss = *from;
		loss->stream = name;
	}
	for (size_t i = 0; i < events->streams.room; i++)
		if (events->streams.entries[i].value)
			mm_bt2_stream_skip_counted(events, events->streams.entries[i].value);
	return MM_BT2_OK;
}

int mm_bt2_events_visit_streams(const struct mm_bt2_events *events,
				int (*visit)(void *user, const char *name), void *user)
{
	int ret = 0;

	for (size_t i = 0; i < events->streams.room && !ret; i++) {
		const struct mm_bt2_stream *stream = events->streams.entries[i].value;
		const char *name = stream ? bt_stream_get_name(stream->native) : NULL;

		if (name)
			ret = visit(user, name);
	}
	return ret;
}

const char *mm_bt2_events_stream_name(const struct mm_bt2_events *events)
{
	return events->first ? bt_stream_get_name(events->first->native) : NULL;
}

static size_t count_members(const bt_field *structure)
{
	return structure ? bt_field_class_structure_get_member_count(
				   bt_field_borrow_class_const(structure))
			 : 0;
}

static void take_member(const bt_field *structure, size_t index, const char **name,
			struct mm_value *value)
{
	const bt_field_class *class = bt_field_borrow_class_const(structure);

	*name = bt_field_class_structure_member_get_name(
		bt_field_class_structure_borrow_member_by_index_const(class, index));
	mm_bt2_value(bt_field_structure_borrow_member_field_by_index_const(structure, index),
		     value);
}

int mm_bt2_field_at(const struct mm_event *event, size_t index, const char **name,
		    struct mm_value *value)
{
	const bt_field *payload = bt_event_borrow_payload_field_const(event->native);

	if (index >= count_members(payload))
		return -1;
	take_member(payload, index, name, value);
	return 0;
}

int mm_bt2_context_at(const struct mm_event *event, size_t index, const char **name,
		      struct mm_value *value)
{
	const bt_field *common = bt_event_borrow_common_context_field_const(event->native);
	const bt_field *specific = bt_event_borrow_specific_context_field_const(event->native);
	const size_t count = count_members(common);

	if (index < count)
		take_member(common, index, name, value);
	else if (index - count < count_members(specific))
		take_member(specific, index - count, name, value);
	else
		return -1;
	return 0;
}

int mm_bt2_field_text(const struct mm_event *event, const struct mm_value *value, char *dst,
		      size_t size)
{
	(void)event;
	if (!value->native)
		return -1;
	mm_bt2_text(value->native, dst, size);
	return 0;
}
