// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Reads traces through libbabeltrace2 graphs.
 *
 * A graph consists of source.ctf.fs or source.ctf.lttng-live, a muxer, and a sink that is defined
 * here. babeltrace2 delivers messages only in time order. State streams, which have only state
 * dumps, must be read before all other streams of a folder, so they have a separate graph.
 */
#include "reader/bt2/source.h"

#include <babeltrace2/babeltrace.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "reader/bt2/events.h"
#include "reader/bt2/layout.h"
#include "reader/bt2/streams.h"
#include "reader/events/source-base.h"

/* Time between two polls of a live session without new data, as in babeltrace2. */
#define RETRY_NS 100000000

struct bt2_source {
	struct mm_source base;
	struct mm_bt2_events *events;
	const struct mm_requests *requests;
	struct mm_error *err;
	bool failed; /* reading has failed, and @err is set */
};

/* An output port of a source component. Each port delivers one stream. */
struct stream_port {
	size_t input; /* index of the source component */
	char *name;
	struct bt2_source *source;
	bool is_state;
};

/* The parts of a graph: its component classes, and the inputs of its source components. */
struct graph_parts {
	const bt_component_class_source *source;
	const bt_component_class_filter *muxer;
	bt_value **params;
	/* for each input: name of the trace if the trace has several folders, else NULL */
	char **groups;
	size_t count;
	struct stream_port **ports; /* ports of all source components; filled by find_state() */
	size_t port_count;
};

/* The streams that a graph reads. */
enum which { WHICH_ALL, WHICH_STATE, WHICH_OTHERS };

static bool is_stopped(const struct bt2_source *source)
{
	return source->base.options.stop && *source->base.options.stop;
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
	enum mm_bt2_status status = MM_BT2_OK;
	bt_message_array_const messages;
	uint64_t count;

	if (is_stopped(source))
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END;
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
		if (status == MM_BT2_OK)
			status = mm_bt2_events_take(source->events, messages[i], source->err);
		bt_message_put_ref(messages[i]);
	}
	source->failed = status == MM_BT2_FAILED;
	return status == MM_BT2_OK ? BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_OK
				   : BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END;
}

static const bt_component_class_source *source_class(const char *name)
{
	const bt_component_class_source *class = NULL;
	const bt_plugin *plugin = NULL;

	if (bt_plugin_find("ctf", BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, BT_FALSE, &plugin))
		return NULL;
	class = bt_plugin_borrow_source_component_class_by_name_const(plugin, name);
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

/* Returns the parameters of a source component. If @live, a missing live session is an error. */
static bt_value *source_params(bool live)
{
	bt_value *params = bt_value_map_create();

	if (params && !bt_value_map_insert_empty_array_entry(params, "inputs", NULL) &&
	    (!live ||
	     !bt_value_map_insert_string_entry(params, "session-not-found-action", "fail")))
		return params;
	bt_value_put_ref(params);
	return NULL;
}

static int add_input(bt_value *params, const char *input)
{
	return bt_value_array_append_string_element(
		bt_value_map_borrow_entry_value(params, "inputs"), input);
}

/*
 * If the folder is one of several folders of a trace, as in a rotated session, returns the name
 * that source.ctf.fs gives to the trace. Otherwise returns NULL.
 */
static char *find_group(const bt_component_class_source *class, const char *folder)
{
	bt_query_executor *executor = NULL;
	const bt_value *result = NULL, *group = NULL;
	bt_value *params = bt_value_map_create();
	char *name = NULL;

	if (params && !bt_value_map_insert_string_entry(params, "type", "directory") &&
	    !bt_value_map_insert_string_entry(params, "input", folder))
		executor = bt_query_executor_create(
			bt_component_class_source_as_component_class_const(class),
			"babeltrace.support-info", params);
	if (executor && !bt_query_executor_query(executor, &result) && bt_value_is_map(result))
		group = bt_value_map_borrow_entry_value_const(result, "group");
	if (group && bt_value_is_string(group))
		name = strdup(bt_value_string_get(group));
	/* The source component that reads the folder reports the error. */
	if (!result)
		bt_current_thread_clear_error();
	bt_value_put_ref(result);
	if (executor)
		bt_query_executor_put_ref(executor);
	bt_value_put_ref(params);
	return name;
}

static void release_parts(struct graph_parts *parts)
{
	for (size_t i = 0; i < parts->count; i++) {
		bt_value_put_ref(parts->params[i]);
		free(parts->groups[i]);
	}
	free(parts->params);
	free(parts->groups);
	for (size_t i = 0; i < parts->port_count; i++) {
		free(parts->ports[i]->name);
		free(parts->ports[i]);
	}
	free(parts->ports);
	bt_component_class_source_put_ref(parts->source);
	bt_component_class_filter_put_ref(parts->muxer);
}

/*
 * Adds the folder to the component that reads the other folders of the same trace. If there is no
 * such component yet, creates it.
 */
static int add_part(struct graph_parts *parts, const char *input, bool live)
{
	char *group = live ? NULL : find_group(parts->source, input);
	bt_value *params;

	for (size_t i = 0; group && i < parts->count; i++)
		if (parts->groups[i] && !strcmp(parts->groups[i], group)) {
			free(group);
			return add_input(parts->params[i], input);
		}
	params = source_params(live);
	if (!params) {
		free(group);
		return -1;
	}
	parts->params[parts->count] = params;
	parts->groups[parts->count++] = group;
	return add_input(params, input);
}

static int find_parts(const struct mm_source *source, struct graph_parts *parts,
		      struct mm_error *err)
{
	bool live = !source->folder_count;
	size_t count = live ? 1 : source->folder_count;
	int ret;

	parts->source = source_class(live ? "lttng-live" : "fs");
	parts->muxer = muxer_class();
	if (!parts->source || !parts->muxer) {
		bt_current_thread_clear_error();
		return mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"libbabeltrace2: its ctf and utils plugins are missing; install the package babeltrace2");
	}
	parts->params = calloc(count, sizeof(bt_value *));
	parts->groups = calloc(count, sizeof(char *));
	ret = parts->params && parts->groups ? 0 : -1;
	for (size_t i = 0; i < count && !ret; i++)
		ret = add_part(parts, live ? source->path : source->folders[i], live);
	return ret ? mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: out of memory") : 0;
}

