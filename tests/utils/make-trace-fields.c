// SPDX-License-Identifier: LGPL-2.1-only
/* Writes the values of a script's line as the fields that the metadata describes. */
#include "tests/utils/make-trace.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- bits --- */

/* Writes bits; the bytes must be zero before. */
static void put_bits(struct script_stream *stream, uint64_t value, unsigned int bits,
		     bool big_endian)
{
	for (unsigned int i = 0; i < bits; i++, stream->bit++) {
		unsigned int from = big_endian ? bits - 1 - i : i;
		unsigned int to = big_endian ? 7 - stream->bit % 8 : stream->bit % 8;

		stream->packet[stream->bit / 8] |= (unsigned char)((value >> from & 1) << to);
	}
}

void align_to(struct script_stream *stream, uint64_t bits)
{
	stream->bit = (stream->bit + bits - 1) / bits * bits;
}

/* --- values --- */

uint64_t number(const char *text)
{
	char *end;
	uint64_t value;

	errno = 0;
	value = strtoull(text, &end, 0);
	if (end == text || (*end && *end != ',') || errno)
		fail("not a number", text);
	return value;
}

const char *option(const char *name, char **words)
{
	size_t length = strlen(name);

	for (; *words; words++)
		if (!strncmp(*words, name, length) && (*words)[length] == '=')
			return *words + length + 1;
	return NULL;
}

uint64_t counter(const char *name, char **words, uint64_t missing)
{
	const char *text = option(name, words);

	return text ? number(text) : missing;
}

static uint64_t elements(const char *list)
{
	uint64_t count = *list != '\0';

	for (; *list; list++)
		count += *list == ',';
	return count;
}

/* Returns the value of a field that has a role for packets. */
static uint64_t packet_value(const struct ctf_field *field, const struct script_stream *stream)
{
	uint64_t index = (uint64_t)(stream - writer.streams);

	if (field->roles & CTF_ROLE_MAGIC)
		return 0xc1fc1fc1;
	if (field->roles & CTF_ROLE_STREAM_CLASS_ID)
		return writer.class->id;
	if (field->roles & CTF_ROLE_STREAM_ID)
		return index;
	if (field->roles & CTF_ROLE_TIME)
		return stream->begin;
	if (field->roles & CTF_ROLE_PACKET_END_TIME)
		return stream->end_set ? stream->end : stream->last;
	if (field->roles & CTF_ROLE_CONTENT_SIZE)
		return stream->content;
	if (field->roles & CTF_ROLE_PACKET_SIZE)
		return (stream->content + 7) / 8 * 8;
	if (field->roles & CTF_ROLE_PACKET_SEQ)
		return stream->seq;
	if (field->roles & CTF_ROLE_DISCARDED)
		return stream->discarded;
	return field->roles & CTF_ROLE_CPU_ID ? index : 0;
}

bool fits(const struct ctf_field *field, uint64_t value)
{
	int64_t high = (int64_t)value >> (field->size - 1);

	if (field->kind == CTF_SIGNED)
		return !high || high == -1;
	return field->size == 64 || !(value >> field->size);
}

/* --- fields --- */

/* Returns the value of the label in the first @length bytes of @text. */
static uint64_t label_value(const struct ctf_field *field, const char *text, size_t length)
{
	for (size_t i = 0; i < field->mapping_count; i++)
		if (strlen(field->mappings[i].label) == length &&
		    !strncmp(field->mappings[i].label, text, length))
			return field->mappings[i].ranges[0].lower.u;
	fail("neither a number nor a label of the field", text);
}

/*
 * Parses a number, or labels joined by |. Scripts use labels for values that differ between
 * kernels.
 */
static uint64_t field_number(const struct ctf_field *field, const char *text)
{
	uint64_t value = 0;

	if (!field->is_enum || isdigit((unsigned char)*text) || *text == '-')
		return number(text);
	for (;;) {
		size_t length = strcspn(text, "|,");

		value |= label_value(field, text, length);
		text += length;
		if (*text++ != '|')
			return value;
	}
}

