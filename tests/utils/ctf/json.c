// SPDX-License-Identifier: LGPL-2.1-only
/* Writes a trace's types as CTF 2's sequence of JSON texts. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/utils/ctf/type.h"

struct json_writer {
	struct mk_buffer *to;
	struct mk_random *random;
	struct mk_buffer aliases; /* fragments that precede their users */
	unsigned int alias_count;
};

static void type_json(struct json_writer *json, const struct mk_type *type);

static void string(struct json_writer *json, const char *text)
{
	mk_buffer_printf(json->to, "\"");
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			mk_buffer_printf(json->to, "\\%c", *text);
		else if ((unsigned char)*text < 32)
			mk_buffer_printf(json->to, "\\u%04x", (unsigned int)*text);
		else
			mk_buffer_add(json->to, text, 1);
	}
	mk_buffer_printf(json->to, "\"");
}

static void integer(struct json_writer *json, uint64_t value, bool is_signed)
{
	if (is_signed)
		mk_buffer_printf(json->to, "%" PRId64, (int64_t)value);
	else
		mk_buffer_printf(json->to, "%" PRIu64, value);
}

static void range(struct json_writer *json, const struct mk_range *range, bool is_signed)
{
	mk_buffer_printf(json->to, "[");
	integer(json, range->lower, is_signed);
	mk_buffer_printf(json->to, ",");
	integer(json, range->upper, is_signed);
	mk_buffer_printf(json->to, "]");
}

/* Writes the values as one range, or at random as two ranges in any order. */
static void ranges(struct json_writer *json, struct mk_range whole, bool is_signed)
{
	struct mk_range rest = { whole.lower + 1, whole.upper };

	if (whole.lower != whole.upper && mk_chance(json->random, 40)) {
		whole.upper = whole.lower;
		range(json, &rest, is_signed);
		mk_buffer_printf(json->to, ",");
	}
	range(json, &whole, is_signed);
}

/* A label that occurs several times becomes one property with several ranges. */
static void labels(struct json_writer *json, const char *property, const struct mk_type *type)
{
	bool first = true;

	mk_buffer_printf(json->to, ",\"%s\":{", property);
	for (unsigned int i = 0; i < type->label_count; i++) {
		bool seen = false;

		for (unsigned int k = 0; k < i; k++)
			seen |= !strcmp(type->labels[k].name, type->labels[i].name);
		if (seen)
			continue;
		mk_buffer_printf(json->to, first ? "" : ",");
		first = false;
		string(json, type->labels[i].name);
		mk_buffer_printf(json->to, ":[");
		for (unsigned int k = i; k < type->label_count; k++) {
			if (strcmp(type->labels[k].name, type->labels[i].name))
				continue;
			mk_buffer_printf(json->to, k == i ? "" : ",");
			range(json, &type->labels[k].range, type->is_signed);
		}
		mk_buffer_printf(json->to, "]");
	}
	mk_buffer_printf(json->to, "}");
}

static void role(struct json_writer *json, const struct mk_type *type)
{
	static const char *const roles[MK_ROLE_COUNT] = {
		[MK_MAGIC] = "packet-magic-number",
		[MK_UUID] = "metadata-stream-uuid",
		[MK_STREAM_CLASS_ID] = "data-stream-class-id",
		[MK_STREAM_ID] = "data-stream-id",
		[MK_PACKET_SIZE] = "packet-total-length",
		[MK_CONTENT_SIZE] = "packet-content-length",
		[MK_BEGIN] = "default-clock-timestamp",
		[MK_END] = "packet-end-default-clock-timestamp",
		[MK_DISCARDED] = "discarded-event-record-counter-snapshot",
		[MK_SEQ] = "packet-sequence-number",
		[MK_EVENT_ID] = "event-record-class-id",
		[MK_EVENT_CHOICE] = "event-record-class-id",
		[MK_EVENT_TIME] = "default-clock-timestamp",
	};

	if (roles[type->role])
		mk_buffer_printf(json->to, ",\"roles\":[\"%s\"]", roles[type->role]);
}

