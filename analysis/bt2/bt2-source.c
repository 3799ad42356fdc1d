// SPDX-License-Identifier: LGPL-2.1-only
/* Reads traces through a libbabeltrace2 graph: source.ctf.fs, muxer, and a sink of ours. */
#include "analysis/bt2/bt2-source.h"

#include <babeltrace2/babeltrace.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/bt2/bt2-text.h"

/* Where a wanted field is, found once per event class. */
enum place { PLACE_NONE, PLACE_PAYLOAD, PLACE_COMMON_CONTEXT, PLACE_SPECIFIC_CONTEXT };

struct layout {
	const bt_event_class *class;
	const char *name;
	int want;
	unsigned int field_count;
	enum mm_kind kinds[MM_WANT_FIELDS_MAX];
	struct {
		enum place place;
		uint64_t index;
	} fields[MM_WANT_FIELDS_MAX];
};

/* Where a stream class keeps the CPU's number in its packet context. */
struct cpu_place {
	const bt_stream_class *class;
	bool known;
	uint64_t index;
};

struct bt2_source {
	struct mm_source base;
	const struct mm_want *wants;
	const struct mm_handler *handler;
	struct mm_error *err;
	bt_message_iterator *iterator;
	struct layout *layouts;	/* the last one found is asked first */
	size_t layout_count, last_layout;
	struct cpu_place *cpu_places;
	size_t cpu_place_count;
	bool failed;
};

static bool find_member(const bt_field_class *structure, const char *name, uint64_t *index)
{
	uint64_t count = structure ? bt_field_class_structure_get_member_count(structure) : 0;

	for (uint64_t i = 0; i < count; i++) {
		if (!strcmp(name, bt_field_class_structure_member_get_name(
			bt_field_class_structure_borrow_member_by_index_const(structure, i)))) {
			*index = i;
			return true;
		}
	}
	return false;
}

static void place_field(struct layout *layout, unsigned int slot, const char *name)
{
	const bt_event_class *class = layout->class;
	uint64_t *index = &layout->fields[slot].index;
	enum place *place = &layout->fields[slot].place;

	*place = PLACE_NONE;
	if (!strncmp(name, "$ctx.", 5)) {
		const bt_stream_class *stream = bt_event_class_borrow_stream_class_const(class);

		name += 5;
		if (find_member(bt_event_class_borrow_specific_context_field_class_const(class),
				name, index))
			*place = PLACE_SPECIFIC_CONTEXT;
		else if (find_member(
				 bt_stream_class_borrow_event_common_context_field_class_const(
					 stream),
				 name, index))
			*place = PLACE_COMMON_CONTEXT;
	} else if (find_member(bt_event_class_borrow_payload_field_class_const(class), name,
			       index)) {
		*place = PLACE_PAYLOAD;
	}
}

static struct layout *find_layout(struct bt2_source *source, const bt_event_class *class)
{
	struct layout *layout;

	if (source->last_layout < source->layout_count &&
	    source->layouts[source->last_layout].class == class)
		return &source->layouts[source->last_layout];
	for (size_t i = 0; i < source->layout_count; i++) {
		if (source->layouts[i].class == class) {
			source->last_layout = i;
			return &source->layouts[i];
		}
	}
	layout = realloc(source->layouts, (source->layout_count + 1) * sizeof(*layout));
	if (!layout)
		return NULL;
	source->layouts = layout;
	source->last_layout = source->layout_count;
	layout += source->layout_count++;
	memset(layout, 0, sizeof(*layout));
	layout->class = class;
	layout->name = bt_event_class_get_name(class);
	if (!layout->name)
		layout->name = "";
	layout->want = mm_want_find(source->wants, layout->name);
	if (layout->want >= 0 && source->wants[layout->want].fields) {
		const char *const *name = source->wants[layout->want].fields;

		while (*name && layout->field_count < MM_WANT_FIELDS_MAX)
			place_field(layout, layout->field_count++, *name++);
	}
	return layout;
}

