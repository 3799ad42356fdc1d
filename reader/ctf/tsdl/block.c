// SPDX-License-Identifier: LGPL-2.1-only
// TSDL's blocks: trace, environment, clocks, streams and events.

#include "reader/ctf/tsdl/tsdl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parses the fields of a scope, such as `header := struct {...}`. Each scope may occur once. */
static int parse_scope(struct tsdl_parser *p, const char *name, const char *at,
		       struct ctf_field **field)
{
	struct tsdl_type type;

	if (tsdl_parse_type(p, &type) < 0) {
		tsdl_type_clear(&type);
		return -1;
	}
	if (!*field && type.field->kind == CTF_STRUCT) {
		*field = type.field;
		return 0;
	}
	if (*field)
		tsdl_fail(p, at, "`%s` twice in one block", name);
	else
		tsdl_fail(p, at, "`%s` is not a structure", name);
	tsdl_type_clear(&type);
	return -1;
}

static int skip_type(struct tsdl_parser *p)
{
	struct tsdl_type type;
	int ret = tsdl_parse_type(p, &type);

	tsdl_type_clear(&type);
	return ret;
}

static int copy_text(struct tsdl_parser *p, const struct tsdl_value *value, const char *name,
		     char **text)
{
	if (tsdl_value_text(p, value, name) < 0)
		return -1;
	*text = strdup(value->text);
	return *text ? 0 : tsdl_fail_memory(p);
}

static const char *const trace_names[] = { "major", "minor", "uuid", "byte_order", NULL };

struct trace_block {
	bool has_major, has_minor, has_byte_order;
};

static int trace_attribute(struct tsdl_parser *p, void *user, const char *name,
			   const struct tsdl_value *value)
{
	struct ctf_trace_class *trace = p->trace;
	struct trace_block *seen = user;
	uint64_t number;

	if (!strcmp(name, "uuid")) {
		trace->has_uuid = true;
		return tsdl_value_uuid(p, value, trace->uuid);
	}
	if (!strcmp(name, "byte_order")) {
		seen->has_byte_order = true;
		return tsdl_value_byte_order(p, value, NULL, &trace->big_endian);
	}
	if (tsdl_value_unsigned(p, value, name, &number) < 0)
		return -1;
	*(strcmp(name, "major") ? &seen->has_minor : &seen->has_major) = true;
	if (number != (strcmp(name, "major") ? 8 : 1))
		return tsdl_fail(p, value->at,
				 "the version is not 1.8; "
				 "TSDL metadata of other versions cannot be read");
	return 0;
}

static int trace_type(struct tsdl_parser *p, void *user, const char *name, const char *at)
{
	if (!strcmp(name, "packet.header"))
		return parse_scope(p, name, at, &p->trace->packet_header);
	return skip_type(p);
}

int tsdl_parse_trace(struct tsdl_parser *p)
{
	static const struct tsdl_block block = { "trace", trace_names, trace_attribute, trace_type,
						 true };
	const char *at = p->token.at;
	struct trace_block seen = { 0 };

	if (tsdl_parse_block(p, &block, &seen) < 0)
		return -1;
	if (!seen.has_major || !seen.has_minor || !seen.has_byte_order)
		return tsdl_fail(p, at, "a trace without `%s`",
				 !seen.has_major   ? "major"
				 : !seen.has_minor ? "minor"
						   : "byte_order");
	p->trace->major = 1;
	p->trace->minor = 8;
	return 0;
}

int tsdl_find_byte_order(struct tsdl_parser *p)
{
	size_t depth = 1;

	for (; p->token.kind != TSDL_END && depth; tsdl_next(p)) {
		struct tsdl_token after = tsdl_peek(p);
		struct tsdl_value value;
		int ret;

		depth += tsdl_is(p, "{");
		depth -= tsdl_is(p, "}");
		if (depth != 1 || !tsdl_is(p, "byte_order") || !tsdl_token_is(&after, "="))
			continue;
		tsdl_next(p);
		tsdl_next(p);
		ret = tsdl_parse_value(p, &value);
		if (!ret)
			ret = tsdl_value_byte_order(p, &value, NULL, &p->trace->big_endian);
		tsdl_value_clear(&value);
		return ret;
	}
	return 0;
}

/* Maximum number of entries. There is a limit because ctf_env_find() compares them one by one. */
#define ENV_MAX 10000

static int env_attribute(struct tsdl_parser *p, void *user, const char *name,
			 const struct tsdl_value *value)
{
	enum ctf_env_kind kind = value->text ? CTF_ENV_STRING : CTF_ENV_SIGNED;
	const size_t *known = tsdl_map_find(&p->env, name);
	struct ctf_env *env;

	if (!strcmp(name, "tracer_name") && value->text && !strncmp(value->text, "lttng", 5))
		p->is_lttng = true;
	if (!known) {
		if (p->trace->env_count == ENV_MAX)
			return tsdl_fail(p, value->at,
					 "an environment of more than %d entries; "
					 "more are not supported",
					 ENV_MAX);
		if (tsdl_map_add(&p->env, name, p->trace->env_count) < 0 ||
		    ctf_trace_class_add_env(p->trace, name, kind, value->text, (int64_t)value->u) <
			    0)
			return tsdl_fail_memory(p);
		return 0;
	}
	/* A repeated entry gets the new value and keeps its position. */
	env = &p->trace->env[*known];
	free(env->s);
	env->s = value->text ? strdup(value->text) : NULL;
	env->kind = kind;
	env->i = (int64_t)value->u;
	return value->text && !env->s ? tsdl_fail_memory(p) : 0;
}