static const char *const origins[] = { "packet-header",
				       "packet-context",
				       "event-record-header",
				       "event-record-common-context",
				       "event-record-specific-context",
				       "event-record-payload" };

static const struct mk_type *structure_of(const struct mk_type *type)
{
	type = type->parent;
	while (type && type->kind != MK_STRUCT)
		type = type->parent;
	return type;
}

static void path_below(struct json_writer *json, const struct mk_type *top,
		       const struct mk_type *type)
{
	const struct mk_type *parent = structure_of(type);

	if (parent && parent != top) {
		path_below(json, top, parent);
		mk_buffer_printf(json->to, ",");
	}
	/* A path names the array or option in place of its contents, which have no name. */
	while (type->parent && type->parent->kind != MK_STRUCT)
		type = type->parent;
	string(json, type->name);
}

static void location(struct json_writer *json, const char *property, const struct mk_type *from)
{
	const struct mk_type *root = from->ref, *top, *from_root = from;
	bool in_variant = false;
	unsigned int up = 0;

	/*
	 * In a variant, uses a relative path: a path from the root would lead through all options.
	 * Elsewhere, avoids paths with several steps up, because babeltrace2 2.1 fails on them.
	 */
	for (; root->parent; root = root->parent)
		in_variant |= root->kind == MK_VARIANT;
	while (from_root->parent)
		from_root = from_root->parent;
	for (top = structure_of(from); top && root == from_root; top = structure_of(top), up++) {
		const struct mk_type *type = from->ref;

		while (type && type != top)
			type = type->parent;
		if (type)
			break;
	}
	mk_buffer_printf(json->to, ",\"%s\":{", property);
	if (root != from_root || (!in_variant && (up > 1 || mk_chance(json->random, 60)))) {
		mk_buffer_printf(json->to, "\"origin\":\"%s\",\"path\":[", origins[root->scope]);
		path_below(json, root, from->ref);
	} else {
		mk_buffer_printf(json->to, "\"path\":[");
		while (up--)
			mk_buffer_printf(json->to, "null,");
		path_below(json, top, from->ref);
	}
	mk_buffer_printf(json->to, "]}");
}

static void bit_array(struct json_writer *json, const char *kind, const struct mk_type *type)
{
	mk_buffer_printf(json->to, "{\"type\":\"%s\",\"length\":%u,\"byte-order\":\"%s-endian\"",
			 kind, type->bits, type->big ? "big" : "little");
	if (type->align > 1 || mk_chance(json->random, 20))
		mk_buffer_printf(json->to, ",\"alignment\":%u", type->align);
	if (type->reversed || mk_chance(json->random, 10))
		mk_buffer_printf(json->to, ",\"bit-order\":\"%s\"",
				 type->big != type->reversed ? "last-to-first" : "first-to-last");
}

static void integer_json(struct json_writer *json, const struct mk_type *type)
{
	char kind[64];

	snprintf(kind, sizeof(kind), "%s-length-%ssigned-integer",
		 type->kind == MK_LEB ? "variable" : "fixed", type->is_signed ? "" : "un");
	if (type->kind == MK_LEB)
		mk_buffer_printf(json->to, "{\"type\":\"%s\"", kind);
	else
		bit_array(json, kind, type);
	if (type->base != 10 || mk_chance(json->random, 20))
		mk_buffer_printf(json->to, ",\"preferred-display-base\":%u", type->base);
	if (type->is_enum)
		labels(json, "mappings", type);
	role(json, type);
}

static void encoding(struct json_writer *json, const struct mk_type *type)
{
	static const char *const names[] = { "utf-8", "utf-16le", "utf-16be", "utf-32le",
					     "utf-32be" };

	if (type->encoding != MK_UTF8 || mk_chance(json->random, 20))
		mk_buffer_printf(json->to, ",\"encoding\":\"%s\"", names[type->encoding]);
}