/*
 * Returns the version of the message interchange protocol. CTF 2 requires version 1, but
 * babeltrace2 2.0.4 and some filters support only version 0.
 */
static uint64_t protocol_version(const struct graph_parts *parts)
{
	const bt_component_class *muxer =
		bt_component_class_filter_as_component_class_const(parts->muxer);
	bt_component_descriptor_set *set = bt_component_descriptor_set_create();
	bool complete = set && !bt_component_descriptor_set_add_descriptor(set, muxer, NULL);
	uint64_t version = 0;

	for (size_t i = 0; complete && i < parts->count; i++)
		complete = !bt_component_descriptor_set_add_descriptor(
			set, bt_component_class_source_as_component_class_const(parts->source),
			parts->params[i]);
	/* If the components have no common version, adding a component reports the error later. */
	if (!complete ||
	    bt_get_greatest_operative_mip_version(set, BT_LOGGING_LEVEL_NONE, &version)) {
		version = 0;
		bt_current_thread_clear_error();
	}
	bt_component_descriptor_set_put_ref(set);
	return version;
}

static const bt_component_source *add_source(bt_graph *graph, const struct graph_parts *parts,
					     size_t number)
{
	const bt_component_source *component = NULL;
	char name[32];

	snprintf(name, sizeof(name), "source%zu", number);
	bt_graph_add_source_component(graph, parts->source, name, parts->params[number],
				      BT_LOGGING_LEVEL_NONE, &component);
	return component;
}

static const char *port_name(const bt_port_output *port)
{
	return bt_port_get_name(bt_port_output_as_port_const(port));
}

static bool is_state(const struct graph_parts *parts, size_t input, const bt_port_output *output)
{
	for (size_t i = 0; i < parts->port_count; i++) {
		const struct stream_port *port = parts->ports[i];

		if (port->input == input && !strcmp(port->name, port_name(output)))
			return port->is_state;
	}
	return false;
}

static int connect_source(bt_graph *graph, const struct graph_parts *parts, enum which which,
			  size_t number, const bt_component_filter *muxer, uint64_t *muxer_port)
{
	const bt_component_source *component = add_source(graph, parts, number);

	if (!component)
		return -1;
	for (uint64_t i = 0; i < bt_component_source_get_output_port_count(component); i++) {
		const bt_port_output *port =
			bt_component_source_borrow_output_port_by_index_const(component, i);

		if (which != WHICH_ALL && is_state(parts, number, port) != (which == WHICH_STATE))
			continue;
		if (bt_graph_connect_ports(graph, port,
					   bt_component_filter_borrow_input_port_by_index_const(
						   muxer, *muxer_port),
					   NULL))
			return -1;
		(*muxer_port)++;
	}
	return 0;
}

