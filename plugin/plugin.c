// SPDX-License-Identifier: LGPL-2.1-only
/* The babeltrace2 plugin `lttng-mm`: one sink component class for each analysis. */
#include <babeltrace2/babeltrace.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/registry/registry.h"
#include "analysis/run/analysis.h"
#include "reader/open/open-folders.h"
#include "analysis/run/passes.h"
#include "analysis/run/select.h"
#include "plugin/upstream.h"
#include "reader/bt2/events.h"
#include "reader/bt2/source.h"
#include "reader/coverage/certify/certify.h"
#include "reader/open/open.h"
#include "reader/report/render.h"

/* A sink component. */
struct report_sink {
	struct mm_source *source; /* events that the graph delivers; not read from files */
	const struct mm_analysis *analysis;
	struct mm_requests requests;
	struct mm_handler handler;
	struct mm_bt2_events *events;
	struct mm_bt2_upstream upstream;
	struct mm_source *dumps; /* state dumps that the graph delivers too late; or NULL */
	bool begun;		 /* @dumps has been read */
	void *state;
	bt_message_iterator *iterator;
	struct mm_report_options *options; /* first member of the analysis's own struct */
	char **texts;			   /* strings in @options */
	size_t text_count;
	bool json;
	bool no_sysinfo;
	/* folder of the system information; NULL: mm_sysinfo_load() searches for it */
	char *sysinfo;
	struct mm_selection *selection; /* NULL: all threads */
	struct mm_sysinfo *expected; /* system information at the first event; NULL: not needed */
	char *path;		     /* NULL: standard output */
	FILE *out;
	bool over; /* the report has been printed, or the sink has failed */
};

static void destroy_sink(struct report_sink *sink)
{
	if (!sink)
		return;
	bt_message_iterator_put_ref(sink->iterator);
	mm_bt2_events_destroy(sink->events);
	mm_requests_release(&sink->requests);
	mm_bt2_upstream_release(&sink->upstream);
	if (sink->state)
		sink->analysis->destroy(sink->state);
	mm_selection_destroy(sink->selection);
	mm_sysinfo_destroy(sink->expected);
	mm_source_destroy(sink->dumps);
	if (sink->out && sink->out != stdout)
		fclose(sink->out);
	mm_strings_release(sink->texts, sink->text_count);
	free(sink->options);
	free(sink->sysinfo);
	free(sink->path);
	mm_source_destroy(sink->source);
	free(sink);
}

/* Setters of the parameters that every sink has. They return 0, or -1 if the value is invalid. */

static int set_json(struct report_sink *sink, const bt_value *value)
{
	if (!bt_value_is_bool(value))
		return -1;
	sink->json = bt_value_bool_get(value);
	return 0;
}

static int set_sysinfo(struct report_sink *sink, const bt_value *value)
{
	if (bt_value_is_bool(value) && !bt_value_bool_get(value)) {
		sink->no_sysinfo = true;
		return 0;
	}
	if (!bt_value_is_string(value))
		return -1;
	sink->sysinfo = strdup(bt_value_string_get(value));
	return sink->sysinfo ? 0 : -1;
}

static int set_path(struct report_sink *sink, const bt_value *value)
{
	if (!bt_value_is_string(value))
		return -1;
	sink->path = strdup(bt_value_string_get(value));
	return sink->path ? 0 : -1;
}

static const struct sink_param {
	const char *name, *expected;
	int (*set)(struct report_sink *sink, const bt_value *value);
} params_known[] = {
	{ "json", "yes or no", set_json },
	{ "sysinfo", "a folder, or no", set_sysinfo },
	{ "path", "a file", set_path },
};

struct param_errors {
	struct report_sink *sink;
	struct mm_error *err;
};

static int unknown_param(const struct mm_analysis *analysis, const char *name, struct mm_error *err)
{
	char known[256] = "";
	size_t length = 0;

	for (const struct mm_option *option = mm_options_table(analysis->options);
	     option->name && length < sizeof(known); option++)
		length += (size_t)snprintf(known + length, sizeof(known) - length, ", %s",
					   option->name);
	return mm_error_set(err, MM_EXIT_BAD_INPUT,
			    "parameter %s: unknown; known: json, sysinfo, path%s", name, known);
}