static void text_json(struct json_writer *json, const struct mk_type *type)
{
	bool blob = type->kind == MK_STATIC_BLOB || type->kind == MK_DYNAMIC_BLOB;

	mk_buffer_printf(json->to, "{\"type\":\"%s-length-%s\"", type->ref ? "dynamic" : "static",
			 blob ? "blob" : "string");
	if (type->ref)
		location(json, "length-field-location", type);
	else
		mk_buffer_printf(json->to, ",\"length\":%" PRIu64, type->length);
	if (!blob)
		encoding(json, type);
	else if (mk_chance(json->random, 30))
		mk_buffer_printf(json->to, ",\"media-type\":\"image/png\"");
	role(json, type);
}

static void array_json(struct json_writer *json, const struct mk_type *type)
{
	mk_buffer_printf(json->to, "{\"type\":\"%s-length-array\"",
			 type->ref ? "dynamic" : "static");
	if (type->ref)
		location(json, "length-field-location", type);
	else
		mk_buffer_printf(json->to, ",\"length\":%" PRIu64, type->length);
	if (type->align > 1)
		mk_buffer_printf(json->to, ",\"minimum-alignment\":%u", type->align);
	mk_buffer_printf(json->to, ",\"element-field-class\":");
	type_json(json, type->element);
}

static void structure_json(struct json_writer *json, const struct mk_type *type)
{
	mk_buffer_printf(json->to, "{\"type\":\"structure\"");
	if (type->align > 1)
		mk_buffer_printf(json->to, ",\"minimum-alignment\":%u", type->align);
	if (type->member_count || mk_chance(json->random, 50)) {
		mk_buffer_printf(json->to, ",\"member-classes\":[");
		for (unsigned int i = 0; i < type->member_count; i++) {
			mk_buffer_printf(json->to, "%s\n{\"name\":", i ? "," : "");
			string(json, type->members[i].name);
			mk_buffer_printf(json->to, ",\"field-class\":");
			type_json(json, type->members[i].type);
			mk_buffer_printf(json->to, "}");
		}
		mk_buffer_printf(json->to, "]");
	}
}

static void variant_json(struct json_writer *json, const struct mk_type *type)
{
	mk_buffer_printf(json->to, "{\"type\":\"variant\"");
	location(json, "selector-field-location", type);
	mk_buffer_printf(json->to, ",\"options\":[");
	for (unsigned int i = 0; i < type->member_count; i++) {
		mk_buffer_printf(json->to, "%s\n{", i ? "," : "");
		if (mk_chance(json->random, 80)) {
			mk_buffer_printf(json->to, "\"name\":");
			string(json, type->members[i].name);
			mk_buffer_printf(json->to, ",");
		}
		mk_buffer_printf(json->to, "\"selector-field-ranges\":[");
		ranges(json, type->members[i].range, type->ref->is_signed);
		mk_buffer_printf(json->to, "],\"field-class\":");
		type_json(json, type->members[i].type);
		mk_buffer_printf(json->to, "}");
	}
	mk_buffer_printf(json->to, "]");
}

static void option_json(struct json_writer *json, const struct mk_type *type)
{
	mk_buffer_printf(json->to, "{\"type\":\"optional\"");
	location(json, "selector-field-location", type);
	if (type->ref->kind != MK_BOOL) {
		mk_buffer_printf(json->to, ",\"selector-field-ranges\":[");
		for (unsigned int i = 0; i < type->label_count; i++) {
			mk_buffer_printf(json->to, i ? "," : "");
			range(json, &type->labels[i].range, type->ref->is_signed);
		}
		mk_buffer_printf(json->to, "]");
	}
	mk_buffer_printf(json->to, ",\"field-class\":");
	type_json(json, type->element);
}