int tsdl_parse_env(struct tsdl_parser *p)
{
	static const struct tsdl_block block = { "env", NULL, env_attribute, NULL, false };

	return tsdl_parse_block(p, &block, NULL);
}

static const char *const clock_names[] = { "name",     "uuid",	 "description", "freq", "precision",
					   "offset_s", "offset", "absolute",	NULL };

static int clock_attribute(struct tsdl_parser *p, void *user, const char *name,
			   const struct tsdl_value *value)
{
	struct ctf_clock *clock = user;

	if (!strcmp(name, "name"))
		return copy_text(p, value, name, &clock->name);
	if (!strcmp(name, "description"))
		return copy_text(p, value, name, &clock->description);
	if (!strcmp(name, "uuid")) {
		clock->has_uuid = true;
		return tsdl_value_uuid(p, value, clock->uuid);
	}
	if (!strcmp(name, "offset_s"))
		return tsdl_value_signed(p, value, name, &clock->offset_s);
	if (!strcmp(name, "offset"))
		return tsdl_value_unsigned(p, value, name, &clock->offset_cycles);
	if (!strcmp(name, "absolute"))
		return tsdl_value_bool(p, value, name, &clock->absolute);
	if (!strcmp(name, "precision")) {
		clock->has_precision = true;
		return tsdl_value_unsigned(p, value, name, &clock->precision);
	}
	if (tsdl_value_unsigned(p, value, name, &clock->frequency) < 0)
		return -1;
	if (!clock->frequency || clock->frequency == UINT64_MAX)
		return tsdl_fail(p, value->at, "an invalid clock frequency");
	return 0;
}

/* Moves whole seconds from the offset in cycles to the offset in seconds. */
static int normalize_offset(struct tsdl_parser *p, const char *at, struct ctf_clock *clock)
{
	uint64_t seconds = clock->offset_cycles / clock->frequency;

	clock->offset_cycles %= clock->frequency;
	if (seconds > INT64_MAX ||
	    __builtin_add_overflow(clock->offset_s, (int64_t)seconds, &clock->offset_s))
		return tsdl_fail(p, at, "a clock's offset of more than 64 bits");
	return 0;
}

#define CLOCK_MAX 1000

int tsdl_parse_clock(struct tsdl_parser *p)
{
	static const struct tsdl_block block = { "clock", clock_names, clock_attribute, NULL,
						 false };
	const char *at = p->token.at;
	struct ctf_clock *clock;

	if (p->trace->clock_count == CLOCK_MAX)
		return tsdl_fail(p, at, "more than %d clocks; more are not supported", CLOCK_MAX);
	clock = ctf_trace_class_add_clock(p->trace);
	if (!clock)
		return tsdl_fail_memory(p);
	clock->frequency = 1000000000;
	if (tsdl_parse_block(p, &block, clock) < 0)
		return -1;
	if (!clock->name)
		return tsdl_fail(p, at, "a clock without `name`");
	clock->id = strdup(clock->name);
	if (!clock->id)
		return tsdl_fail_memory(p);
	/* Early LTTng versions do not declare that this clock starts at the Epoch. */
	if (p->is_lttng && !strcmp(clock->name, "monotonic"))
		clock->absolute = true;
	return normalize_offset(p, at, clock);
}

static const char *const stream_names[] = { "id", NULL };

struct stream_block {
	struct ctf_stream_class *class;
	bool has_id;
};

static int stream_attribute(struct tsdl_parser *p, void *user, const char *name,
			    const struct tsdl_value *value)
{
	struct stream_block *stream = user;

	stream->has_id = true;
	return tsdl_value_unsigned(p, value, name, &stream->class->id);
}

static int stream_type(struct tsdl_parser *p, void *user, const char *name, const char *at)
{
	struct ctf_stream_class *class = ((struct stream_block *)user)->class;

	if (!strcmp(name, "packet.context"))
		return parse_scope(p, name, at, &class->packet_context);
	if (!strcmp(name, "event.header"))
		return parse_scope(p, name, at, &class->event_header);
	if (!strcmp(name, "event.context"))
		return parse_scope(p, name, at, &class->common_context);
	return skip_type(p);
}

static int index_stream(struct tsdl_parser *p, const char *at, uint64_t id)
{
	char key[24];
	int added;

	snprintf(key, sizeof(key), "%" PRIu64, id);
	added = tsdl_map_add(&p->streams, key, p->trace->stream_count - 1);
	if (added)
		return added < 0 ? tsdl_fail_memory(p) : 0;
	return tsdl_fail(p, at, "two stream classes with the id %s", key);
}