static uint32_t event_cpu(struct bt2_source *source, const bt_stream *stream,
			  const bt_packet *packet)
{
	const bt_stream_class *class = bt_stream_borrow_class_const(stream);
	struct cpu_place *place = NULL;
	const bt_field *context = packet ? bt_packet_borrow_context_field_const(packet) : NULL;
	struct mm_value value;

	for (size_t i = 0; i < source->cpu_place_count; i++)
		if (source->cpu_places[i].class == class)
			place = &source->cpu_places[i];
	if (!place) {
		place = realloc(source->cpu_places,
				(source->cpu_place_count + 1) * sizeof(*place));
		if (!place)
			return MM_CPU_UNKNOWN;
		source->cpu_places = place;
		place += source->cpu_place_count++;
		place->class = class;
		place->known = find_member(
			bt_stream_class_borrow_packet_context_field_class_const(class), "cpu_id",
			&place->index);
	}
	if (!place->known || !context)
		return MM_CPU_UNKNOWN;
	mm_bt2_value(bt_field_structure_borrow_member_field_by_index_const(context, place->index),
		     &value);
	return value.kind == MM_KIND_UNSIGNED ? (uint32_t)value.u : MM_CPU_UNKNOWN;
}

static const bt_field *borrow_place(const bt_event *event, enum place place)
{
	switch (place) {
	case PLACE_PAYLOAD:
		return bt_event_borrow_payload_field_const(event);
	case PLACE_COMMON_CONTEXT:
		return bt_event_borrow_common_context_field_const(event);
	case PLACE_SPECIFIC_CONTEXT:
		return bt_event_borrow_specific_context_field_const(event);
	default:
		return NULL;
	}
}

static void read_time(const bt_clock_snapshot *snapshot, struct mm_event *event)
{
	const bt_clock_class *class;
	uint64_t value, frequency;

	if (bt_clock_snapshot_get_ns_from_origin(snapshot, &event->time_ns))
		event->time_ns = 0;
	class = bt_clock_snapshot_borrow_clock_class_const(snapshot);
	value = bt_clock_snapshot_get_value(snapshot);
	frequency = bt_clock_class_get_frequency(class);
	event->clock_ns = frequency == 1000000000 ?
		value : (uint64_t)((__uint128_t)value * 1000000000 / frequency);
}

static int handle_event(struct bt2_source *source, const bt_message *message)
{
	const bt_event *native = bt_message_event_borrow_event_const(message);
	const bt_stream *stream = bt_event_borrow_stream_const(native);
	struct layout *layout =
		find_layout(source, bt_event_borrow_class_const(native));
	union mm_scalar fields[MM_WANT_FIELDS_MAX];
	struct mm_event_type type;
	struct mm_event event = { .source = &source->base, .native = native, .fields = fields };
	struct mm_value value;

	source->base.event_count++;
	if (!layout)
		return mm_error_set(source->err, MM_EXIT_ENVIRONMENT, "trace: out of memory");
	if (layout->want < 0)
		return 0;
	if (bt_stream_class_borrow_default_clock_class_const(bt_stream_borrow_class_const(stream)))
		read_time(bt_message_event_borrow_default_clock_snapshot_const(message), &event);
	type = (struct mm_event_type){ .name = layout->name,
				       .want = layout->want,
				       .field_count = layout->field_count,
				       .kinds = layout->kinds };
	event.type = &type;
	event.cpu = event_cpu(source, stream,
			      bt_stream_class_supports_packets(bt_stream_borrow_class_const(stream)) ?
				      bt_event_borrow_packet_const(native) : NULL);
	for (unsigned int i = 0; i < layout->field_count; i++) {
		const bt_field *structure = borrow_place(native, layout->fields[i].place);

		mm_bt2_value(structure ? bt_field_structure_borrow_member_field_by_index_const(
						 structure, layout->fields[i].index) : NULL,
			     &value);
		layout->kinds[i] = value.kind;
		fields[i].u = value.kind == MM_KIND_NONE ? 0 : value.u;
	}
	return source->handler->event(source->handler->user, &event, source->err);
}