static void plain_json(struct json_writer *json, const struct mk_type *type)
{
	switch (type->kind) {
	case MK_INT:
	case MK_LEB:
		integer_json(json, type);
		break;
	case MK_FLOAT:
		bit_array(json, "fixed-length-floating-point-number", type);
		break;
	case MK_BOOL:
		bit_array(json, "fixed-length-boolean", type);
		break;
	case MK_BITS:
		bit_array(json, "fixed-length-bit-array", type);
		break;
	case MK_BITMAP:
		bit_array(json, "fixed-length-bit-map", type);
		labels(json, "flags", type);
		break;
	case MK_STRING:
		mk_buffer_printf(json->to, "{\"type\":\"null-terminated-string\"");
		encoding(json, type);
		break;
	case MK_ARRAY:
	case MK_SEQUENCE:
		array_json(json, type);
		break;
	case MK_STRUCT:
		structure_json(json, type);
		break;
	case MK_VARIANT:
		variant_json(json, type);
		break;
	case MK_OPTION:
		option_json(json, type);
		break;
	default:
		text_json(json, type);
	}
	if (mk_chance(json->random, 3))
		mk_buffer_printf(json->to, ",\"attributes\":{\"my.tracer\":{\"x\":[1,null,{}]}}");
	mk_buffer_printf(json->to, "}");
}

/* Scalars without roles are sometimes put into an alias. */
static void type_json(struct json_writer *json, const struct mk_type *type)
{
	if (!type->role && type->kind <= MK_STRING && mk_chance(json->random, 10)) {
		struct mk_buffer *to = json->to;

		json->to = &json->aliases;
		mk_buffer_printf(json->to,
				 "\x1e{\"type\":\"field-class-alias\",\"name\":\"alias %u\","
				 "\"field-class\":",
				 json->alias_count);
		plain_json(json, type);
		mk_buffer_printf(json->to, "}\n");
		json->to = to;
		mk_buffer_printf(json->to, "\"alias %u\"", json->alias_count++);
		return;
	}
	plain_json(json, type);
}

static void root(struct json_writer *json, const char *property, const struct mk_type *type)
{
	if (!type)
		return;
	mk_buffer_printf(json->to, ",\n\"%s\":", property);
	type_json(json, type);
}

static void trace_class(struct json_writer *json, const struct mk_trace *trace)
{
	mk_buffer_printf(json->to, "\x1e{\"type\":\"trace-class\"");
	if (mk_chance(json->random, 40))
		mk_buffer_printf(json->to,
				 ",\"namespace\":\"tests\",\"name\":\"made up\","
				 "\"uid\":\"%02x%02x%02x\"",
				 trace->uuid[0], trace->uuid[1], trace->uuid[2]);
	if (trace->env_count) {
		mk_buffer_printf(json->to, ",\"environment\":{");
		for (unsigned int i = 0; i < trace->env_count; i++) {
			mk_buffer_printf(json->to, i ? "," : "");
			string(json, trace->env[i].name);
			mk_buffer_printf(json->to, ":");
			if (trace->env[i].string)
				string(json, trace->env[i].string);
			else
				integer(json, (uint64_t)trace->env[i].number, true);
		}
		mk_buffer_printf(json->to, "}");
	}
	root(json, "packet-header-field-class", trace->packet_header);
	mk_buffer_printf(json->to, "}\n");
}

static void clock(struct json_writer *json, const struct mk_clock *clock)
{
	mk_buffer_printf(json->to,
			 "\x1e{\"type\":\"clock-class\",\"id\":\"%s\",\"frequency\":%" PRIu64,
			 clock->name, clock->frequency);
	if (mk_chance(json->random, 60))
		mk_buffer_printf(json->to, ",\"name\":\"%s\"", clock->name);
	if (clock->description) {
		mk_buffer_printf(json->to, ",\"description\":");
		string(json, clock->description);
	}
	if (clock->has_precision)
		mk_buffer_printf(json->to, ",\"precision\":%" PRIu64, clock->precision);
	if (clock->offset_s || clock->offset_cycles || mk_chance(json->random, 30))
		mk_buffer_printf(json->to,
				 ",\"offset-from-origin\":{\"seconds\":%" PRId64
				 ",\"cycles\":%" PRIu64 "}",
				 clock->offset_s, clock->offset_cycles);
	if (clock->absolute)
		mk_buffer_printf(json->to, ",\"origin\":\"unix-epoch\"");
	else if (clock->has_uuid)
		mk_buffer_printf(json->to,
				 ",\"origin\":{\"namespace\":\"tests\",\"name\":\"boot\","
				 "\"uid\":\"%02x\"}",
				 clock->uuid[0]);
	mk_buffer_printf(json->to, "}\n");
}