int tsdl_parse_stream(struct tsdl_parser *p)
{
	static const struct tsdl_block block = { "stream", stream_names, stream_attribute,
						 stream_type, true };
	const struct ctf_trace_class *trace = p->trace;
	struct stream_block stream = { .class = ctf_trace_class_add_stream(p->trace, 0) };
	const char *at = p->token.at;

	if (!stream.class)
		return tsdl_fail_memory(p);
	if (tsdl_parse_block(p, &block, &stream) < 0)
		return -1;
	if (!stream.has_id && trace->stream_count > 1)
		return tsdl_fail(p, at, "one of several stream classes has no `id`");
	if (stream.has_id && !ctf_field_find(trace->packet_header, "stream_id", NULL) &&
	    !ctf_field_find(trace->packet_header, "_stream_id", NULL))
		return tsdl_fail(p, at,
				 "a stream class with `id`, but no `stream_id` in the "
				 "packet header");
	return index_stream(p, at, stream.class->id);
}

static const char *const event_names[] = { "name",	    "id", "stream_id", "loglevel",
					   "model.emf.uri", NULL };

struct event_block {
	char *name, *emf_uri;
	uint64_t id, stream_id, log_level;
	bool has_id, has_stream_id, has_log_level;
	struct ctf_field *context, *fields;
};

static int event_attribute(struct tsdl_parser *p, void *user, const char *name,
			   const struct tsdl_value *value)
{
	struct event_block *event = user;

	if (!strcmp(name, "name"))
		return copy_text(p, value, name, &event->name);
	if (!strcmp(name, "model.emf.uri"))
		return copy_text(p, value, name, &event->emf_uri);
	if (!strcmp(name, "id")) {
		event->has_id = true;
		return tsdl_value_unsigned(p, value, name, &event->id);
	}
	if (!strcmp(name, "stream_id")) {
		event->has_stream_id = true;
		return tsdl_value_unsigned(p, value, name, &event->stream_id);
	}
	event->has_log_level = true;
	return tsdl_value_unsigned(p, value, name, &event->log_level);
}

static int event_type(struct tsdl_parser *p, void *user, const char *name, const char *at)
{
	struct event_block *event = user;

	if (!strcmp(name, "context"))
		return parse_scope(p, name, at, &event->context);
	if (!strcmp(name, "fields"))
		return parse_scope(p, name, at, &event->fields);
	return skip_type(p);
}

/*
 * Returns the stream class of an event. If the event states no stream id, returns the only stream
 * class. Returns NULL with the error set on failure.
 */
static struct ctf_stream_class *find_stream(struct tsdl_parser *p, const char *at,
					    const struct event_block *event)
{
	struct ctf_stream_class *class;
	const size_t *index;
	char key[24];

	if (event->has_stream_id) {
		snprintf(key, sizeof(key), "%" PRIu64, event->stream_id);
		index = tsdl_map_find(&p->streams, key);
		if (index)
			return p->trace->streams[*index];
		tsdl_fail(p, at, "there is no stream class %s", key);
		return NULL;
	}
	if (p->trace->stream_count == 1)
		return p->trace->streams[0];
	if (p->trace->stream_count) {
		tsdl_fail(p, at,
			  "the event has no `stream_id`, but there are several stream classes");
		return NULL;
	}
	class = ctf_trace_class_add_stream(p->trace, 0);
	if (!class)
		tsdl_fail_memory(p);
	else if (index_stream(p, at, 0) < 0)
		class = NULL;
	return class;
}

/* CTF 1.8 has the log levels 0 to 14. */
#define LOG_LEVEL_MAX 14

static int add_event(struct tsdl_parser *p, const char *at, struct event_block *event)
{
	struct ctf_stream_class *stream;
	struct ctf_event_class *class;

	if (!event->name)
		return tsdl_fail(p, at, "an event without `name`");
	stream = find_stream(p, at, event);
	if (!stream)
		return -1;
	if (!event->has_id && stream->event_count)
		return tsdl_fail(p, at, "one of several events has no `id`");
	class = ctf_stream_class_add_event(stream, event->id, event->name);
	if (!class)
		return tsdl_fail_memory(p);
	class->has_log_level = event->has_log_level && event->log_level <= LOG_LEVEL_MAX;
	class->log_level = (int64_t)event->log_level;
	if (event->emf_uri && event->emf_uri[0]) {
		class->emf_uri = event->emf_uri;
		event->emf_uri = NULL;
	}
	class->specific_context = event->context;
	class->payload = event->fields;
	event->context = event->fields = NULL;
	return 0;
}

int tsdl_parse_event(struct tsdl_parser *p)
{
	static const struct tsdl_block block = { "event", event_names, event_attribute, event_type,
						 true };
	const char *at = p->token.at;
	struct event_block event = { 0 };
	int ret = tsdl_parse_block(p, &block, &event);

	if (!ret)
		ret = add_event(p, at, &event);
	free(event.name);
	free(event.emf_uri);
	ctf_field_destroy(event.context);
	ctf_field_destroy(event.fields);
	return ret;
}