static struct mm_loss *stream_loss(struct bt2_source *source, const bt_stream *stream)
{
	const char *name = bt_stream_get_name(stream);
	char made_up[64];

	if (!name) {
		snprintf(made_up, sizeof(made_up), "stream %" PRIu64, bt_stream_get_id(stream));
		name = made_up;
	}
	return mm_source_loss(&source->base, name, MM_CPU_UNKNOWN);
}

static int handle_stream_begin(struct bt2_source *source, const bt_stream *stream)
{
	const bt_stream_class *class = bt_stream_borrow_class_const(stream);
	uint64_t count = bt_stream_class_get_event_class_count(class);

	for (uint64_t i = 0; i < count; i++) {
		const char *name = bt_event_class_get_name(
			bt_stream_class_borrow_event_class_by_index_const(class, i));

		if (name && mm_source_declare(&source->base, name))
			return -1;
	}
	return stream_loss(source, stream) ? 0 : -1;
}

static void tell_lost(struct bt2_source *source, const struct mm_loss *loss,
		      const bt_clock_snapshot *begin)
{
	int64_t begin_ns = INT64_MIN;

	if (begin && bt_clock_snapshot_get_ns_from_origin(begin, &begin_ns))
		begin_ns = INT64_MIN;
	if (source->handler->lost)
		source->handler->lost(source->handler->user, loss, begin_ns);
}

static int handle_discarded_events(struct bt2_source *source, const bt_message *message)
{
	const bt_stream *stream = bt_message_discarded_events_borrow_stream_const(message);
	struct mm_loss *loss = stream_loss(source, stream);
	const bt_clock_snapshot *begin = NULL;
	uint64_t count;

	if (!loss)
		return -1;
	/*
	 * The counter of a stream's first packet tells what was lost since the recorder started, so
	 * before or in that packet: for a flight recorder, what it forgot anyway. libbabeltrace2 has
	 * no number for that, and has one for all that is lost later.
	 */
	if (bt_message_discarded_events_get_count(message, &count) !=
	    BT_PROPERTY_AVAILABILITY_AVAILABLE)
		return 0;
	if (bt_stream_class_discarded_events_have_default_clock_snapshots(
		    bt_stream_borrow_class_const(stream)))
		begin = bt_message_discarded_events_borrow_beginning_default_clock_snapshot_const(
			message);
	loss->events_discarded += count;
	tell_lost(source, loss, begin);
	return 0;
}

static int handle_discarded_packets(struct bt2_source *source, const bt_message *message)
{
	const bt_stream *stream = bt_message_discarded_packets_borrow_stream_const(message);
	struct mm_loss *loss = stream_loss(source, stream);
	const bt_clock_snapshot *begin = NULL;
	uint64_t count = 1;

	if (!loss)
		return -1;
	if (bt_message_discarded_packets_get_count(message, &count) !=
	    BT_PROPERTY_AVAILABILITY_AVAILABLE)
		count = 1;
	if (bt_stream_class_discarded_packets_have_default_clock_snapshots(
		    bt_stream_borrow_class_const(stream)))
		begin = bt_message_discarded_packets_borrow_beginning_default_clock_snapshot_const(
			message);
	loss->packets_lost += count;
	tell_lost(source, loss, begin);
	return 0;
}

static int handle_message(struct bt2_source *source, const bt_message *message)
{
	switch (bt_message_get_type(message)) {
	case BT_MESSAGE_TYPE_EVENT:
		return handle_event(source, message);
	case BT_MESSAGE_TYPE_STREAM_BEGINNING:
		return handle_stream_begin(
			source, bt_message_stream_beginning_borrow_stream_const(message));
	case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
		return handle_discarded_events(source, message);
	case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
		return handle_discarded_packets(source, message);
	default:
		return 0;
	}
}

