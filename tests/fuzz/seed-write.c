// SPDX-License-Identifier: LGPL-2.1-only
/* A simple, slow writer of packets that follows a model field by field, bit by bit. */
#include "tests/fuzz/seed-write.h"

#include <stdlib.h>
#include <string.h>

/* xorshift64 */
static uint64_t next_random(struct seed_stream *stream)
{
	stream->random ^= stream->random << 13;
	stream->random ^= stream->random >> 7;
	stream->random ^= stream->random << 17;
	return stream->random;
}

static void reserve(struct seed_stream *stream, uint64_t bits)
{
	uint64_t room = stream->room ? stream->room : 4096;

	while (room < stream->at + bits + 64)
		room *= 2;
	if (room == stream->room)
		return;
	stream->data = realloc(stream->data, room / 8);
	if (!stream->data)
		abort();
	memset(stream->data + stream->room / 8, 0, (room - stream->room) / 8);
	stream->room = room;
}

static void put_bits(struct seed_stream *stream, bool big_endian, unsigned int size, uint64_t value)
{
	reserve(stream, size);
	for (unsigned int i = 0; i < size; i++, stream->at++) {
		unsigned int bit = big_endian ? size - 1 - i : i, in_byte = stream->at % 8;
		uint8_t mask = (uint8_t)(1u << (big_endian ? 7 - in_byte : in_byte));
		uint8_t *byte = &stream->data[stream->at / 8];

		*byte = (uint8_t)(value >> bit & 1 ? *byte | mask : *byte & ~mask);
	}
}

static void align(struct seed_stream *stream, uint64_t bits)
{
	uint64_t in_packet = stream->at - stream->base;

	reserve(stream, bits);
	stream->at += (bits - in_packet % bits) % bits;
}

static void put_bytes(struct seed_stream *stream, const uint8_t *bytes, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		put_bits(stream, false, 8, bytes[i]);
}

/* Writes random letters in the field's encoding. A string ends with a null code point. */
static void put_text(struct seed_stream *stream, const struct ctf_field *field, uint64_t bytes)
{
	static const uint8_t widths[] = { [CTF_UTF8] = 1,
					  [CTF_UTF16LE] = 2,
					  [CTF_UTF16BE] = 2,
					  [CTF_UTF32LE] = 4,
					  [CTF_UTF32BE] = 4 };
	unsigned int width = widths[field->encoding];
	bool big_endian = field->encoding == CTF_UTF16BE || field->encoding == CTF_UTF32BE;

	for (; bytes >= width; bytes -= width)
		put_bits(stream, big_endian, width * 8, 'a' + next_random(stream) % 26);
	put_bits(stream, false, (unsigned int)bytes * 8, 0);
	if (field->kind == CTF_STRING)
		put_bits(stream, false, width * 8, 0);
}

static void put_leb(struct seed_stream *stream, const struct ctf_field *field, uint64_t value)
{
	bool is_signed = field->kind == CTF_LEB_SIGNED;
	bool more = true;

	while (more) {
		uint8_t byte = value & 0x7f;

		value = is_signed ? (uint64_t)((int64_t)value >> 7) : value >> 7;
		more = is_signed ? !((!value && !(byte & 0x40)) || (!~value && byte & 0x40))
				 : value != 0;
		put_bits(stream, false, 8, byte | (more ? 0x80u : 0));
	}
}

static uint64_t low_bits(uint64_t value, unsigned int bits)
{
	return bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
}

/*
 * Returns the event's id. If the header resembles LTTng's compact header and has no room for the
 * id, returns the escape value.
 */
static uint64_t choose_id(const struct seed_stream *stream, const struct ctf_field *field)
{
	for (size_t i = 0; i < field->mapping_count; i++) {
		const struct ctf_range *range = field->mappings[i].ranges;

		if (stream->event->id >= range->lower.u && stream->event->id <= range->upper.u)
			return stream->event->id;
	}
	return field->mapping_count ? field->mappings[field->mapping_count - 1].ranges->lower.u
				    : stream->event->id;
}

static uint64_t choose_value(struct seed_stream *stream, const struct ctf_field *field)
{
	uint64_t random = next_random(stream);

	if (field->roles &
	    (CTF_ROLE_PACKET_SIZE | CTF_ROLE_CONTENT_SIZE | CTF_ROLE_PACKET_END_TIME)) {
		if (stream->late_count < sizeof(stream->late) / sizeof(stream->late[0])) {
			stream->late[stream->late_count].field = field;
			stream->late[stream->late_count++].at = stream->at;
		}
		return 0;
	}
	if (field->roles & CTF_ROLE_MAGIC)
		return 0xc1fc1fc1;
	if (field->roles & CTF_ROLE_STREAM_CLASS_ID)
		return stream->class->id;
	if (field->roles & CTF_ROLE_EVENT_CLASS_ID)
		return choose_id(stream, field);
	if (field->roles & CTF_ROLE_TIME)
		return stream->time;
	if (field->roles & CTF_ROLE_PACKET_SEQ)
		return stream->seq;
	if (field->roles & (CTF_ROLE_DISCARDED | CTF_ROLE_CPU_ID | CTF_ROLE_STREAM_ID))
		return 1;
	if (field->mapping_count && field->kind != CTF_BITMAP && random % 8)
		return field->mappings[random / 8 % field->mapping_count].ranges->lower.u;
	/* Lengths and selectors are small; other values sometimes use all their bits. */
	if (field->keep_slot >= 0 || random % 2)
		return random / 2 % 4;
	return random;
}