/*
 * Returns the text that @value would have on the command line. The text is stored in @number or
 * owned by the sink. Returns NULL if the type of @value is wrong, or when out of memory.
 */
static const char *argument_of(struct report_sink *sink, const struct mm_option *option,
			       const bt_value *value, char *number, size_t size)
{
	if (option->type == MM_OPTION_NUMBER) {
		/*
		 * `babeltrace2 --params` parses a plain number as signed, and a number with + as
		 * unsigned.
		 */
		if (bt_value_is_signed_integer(value))
			snprintf(number, size, "%" PRId64, bt_value_integer_signed_get(value));
		else if (bt_value_is_unsigned_integer(value))
			snprintf(number, size, "%" PRIu64, bt_value_integer_unsigned_get(value));
		else
			return NULL;
		return number;
	}
	if (!bt_value_is_string(value) ||
	    mm_strings_add(&sink->texts, &sink->text_count, bt_value_string_get(value)))
		return NULL;
	return sink->texts[sink->text_count - 1];
}

/* Sets an option of the analysis in the same way as the command line. */
static int set_option(struct report_sink *sink, const char *name, const bt_value *value,
		      struct mm_error *err)
{
	static const char *const expected[] = {
		[MM_OPTION_FLAG] = "yes or no",	 [MM_OPTION_NUMBER] = "a number",
		[MM_OPTION_CHOICE] = "a string", [MM_OPTION_TEXT] = "a string",
		[MM_OPTION_TIME] = "a string",
	};
	const struct mm_option *option = mm_option_find(sink->analysis->options, name);
	const char *argument = NULL;
	char number[32];

	if (!option)
		return unknown_param(sink->analysis, name, err);
	if (option->type != MM_OPTION_FLAG)
		argument = argument_of(sink, option, value, number, sizeof(number));
	if (option->type == MM_OPTION_FLAG ? !bt_value_is_bool(value) : !argument)
		return mm_error_set(err, MM_EXIT_BAD_INPUT, "parameter %s: not %s", name,
				    expected[option->type]);
	if (option->type == MM_OPTION_FLAG && !bt_value_bool_get(value))
		return 0;
	return mm_option_read(option, sink->analysis->name, argument, false, sink->options, err);
}

static bt_value_map_foreach_entry_const_func_status set_param(const char *key,
							      const bt_value *value, void *user)
{
	struct param_errors *errors = user;

	for (size_t i = 0; i < sizeof(params_known) / sizeof(params_known[0]); i++) {
		const struct sink_param *param = &params_known[i];

		if (strcmp(param->name, key))
			continue;
		if (!param->set(errors->sink, value))
			return BT_VALUE_MAP_FOREACH_ENTRY_CONST_FUNC_STATUS_OK;
		mm_error_set(errors->err, MM_EXIT_BAD_INPUT, "parameter %s: not %s", key,
			     param->expected);
		return BT_VALUE_MAP_FOREACH_ENTRY_CONST_FUNC_STATUS_ERROR;
	}
	return set_option(errors->sink, key, value, errors->err)
		       ? BT_VALUE_MAP_FOREACH_ENTRY_CONST_FUNC_STATUS_ERROR
		       : BT_VALUE_MAP_FOREACH_ENTRY_CONST_FUNC_STATUS_OK;
}

/* Checks combinations of options. Returns 0, or -1 with @err set. */
static int check_options(const struct report_sink *sink, struct mm_error *err)
{
	const struct mm_analysis *analysis = sink->analysis;

	if (mm_options_check(analysis->options, analysis->name, sink->options, err))
		return -1;
	if (analysis->listing && analysis->listing(sink->options))
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"report %s: a sink cannot list events; use `lttng-mm report %s TRACE`",
			analysis->name, analysis->name);
	if (mm_passes_check_again(analysis, "babeltrace2's graph", sink->options, err))
		return -1;
	return analysis->check_options ? analysis->check_options(sink->options, err) : 0;
}