static bt_graph_simple_sink_component_initialize_func_status
sink_begin(bt_message_iterator *iterator, void *user)
{
	(void)iterator;
	(void)user;
	return BT_GRAPH_SIMPLE_SINK_COMPONENT_INITIALIZE_FUNC_STATUS_OK;
}

static bt_graph_simple_sink_component_consume_func_status
sink_consume(bt_message_iterator *iterator, void *user)
{
	struct bt2_source *source = user;
	bt_message_array_const messages;
	uint64_t count;

	switch (bt_message_iterator_next(iterator, &messages, &count)) {
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_OK:
		break;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_END:
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_AGAIN:
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_AGAIN;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_MEMORY_ERROR:
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_MEMORY_ERROR;
	default:
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_ERROR;
	}
	for (uint64_t i = 0; i < count; i++) {
		if (!source->failed && handle_message(source, messages[i]))
			source->failed = true;
		bt_message_put_ref(messages[i]);
	}
	return source->failed ? BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END :
				BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_OK;
}

static const bt_component_class_source *source_class(void)
{
	const bt_component_class_source *class = NULL;
	const bt_plugin *plugin = NULL;

	if (bt_plugin_find("ctf", BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, BT_FALSE, &plugin))
		return NULL;
	class = bt_plugin_borrow_source_component_class_by_name_const(plugin, "fs");
	if (class)
		bt_component_class_source_get_ref(class);
	bt_plugin_put_ref(plugin);
	return class;
}

static const bt_component_class_filter *muxer_class(void)
{
	const bt_component_class_filter *class = NULL;
	const bt_plugin *plugin = NULL;

	if (bt_plugin_find("utils", BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, BT_FALSE, &plugin))
		return NULL;
	class = bt_plugin_borrow_filter_component_class_by_name_const(plugin, "muxer");
	if (class)
		bt_component_class_filter_get_ref(class);
	bt_plugin_put_ref(plugin);
	return class;
}

/* Adds a source.ctf.fs for one folder and connects its streams to the muxer. */
static int add_folder(bt_graph *graph, const bt_component_class_source *class, const char *folder,
		      size_t number, const bt_component_filter *muxer, uint64_t *muxer_port)
{
	const bt_component_source *component = NULL;
	bt_value *params = bt_value_map_create(), *inputs = NULL;
	char name[32];
	int ret = -1;

	snprintf(name, sizeof(name), "source%zu", number);
	if (!params ||
	    bt_value_map_insert_empty_array_entry(params, "inputs", &inputs) ||
	    bt_value_array_append_string_element(inputs, folder) ||
	    bt_graph_add_source_component(graph, class, name, params, BT_LOGGING_LEVEL_NONE,
					  &component))
		goto end;
	for (uint64_t i = 0; i < bt_component_source_get_output_port_count(component); i++) {
		if (bt_graph_connect_ports(
			    graph,
			    bt_component_source_borrow_output_port_by_index_const(component, i),
			    bt_component_filter_borrow_input_port_by_index_const(muxer,
										 *muxer_port),
			    NULL))
			goto end;
		(*muxer_port)++;
	}
	ret = 0;
end:
	bt_value_put_ref(params);
	return ret;
}

/* Why libbabeltrace2 failed, in the words of its innermost cause. */
static void report_graph_error(struct bt2_source *source)
{
	const bt_error *error = bt_current_thread_take_error();
	const char *cause = "libbabeltrace2 cannot read it";

	if (error && bt_error_get_cause_count(error))
		cause = bt_error_cause_get_message(bt_error_borrow_cause_by_index(error, 0));
	mm_error_set(source->err, MM_EXIT_BAD_INPUT,
		     "trace: %s: damaged or cut short: %.300s; `babeltrace2 %s` shows where",
		     source->base.path, cause, source->base.path);
	if (error)
		bt_error_release(error);
}

