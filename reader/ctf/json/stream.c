// SPDX-License-Identifier: LGPL-2.1-only
// Loads CTF 2's data stream classes and event record classes.

#include <string.h>

#include "reader/ctf/json/json.h"

/* Sets the role of the CPU number, which LTTng identifies only by the name of the field. */
static void find_cpu(struct ctf_field *packet_context)
{
	size_t index;
	const struct ctf_field *cpu = ctf_field_find(packet_context, "cpu_id", &index);

	if (cpu && (cpu->kind == CTF_UNSIGNED || cpu->kind == CTF_LEB_UNSIGNED))
		packet_context->members[index].field->roles |= CTF_ROLE_CPU_ID;
}

static int load_stream_scopes(struct ctf_json *j, const json_t *fragment,
			      struct ctf_stream_class *stream)
{
	struct ctf_field *scopes[CTF_JSON_SCOPES] = { j->trace->packet_header };
	int ret;

	ret = ctf_json_load_scope(j, fragment, "packet-context-field-class", scopes,
				  CTF_JSON_PACKET_CONTEXT, stream->clock);
	if (!ret)
		ret = ctf_json_load_scope(j, fragment, "event-record-header-field-class", scopes,
					  CTF_JSON_EVENT_HEADER, stream->clock);
	if (!ret)
		ret = ctf_json_load_scope(j, fragment, "event-record-common-context-field-class",
					  scopes, CTF_JSON_COMMON_CONTEXT, stream->clock);
	stream->packet_context = scopes[CTF_JSON_PACKET_CONTEXT];
	stream->event_header = scopes[CTF_JSON_EVENT_HEADER];
	stream->common_context = scopes[CTF_JSON_COMMON_CONTEXT];
	if (!ret && stream->packet_context)
		find_cpu(stream->packet_context);
	return ret;
}

int ctf_json_load_stream_class(struct ctf_json *j, const json_t *fragment)
{
	static const struct ctf_json_property properties[] = {
		{ "id", false },
		{ "namespace", false },
		{ "name", false },
		{ "uid", false },
		{ "default-clock-class-id", false },
		{ "packet-context-field-class", false },
		{ "event-record-header-field-class", false },
		{ "event-record-common-context-field-class", false },
		{}
	};
	const char *clock = NULL;
	struct ctf_stream_class *stream;
	uint64_t id = 0;
	size_t index;
	char key[24];

	/* From now on, refuse fragments that declare a trace class. */
	j->has_trace_class = true;
	if (ctf_json_check(j, fragment, "a data stream class", properties) ||
	    ctf_json_unsigned(j, fragment, "id", &id) ||
	    ctf_json_string(j, fragment, "default-clock-class-id", &clock))
		return -1;
	ctf_json_id_key(id, key);
	if (ctf_json_recall(j->stream_by_id, key, &index))
		return ctf_json_fail(j, "a second data stream class %s", key);
	stream = ctf_trace_class_add_stream(j->trace, id);
	if (!stream)
		return ctf_json_no_memory(j);
	if (ctf_json_remember(j, j->stream_by_id, key, j->trace->stream_count - 1) ||
	    ctf_json_copy(j, fragment, "namespace", &stream->name_space) ||
	    ctf_json_copy(j, fragment, "name", &stream->name) ||
	    ctf_json_copy(j, fragment, "uid", &stream->uid))
		return -1;
	if (clock && !ctf_json_recall(j->clock_by_id, clock, &index))
		return ctf_json_fail(j, "no clock class `%.60s` before this", clock);
	if (clock)
		stream->clock = j->trace->clocks[index];
	return load_stream_scopes(j, fragment, stream);
}

/* Gets a string attribute in babeltrace2's namespace, or else in LTTng's. */
static const char *string_attribute(const json_t *fragment, const char *name)
{
	static const char *const name_spaces[] = { "babeltrace.org,2020", "lttng.org,2009" };
	const json_t *attributes = json_object_get(fragment, "attributes"), *value;
	size_t i;

	for (i = 0; i < 2; i++) {
		value = json_object_get(json_object_get(attributes, name_spaces[i]), name);
		if (json_is_string(value))
			return json_string_value(value);
	}
	return NULL;
}

static int load_log_level(struct ctf_json *j, const json_t *fragment, struct ctf_event_class *event)
{
	/* indexed by the log levels of CTF 1.8 */
	static const char *const levels[] = {
		"emergency",	"alert",      "critical",	"error",	 "warning",
		"notice",	"info",	      "debug:system",	"debug:program", "debug:process",
		"debug:module", "debug:unit", "debug:function", "debug:line",	 "debug",
	};
	const char *level = string_attribute(fragment, "log-level");
	const char *uri = string_attribute(fragment, "emf-uri");
	size_t i;

	for (i = 0; level && i < sizeof(levels) / sizeof(levels[0]); i++) {
		if (strcmp(level, levels[i]) != 0)
			continue;
		event->has_log_level = true;
		event->log_level = i;
		event->log_level_name = strdup(level);
		if (!event->log_level_name)
			return ctf_json_no_memory(j);
	}
	if (uri) {
		event->emf_uri = strdup(uri);
		if (!event->emf_uri)
			return ctf_json_no_memory(j);
	}
	return 0;
}

static int load_event_scopes(struct ctf_json *j, const json_t *fragment,
			     struct ctf_event_class *event)
{
	struct ctf_stream_class *stream = event->stream_class;
	struct ctf_field *scopes[CTF_JSON_SCOPES] = {
		j->trace->packet_header,
		stream->packet_context,
		stream->event_header,
		stream->common_context,
		NULL,
		NULL,
	};
	int ret;

	ret = ctf_json_load_scope(j, fragment, "specific-context-field-class", scopes,
				  CTF_JSON_SPECIFIC_CONTEXT, stream->clock);
	if (!ret)
		ret = ctf_json_load_scope(j, fragment, "payload-field-class", scopes,
					  CTF_JSON_PAYLOAD, stream->clock);
	event->specific_context = scopes[CTF_JSON_SPECIFIC_CONTEXT];
	event->payload = scopes[CTF_JSON_PAYLOAD];
	return ret;
}

int ctf_json_load_event_class(struct ctf_json *j, const json_t *fragment)
{
	static const struct ctf_json_property properties[] = { { "id", false },
							       { "data-stream-class-id", false },
							       { "namespace", false },
							       { "name", false },
							       { "uid", false },
							       { "specific-context-field-class",
								 false },
							       { "payload-field-class", false },
							       {} };
	struct ctf_event_class *event;
	uint64_t id = 0, stream_id = 0;
	const char *name = NULL;
	size_t index;
	char key[24];

	if (ctf_json_check(j, fragment, "an event record class", properties) ||
	    ctf_json_unsigned(j, fragment, "id", &id) ||
	    ctf_json_unsigned(j, fragment, "data-stream-class-id", &stream_id) ||
	    ctf_json_string(j, fragment, "name", &name))
		return -1;
	ctf_json_id_key(stream_id, key);
	if (!ctf_json_recall(j->stream_by_id, key, &index))
		return ctf_json_fail(j, "no data stream class %s before this", key);
	event = ctf_stream_class_add_event(j->trace->streams[index], id, name);
	if (!event)
		return ctf_json_no_memory(j);
	if (load_log_level(j, fragment, event))
		return -1;
	return load_event_scopes(j, fragment, event);
}
