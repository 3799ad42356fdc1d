// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Converts messages to events. Keeps the requested fields per event class; CPU, clock and losses
 * per stream.
 */
#include "reader/bt2/events.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "reader/bt2/layout.h"
#include "reader/bt2/table.h"
#include "reader/bt2/text.h"
#include "reader/coverage/missing.h"
#include "reader/coverage/pauses.h"

#define NS_PER_S UINT64_C(1000000000)

/* A stream. Holds a reference to @native. */
struct stream {
	const bt_stream *native;
	size_t loss;	    /* index into the source's losses, which may move */
	uint64_t frequency; /* of its clock; 0: no clock */
	bool lttng;	    /* LTTng's packets may lack the discarded-event count */
	uint64_t discarded; /* discarded events since the first packet */
	uint64_t again;	    /* a packet had no count: the next count includes these again */
	uint64_t early;	    /* discarded events that an earlier packet's count already included */
	bool has_count;	    /* the count of the next packet differs from the previous one's */
	uint32_t cpu;	    /* CPU of the current packet */
	bool has_cpu;
	uint64_t cpu_index; /* index of cpu_id in the packet context */
	bool open;	    /* in a packet that overlaps the requested time range */
	int64_t last_ns;    /* of its events so far, as far as they are looked at */
	bool counted;	    /* already read, before the graph ran, up to @counted_until_ns */
	int64_t counted_until_ns;
	const struct mm_missing *missing; /* missing packets at its start or end */
};

struct mm_bt2_events {
	struct mm_source *source;
	const struct mm_requests *requests;
	const struct mm_handler *handler;
	struct mm_pauses pauses; /* between @handler and the consumer's */
	/* has read the state streams; NULL: none */
	const struct mm_source *counted;
	bool timed; /* only a time range is requested */
	/* everything that follows is after the requested time range */
	bool done;
	bool resolved;		     /* times of day have been converted to timestamps */
	int64_t first_ns;	     /* first timestamp of the state streams, until @resolved */
	bool started;		     /* a message other than a stream beginning has arrived */
	struct mm_bt2_table layouts; /* by event class */
	struct mm_bt2_table streams;
	/* by stream class: number of declared events */
	struct mm_bt2_table declared;
	struct stream *first;	 /* the stream that arrived first */
	struct mm_text text;	 /* of the handler's render() */
	union mm_scalar *fields; /* of the event at hand */
	unsigned int field_room;
};

static enum mm_bt2_status out_of_memory(struct mm_error *err)
{
	mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: out of memory");
	return MM_BT2_FAILED;
}

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
		struct stream *stream = events->streams.entries[i].value;

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

/* Room for the values of the events of that class. */
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

/* NULL with @err set. */
static struct mm_bt2_layout *new_layout(struct mm_bt2_events *events, const bt_event_class *class,
					struct mm_error *err)
{
	struct mm_bt2_layout *layout = mm_bt2_layout_create(class, events->requests);

