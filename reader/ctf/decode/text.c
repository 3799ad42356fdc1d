// SPDX-License-Identifier: LGPL-2.1-only
/* Finds a field in an event's bytes and writes it as described at mm_event_field_text(). */
#include "reader/ctf/decode/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <urcu/compiler.h>

#include "reader/ctf/decode/event.h"
#include "reader/ctf/decode/plan.h"
#include "reader/events/field-text.h"
#include "reader/events/source-base.h"

#define NESTING_MAX 16

/* The structures of an event, in the order of their bytes. */
enum { COMMON_CONTEXT, SPECIFIC_CONTEXT, PAYLOAD, STRUCTURES };

static const struct ctf_field *structure_of(const struct ctf_event *event, unsigned int which)
{
	const struct ctf_event_class *class = event->class;

	return which == COMMON_CONTEXT	   ? class->stream_class->common_context
	       : which == SPECIFIC_CONTEXT ? class->specific_context
					   : class->payload;
}

static int walk_to(struct ctf_cursor *cursor, const struct ctf_event *event, unsigned int which,
		   size_t index)
{
	const struct ctf_field *structure = structure_of(event, which);

	ctf_event_cursor(event, cursor);
	for (unsigned int i = 0; i < which; i++)
		if (ctf_skip(cursor, structure_of(event, i), NULL, NULL))
			return -1;
	if (ctf_align(cursor, structure))
		return -1;
	for (size_t i = 0; i < index; i++)
		if (ctf_skip(cursor, structure->members[i].field, NULL, NULL))
			return -1;
	return 0;
}

static bool is_string(const struct ctf_field *field)
{
	return field->kind == CTF_STRING || field->kind == CTF_STATIC_STRING ||
	       field->kind == CTF_DYNAMIC_STRING;
}

static void set_value(struct mm_value *value, const struct ctf_field *field,
		      const struct ctf_scalar *scalar)
{
	value->base = field->base;
	value->u = scalar->u;
	if (field->kind == CTF_FLOAT) {
		value->kind = MM_KIND_REAL;
		value->r = scalar->r;
	} else if (field->kind == CTF_SIGNED || field->kind == CTF_LEB_SIGNED) {
		value->kind = MM_KIND_SIGNED;
	} else if (is_string(field) && field->encoding == CTF_UTF8) {
		value->kind = MM_KIND_STRING;
		value->s = (const char *)scalar->bytes;
		value->length = scalar->length;
	} else if (field->kind <= CTF_LEB_SIGNED) {
		value->kind = MM_KIND_UNSIGNED;
	} else {
		value->kind = MM_KIND_COMPOUND;
	}
}

static size_t count_members(const struct ctf_field *structure)
{
	return structure ? structure->member_count : 0;
}

static int take_member(const struct ctf_event *event, unsigned int which, size_t index,
		       const char **name, struct mm_value *value)
{
	const struct ctf_field *structure = structure_of(event, which), *field;
	struct ctf_scalar scalar;
	struct ctf_cursor cursor;

	field = structure->members[index].field;
	memset(value, 0, sizeof(*value));
	*name = structure->members[index].name;
	value->native = field;
	value->kind = MM_KIND_COMPOUND;
	if (field->kind >= CTF_STATIC_ARRAY)
		return 0;
	if (walk_to(&cursor, event, which, index) || ctf_read_scalar(&cursor, field, &scalar))
		return -1;
	set_value(value, field, &scalar);
	return 0;
}

bool ctf_event_of(const struct mm_event *event, struct ctf_event *native)
{
	const struct ctf_place *place = event->native;
	const struct ctf_class_plan *class;

	/* Events of other readers have another layout. */
	if (event->source->ops->field_at != ctf_text_field_at)
		return false;
	class = caa_container_of(event->type, const struct ctf_class_plan, type);
	*native = (struct ctf_event){ .packet = place->packet,
				      .class = class->class,
				      .at = place->at,
				      .body = place->body,
				      .clock = place->clock,
				      .outer = class->outer };
	return true;
}

