// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests losses of streams without a name. A test source sends these losses. The streams have the
 * same id, but belong to two traces, and to two stream classes of one trace.
 */
#include <stdlib.h>
#include <string.h>

#include "reader/bt2/events.h"
#include "reader/events/source-base.h"
#include "tests/tap.h"

#define STREAMS 3

/* Stream 0 is of one trace. Streams 1 and 2 are of two classes of another trace. All have id 7. */
static const struct {
	int trace;
	uint64_t class, lost;
} cases[STREAMS] = { { 0, 1, 3 }, { 1, 1, 40 }, { 1, 2, 500 } };

static const bt_message *messages[2 * STREAMS];
static size_t made, sent;

static void check(bool right)
{
	if (right)
		return;
	tap_bail("libbabeltrace2 refuses");
}

static bt_component_class_initialize_method_status
init_source(bt_self_component_source *self, bt_self_component_source_configuration *config,
	    const bt_value *params, void *data)
{
	check(!bt_self_component_source_add_output_port(self, "out", NULL, NULL));
	return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

static bt_message_iterator_class_initialize_method_status
init_iterator(bt_self_message_iterator *self, bt_self_message_iterator_configuration *config,
	      bt_self_component_port_output *port)
{
	bt_trace_class *trace_class =
		bt_trace_class_create(bt_self_message_iterator_borrow_component(self));
	bt_trace *traces[2] = { bt_trace_create(trace_class), bt_trace_create(trace_class) };
	bt_stream_class *classes[3] = { NULL };

	bt_trace_class_set_assigns_automatic_stream_class_id(trace_class, BT_FALSE);
	for (int id = 1; id < 3; id++) {
		classes[id] = bt_stream_class_create_with_id(trace_class, (uint64_t)id);
		check(classes[id]);
		bt_stream_class_set_assigns_automatic_stream_id(classes[id], BT_FALSE);
		bt_stream_class_set_supports_discarded_events(classes[id], BT_TRUE, BT_FALSE);
	}
	for (int i = 0; i < STREAMS; i++) {
		bt_stream *stream = bt_stream_create_with_id(classes[cases[i].class],
							     traces[cases[i].trace], 7);
		bt_message *lost = bt_message_discarded_events_create(self, stream);

		check(stream && lost);
		bt_message_discarded_events_set_count(lost, cases[i].lost);
		messages[made++] = bt_message_stream_beginning_create(self, stream);
		messages[made++] = lost;
		bt_stream_put_ref(stream);
	}
	for (int i = 0; i < 3; i++)
		bt_stream_class_put_ref(classes[i]);
	bt_trace_put_ref(traces[0]);
	bt_trace_put_ref(traces[1]);
	bt_trace_class_put_ref(trace_class);
	return BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

static bt_message_iterator_class_next_method_status
next(bt_self_message_iterator *self, bt_message_array_const out, uint64_t capacity, uint64_t *count)
{
	for (*count = 0; *count < capacity && sent < made; (*count)++)
		out[*count] = messages[sent++];
	return *count ? BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_OK
		      : BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_END;
}

struct message_feed {
	struct mm_bt2_events *events;
	struct mm_error *err;
};

static bt_graph_simple_sink_component_initialize_func_status begin(bt_message_iterator *iterator,
								   void *user)
{
	return BT_GRAPH_SIMPLE_SINK_COMPONENT_INITIALIZE_FUNC_STATUS_OK;
}

static bt_graph_simple_sink_component_consume_func_status consume(bt_message_iterator *iterator,
								  void *user)
{
	struct message_feed *reader = user;
	bt_message_array_const array;
	uint64_t count;

	if (bt_message_iterator_next(iterator, &array, &count) !=
	    BT_MESSAGE_ITERATOR_NEXT_STATUS_OK)
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END;
	for (uint64_t i = 0; i < count; i++) {
		mm_bt2_events_take(reader->events, array[i], reader->err);
		bt_message_put_ref(array[i]);
	}
	return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_OK;
}

static void run(const bt_component_class_source *class, struct message_feed *reader)
{
	bt_graph *graph = bt_graph_create(0);
	const bt_component_source *source = NULL;
	const bt_component_sink *sink = NULL;

	check(graph && !bt_graph_add_source_component(graph, class, "source", NULL,
						      BT_LOGGING_LEVEL_NONE, &source));
	check(!bt_graph_add_simple_sink_component(graph, "sink", begin, consume, NULL, reader,
						  &sink));
	check(!bt_graph_connect_ports(
		graph, bt_component_source_borrow_output_port_by_index_const(source, 0),
		bt_component_sink_borrow_input_port_by_index_const(sink, 0), NULL));
	check(!bt_graph_run(graph));
	bt_graph_put_ref(graph);
}

static void free_source(struct mm_source *source)
{
	(void)source;
}

static void tell(void *user, const struct mm_loss *loss, int64_t begin_ns)
{
	(*(unsigned int *)user)++;
}

int main(void)
{
	static const struct mm_source_ops ops = { .destroy = free_source };
	bt_message_iterator_class *iterator = bt_message_iterator_class_create(next);
	bt_component_class_source *class = bt_component_class_source_create("test", iterator);
	unsigned int told = 0;
	const struct mm_handler handler = { .user = &told, .lost = tell };
	struct mm_source source = { .ops = &ops };
	struct mm_error err = MM_ERROR_INIT;
	struct mm_bt2_events *events;
	struct mm_requests requests;

	mm_requests_init(&requests);
	mm_source_options_init(&source.options);
	events = mm_bt2_events_create(&source, &requests, &handler);
	check(iterator && class && events);
	bt_message_iterator_class_set_initialize_method(iterator, init_iterator);
	bt_component_class_source_set_initialize_method(class, init_source);
	run(class, &(struct message_feed){ events, &err });
	tap(!err.code, "read");
	tap(told == STREAMS, "%d losses are reported", STREAMS);
	tap(source.loss_count == STREAMS, "each stream has a separate record");
	for (size_t i = 0; i < STREAMS && i < source.loss_count; i++)
		tap(source.losses[i].events_discarded == cases[i].lost, "stream %zu: %d events", i,
		    (int)cases[i].lost);
	mm_bt2_events_destroy(events);
	mm_source_destroy(&source);
	bt_component_class_source_put_ref(class);
	bt_message_iterator_class_put_ref(iterator);
	return tap_status();
}