static int set_params(struct report_sink *sink, const bt_value *params, struct mm_error *err)
{
	struct param_errors errors = { sink, err };

	if (bt_value_map_foreach_entry_const(params, set_param, &errors)) {
		/* Drop libbabeltrace2's message, which is less specific than ours. */
		bt_current_thread_clear_error();
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "report: out of memory");
	}
	if (check_options(sink, err))
		return -1;
	if (sink->analysis->configure)
		sink->analysis->configure(sink->state, sink->options);
	sink->out = sink->path ? fopen(sink->path, "w") : stdout;
	if (!sink->out)
		return mm_error_set(err, MM_EXIT_BAD_INPUT, "report: %s: %s", sink->path,
				    strerror(errno));
	return 0;
}

static struct report_sink *create_sink(const struct mm_analysis *analysis, struct mm_error *err)
{
	struct report_sink *sink;

	if (mm_passes_check_single(analysis, "babeltrace2's graph", err))
		return NULL;
	sink = calloc(1, sizeof(*sink));
	if (!sink) {
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "report: out of memory");
		return NULL;
	}
	sink->source = mm_bt2_graph_source_create("babeltrace2's graph", &mm_folder_ops);
	sink->analysis = analysis;
	sink->options = mm_options_create(analysis->options);
	sink->state = analysis->create();
	sink->handler = (struct mm_handler){ .user = sink->state,
					     .event = analysis->event,
					     .lost = analysis->lost,
					     .bind = analysis->bind };
	mm_requests_init(&sink->requests);
	if (sink->state)
		analysis->request(sink->state, 0, &sink->requests);
	if (sink->source)
		sink->events = mm_bt2_events_create(sink->source, &sink->requests, &sink->handler);
	if (sink->options && sink->state && sink->events &&
	    !mm_requests_check(&sink->requests, err))
		return sink;
	mm_error_set(err, MM_EXIT_ENVIRONMENT, "report: out of memory");
	destroy_sink(sink);
	return NULL;
}

static void tell_error(bt_self_component_sink *self, const struct mm_error *err)
{
	BT_CURRENT_THREAD_ERROR_APPEND_CAUSE_FROM_COMPONENT(
		bt_self_component_sink_as_self_component(self), "%s", err->message);
}

static bt_component_class_initialize_method_status
sink_init(bt_self_component_sink *self, const bt_value *params, const struct mm_analysis *analysis)
{
	struct mm_error err = MM_ERROR_INIT;
	struct report_sink *sink = create_sink(analysis, &err);

	if (!sink || set_params(sink, params, &err)) {
		tell_error(self, &err);
		goto error;
	}
	if (bt_self_component_sink_add_input_port(self, "in", NULL, NULL))
		goto error;
	bt_self_component_set_data(bt_self_component_sink_as_self_component(self), sink);
	return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
error:
	destroy_sink(sink);
	return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
}

static struct report_sink *sink_of(bt_self_component_sink *self)
{
	return bt_self_component_get_data(bt_self_component_sink_as_self_component(self));
}

static bt_component_class_get_supported_mip_versions_method_status
sink_versions(bt_self_component_class_sink *self, const bt_value *params, void *data,
	      bt_logging_level level, bt_integer_range_set_unsigned *versions)
{
	(void)self;
	(void)params;
	(void)data;
	(void)level;
	return bt_integer_range_set_unsigned_add_range(versions, 0, 1)
		       ? BT_COMPONENT_CLASS_GET_SUPPORTED_MIP_VERSIONS_METHOD_STATUS_MEMORY_ERROR
		       : BT_COMPONENT_CLASS_GET_SUPPORTED_MIP_VERSIONS_METHOD_STATUS_OK;
}

static bt_component_class_sink_graph_is_configured_method_status
sink_configured(bt_self_component_sink *self)
{
	struct report_sink *sink = sink_of(self);
	bt_self_component_port_input *port =
		bt_self_component_sink_borrow_input_port_by_name(self, "in");
	const struct mm_error err = { .message = "its input port is not connected" };

	if (!bt_port_is_connected(bt_self_component_port_as_port(
		    bt_self_component_port_input_as_self_component_port(port)))) {
		tell_error(self, &err);
		return BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_ERROR;
	}
	if (mm_bt2_upstream_find(
		    &sink->upstream,
		    (const bt_port_input *)bt_self_component_port_as_port(
			    bt_self_component_port_input_as_self_component_port(port))))
		return BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_MEMORY_ERROR;
	return (int)bt_message_iterator_create_from_sink_component(self, port, &sink->iterator);
}