int ctf_text_field_at(const struct mm_event *event, size_t index, const char **name,
		      struct mm_value *value)
{
	struct ctf_event native;

	if (!ctf_event_of(event, &native) || index >= count_members(structure_of(&native, PAYLOAD)))
		return -1;
	return take_member(&native, PAYLOAD, index, name, value);
}

int ctf_text_context_at(const struct mm_event *event, size_t index, const char **name,
			struct mm_value *value)
{
	struct ctf_event native;

	if (!ctf_event_of(event, &native))
		return -1;
	for (unsigned int i = 0; i < PAYLOAD; i++) {
		size_t count = count_members(structure_of(&native, i));

		if (index < count)
			return take_member(&native, i, index, name, value);
		index -= count;
	}
	return -1;
}

static bool in_range(const struct ctf_range *range, bool is_signed, uint64_t value)
{
	if (is_signed)
		return (int64_t)value >= range->lower.i && (int64_t)value <= range->upper.i;
	return value >= range->lower.u && value <= range->upper.u;
}

static const char *label_of(const struct ctf_field *field, bool is_signed, uint64_t value)
{
	for (size_t i = 0; i < field->mapping_count; i++)
		for (size_t j = 0; j < field->mappings[i].range_count; j++)
			if (in_range(&field->mappings[i].ranges[j], is_signed, value))
				return field->mappings[i].label;
	return NULL;
}

/*
 * Appends the label of the value. If the value has no label, appends the joined labels of its bits,
 * or else the number.
 */
static void append_enumeration(struct mm_field_text *text, const struct ctf_field *field,
			       const struct mm_value *value)
{
	bool is_signed = value->kind == MM_KIND_SIGNED;
	const char *label = label_of(field, is_signed, value->u), *separator = "";

	if (label) {
		mm_field_append_escaped(text, label, strlen(label));
		return;
	}
	if (!value->u || !field->is_flags || (is_signed && value->i < 0)) {
		mm_field_append_integer(text, value);
		return;
	}
	for (uint64_t rest = value->u; rest; rest &= rest - 1) {
		uint64_t bit = rest & -rest;

		mm_field_append(text, "%s", separator);
		label = label_of(field, is_signed, bit);
		if (label)
			mm_field_append_escaped(text, label, strlen(label));
		else
			mm_field_append(text, "0x%" PRIx64, bit);
		separator = "|";
	}
}

static void append_string(struct mm_field_text *text, const struct ctf_field *field,
			  const struct ctf_scalar *scalar, int depth)
{
	char utf8[512];
	size_t length;

	if (depth)
		mm_field_append(text, "\"");
	if (field->encoding == CTF_UTF8) {
		mm_field_append_escaped(text, (const char *)scalar->bytes, scalar->length);
	} else {
		length = ctf_string_to_utf8(utf8, sizeof(utf8), field, scalar);
		mm_field_append_escaped(text, utf8,
					length < sizeof(utf8) ? length : sizeof(utf8) - 1);
	}
	if (depth)
		mm_field_append(text, "\"");
}

static void append_scalar(struct mm_field_text *text, const struct ctf_field *field,
			  const struct ctf_scalar *scalar, int depth)
{
	struct mm_value value = { 0 };

	set_value(&value, field, scalar);
	if (is_string(field))
		append_string(text, field, scalar, depth);
	else if (field->is_enum)
		append_enumeration(text, field, &value);
	else if (value.kind == MM_KIND_REAL)
		mm_field_append(text, "%g", value.r);
	else if (value.kind == MM_KIND_COMPOUND || field->kind == CTF_BITMAP)
		mm_field_append(text, "?");
	else
		mm_field_append_integer(text, &value);
}

static int append_field(struct mm_field_text *text, struct ctf_cursor *cursor,
			const struct ctf_field *field, int depth);