	if (!layout || make_room(events, layout) ||
	    mm_bt2_table_add(&events->layouts, class, layout)) {
		mm_bt2_layout_destroy(layout);
		out_of_memory(err);
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

int mm_bt2_class_declare(const bt_stream_class *class, uint64_t from, struct mm_source *source)
{
	for (uint64_t i = from; i < bt_stream_class_get_event_class_count(class); i++) {
		const char *name = bt_event_class_get_name(
			bt_stream_class_borrow_event_class_by_index_const(class, i));

		if (name && mm_source_declare(source, name))
			return -1;
	}
	return 0;
}

/*
 * Declares the event classes that were added to the stream class since the last call. The class
 * outlives its streams.
 */
static int declare_events(struct mm_bt2_events *events, const bt_stream *stream)
{
	const bt_stream_class *class = bt_stream_borrow_class_const(stream);
	uint64_t count = bt_stream_class_get_event_class_count(class);
	uint64_t *declared = mm_bt2_table_find(&events->declared, class);

	if (!declared) {
		declared = calloc(1, sizeof(*declared));
		if (!declared || mm_bt2_table_add(&events->declared, class, declared)) {
			free(declared);
			return -1;
		}
	}
	if (mm_bt2_class_declare(class, *declared, events->source))
		return -1;
	*declared = count;
	return 0;
}

/*
 * Finds the loss record of a state stream that was read before the graph ran. Such streams are
 * files, so their names are unique.
 */
static const struct mm_loss *find_counted(const struct mm_bt2_events *events, const char *name)
{
	for (size_t i = 0; name && events->counted && i < events->counted->loss_count; i++) {
		const struct mm_loss *loss = &events->counted->losses[i];

		if (mm_loss_is_state(loss) && !strcmp(loss->stream, name))
			return loss;
	}
	return NULL;
}

/* Finds a stream's loss record, which may have been created before the stream arrived. */
static struct mm_loss *find_loss(const struct mm_bt2_events *events, const char *name)
{
	for (size_t i = 0; i < events->source->loss_count; i++)
		if (!strcmp(events->source->losses[i].stream, name))
			return &events->source->losses[i];
	return NULL;
}

/*
 * Streams of different traces and stream classes may have the same id, and then the same synthetic
 * name.
 */
static struct mm_loss *new_loss(struct mm_bt2_events *events, const bt_stream *native)
{
	const char *name = bt_stream_get_name(native);
	char synthetic[64];

	if (!name) {
		snprintf(synthetic, sizeof(synthetic), "stream %" PRIu64, bt_stream_get_id(native));
		name = synthetic;
	}
	if (find_counted(events, bt_stream_get_name(native)))
		return find_loss(events, name);
	return mm_source_add_loss(events->source, name, MM_CPU_UNKNOWN);
}

/* Notes which requested events a stream of @class may have. */
static void note_requests(const struct mm_requests *requests, const bt_stream_class *class,
			  struct mm_loss *loss)
{
	for (uint64_t i = 0; i < bt_stream_class_get_event_class_count(class); i++) {
		const char *name = bt_event_class_get_name(
			bt_stream_class_borrow_event_class_by_index_const(class, i));

		int request = name ? mm_requests_find(requests, name) : -1;

		if (request >= 0)
			mm_source_may_have(loss, requests, request, name);
	}
}

bool mm_bt2_class_is_state(const bt_stream_class *class, const struct mm_requests *requests)
{
	struct mm_loss loss = { 0 };

	note_requests(requests, class, &loss);
	return mm_loss_is_state(&loss);
}

/* Marks a stream that was read before the graph ran; its losses are known already. */
static void skip_counted(const struct mm_bt2_events *events, struct stream *stream)
{
	const struct mm_loss *counted = find_counted(events, bt_stream_get_name(stream->native));

	stream->counted = counted;
	stream->counted_until_ns = counted ? counted->end_ns : INT64_MIN;
}

/* A string entry of the trace's environment; "" if there is none of that name. */
static const char *environment(const bt_stream *native, const char *name)
{
	const bt_value *value = bt_trace_borrow_environment_entry_value_by_name_const(
		bt_stream_borrow_trace_const(native), name);

	return value && bt_value_is_string(value) ? bt_value_string_get(value) : "";
}

/* Was the trace recorded by LTTng? */
static bool is_lttng(const bt_stream *native)
{
	const char *tracer = environment(native, "tracer_name");

	return !strcmp(tracer, "lttng-modules") || !strcmp(tracer, "lttng-ust");
}

/* Notes the kernel release from the trace's metadata, which is available after filters, too. */
static int note_kernel(const struct mm_bt2_events *events, const bt_stream *native)
{
	const char *release = environment(native, "kernel_release");

	return *release ? mm_source_note_kernel(events->source, release) : 0;
}

/* Finds a stream's missing packets by the name of its file. */
static void find_missing(const struct mm_bt2_events *events, struct stream *stream)
{
	const char *name = bt_stream_get_name(stream->native);
	const struct mm_missing *missing = name ? mm_missing_of(events->source, name) : NULL;

	if (missing && !missing->complete_stream)
		stream->missing = missing;
}

static struct stream *new_stream(struct mm_bt2_events *events, const bt_stream *native)
{
	const bt_stream_class *class = bt_stream_borrow_class_const(native);
	const bt_clock_class *clock = bt_stream_class_borrow_default_clock_class_const(class);
	struct stream *stream = calloc(1, sizeof(*stream));
	struct mm_loss *loss = stream ? new_loss(events, native) : NULL;

	if (!loss || declare_events(events, native) || note_kernel(events, native) ||
	    mm_bt2_table_add(&events->streams, native, stream)) {
		free(stream);
		return NULL;
	}
	note_requests(events->requests, class, loss);
	loss->has_requested |= loss->has_state_dumps && events->source->options.in_order;
	bt_stream_get_ref(native);
	stream->native = native;
	find_missing(events, stream);
	stream->loss = (size_t)(loss - events->source->losses);
	stream->frequency = clock ? bt_clock_class_get_frequency(clock) : 0;
	stream->cpu = MM_CPU_UNKNOWN;
	stream->last_ns = INT64_MIN;
	skip_counted(events, stream);
	stream->lttng = is_lttng(native);
	if (bt_stream_class_supports_packets(class))
		stream->has_cpu = mm_bt2_member_find(
			bt_stream_class_borrow_packet_context_field_class_const(class), "cpu_id",
			&stream->cpu_index);
	if (!events->first)
		events->first = stream;
	return stream;
}

static struct stream *find_stream(struct mm_bt2_events *events, const bt_stream *native)
{
	struct stream *stream = mm_bt2_table_find(&events->streams, native);

	return stream ? stream : new_stream(events, native);
}

static int64_t snapshot_ns(const struct mm_bt2_events *events, const bt_clock_snapshot *snapshot,
			   int64_t unknown)
{
	int64_t ns;

	return snapshot && !bt_clock_snapshot_get_ns_from_origin(snapshot, &ns) &&
			       !__builtin_add_overflow(ns, events->source->clock_shift_ns, &ns)
		       ? ns
		       : unknown;
}

/*
 * The folder of the file that the stream is named after, which is how source.ctf.fs names streams;
 * NULL if it is not named after a file.
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
 * Called before the first message other than a stream beginning: all streams are known by then. A
 * sink does not know which folders are read, unless the streams are named after files.
 */
static enum mm_bt2_status start(struct mm_bt2_events *events, struct mm_error *err)
{
	struct mm_source *source = events->source;
	bool opened = source->folder_count;

	events->started = true;
	for (size_t i = 0; i < events->streams.room && !opened; i++) {
		const struct stream *stream = events->streams.entries[i].value;
		char *folder = stream ? folder_of(stream->native) : NULL;

		if (folder && add_folder(source, folder))
			return out_of_memory(err);
	}
	if (!opened && source->folder_ops && source->folder_ops->read_clock(source))
		return out_of_memory(err);
	if ((!opened && mm_bt2_check_packets(source, events->requests, err)) ||
	    mm_missing_find(source, err) ||
	    mm_missing_report(source, events->requests, events->handler, err))
		return MM_BT2_FAILED;
	events->handler = mm_pauses_begin(&events->pauses, source, events->handler);
	for (size_t i = 0; i < events->streams.room; i++) {
		struct stream *stream = events->streams.entries[i].value;

		if (stream)
			find_missing(events, stream);
	}
	return MM_BT2_OK;
}

static enum mm_bt2_status take_stream_end(struct mm_bt2_events *events, const bt_message *message,
					  struct mm_error *err)
{
	const struct stream *stream =
		find_stream(events, bt_message_stream_end_borrow_stream_const(message));

	if (!stream)
		return out_of_memory(err);
	if (stream->missing && !stream->counted)
		mm_missing_report_end(events->source, stream->missing,
				      &events->source->losses[stream->loss], events->handler);
	return MM_BT2_OK;
}

/*
 * Reports the packets that are missing at the start of streams. Their order does not matter: each
 * concerns a different stream, and the time before all events.
 */
static void report_missing_starts(struct mm_bt2_events *events)
{
	for (size_t i = 0; i < events->streams.room; i++) {
		const struct stream *stream = events->streams.entries[i].value;

		if (stream && stream->missing)
			mm_missing_report_start(events->source, stream->missing,
						&events->source->losses[stream->loss],
						events->handler);
	}
}

/*
 * Times of day refer to the day of the first timestamp. State streams are read first, but need not
 * start first.
 */
static enum mm_bt2_status note_time(struct mm_bt2_events *events, const struct stream *stream,
				    int64_t ns, struct mm_error *err)
{
	struct mm_time_span span = { 0 };

	if (events->resolved)
		return MM_BT2_OK;
	if (ns < events->first_ns)
		events->first_ns = ns;
	if (stream && mm_loss_is_state(&events->source->losses[stream->loss]))
		return MM_BT2_OK;
	span.first_ns = events->first_ns;
	events->resolved = true;
	if (mm_source_options_resolve(&events->source->options, &span, err))
		return MM_BT2_FAILED;
	report_missing_starts(events);
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
 * Time goes backwards in a stream: that is damage. The muxer refuses such streams, but a graph may
 * have none.
 */
static int go_back(struct mm_bt2_events *events, const struct stream *stream)
{
	struct mm_loss *loss = &events->source->losses[stream->loss];
	char *message;

	events->source->backward = events->source->disordered = true;
	loss->damaged_since_ns = INT64_MIN;
	if (loss->packets_damaged++)
		return 0;
	if (asprintf(&message,
		     "trace: %s: an event is earlier than the one before it; times are wrong here",
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
	struct stream *stream;

	if (!layout && !(layout = new_layout(events, class, err)))
		return MM_BT2_FAILED;
	/* In most traces, most events return here, so this must be cheap. */
	if (layout->ignored) {
		events->source->event_count++;
		return MM_BT2_OK;
	}
	stream = find_stream(events, bt_event_borrow_stream_const(native));
	if (!stream)
		return out_of_memory(err);
	if (stream->frequency) {
		const bt_clock_snapshot *snapshot =
			bt_message_event_borrow_default_clock_snapshot_const(message);

		event.time_ns = snapshot_ns(events, snapshot, 0);
		event.clock_ns = bt_clock_snapshot_get_value(snapshot);
		if (stream->frequency != NS_PER_S)
			event.clock_ns = (uint64_t)((__uint128_t)event.clock_ns * NS_PER_S /
						    stream->frequency);
		if (note_time(events, stream, event.time_ns, err))
			return MM_BT2_FAILED;
		if (event.time_ns < stream->last_ns && go_back(events, stream))
			return out_of_memory(err);
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
		return out_of_memory(err);
	event.fields = events->fields;
	event.type = &layout->type;
	event.cpu = stream->cpu;
	return call_handler(events, &event, err) ? MM_BT2_FAILED : MM_BT2_OK;
}

/*
 * Reports a loss between two timestamps, unless they are outside the requested time range. With
 * both counts 0, an unknown number of events may have been discarded. Returns whether it was
 * reported.
 */
static bool report_loss(struct mm_bt2_events *events, struct stream *stream, int64_t begin_ns,
			int64_t end_ns, uint64_t event_count, uint64_t packet_count)
{
	struct mm_loss *loss = &events->source->losses[stream->loss];

	if (!mm_loss_is_state(loss) && (begin_ns > events->source->options.end_ns ||
					end_ns < events->source->options.begin_ns))
		return false;
	loss->uncertain = !event_count && !packet_count;
	loss->events_discarded += event_count;
	loss->packets_lost += packet_count;
	loss->lost_until_ns = end_ns;
	loss->lost_events = loss->uncertain ? UINT64_MAX : event_count;
	loss->lost_packets_until_ns = packet_count ? end_ns : INT64_MIN;
	if (events->handler->lost)
		events->handler->lost(events->handler->user, loss, begin_ns);
	return true;
}

/* Is only a time range of the stream requested, with its limits resolved? */
static bool is_timed(const struct mm_bt2_events *events, const struct stream *stream)
{
	return events->timed && events->resolved &&
	       !mm_loss_is_state(&events->source->losses[stream->loss]);
}

/* When the packet without a count that starts at @begin_ns ends: its stream tells too late. */
static int64_t uncounted_end(const struct mm_source *source, int64_t begin_ns)
{
	size_t low = 0, high = source->uncounted_count;

	/* The last one that starts by then. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (source->uncounted[middle].begin_ns <= begin_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low && source->uncounted[low - 1].begin_ns == begin_ns
		       ? source->uncounted[low - 1].end_ns
		       : begin_ns;
}

/* The packets of a stream arrive in order, so its start timestamp is set only once. */
static enum mm_bt2_status take_packet_beginning(struct mm_bt2_events *events,
						const bt_message *message, struct mm_error *err)
{
	const bt_packet *packet = bt_message_packet_beginning_borrow_packet_const(message);
	struct stream *stream = find_stream(events, bt_packet_borrow_stream_const(packet));
	const bt_field *context = bt_packet_borrow_context_field_const(packet);
	int64_t begin_ns = INT64_MIN;
	struct mm_loss *loss;
	struct mm_value cpu;

	if (!stream)
		return out_of_memory(err);
	loss = &events->source->losses[stream->loss];
	if (stream->has_cpu && context) {
		mm_bt2_value(bt_field_structure_borrow_member_field_by_index_const(
				     context, stream->cpu_index),
			     &cpu);
		if (cpu.kind == MM_KIND_UNSIGNED && cpu.u < MM_CPU_UNKNOWN)
			stream->cpu = (uint32_t)cpu.u;
		if (loss->cpu == MM_CPU_UNKNOWN)
			loss->cpu = stream->cpu;
	}
	if (stream->counted)
		return MM_BT2_OK;
	if (bt_stream_class_packets_have_beginning_default_clock_snapshot(
		    bt_stream_borrow_class_const(stream->native)))
		begin_ns = snapshot_ns(
			events,
			bt_message_packet_beginning_borrow_default_clock_snapshot_const(message),
			INT64_MIN);
	if (begin_ns != INT64_MIN && note_time(events, stream, begin_ns, err))
		return MM_BT2_FAILED;
	stream->open = !is_timed(events, stream) || begin_ns <= events->source->options.end_ns;
	if (stream->open && loss->begin_ns == INT64_MIN) {
		loss->begin_ns = begin_ns;
		events->source->starts_noticed++;
	}
	/*
	 * libbabeltrace2 reports nothing when a packet without a discarded-event count follows
	 * another.
	 */
	if (stream->again && !stream->has_count)
		loss->packets_without_count +=
			report_loss(events, stream, loss->end_ns,
				    uncounted_end(events->source, begin_ns), 0, 0);
	return MM_BT2_OK;
}

static enum mm_bt2_status take_packet_end(struct mm_bt2_events *events, const bt_message *message,
					  struct mm_error *err)
{
	const bt_packet *packet = bt_message_packet_end_borrow_packet_const(message);
	struct stream *stream = find_stream(events, bt_packet_borrow_stream_const(packet));
	int64_t end_ns = INT64_MAX;
	struct mm_loss *loss;

	if (!stream)
		return out_of_memory(err);
	stream->has_count = false;
	if (stream->counted || !stream->open)
		return MM_BT2_OK;
	stream->open = false;
	if (!bt_stream_class_packets_have_end_default_clock_snapshot(
		    bt_stream_borrow_class_const(stream->native)))
		return MM_BT2_OK;
	end_ns = snapshot_ns(events,
			     bt_message_packet_end_borrow_default_clock_snapshot_const(message),
			     INT64_MAX);
	loss = &events->source->losses[stream->loss];
	/* The packet ends before the requested time range, so the stream has not started yet. */
	if (is_timed(events, stream) && end_ns < events->source->options.begin_ns)
		loss->begin_ns = INT64_MIN;
	else
		loss->end_ns = end_ns;
	return MM_BT2_OK;
}

static enum mm_bt2_status take_discarded_events(struct mm_bt2_events *events,
						const bt_message *message, struct mm_error *err)
{
	struct stream *stream =
		find_stream(events, bt_message_discarded_events_borrow_stream_const(message));
	int64_t begin_ns = INT64_MIN, end_ns = INT64_MAX;
	uint64_t count, early;

	if (!stream)
		return out_of_memory(err);
	if (stream->counted)
		return MM_BT2_OK;
	/*
	 * The counter of a stream's first packet includes everything discarded since the recording
	 * started, before or in that packet; a flight recorder has overwritten that period anyway.
	 * libbabeltrace2 gives no count in this case, and gives one for all later losses.
	 */
	if (bt_message_discarded_events_get_count(message, &count) !=
	    BT_PROPERTY_AVAILABILITY_AVAILABLE)
		return MM_BT2_OK;
	if (bt_stream_class_discarded_events_have_default_clock_snapshots(
		    bt_stream_borrow_class_const(stream->native))) {
		begin_ns = snapshot_ns(
			events,
			bt_message_discarded_events_borrow_beginning_default_clock_snapshot_const(
				message),
			INT64_MIN);
		end_ns = snapshot_ns(
			events,
			bt_message_discarded_events_borrow_end_default_clock_snapshot_const(
				message),
			INT64_MAX);
	}
	stream->has_count = true;
	/*
	 * The counter went backwards: either to 0, because LTTng omitted the count, or because the
	 * count before included events that were discarded later, as LTTng before 2.13.3 may do. A
	 * decrease by at least the sum of the counts since the first packet can only be a reset to
	 * 0.
	 */
	if (count > INT64_MAX) {
		if (!stream->lttng)
			return MM_BT2_OK;
		if (-count < stream->discarded) {
			stream->early += -count;
			return MM_BT2_OK;
		}
		stream->again = -count;
		events->source->losses[stream->loss].packets_without_count +=
			report_loss(events, stream, begin_ns, end_ns, 0, 0);
		return MM_BT2_OK;
	}
	early = count < stream->early ? count : stream->early;
	stream->early -= early;
	count -= early;
	count = count > stream->again ? count - stream->again : 0;
	stream->again = 0;
	stream->discarded += count;
	if (count)
		report_loss(events, stream, begin_ns, end_ns, count, 0);
	return MM_BT2_OK;
}

static enum mm_bt2_status take_discarded_packets(struct mm_bt2_events *events,
						 const bt_message *message, struct mm_error *err)
{
	struct stream *stream =
		find_stream(events, bt_message_discarded_packets_borrow_stream_const(message));
	int64_t begin_ns = INT64_MIN, end_ns = INT64_MAX;
	uint64_t count;

	if (!stream)
		return out_of_memory(err);
	if (stream->counted)
		return MM_BT2_OK;
	if (bt_message_discarded_packets_get_count(message, &count) !=
	    BT_PROPERTY_AVAILABILITY_AVAILABLE)
		count = 1;
	/*
	 * The sequence number went backwards: the trace is damaged, and the number of lost packets
	 * is not known.
	 */
	if (count >= INT64_MAX)
		return MM_BT2_OK;
	if (bt_stream_class_discarded_packets_have_default_clock_snapshots(
		    bt_stream_borrow_class_const(stream->native))) {
		begin_ns = snapshot_ns(
			events,
			bt_message_discarded_packets_borrow_beginning_default_clock_snapshot_const(
				message),
			INT64_MIN);
		end_ns = snapshot_ns(
			events,
			bt_message_discarded_packets_borrow_end_default_clock_snapshot_const(
				message),
			INT64_MAX);
	}
	report_loss(events, stream, begin_ns, end_ns, 0, count);
	return MM_BT2_OK;
}

/* An idle live session reports its current time now and then. */
static enum mm_bt2_status take_inactivity(struct mm_bt2_events *events, const bt_message *message,
					  struct mm_error *err)
{
	int64_t ns = snapshot_ns(
		events, bt_message_message_iterator_inactivity_borrow_clock_snapshot_const(message),
		INT64_MIN);

	if (ns == INT64_MIN)
		return MM_BT2_OK;
	if (note_time(events, NULL, ns, err))
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
		return find_stream(events, bt_message_stream_beginning_borrow_stream_const(message))
			       ? MM_BT2_OK
			       : out_of_memory(err);
	case BT_MESSAGE_TYPE_STREAM_END:
		return take_stream_end(events, message, err);
	case BT_MESSAGE_TYPE_PACKET_BEGINNING:
		return take_packet_beginning(events, message, err);
	case BT_MESSAGE_TYPE_PACKET_END:
		return take_packet_end(events, message, err);
	case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
		return take_discarded_events(events, message, err);
	case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
		return take_discarded_packets(events, message, err);
	case BT_MESSAGE_TYPE_MESSAGE_ITERATOR_INACTIVITY:
		return take_inactivity(events, message, err);
	default:
		return MM_BT2_OK;
	}
}

enum mm_bt2_status mm_bt2_events_finish(struct mm_bt2_events *events, struct mm_error *err)
{
	/* There was no message at all. */
	if (!events->started && start(events, err) != MM_BT2_OK)
		return MM_BT2_FAILED;
	for (size_t i = 0; i < events->streams.room; i++) {
		const struct stream *stream = events->streams.entries[i].value;

		if (stream && declare_events(events, stream->native))
			return out_of_memory(err);
		/* The stream continues after the requested time range. */
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
		loss = find_loss(events, from->stream);
		if (!loss)
			loss = mm_source_add_loss(events->source, from->stream, from->cpu);
		if (!loss)
			return out_of_memory(err);
		name = loss->stream;
		*loss = *from;
		loss->stream = name;
	}
	for (size_t i = 0; i < events->streams.room; i++)
		if (events->streams.entries[i].value)
			skip_counted(events, events->streams.entries[i].value);
	return MM_BT2_OK;
}

int mm_bt2_events_visit_streams(const struct mm_bt2_events *events,
				int (*visit)(void *user, const char *name), void *user)
{
	int ret = 0;

	for (size_t i = 0; i < events->streams.room && !ret; i++) {
		const struct stream *stream = events->streams.entries[i].value;
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

/* The number of members of @structure, which may be NULL. */
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