/*
 * Loads the system information. By default, it is in the trace's folder, which is known from the
 * names of the streams.
 */
static struct mm_sysinfo *load_context(struct report_sink *sink)
{
	if (sink->sysinfo)
		return mm_sysinfo_load_folder(sink->sysinfo, sink->source, mm_sysinfo_part_at);
	return mm_sysinfo_load(sink->no_sysinfo ? NULL : sink->source, mm_sysinfo_part_at);
}

/* Handles the first message after the stream beginnings. Then selects the threads of the report. */
static enum mm_bt2_status take_first(struct report_sink *sink, const bt_message *message,
				     struct mm_error *err)
{
	enum mm_bt2_status status = mm_bt2_events_take(sink->events, message, err);

	if (status != MM_BT2_OK || !sink->analysis->select)
		return status;
	sink->expected = load_context(sink);
	if (!sink->expected) {
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "report: out of memory");
		return MM_BT2_FAILED;
	}
	if (mm_select(&sink->selection, sink->source, sink->expected, sink->options)) {
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "report: out of memory");
		return MM_BT2_FAILED;
	}
	if (sink->selection)
		sink->analysis->select(sink->state, sink->selection);
	return MM_BT2_OK;
}

/* Prints the report on the events so far. Returns 0, or -1 with @err set. */
static int report(struct report_sink *sink, struct mm_error *err)
{
	struct mm_sysinfo *sysinfo = NULL;
	struct mm_report *made = NULL;
	int ret = -1;

	if (mm_bt2_events_finish(sink->events, err) == MM_BT2_OK &&
	    mm_bt2_events_end(sink->events, err) == MM_BT2_OK)
		sysinfo = load_context(sink);
	if (!sysinfo)
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "report: out of memory");
	else
		made = mm_analysis_report(sink->analysis, sink->state, sink->source, sysinfo,
					  sink->options, err);
	if (made && certificate_warn(sink->source, made, err)) {
		mm_report_destroy(made);
		made = NULL;
	}
	if (made) {
		mm_passes_note(sink->analysis, made);
		ret = sink->json ? mm_render_json(sink->out, made)
				 : mm_render_text(sink->out, made, mm_render_width(sink->out));
		if (fflush(sink->out) || ferror(sink->out))
			ret = -1;
		if (ret)
			mm_error_set(err, MM_EXIT_BAD_INPUT, "report: %s: cannot be written",
				     sink->path ? sink->path : "standard output");
	}
	mm_report_destroy(made);
	mm_sysinfo_destroy(sysinfo);
	return ret;
}

static bt_component_class_sink_consume_method_status end(bt_self_component_sink *self,
							 struct report_sink *sink)
{
	struct mm_error err = MM_ERROR_INIT;

	sink->over = true;
	if (!report(sink, &err))
		return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_END;
	tell_error(self, &err);
	return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_ERROR;
}

/*
 * Reads the state dumps before the first event, like `lttng-mm report`. The graph would deliver
 * them last, because their timestamps are later: a snapshot writes its state session last.
 */
static enum mm_bt2_status read_state(struct report_sink *sink, struct mm_error *err)
{
	if (mm_requests_have_state(&sink->requests))
		sink->dumps = mm_bt2_upstream_open(&sink->upstream, sink->events);
	if (!sink->dumps)
		return MM_BT2_OK;
	if (mm_source_run(sink->dumps, &sink->requests, &sink->handler, err))
		return MM_BT2_FAILED;
	mm_source_add_events(sink->source, mm_source_event_count(sink->dumps));
	return mm_bt2_events_skip_state(sink->events, sink->dumps, err);
}

