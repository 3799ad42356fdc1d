/* SPDX-License-Identifier: LGPL-2.1-only */
/* A short text form of a metadata model, for tests that compare it. */
#ifndef LTTNG_MM_TESTS_UNIT_CTF_DUMP_H
#define LTTNG_MM_TESTS_UNIT_CTF_DUMP_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "reader/ctf/model/model.h"

/*
 * The form of a field: its class and size, then what differs from the default.
 *
 *   u8 s16 f32 string       integers, a float, a string; in byte order `le`, base 10
 *   u8> u8@1 u8x u8o u8b    big-endian; another alignment than 8 bits; another base
 *   u8~clock u8!id          mapped to a clock; with roles, as role_names below names them
 *   u8{A=1,B=2..3+5}        an enumeration
 *   u8#0 [=0]u8             an integer, stored in slot 0, and an array of that length
 *   [4]u8 text[4] text[=0]  arrays and strings of characters
 *   {a:u8 b:u16}            structures; `{...}@32` when aligned on more than 8 bits
 *   <=0 A(1):u8 B(2..3):u16>    variants
 *   blob[16]                the UUID
 */
struct dump {
	char text[8192];
	size_t length;
};

__attribute__((format(printf, 2, 3))) static inline void dump_add(struct dump *dump,
								  const char *fmt, ...)
{
	size_t room = sizeof(dump->text) - dump->length;
	va_list args;
	int length;

	va_start(args, fmt);
	length = vsnprintf(dump->text + dump->length, room, fmt, args);
	va_end(args);
	if (length > 0)
		dump->length += (size_t)length < room ? (size_t)length : room - 1;
}