static int build_graph(struct bt2_source *source, bt_graph *graph)
{
	const bt_component_class_source *fs = source_class();
	const bt_component_class_filter *mux = muxer_class();
	const bt_component_filter *muxer = NULL;
	const bt_component_sink *sink = NULL;
	uint64_t muxer_port = 0;
	int ret = -1;

	if (!fs || !mux) {
		mm_error_set(source->err, MM_EXIT_ENVIRONMENT,
			     "libbabeltrace2: its ctf and utils plugins are missing; install the package babeltrace2");
		goto end;
	}
	if (bt_graph_add_filter_component(graph, mux, "muxer", NULL, BT_LOGGING_LEVEL_NONE, &muxer))
		goto end;
	for (size_t i = 0; i < source->base.folder_count; i++)
		if (add_folder(graph, fs, source->base.folders[i], i, muxer, &muxer_port))
			goto end;
	if (bt_graph_add_simple_sink_component(graph, "sink", sink_begin, sink_consume, NULL,
					       source, &sink) ||
	    bt_graph_connect_ports(
		    graph, bt_component_filter_borrow_output_port_by_index_const(muxer, 0),
		    bt_component_sink_borrow_input_port_by_index_const(sink, 0), NULL))
		goto end;
	ret = 0;
end:
	bt_component_class_source_put_ref(fs);
	bt_component_class_filter_put_ref(mux);
	return ret;
}

static int bt2_run(struct mm_source *base, const struct mm_want *wants,
		   const struct mm_handler *handler, struct mm_error *err)
{
	struct bt2_source *source = (struct bt2_source *)base;
	bt_graph *graph;
	int status, ret = -1;

	source->wants = wants;
	source->handler = handler;
	source->err = err;
	bt_logging_set_global_level(BT_LOGGING_LEVEL_NONE);
	graph = bt_graph_create(0);
	if (!graph)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "libbabeltrace2: no graph");
	if (build_graph(source, graph)) {
		report_graph_error(source);
		goto end;
	}
	do {
		status = bt_graph_run(graph);
	} while (status == BT_GRAPH_RUN_STATUS_AGAIN);
	if (status != BT_GRAPH_RUN_STATUS_OK)
		report_graph_error(source);
	else if (!source->failed)
		ret = 0;
end:
	bt_graph_put_ref(graph);
	return ret;
}

static int bt2_field_at(const struct mm_event *event, size_t index, const char **name,
			struct mm_value *value)
{
	const bt_field *payload = bt_event_borrow_payload_field_const(event->native);
	const bt_field_class *class;

	if (!payload)
		return -1;
	class = bt_field_borrow_class_const(payload);
	if (index >= bt_field_class_structure_get_member_count(class))
		return -1;
	*name = bt_field_class_structure_member_get_name(
		bt_field_class_structure_borrow_member_by_index_const(class, index));
	mm_bt2_value(bt_field_structure_borrow_member_field_by_index_const(payload, index), value);
	return 0;
}

static int bt2_field_text(const struct mm_event *event, const struct mm_value *value, char *dst,
			  size_t size)
{
	(void)event;
	if (!value->native)
		return -1;
	mm_bt2_text(value->native, dst, size);
	return 0;
}

static void bt2_destroy(struct mm_source *base)
{
	struct bt2_source *source = (struct bt2_source *)base;

	free(source->layouts);
	free(source->cpu_places);
	free(source);
}

static const struct mm_source_ops bt2_ops = {
	.run = bt2_run,
	.field_at = bt2_field_at,
	.field_text = bt2_field_text,
	.destroy = bt2_destroy,
};

struct mm_source *mm_bt2_source_create(struct mm_error *err)
{
	struct bt2_source *source = calloc(1, sizeof(*source));

	if (!source) {
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: out of memory");
		return NULL;
	}
	source->base.ops = &bt2_ops;
	return &source->base;
}