static int append_structure(struct mm_field_text *text, struct ctf_cursor *cursor,
			    const struct ctf_field *field, int depth)
{
	if (ctf_align(cursor, field))
		return -1;
	mm_field_append(text, "{");
	for (size_t i = 0; i < field->member_count; i++) {
		const char *name = field->members[i].name ? field->members[i].name : "";

		mm_field_append(text, i ? ", " : " ");
		mm_field_append_escaped(text, name, strlen(name));
		mm_field_append(text, " = ");
		if (append_field(text, cursor, field->members[i].field, depth + 1))
			return -1;
	}
	mm_field_append(text, " }");
	return 0;
}

static int append_array(struct mm_field_text *text, struct ctf_cursor *cursor,
			const struct ctf_field *field, int depth)
{
	uint64_t count;

	if (ctf_read_length(cursor, field, &count) || ctf_align(cursor, field))
		return -1;
	mm_field_append(text, "[");
	for (uint64_t i = 0; i < count && !mm_field_text_is_full(text); i++) {
		mm_field_append(text, i ? ", " : " ");
		if (append_field(text, cursor, field->element, depth + 1))
			return -1;
	}
	mm_field_append(text, " ]");
	return 0;
}

static int append_option(struct mm_field_text *text, struct ctf_cursor *cursor,
			 const struct ctf_field *field, int depth)
{
	bool present;

	if (ctf_read_presence(cursor, field, &present))
		return -1;
	if (present)
		return append_field(text, cursor, field->element, depth + 1);
	mm_field_append(text, "none");
	return 0;
}

static int append_field(struct mm_field_text *text, struct ctf_cursor *cursor,
			const struct ctf_field *field, int depth)
{
	const struct ctf_member *member;
	struct ctf_scalar scalar;

	if (depth > NESTING_MAX) {
		mm_field_append(text, "...");
		return -1;
	}
	switch (field->kind) {
	case CTF_STRUCT:
		return append_structure(text, cursor, field, depth);
	case CTF_STATIC_ARRAY:
	case CTF_DYNAMIC_ARRAY:
		return append_array(text, cursor, field, depth);
	case CTF_OPTION:
		return append_option(text, cursor, field, depth);
	case CTF_VARIANT:
		if (ctf_read_choice(cursor, field, &member))
			return -1;
		return append_field(text, cursor, member->field, depth + 1);
	default:
		if (ctf_read_scalar(cursor, field, &scalar))
			return -1;
		append_scalar(text, field, &scalar, depth);
		return 0;
	}
}

/* Moves the cursor to the member that is described by @field. */
static int walk_to_field(struct ctf_cursor *cursor, const struct ctf_event *event,
			 const struct ctf_field *field)
{
	for (unsigned int which = 0; which < STRUCTURES; which++) {
		const struct ctf_field *structure = structure_of(event, which);

		for (size_t i = 0; i < count_members(structure); i++)
			if (structure->members[i].field == field)
				return walk_to(cursor, event, which, i);
	}
	return -1;
}

int ctf_text_field(const struct mm_event *event, const struct mm_value *value, char *dst,
		   size_t size)
{
	struct mm_field_text text = { dst, size, 0 };
	const struct ctf_field *field = value->native;
	struct ctf_event native;
	struct ctf_cursor cursor;

	if (!size)
		return 0;
	dst[0] = '\0';
	if (!field || !ctf_event_of(event, &native))
		return -1;
	if (value->kind == MM_KIND_UNSIGNED || value->kind == MM_KIND_SIGNED) {
		if (field->kind == CTF_BITMAP)
			mm_field_append(&text, "?");
		else if (field->is_enum)
			append_enumeration(&text, field, value);
		else
			mm_field_append_integer(&text, value);
		return 0;
	}
	if (walk_to_field(&cursor, &native, field))
		return -1;
	append_field(&text, &cursor, field, 0);
	return 0;
}