static int fill_graph(struct bt2_source *source, const struct graph_parts *parts, enum which which,
		      bt_graph *graph)
{
	const bt_component_filter *muxer = NULL;
	const bt_component_sink *sink = NULL;
	uint64_t muxer_port = 0;

	if (bt_graph_add_filter_component(graph, parts->muxer, "muxer", NULL, BT_LOGGING_LEVEL_NONE,
					  &muxer))
		return -1;
	for (size_t i = 0; i < parts->count; i++)
		if (connect_source(graph, parts, which, i, muxer, &muxer_port))
			return -1;
	if (bt_graph_add_simple_sink_component(graph, "sink", sink_begin, sink_consume, NULL,
					       source, &sink) ||
	    bt_graph_connect_ports(
		    graph, bt_component_filter_borrow_output_port_by_index_const(muxer, 0),
		    bt_component_sink_borrow_input_port_by_index_const(sink, 0), NULL))
		return -1;
	return 0;
}

/* Reports the innermost cause of libbabeltrace2's error. */
static void report_graph_error(struct bt2_source *source)
{
	const bt_error *error = bt_current_thread_take_error();
	const char *cause = "no reason is given", *path = source->base.path;

	if (error && bt_error_get_cause_count(error))
		cause = bt_error_cause_get_message(bt_error_borrow_cause_by_index(error, 0));
	if (source->base.folder_count)
		mm_error_set(
			source->err, MM_EXIT_BAD_INPUT,
			"trace: %s: libbabeltrace2 cannot read it: %.300s; to read the rest of a damaged or truncated trace, omit --reader=babeltrace2",
			path, cause);
	else
		mm_error_set(
			source->err, MM_EXIT_BAD_INPUT,
			"trace: %s: no live session to read: %.300s; `babeltrace2 -i lttng-live net://HOST` lists the sessions of a relay daemon",
			path, cause);
	if (error)
		bt_error_release(error);
}

static void wait_for_news(void)
{
	const struct timespec pause = { .tv_nsec = RETRY_NS };

	nanosleep(&pause, NULL);
}

/*
 * Declares the event classes of a stream. Sets port->is_state if the stream has only state dumps.
 */
static bt_graph_simple_sink_component_consume_func_status look(bt_message_iterator *iterator,
							       void *user)
{
	struct stream_port *port = user;
	bt_message_array_const messages;
	uint64_t count;

	/* The graph that reads the whole stream reports the error. */
	if (bt_message_iterator_next(iterator, &messages, &count)) {
		bt_current_thread_clear_error();
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END;
	}
	for (uint64_t i = 0; i < count; i++) {
		if (bt_message_get_type(messages[i]) == BT_MESSAGE_TYPE_STREAM_BEGINNING) {
			const bt_stream_class *class = bt_stream_borrow_class_const(
				bt_message_stream_beginning_borrow_stream_const(messages[i]));

			port->is_state = mm_bt2_class_is_state(class, port->source->requests);
			/* If memory is exhausted here, reading the stream reports it later. */
			mm_bt2_class_declare(class, 0, &port->source->base);
		}
		bt_message_put_ref(messages[i]);
	}
	return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END;
}

/* Connects an output port to a separate sink, which runs look() on the port. */
static int add_look(struct bt2_source *source, struct graph_parts *parts, bt_graph *graph,
		    size_t input, const bt_port_output *output)
{
	struct stream_port **grown =
		reallocarray(parts->ports, parts->port_count + 1, sizeof(*grown));
	const bt_component_sink *sink = NULL;
	struct stream_port *port;
	char name[32];

	if (!grown)
		return -1;
	parts->ports = grown;
	port = calloc(1, sizeof(*port));
	if (!port)
		return -1;
	grown[parts->port_count++] = port;
	*port = (struct stream_port){ .input = input,
				      .name = strdup(port_name(output)),
				      .source = source };
	snprintf(name, sizeof(name), "look%zu", parts->port_count);
	if (!port->name ||
	    bt_graph_add_simple_sink_component(graph, name, sink_begin, look, NULL, port, &sink) ||
	    bt_graph_connect_ports(graph, output,
				   bt_component_sink_borrow_input_port_by_index_const(sink, 0),
				   NULL))
		return -1;
	return 0;
}

static int add_looks(struct bt2_source *source, struct graph_parts *parts, bt_graph *graph)
{
	for (size_t i = 0; i < parts->count; i++) {
		const bt_component_source *component = add_source(graph, parts, i);

		if (!component)
			return -1;
		for (uint64_t j = 0; j < bt_component_source_get_output_port_count(component); j++)
			if (add_look(source, parts, graph, i,
				     bt_component_source_borrow_output_port_by_index_const(
					     component, j)))
				return -1;
	}
	return 0;
}

