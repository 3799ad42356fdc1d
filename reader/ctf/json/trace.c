// SPDX-License-Identifier: LGPL-2.1-only
// Loads CTF 2's trace classes and clock classes.

#include "reader/ctf/json/json.h"

static int load_environment(struct ctf_json *j, const json_t *fragment)
{
	const json_t *environment = json_object_get(fragment, "environment"), *value;
	const char *name;
	char text[24];
	int ret = 0;

	if (environment && !json_is_object(environment))
		return ctf_json_fail(j, "`environment` is not an object");
	json_object_foreach((json_t *)environment, name, value)
	{
		bool negative;
		uint64_t bits;

		if (!ctf_json_integer(value, &negative, &bits)) {
			if (!json_is_string(value))
				return ctf_json_fail(
					j,
					"the environment's `%.60s` is neither a string nor an integer",
					name);
			ret = ctf_trace_class_add_env(j->trace, name, CTF_ENV_STRING,
						      json_string_value(value), 0);
		} else if (bits > INT64_MAX && !negative) {
			ctf_json_id_key(bits, text);
			ret = ctf_trace_class_add_env(j->trace, name, CTF_ENV_OTHER, text, 0);
		} else {
			ret = ctf_trace_class_add_env(j->trace, name, CTF_ENV_SIGNED, NULL, bits);
		}
		if (ret)
			return ctf_json_no_memory(j);
	}
	return 0;
}

/* Allows a magic number only as the packet header's first member, and only with 32 bits. */
static int check_magic(struct ctf_json *j, const struct ctf_field *field,
		       const struct ctf_field *first)
{
	size_t i;

	if (field->roles & CTF_ROLE_MAGIC &&
	    (field != first || field->kind != CTF_UNSIGNED || field->size != 32))
		return ctf_json_fail(
			j, "the packet header's first member is not a magic number of 32 bits");
	for (i = 0; i < field->member_count; i++)
		if (check_magic(j, field->members[i].field, first))
			return -1;
	return field->element ? check_magic(j, field->element, first) : 0;
}

int ctf_json_load_trace_class(struct ctf_json *j, const json_t *fragment)
{
	static const struct ctf_json_property properties[] = { { "namespace", false },
							       { "name", false },
							       { "uid", false },
							       { "environment", false },
							       { "packet-header-field-class",
								 false },
							       {} };
	struct ctf_field *scopes[CTF_JSON_SCOPES] = { NULL };
	struct ctf_trace_class *trace = j->trace;
	int ret;

	if (j->has_trace_class)
		return ctf_json_fail(
			j, "a second trace class, or a trace class after a data stream class");
	j->has_trace_class = true;
	if (ctf_json_check(j, fragment, "a trace class", properties) ||
	    ctf_json_copy(j, fragment, "namespace", &trace->name_space) ||
	    ctf_json_copy(j, fragment, "name", &trace->name) ||
	    ctf_json_copy(j, fragment, "uid", &trace->uid) || load_environment(j, fragment))
		return -1;
	ret = ctf_json_load_scope(j, fragment, "packet-header-field-class", scopes,
				  CTF_JSON_PACKET_HEADER, NULL);
	trace->packet_header = scopes[CTF_JSON_PACKET_HEADER];
	if (ret || !trace->packet_header || !trace->packet_header->member_count)
		return ret;
	return check_magic(j, trace->packet_header, trace->packet_header->members[0].field);
}

static int load_offset(struct ctf_json *j, const json_t *fragment, struct ctf_clock *clock)
{
	static const struct ctf_json_property properties[] = { { "seconds", false },
							       { "cycles", false },
							       {} };
	const json_t *offset = json_object_get(fragment, "offset-from-origin"), *seconds;

	if (!offset)
		return 0;
	if (ctf_json_check(j, offset, "`offset-from-origin`", properties) ||
	    ctf_json_unsigned(j, offset, "cycles", &clock->offset_cycles))
		return -1;
	seconds = json_object_get(offset, "seconds");
	if (seconds && !json_is_integer(seconds))
		return ctf_json_fail(j, "`seconds` is not an integer of 64 bits");
	clock->offset_s = json_integer_value(seconds);
	if (clock->offset_cycles >= clock->frequency)
		return ctf_json_fail(j, "the offset's `cycles` amount to a second or more");
	return 0;
}

static int load_origin(struct ctf_json *j, const json_t *fragment, struct ctf_clock *clock)
{
	static const struct ctf_json_property properties[] = {
		{ "namespace", false }, { "name", true }, { "uid", true }, {}
	};
	static const char *const epochs[] = { "unix-epoch", NULL };
	const json_t *origin = json_object_get(fragment, "origin");
	size_t index;

	if (!origin)
		return 0;
	if (json_is_string(origin)) {
		clock->absolute = true;
		return ctf_json_choice(j, fragment, "origin", epochs, &index);
	}
	if (ctf_json_check(j, origin, "`origin`", properties) ||
	    ctf_json_copy(j, origin, "namespace", &clock->origin_name_space) ||
	    ctf_json_copy(j, origin, "name", &clock->origin_name))
		return -1;
	return ctf_json_copy(j, origin, "uid", &clock->origin_uid);
}

int ctf_json_load_clock(struct ctf_json *j, const json_t *fragment)
{
	static const struct ctf_json_property properties[] = { { "id", true },
							       { "namespace", false },
							       { "name", false },
							       { "uid", false },
							       { "frequency", true },
							       { "offset-from-origin", false },
							       { "origin", false },
							       { "precision", false },
							       { "accuracy", false },
							       { "description", false },
							       {} };
	struct ctf_clock *clock;
	uint64_t accuracy = 0;
	size_t index;

	if (ctf_json_check(j, fragment, "a clock class", properties))
		return -1;
	clock = ctf_trace_class_add_clock(j->trace);
	if (!clock)
		return ctf_json_no_memory(j);
	if (ctf_json_copy(j, fragment, "id", &clock->id) ||
	    ctf_json_copy(j, fragment, "namespace", &clock->name_space) ||
	    ctf_json_copy(j, fragment, "name", &clock->name) ||
	    ctf_json_copy(j, fragment, "uid", &clock->uid) ||
	    ctf_json_copy(j, fragment, "description", &clock->description) ||
	    ctf_json_unsigned(j, fragment, "frequency", &clock->frequency) ||
	    ctf_json_unsigned(j, fragment, "precision", &clock->precision) ||
	    ctf_json_unsigned(j, fragment, "accuracy", &accuracy))
		return -1;
	clock->has_precision = json_object_get(fragment, "precision");
	if (!clock->frequency)
		return ctf_json_fail(j, "`frequency` is 0");
	if (ctf_json_recall(j->clock_by_id, clock->id, &index))
		return ctf_json_fail(j, "a second clock class `%.60s`", clock->id);
	if (ctf_json_remember(j, j->clock_by_id, clock->id, j->trace->clock_count - 1) ||
	    load_offset(j, fragment, clock))
		return -1;
	return load_origin(j, fragment, clock);
}