static inline void dump_roles(struct dump *dump, uint32_t roles)
{
	static const char *const names[] = { "magic", "uuid", "class", "stream", "size", "content",
					     "time",  "end",  "lost",  "seq",	 "id",	 "cpu" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (roles & 1u << i)
			dump_add(dump, "!%s", names[i]);
}

static inline void dump_number(struct dump *dump, uint64_t u, bool with_sign)
{
	if (with_sign)
		dump_add(dump, "%" PRId64, (int64_t)u);
	else
		dump_add(dump, "%" PRIu64, u);
}

static inline void dump_ranges(struct dump *dump, const struct ctf_range *ranges, size_t count,
			       bool with_sign)
{
	for (size_t i = 0; i < count; i++) {
		dump_add(dump, "%s", i ? "+" : "");
		dump_number(dump, ranges[i].lower.u, with_sign);
		if (ranges[i].lower.u == ranges[i].upper.u)
			continue;
		dump_add(dump, "..");
		dump_number(dump, ranges[i].upper.u, with_sign);
	}
}

static inline void dump_field(struct dump *dump, const struct ctf_field *field);

static inline void dump_number_class(struct dump *dump, const struct ctf_field *field)
{
	dump_add(dump, "%c%" PRIu32,
		 field->kind == CTF_FLOAT    ? 'f'
		 : field->kind == CTF_SIGNED ? 's'
					     : 'u',
		 field->size);
	if (field->big_endian)
		dump_add(dump, ">");
	if (field->base != 10)
		dump_add(dump, "%c", field->base == 16 ? 'x' : field->base == 8 ? 'o' : 'b');
	if (field->align != 8)
		dump_add(dump, "@%" PRIu32, field->align);
	if (!field->is_enum)
		return;
	for (size_t i = 0; i < field->mapping_count; i++) {
		dump_add(dump, "%c%s=", i ? ',' : '{', field->mappings[i].label);
		dump_ranges(dump, field->mappings[i].ranges, field->mappings[i].range_count,
			    field->kind == CTF_SIGNED);
	}
	dump_add(dump, "}");
}

static inline void dump_members(struct dump *dump, const struct ctf_field *field)
{
	for (size_t i = 0; i < field->member_count; i++) {
		dump_add(dump, "%s%s", i || field->kind == CTF_VARIANT ? " " : "",
			 field->members[i].name);
		if (field->kind == CTF_VARIANT) {
			dump_add(dump, "(");
			dump_ranges(dump, field->members[i].ranges, field->members[i].range_count,
				    field->ref_signed);
			dump_add(dump, ")");
		}
		dump_add(dump, ":");
		dump_field(dump, field->members[i].field);
	}
}

/* Writes the contents of the brackets for a string or an array. */
static inline void dump_length(struct dump *dump, const struct ctf_field *field)
{
	if (field->ref_count)
		dump_add(dump, "[=%" PRId32 "]", field->ref_slot);
	else
		dump_add(dump, "[%" PRIu64 "]", field->length);
}

static inline void dump_field(struct dump *dump, const struct ctf_field *field)
{
	switch (field->kind) {
	case CTF_UNSIGNED:
	case CTF_SIGNED:
	case CTF_FLOAT:
		dump_number_class(dump, field);
		break;
	case CTF_STRING:
		dump_add(dump, "string");
		break;
	case CTF_STATIC_STRING:
	case CTF_DYNAMIC_STRING:
		dump_add(dump, "text");
		dump_length(dump, field);
		break;
	case CTF_STATIC_BLOB:
		dump_add(dump, "blob");
		dump_length(dump, field);
		break;
	case CTF_STATIC_ARRAY:
	case CTF_DYNAMIC_ARRAY:
		dump_length(dump, field);
		dump_field(dump, field->element);
		break;
	case CTF_STRUCT:
		dump_add(dump, "{");
		dump_members(dump, field);
		dump_add(dump, "}");
		if (field->align > 8)
			dump_add(dump, "@%" PRIu32, field->align);
		break;
	case CTF_VARIANT:
		dump_add(dump, "<=%" PRId32, field->ref_slot);
		dump_members(dump, field);
		dump_add(dump, ">");
		break;
	default:
		dump_add(dump, "?%d", (int)field->kind);
	}
	if (field->clock)
		dump_add(dump, "~%s", field->clock->name);
	dump_roles(dump, field->roles);
	if (field->keep_slot >= 0)
		dump_add(dump, "#%" PRId32, field->keep_slot);
}

static inline void dump_scope(struct dump *dump, const char *name, const struct ctf_field *field)
{
	if (!field)
		return;
	dump_add(dump, " %s", name);
	dump_field(dump, field);
}

static inline void dump_event(struct dump *dump, const struct ctf_event_class *event)
{
	dump_add(dump, "\nevent %" PRIu64 " \"%s\"", event->id, event->name);
	if (event->has_log_level)
		dump_add(dump, " level=%" PRId64, event->log_level);
	if (event->emf_uri)
		dump_add(dump, " uri=%s", event->emf_uri);
	dump_scope(dump, "context", event->specific_context);
	dump_scope(dump, "fields", event->payload);
}

static inline void dump_clock(struct dump *dump, const struct ctf_clock *clock)
{
	dump_add(dump, "clock %s %" PRIu64 " Hz", clock->name, clock->frequency);
	if (clock->offset_s || clock->offset_cycles)
		dump_add(dump, " %" PRId64 " s + %" PRIu64, clock->offset_s, clock->offset_cycles);
	if (clock->has_precision)
		dump_add(dump, " +-%" PRIu64, clock->precision);
	if (clock->absolute)
		dump_add(dump, " absolute");
	if (clock->has_uuid)
		dump_add(dump, " uuid=%02x..%02x", clock->uuid[0], clock->uuid[15]);
	if (clock->description)
		dump_add(dump, " (%s)", clock->description);
	dump_add(dump, "\n");
}

/*
 * Writes one line for each clock, environment entry, stream class and event class, and for the
 * trace.
 */
static inline void dump_trace(struct dump *dump, const struct ctf_trace_class *trace)
{
	dump->length = 0;
	for (size_t i = 0; i < trace->clock_count; i++)
		dump_clock(dump, trace->clocks[i]);
	for (size_t i = 0; i < trace->env_count; i++) {
		if (trace->env[i].kind == CTF_ENV_STRING)
			dump_add(dump, "env %s=\"%s\"\n", trace->env[i].name, trace->env[i].s);
		else
			dump_add(dump, "env %s=%" PRId64 "\n", trace->env[i].name, trace->env[i].i);
	}
	dump_add(dump, "trace %d.%d", trace->major, trace->minor);
	if (trace->has_uuid)
		dump_add(dump, " uuid=%02x..%02x", trace->uuid[0], trace->uuid[15]);
	dump_scope(dump, "header", trace->packet_header);
	for (size_t i = 0; i < trace->stream_count; i++) {
		const struct ctf_stream_class *stream = trace->streams[i];

		dump_add(dump, "\nstream %" PRIu64, stream->id);
		if (stream->clock)
			dump_add(dump, " ~%s", stream->clock->name);
		dump_scope(dump, "packet", stream->packet_context);
		dump_scope(dump, "header", stream->event_header);
		dump_scope(dump, "context", stream->common_context);
		for (size_t j = 0; j < stream->event_count; j++)
			dump_event(dump, stream->events[j]);
	}
}

#endif /* LTTNG_MM_TESTS_UNIT_CTF_DUMP_H */