static void event_class(struct json_writer *json, const struct mk_stream_class *stream,
			const struct mk_event_class *event)
{
	static const char *const levels[] = { "emergency",	"alert",	"critical",
					      "error",		"warning",	"notice",
					      "info",		"debug:system", "debug:program",
					      "debug:process",	"debug:module", "debug:unit",
					      "debug:function", "debug:line",	"debug" };

	mk_buffer_printf(json->to, "\x1e{\"type\":\"event-record-class\",\"name\":");
	string(json, event->name);
	if (event->id || mk_chance(json->random, 70))
		mk_buffer_printf(json->to, ",\"id\":%" PRIu64, event->id);
	if (stream->id || mk_chance(json->random, 70))
		mk_buffer_printf(json->to, ",\"data-stream-class-id\":%" PRIu64, stream->id);
	if (event->log_level >= 0)
		mk_buffer_printf(json->to,
				 ",\"attributes\":{\"babeltrace.org,2020\":{\"log-level\":"
				 "\"%s\"}}",
				 levels[event->log_level % 15]);
	root(json, "specific-context-field-class", event->context);
	root(json, "payload-field-class", event->payload);
	mk_buffer_printf(json->to, "}\n");
}

static void stream_class(struct json_writer *json, const struct mk_stream_class *stream)
{
	mk_buffer_printf(json->to, "\x1e{\"type\":\"data-stream-class\"");
	if (stream->id || mk_chance(json->random, 70))
		mk_buffer_printf(json->to, ",\"id\":%" PRIu64, stream->id);
	if (mk_chance(json->random, 30))
		mk_buffer_printf(json->to, ",\"name\":\"a stream\",\"namespace\":\"tests\"");
	if (stream->clock)
		mk_buffer_printf(json->to, ",\"default-clock-class-id\":\"%s\"",
				 stream->clock->name);
	root(json, "packet-context-field-class", stream->packet_context);
	root(json, "event-record-header-field-class", stream->event_header);
	root(json, "event-record-common-context-field-class", stream->common_context);
	mk_buffer_printf(json->to, "}\n");
}

/* Adds the current fragment to @text, after the aliases that the fragment uses. */
static void flush(struct json_writer *json, struct mk_buffer *text)
{
	mk_buffer_add(text, json->aliases.data, json->aliases.length);
	mk_buffer_add(text, json->to->data, json->to->length);
	json->aliases.length = 0;
	json->to->length = 0;
}

void mk_json(struct mk_buffer *text, const struct mk_trace *trace, struct mk_random *random)
{
	struct mk_buffer fragment = { 0 };
	struct json_writer json = { .random = random, .to = &fragment };

	mk_buffer_printf(text, "\x1e{\"type\":\"preamble\",\"version\":2");
	if (trace->has_uuid) {
		mk_buffer_printf(text, ",\"uuid\":[");
		for (unsigned int i = 0; i < MK_UUID_BYTES; i++)
			mk_buffer_printf(text, "%s%u", i ? "," : "", trace->uuid[i]);
		mk_buffer_printf(text, "]");
	}
	mk_buffer_printf(text, "}\n");
	trace_class(&json, trace);
	flush(&json, text);
	for (unsigned int i = 0; i < trace->clock_count; i++)
		clock(&json, &trace->clocks[i]);
	for (unsigned int i = 0; i < trace->stream_count; i++) {
		stream_class(&json, &trace->streams[i]);
		flush(&json, text);
		for (unsigned int k = 0; k < trace->streams[i].event_count; k++) {
			event_class(&json, &trace->streams[i], &trace->streams[i].events[k]);
			flush(&json, text);
		}
	}
	mk_buffer_free(&fragment);
	mk_buffer_free(&json.aliases);
}
