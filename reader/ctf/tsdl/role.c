// SPDX-License-Identifier: LGPL-2.1-only
// Assigns roles to the fields that CTF 1.8 identifies by name, and clocks to streams.

#include "reader/ctf/tsdl/tsdl.h"

#include <stdlib.h>
#include <string.h>

static int fail(struct tsdl_parser *p, const char *why)
{
	return mm_error_set(p->err, MM_EXIT_BAD_INPUT,
			    "trace: %s: %s; the metadata is damaged or not CTF 1.8", p->file, why);
}

struct named_role {
	const char *name;
	uint32_t role;
};

static const struct named_role header_roles[] = {
	{ "magic", CTF_ROLE_MAGIC },
	{ "stream_id", CTF_ROLE_STREAM_CLASS_ID },
	{ "stream_instance_id", CTF_ROLE_STREAM_ID },
	{ NULL, 0 },
};

static const struct named_role context_roles[] = {
	{ "packet_size", CTF_ROLE_PACKET_SIZE },
	{ "content_size", CTF_ROLE_CONTENT_SIZE },
	{ "timestamp_begin", CTF_ROLE_TIME },
	{ "timestamp_end", CTF_ROLE_PACKET_END_TIME },
	{ "events_discarded", CTF_ROLE_DISCARDED },
	{ "packet_seq_num", CTF_ROLE_PACKET_SEQ },
	{ NULL, 0 },
};

static void set_roles(struct ctf_field *root, const struct named_role *roles)
{
	for (size_t i = 0; root && i < root->member_count; i++)
		for (size_t j = 0; roles[j].name; j++)
			if (!strcmp(root->members[i].name, roles[j].name))
				root->members[i].field->roles |= roles[j].role;
}

static bool is_integer(const struct ctf_field *field)
{
	return field->kind == CTF_UNSIGNED || field->kind == CTF_SIGNED;
}

/*
 * Sets the roles of event ids and timestamps anywhere in the header. If the header has several ids
 * or timestamps, the reader uses the last one that it decodes.
 */
static void set_event_roles(struct ctf_field *field)
{
	if (is_integer(field) && field->clock)
		field->roles |= CTF_ROLE_TIME;
	for (size_t i = 0; i < field->member_count; i++) {
		struct ctf_field *member = field->members[i].field;

		if (field->kind == CTF_STRUCT && is_integer(member) &&
		    !strcmp(field->members[i].name, "id"))
			member->roles |= CTF_ROLE_EVENT_CLASS_ID;
		set_event_roles(member);
	}
}

static int set_uuid(struct tsdl_parser *p, struct ctf_field *header)
{
	struct ctf_field *uuid = (struct ctf_field *)ctf_field_find(header, "uuid", NULL);

	if (!uuid)
		return 0;
	if (uuid->kind != CTF_STATIC_ARRAY || uuid->length != 16 ||
	    uuid->element->kind != CTF_UNSIGNED || uuid->element->size != 8 ||
	    uuid->element->align != 8)
		return fail(p, "the packet header's `uuid` is not an array of 16 bytes");
	ctf_field_destroy(uuid->element);
	uuid->element = NULL;
	uuid->kind = CTF_STATIC_BLOB;
	uuid->roles |= CTF_ROLE_UUID;
	return 0;
}

/* Returns the trace's only clock. If the trace declares no clock, creates one in nanoseconds. */
static const struct ctf_clock *only_clock(struct tsdl_parser *p)
{
	struct ctf_clock *clock;

	if (p->trace->clock_count > 1) {
		fail(p, "a timestamp does not name its clock, and there are several clocks");
		return NULL;
	}
	if (p->trace->clock_count)
		return p->trace->clocks[0];
	clock = ctf_trace_class_add_clock(p->trace);
	if (clock) {
		clock->frequency = 1000000000;
		clock->name = strdup("default");
		clock->id = strdup("default");
	}
	if (!clock || !clock->name || !clock->id) {
		tsdl_fail_memory(p);
		return NULL;
	}
	return clock;
}

/* Assigns the only clock to timestamps without a clock. */
static int map_clock(struct tsdl_parser *p, struct ctf_field *field, const char *name)
{
	for (size_t i = 0; field && i < field->member_count; i++) {
		struct ctf_field *member = field->members[i].field;

		if (is_integer(member) && !member->clock && !strcmp(field->members[i].name, name)) {
			member->clock = only_clock(p);
			if (!member->clock)
				return -1;
		}
		if (map_clock(p, member, name) < 0)
			return -1;
	}
	return 0;
}

/*
 * Finds the clock of @field and of the fields in it. Stores the clock in *@clock, unless *@clock is
 * set. Fails if two fields have different clocks.
 */
static int find_clock(struct tsdl_parser *p, const struct ctf_field *field,
		      const struct ctf_clock **clock)
{
	if (!field)
		return 0;
	if (field->clock && *clock && *clock != field->clock)
		return fail(p, "a stream class with two clocks");
	if (field->clock)
		*clock = field->clock;
	for (size_t i = 0; i < field->member_count; i++)
		if (find_clock(p, field->members[i].field, clock) < 0)
			return -1;
	return find_clock(p, field->element, clock);
}

static int find_stream_clock(struct tsdl_parser *p, struct ctf_stream_class *stream)
{
	if (find_clock(p, stream->packet_context, &stream->clock) < 0 ||
	    find_clock(p, stream->event_header, &stream->clock) < 0 ||
	    find_clock(p, stream->common_context, &stream->clock) < 0)
		return -1;
	for (size_t i = 0; i < stream->event_count; i++)
		if (find_clock(p, stream->events[i]->specific_context, &stream->clock) < 0 ||
		    find_clock(p, stream->events[i]->payload, &stream->clock) < 0)
			return -1;
	return 0;
}

static int assign_stream(struct tsdl_parser *p, struct ctf_stream_class *stream)
{
	struct ctf_field *cpu;

	tsdl_strip_names(stream->packet_context);
	tsdl_strip_names(stream->event_header);
	tsdl_strip_names(stream->common_context);
	for (size_t i = 0; i < stream->event_count; i++) {
		tsdl_strip_names(stream->events[i]->specific_context);
		tsdl_strip_names(stream->events[i]->payload);
	}
	if (map_clock(p, stream->event_header, "timestamp") < 0 ||
	    map_clock(p, stream->packet_context, "timestamp_begin") < 0 ||
	    map_clock(p, stream->packet_context, "timestamp_end") < 0 ||
	    find_stream_clock(p, stream) < 0)
		return -1;
	set_roles(stream->packet_context, context_roles);
	cpu = (struct ctf_field *)ctf_field_find(stream->packet_context, "cpu_id", NULL);
	if (cpu && cpu->kind == CTF_UNSIGNED)
		cpu->roles |= CTF_ROLE_CPU_ID;
	if (stream->event_header)
		set_event_roles(stream->event_header);
	return 0;
}

int tsdl_assign_roles(struct tsdl_parser *p)
{
	struct ctf_field *header = p->trace->packet_header;
	const struct ctf_clock *clock = NULL;

	tsdl_strip_names(header);
	set_roles(header, header_roles);
	if (set_uuid(p, header) < 0 || find_clock(p, header, &clock) < 0)
		return -1;
	if (clock)
		return fail(p, "a timestamp in the packet header");
	for (size_t i = 0; i < p->trace->stream_count; i++)
		if (assign_stream(p, p->trace->streams[i]) < 0)
			return -1;
	return 0;
}