static enum mm_bt2_status take(struct report_sink *sink, const bt_message *message,
			       struct mm_error *err)
{
	if (__builtin_expect(!sink->begun, 0) &&
	    bt_message_get_type(message) != BT_MESSAGE_TYPE_STREAM_BEGINNING) {
		sink->begun = true;
		if (read_state(sink, err) != MM_BT2_OK)
			return MM_BT2_FAILED;
		/* All streams have begun, so the folders of their files are known. */
		return take_first(sink, message, err);
	}
	return mm_bt2_events_take(sink->events, message, err);
}

static bt_component_class_sink_consume_method_status sink_consume(bt_self_component_sink *self)
{
	struct report_sink *sink = sink_of(self);
	struct mm_error err = MM_ERROR_INIT;
	enum mm_bt2_status status = MM_BT2_OK;
	bt_message_iterator_next_status next;
	bt_message_array_const messages;
	uint64_t count;

	next = bt_message_iterator_next(sink->iterator, &messages, &count);
	if (next == BT_MESSAGE_ITERATOR_NEXT_STATUS_END)
		return end(self, sink);
	if (next != BT_MESSAGE_ITERATOR_NEXT_STATUS_OK) {
		sink->over = next != BT_MESSAGE_ITERATOR_NEXT_STATUS_AGAIN;
		return (int)next;
	}
	for (uint64_t i = 0; i < count; i++) {
		if (status == MM_BT2_OK)
			status = take(sink, messages[i], &err);
		bt_message_put_ref(messages[i]);
	}
	if (status == MM_BT2_OK)
		return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_OK;
	sink->over = true;
	tell_error(self, &err);
	return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_ERROR;
}

/* If the user interrupts a live session, prints the report so far. Ignores errors. */
static void sink_finalize(bt_self_component_sink *self)
{
	struct report_sink *sink = sink_of(self);

	if (!sink->over && sink->iterator && mm_source_event_count(sink->source))
		report(sink, NULL);
	destroy_sink(sink);
}

/* Exports only the functions of BT_PLUGIN_MODULE(), with which babeltrace2 loads the plugin. */
#pragma GCC visibility push(default)
BT_PLUGIN_MODULE();
#pragma GCC visibility pop

static BT_PLUGIN_WITH_ID(lttng_mm, "lttng-mm");
BT_PLUGIN_DESCRIPTION_WITH_ID(lttng_mm, "Analyses of lttng-mm: Linux kernel memory management");
BT_PLUGIN_LICENSE_WITH_ID(lttng_mm, "LGPL-2.1-only");

#define SINK(id, name)                                                                           \
	extern const struct mm_analysis mm_##id##_analysis;                                      \
	static bt_component_class_initialize_method_status init_##id(                            \
		bt_self_component_sink *self, bt_self_component_sink_configuration *config,      \
		const bt_value *params, void *data)                                              \
	{                                                                                        \
		(void)config;                                                                    \
		(void)data;                                                                      \
		return sink_init(self, params, &mm_##id##_analysis);                             \
	}                                                                                        \
	BT_PLUGIN_SINK_COMPONENT_CLASS_WITH_ID(lttng_mm, id, name, sink_consume);                \
	BT_PLUGIN_SINK_COMPONENT_CLASS_DESCRIPTION_WITH_ID(                                      \
		lttng_mm, id, "Print what `lttng-mm report " name "` prints.");                  \
	BT_PLUGIN_SINK_COMPONENT_CLASS_HELP_WITH_ID(                                             \
		lttng_mm, id, "See the babeltrace2-sink.lttng-mm(7) manual page.");              \
	BT_PLUGIN_SINK_COMPONENT_CLASS_INITIALIZE_METHOD_WITH_ID(lttng_mm, id, init_##id);       \
	BT_PLUGIN_SINK_COMPONENT_CLASS_GET_SUPPORTED_MIP_VERSIONS_METHOD_WITH_ID(lttng_mm, id,   \
										 sink_versions); \
	BT_PLUGIN_SINK_COMPONENT_CLASS_GRAPH_IS_CONFIGURED_METHOD_WITH_ID(lttng_mm, id,          \
									  sink_configured);      \
	BT_PLUGIN_SINK_COMPONENT_CLASS_FINALIZE_METHOD_WITH_ID(lttng_mm, id, sink_finalize);

MM_SUBSYSTEMS(SINK)