/* Finds the state streams, with a graph that reads the start of each stream. */
static int find_state(struct bt2_source *source, struct graph_parts *parts)
{
	bt_graph *graph = bt_graph_create(protocol_version(parts));
	bt_graph_run_status status = BT_GRAPH_RUN_STATUS_ERROR;

	if (!graph)
		return mm_error_set(source->err, MM_EXIT_ENVIRONMENT,
				    "libbabeltrace2: out of memory for a graph");
	if (!add_looks(source, parts, graph) && parts->port_count)
		status = bt_graph_run(graph);
	if (status != BT_GRAPH_RUN_STATUS_OK)
		report_graph_error(source);
	bt_graph_put_ref(graph);
	return status == BT_GRAPH_RUN_STATUS_OK ? 0 : -1;
}

static int run_graph(struct bt2_source *source, const struct graph_parts *parts, enum which which)
{
	bt_graph *graph = bt_graph_create(protocol_version(parts));
	bt_graph_run_status status = BT_GRAPH_RUN_STATUS_ERROR;
	int ret = -1;

	if (!graph)
		return mm_error_set(source->err, MM_EXIT_ENVIRONMENT,
				    "libbabeltrace2: out of memory for a graph");
	if (!fill_graph(source, parts, which, graph)) {
		while ((status = bt_graph_run(graph)) == BT_GRAPH_RUN_STATUS_AGAIN)
			wait_for_news();
	}
	if (status != BT_GRAPH_RUN_STATUS_OK)
		report_graph_error(source);
	else if (!source->failed)
		ret = mm_bt2_events_finish(source->events, source->err);
	bt_graph_put_ref(graph);
	return ret;
}

static bool has_state(const struct graph_parts *parts)
{
	for (size_t i = 0; i < parts->port_count; i++)
		if (parts->ports[i]->is_state)
			return true;
	return false;
}

static bool has_others(const struct graph_parts *parts)
{
	for (size_t i = 0; i < parts->port_count; i++)
		if (!parts->ports[i]->is_state)
			return true;
	return false;
}

/*
 * If state dumps are requested from folders, runs the graph of the state streams first. In a live
 * session, this is impossible because the streams have no end yet, so state dumps are handled in
 * time order.
 */
static int run_graphs(struct bt2_source *source, struct graph_parts *parts)
{
	if (!source->base.folder_count || !mm_requests_have_state(source->requests) ||
	    source->base.options.in_order)
		return source->base.options.only_state ? 0 : run_graph(source, parts, WHICH_ALL);
	if (find_state(source, parts))
		return -1;
	if (has_state(parts) && run_graph(source, parts, WHICH_STATE))
		return -1;
	if (source->base.options.only_state || (has_state(parts) && !has_others(parts)))
		return 0;
	return run_graph(source, parts, WHICH_OTHERS);
}

static int bt2_run(struct mm_source *base, const struct mm_requests *requests,
		   const struct mm_handler *handler, struct mm_error *err)
{
	struct bt2_source *source = (struct bt2_source *)base;
	struct graph_parts parts = { 0 };
	int ret = -1;

	source->err = err;
	source->requests = requests;
	source->events = mm_bt2_events_create(base, requests, handler);
	if (!source->events)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: out of memory");
	bt_logging_set_global_level(BT_LOGGING_LEVEL_NONE);
	if (!mm_bt2_check_packets(base, requests, err) && !find_parts(base, &parts, err))
		ret = run_graphs(source, &parts);
	if (!ret && mm_bt2_events_end(source->events, err) != MM_BT2_OK)
		ret = -1;
	release_parts(&parts);
	return ret;
}

static void bt2_destroy(struct mm_source *base)
{
	struct bt2_source *source = (struct bt2_source *)base;

	mm_bt2_events_destroy(source->events);
	free(source);
}

static const struct mm_source_ops bt2_ops = {
	.run = bt2_run,
	.field_at = mm_bt2_field_at,
	.context_at = mm_bt2_context_at,
	.field_text = mm_bt2_field_text,
	.member_at = mm_bt2_member_at,
	.label_at = mm_bt2_label_at,
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

static void free_graph_source(struct mm_source *source)
{
	free(source);
}

static const struct mm_source_ops graph_ops = {
	.field_at = mm_bt2_field_at,
	.field_text = mm_bt2_field_text,
	.member_at = mm_bt2_member_at,
	.label_at = mm_bt2_label_at,
	.destroy = free_graph_source,
};

struct mm_source *mm_bt2_graph_source_create(const char *path,
					     const struct mm_folder_ops *folder_ops)
{
	struct mm_source *source = calloc(1, sizeof(*source));

	if (!source)
		return NULL;
	source->ops = &graph_ops;
	source->folder_ops = folder_ops;
	mm_source_options_init(&source->options);
	source->path = strdup(path);
	if (source->path)
		return source;
	free(source);
	return NULL;
}