static void write_number(struct seed_stream *stream, const struct ctf_field *field)
{
	uint64_t value = choose_value(stream, field);

	if (field->kind == CTF_LEB_UNSIGNED || field->kind == CTF_LEB_SIGNED) {
		put_leb(stream, field, value);
	} else {
		value = low_bits(value, field->size);
		put_bits(stream, field->big_endian, field->size, value);
	}
	if (field->kind == CTF_SIGNED && field->size < 64 && value >> (field->size - 1))
		value |= ~UINT64_C(0) << field->size;
	if (field->keep_slot >= 0)
		stream->slots[field->keep_slot] = value;
}

static bool in_ranges(const struct ctf_range *ranges, size_t count, uint64_t value, bool is_signed)
{
	for (size_t i = 0; i < count; i++)
		if (is_signed ? (int64_t)value >= ranges[i].lower.i &&
					(int64_t)value <= ranges[i].upper.i
			      : value >= ranges[i].lower.u && value <= ranges[i].upper.u)
			return true;
	return false;
}

static void write_field(struct seed_stream *stream, const struct ctf_field *field);

static void write_variant(struct seed_stream *stream, const struct ctf_field *field)
{
	for (size_t i = 0; i < field->member_count; i++)
		if (in_ranges(field->members[i].ranges, field->members[i].range_count,
			      stream->slots[field->ref_slot], field->ref_signed)) {
			write_field(stream, field->members[i].field);
			return;
		}
	stream->failed = true;
}

static void write_option(struct seed_stream *stream, const struct ctf_field *field)
{
	uint64_t value = stream->slots[field->ref_slot];

	if (field->range_count
		    ? in_ranges(field->ranges, field->range_count, value, field->ref_signed)
		    : value != 0)
		write_field(stream, field->element);
}

static void write_blob(struct seed_stream *stream, const struct ctf_field *field, uint64_t length)
{
	if (field->roles & CTF_ROLE_UUID) {
		put_bytes(stream, stream->trace->uuid, 16);
		return;
	}
	for (uint64_t i = 0; i < length; i++)
		put_bits(stream, false, 8, next_random(stream));
}

static void write_compound(struct seed_stream *stream, const struct ctf_field *field)
{
	uint64_t length =
		field->kind == CTF_DYNAMIC_ARRAY ? stream->slots[field->ref_slot] : field->length;

	if (field->kind == CTF_VARIANT) {
		write_variant(stream, field);
	} else if (field->kind == CTF_OPTION) {
		write_option(stream, field);
	} else if (field->kind == CTF_STRUCT) {
		for (size_t i = 0; i < field->member_count; i++)
			write_field(stream, field->members[i].field);
	} else {
		for (uint64_t i = 0; i < length && !stream->failed; i++)
			write_field(stream, field->element);
	}
}

static void write_field(struct seed_stream *stream, const struct ctf_field *field)
{
	if (!field || stream->failed)
		return;
	align(stream, field->align);
	switch (field->kind) {
	case CTF_STRING:
		put_text(stream, field, next_random(stream) % 6 * 4);
		break;
	case CTF_STATIC_STRING:
		put_text(stream, field, field->length);
		break;
	case CTF_DYNAMIC_STRING:
		put_text(stream, field, stream->slots[field->ref_slot]);
		break;
	case CTF_STATIC_BLOB:
		write_blob(stream, field, field->length);
		break;
	case CTF_DYNAMIC_BLOB:
		write_blob(stream, field, stream->slots[field->ref_slot]);
		break;
	case CTF_STATIC_ARRAY:
	case CTF_DYNAMIC_ARRAY:
	case CTF_STRUCT:
	case CTF_VARIANT:
	case CTF_OPTION:
		write_compound(stream, field);
		break;
	default:
		write_number(stream, field);
	}
}

/* Writes one event. If a selector selects nothing, removes the event and tries again. */
static void write_event(struct seed_stream *stream, size_t number)
{
	uint64_t at = stream->at;

	stream->event = stream->class->events[number % stream->class->event_count];
	stream->time += next_random(stream) % 5;
	for (int tries = 0; tries < 100; tries++) {
		stream->at = at;
		stream->failed = false;
		write_field(stream, stream->class->event_header);
		write_field(stream, stream->class->common_context);
		write_field(stream, stream->event->specific_context);
		write_field(stream, stream->event->payload);
		if (!stream->failed)
			return;
	}
	stream->at = at;
}

static void write_late(struct seed_stream *stream, const struct seed_packet *packet)
{
	uint64_t end = stream->at;

	for (size_t i = 0; i < stream->late_count; i++) {
		const struct ctf_field *field = stream->late[i].field;
		uint64_t value = field->roles & CTF_ROLE_PACKET_SIZE	? packet->size
				 : field->roles & CTF_ROLE_CONTENT_SIZE ? packet->content
									: stream->time;

		stream->at = stream->late[i].at;
		put_bits(stream, field->big_endian, field->size, low_bits(value, field->size));
	}
	stream->at = end;
}

void seed_write_packet(struct seed_stream *stream, size_t events, size_t padding,
		       struct seed_packet *packet)
{
	if (!stream->slots)
		stream->slots = calloc(stream->trace->slot_count + 1, sizeof(*stream->slots));
	if (!stream->slots)
		abort();
	stream->base = stream->at;
	stream->late_count = 0;
	*packet = (struct seed_packet){ .offset = stream->at / 8,
					.begin = stream->time,
					.seq = stream->seq };
	stream->failed = false;
	write_field(stream, stream->trace->packet_header);
	write_field(stream, stream->class->packet_context);
	for (size_t i = 0; i < events; i++)
		write_event(stream, i);
	packet->content = stream->at - stream->base;
	/* Clear the bytes of removed events, because padding must consist of zeros. */
	align(stream, 8);
	for (size_t i = 0; i < padding; i++)
		put_bits(stream, false, 8, 0);
	packet->size = stream->at - stream->base;
	packet->end = stream->time;
	write_late(stream, packet);
	stream->seq++;
}