static void put_integer(struct script_stream *stream, const struct ctf_field *field,
			const struct value_source *values, const char *text)
{
	uint64_t value = text ? field_number(field, text) : 0;

	if (values->packet)
		value = packet_value(field, values->packet);
	else if (field->roles & CTF_ROLE_EVENT_CLASS_ID)
		value = values->id;
	else if (field->roles & CTF_ROLE_TIME)
		value = field->size < 64 ? values->time & ((UINT64_C(1) << field->size) - 1)
					 : values->time;
	if (!fits(field, value))
		fail("a value that does not fit its field", text);
	if (field->keep_slot >= 0)
		writer.slots[field->keep_slot] = value;
	put_bits(stream, value, field->size, field->big_endian);
}

/*
 * Writes the bytes of a text, including a string's terminator. A static string is padded or
 * truncated to its length.
 */
static void put_text(struct script_stream *stream, const struct ctf_field *field, const char *text)
{
	uint64_t length = field->kind == CTF_STATIC_STRING ? field->length : UINT64_MAX;
	unsigned int byte;

	for (; text && *text && length; length--) {
		if (sscanf(text, "\\x%2x", &byte) == 1)
			text += 4;
		else
			byte = (unsigned char)*text++;
		put_bits(stream, byte, 8, false);
	}
	if (field->kind == CTF_STRING)
		length = 1;
	stream->bit += 8 * length;
}

static void put_elements(struct script_stream *stream, const struct ctf_field *field,
			 const struct value_source *values, const char *text)
{
	uint64_t length =
		field->kind == CTF_STATIC_ARRAY ? field->length : writer.slots[field->ref_slot];

	while (length--) {
		put_field(stream, field->element, values, text && *text ? text : NULL);
		text = text ? strchr(text, ',') : NULL;
		text += !!text;
	}
}

/* Returns, as text, the number of elements in the list with the length field @length, or NULL. */
static const char *length_of(const struct ctf_field *structure, const struct ctf_field *length,
			     const struct value_source *values)
{
	static char text[24];

	for (size_t i = 0; i < structure->member_count; i++) {
		const struct ctf_member *member = &structure->members[i];
		const char *list = option(member->name, values->words);

		if (!list || !member->field->ref_count || member->field->refs[0] != length)
			continue;
		snprintf(text, sizeof(text), "%" PRIu64, elements(list));
		return text;
	}
	return NULL;
}

const struct ctf_member *chosen(const struct ctf_field *variant, uint64_t selector)
{
	for (size_t i = 0; i < variant->member_count; i++)
		for (size_t j = 0; j < variant->members[i].range_count; j++)
			if (selector >= variant->members[i].ranges[j].lower.u &&
			    selector <= variant->members[i].ranges[j].upper.u)
				return &variant->members[i];
	fail("no option of a variant has that selector", NULL);
}

static void put_members(struct script_stream *stream, const struct ctf_field *field,
			const struct value_source *values)
{
	for (size_t i = 0; i < field->member_count; i++) {
		const struct ctf_member *member = &field->members[i];
		const char *text = option(member->name, values->words);

		if (!text && member->field->keep_slot >= 0)
			text = length_of(field, member->field, values);
		put_field(stream, member->field, values, text);
	}
}

void put_field(struct script_stream *stream, const struct ctf_field *field,
	       const struct value_source *values, const char *text)
{
	align_to(stream, field->align);
	switch (field->kind) {
	case CTF_UNSIGNED:
	case CTF_SIGNED:
		put_integer(stream, field, values, text);
		break;
	case CTF_STRING:
	case CTF_STATIC_STRING:
		put_text(stream, field, text);
		break;
	case CTF_STATIC_BLOB:
		for (size_t i = 0; i < field->length; i++)
			put_bits(stream,
				 field->roles & CTF_ROLE_UUID ? writer.trace->uuid[i % 16] : 0, 8,
				 false);
		break;
	case CTF_STATIC_ARRAY:
	case CTF_DYNAMIC_ARRAY:
		put_elements(stream, field, values, text);
		break;
	case CTF_STRUCT:
		put_members(stream, field, values);
		break;
	case CTF_VARIANT:
		put_field(stream, chosen(field, writer.slots[field->ref_slot])->field, values,
			  text);
		break;
	default:
		fail("a field of an unsupported kind", NULL);
	}
}
