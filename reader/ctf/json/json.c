// SPDX-License-Identifier: LGPL-2.1-only
// CTF 2's metadata: a sequence of JSON texts, each a fragment that declares one thing.

#include "reader/ctf/json/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/ctf/json/parse.h"

#define RECORD_SEPARATOR '\x1e'
/*
 * FRAGMENT_MAX, in bytes, is low because a parsed JSON value takes many times the memory of its
 * text. NODES_MIN and STEPS_MAX set the initial budgets of struct ctf_json.
 */
#define FRAGMENT_MAX (8u << 20)
#define NODES_MIN (UINT64_C(1) << 16)
#define STEPS_MAX (UINT64_C(1) << 28)

/*
 * Adds the cost of @field to @alias. Each use of the alias copies the field, its names and its
 * labels.
 */
static void measure(const struct ctf_field *field, uint32_t depth, struct ctf_json_alias *alias)
{
	size_t i;

	if (depth > alias->depth)
		alias->depth = depth;
	alias->nodes += 1 + (field->path ? strlen(field->path) / 32 : 0) + field->range_count +
			(field->media_type ? strlen(field->media_type) / 32 : 0);
	for (i = 0; i < field->mapping_count; i++)
		alias->nodes +=
			1 + field->mappings[i].range_count + strlen(field->mappings[i].label) / 32;
	for (i = 0; i < field->member_count; i++) {
		alias->nodes += field->members[i].range_count +
				(field->members[i].name ? strlen(field->members[i].name) / 32 : 0);
		measure(field->members[i].field, depth + 1, alias);
	}
	if (field->element)
		measure(field->element, depth + 1, alias);
}

static int load_uuid(struct ctf_json *j, const json_t *fragment)
{
	const json_t *uuid = json_object_get(fragment, "uuid");
	bool negative = false;
	uint64_t byte = 0;
	size_t i;

	if (!uuid)
		return 0;
	for (i = 0; i < 16; i++) {
		if (!ctf_json_integer(json_array_get(uuid, i), &negative, &byte) ||
		    byte > UINT8_MAX)
			break;
		j->trace->uuid[i] = byte;
	}
	if (i < 16 || json_array_size(uuid) != 16)
		return ctf_json_fail(j, "`uuid` is not an array of 16 bytes");
	j->trace->has_uuid = true;
	return 0;
}

static int load_preamble(struct ctf_json *j, const json_t *fragment)
{
	static const struct ctf_json_property properties[] = { { "version", true },
							       { "uuid", false },
							       {} };
	uint64_t version = 0;

	if (ctf_json_check(j, fragment, "a preamble", properties) ||
	    ctf_json_unsigned(j, fragment, "version", &version))
		return -1;
	if (version != 2)
		return mm_error_set(j->err, MM_EXIT_BAD_INPUT,
				    "trace: %s: fragment %zu (line %zu): version %" PRIu64
				    " of CTF; only 1.8 and 2 can be read",
				    j->file, j->fragment, j->line, version);
	j->trace->major = 2;
	j->trace->minor = 0;
	return load_uuid(j, fragment);
}

static int load_alias(struct ctf_json *j, const json_t *fragment)
{
	static const struct ctf_json_property properties[] = { { "name", true },
							       { "field-class", true },
							       {} };
	struct ctf_json_alias alias = { 0 }, *aliases;
	const char *name = NULL;
	size_t index;

	if (ctf_json_check(j, fragment, "a field class alias", properties) ||
	    ctf_json_string(j, fragment, "name", &name))
		return -1;
	if (ctf_json_recall(j->alias_by_name, name, &index))
		return ctf_json_fail(j, "a second alias `%.60s`", name);
	aliases = reallocarray(j->aliases, j->alias_count + 1, sizeof(*aliases));
	if (!aliases)
		return ctf_json_no_memory(j);
	j->aliases = aliases;
	alias.field = ctf_json_field(j, json_object_get(fragment, "field-class"), 1);
	if (!alias.field)
		return -1;
	measure(alias.field, 1, &alias);
	aliases[j->alias_count] = alias;
	return ctf_json_remember(j, j->alias_by_name, name, j->alias_count++);
}

static int load_fragment(struct ctf_json *j, const json_t *fragment)
{
	static const struct {
		const char *type;
		int (*load)(struct ctf_json *j, const json_t *fragment);
	} kinds[] = {
		{ "preamble", load_preamble },
		{ "field-class-alias", load_alias },
		{ "trace-class", ctf_json_load_trace_class },
		{ "clock-class", ctf_json_load_clock },
		{ "data-stream-class", ctf_json_load_stream_class },
		{ "event-record-class", ctf_json_load_event_class },
	};
	const char *type = NULL;
	size_t i;

	if (!json_is_object(fragment))
		return ctf_json_fail(j, "no object");
	if (ctf_json_string(j, fragment, "type", &type))
		return -1;
	for (i = 0; type && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(type, kinds[i].type) != 0)
			continue;
		if ((j->fragment == 1) != (i == 0))
			return ctf_json_fail(j, i ? "the first fragment is not a preamble"
						  : "a second preamble");
		return kinds[i].load(j, fragment);
	}
	return ctf_json_fail(j, "`%.60s` is not a type of fragment", type ? type : "");
}

static int load_text(struct ctf_json *j, const char *text, size_t length)
{
	json_t *fragment;
	int ret;

	j->fragment++;
	j->member = NULL;
	if (length > FRAGMENT_MAX)
		return ctf_json_fail(j, "longer than %u bytes", FRAGMENT_MAX);
	fragment = ctf_json_load(j, text, length);
	if (!fragment)
		return -1;
	ret = load_fragment(j, fragment);
	json_decref(fragment);
	return ret;
}

static size_t count_lines(const char *text, size_t length)
{
	size_t i, lines = 0;

	for (i = 0; i < length; i++)
		lines += text[i] == '\n';
	return lines;
}

/*
 * Loads the fragments. Each fragment starts with a record separator; several consecutive separators
 * count as one.
 */
static int load_sequence(struct ctf_json *j, const char *text, size_t length)
{
	const char *end = text + length, *next;

	while (text < end) {
		while (text < end && *text == RECORD_SEPARATOR)
			text++;
		if (text == end)
			break;
		next = memchr(text, RECORD_SEPARATOR, end - text);
		if (!next)
			next = end;
		if (load_text(j, text, next - text))
			return -1;
		j->line += count_lines(text, next - text);
		text = next;
	}
	if (!j->trace->stream_count)
		return mm_error_set(
			j->err, MM_EXIT_BAD_INPUT,
			"trace: %s: no data stream class in it; the metadata is truncated or its tracer is at fault",
			j->file);
	return 0;
}

int ctf_json_parse(const char *text, size_t length, const char *file, struct ctf_trace_class *trace,
		   struct mm_error *err)
{
	struct ctf_json j = {
		.trace = trace,
		.file = file,
		.err = err,
		.line = 1,
		.nodes_left = NODES_MIN + length,
		.steps_left = STEPS_MAX,
		.alias_by_name = json_object(),
		.clock_by_id = json_object(),
		.stream_by_id = json_object(),
	};
	int ret = -1;
	size_t i;

	if (j.alias_by_name && j.clock_by_id && j.stream_by_id)
		ret = load_sequence(&j, text, length);
	else
		ctf_json_no_memory(&j);
	for (i = 0; i < j.alias_count; i++)
		ctf_field_destroy(j.aliases[i].field);
	free(j.aliases);
	json_decref(j.alias_by_name);
	json_decref(j.clock_by_id);
	json_decref(j.stream_by_id);
	return ret;
}
