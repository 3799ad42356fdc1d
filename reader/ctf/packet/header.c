// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Reads packet headers and packet contexts: at fixed offsets if possible, otherwise field by field.
 */
#include "reader/ctf/packet/header.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "reader/ctf/packet/map.h"
#include "reader/ctf/packet/read.h"

#define MAGIC 0xc1fc1fc1u

static const char wrong_magic[] = "wrong magic number";
static const char wrong_uuid[] = "the UUID is not the trace's";
static const char unknown_class[] = "no stream class has the stream's id";
static const char other_class[] =
	"the packet's stream class differs from the stream class of the other packets of the file";
static const char long_header[] =
	"the packet header and context have more fields or bytes than this program supports";
static const char truncated[] = "the file ends within the packet's header or context";

static void note(struct ctf_header *header, uint32_t roles, uint64_t value)
{
	header->have |= roles;
	while (roles) {
		int bit = __builtin_ctz(roles);

		if (bit < CTF_HEADER_VALUES)
			header->values[bit] = value;
		roles &= roles - 1;
	}
}

static bool is_plain(const struct ctf_field *field)
{
	return (field->kind == CTF_UNSIGNED || field->kind == CTF_SIGNED) &&
	       !field->reversed_bits &&
	       (field->size == 8 || field->size == 16 || field->size == 32 || field->size == 64);
}

static uint64_t align_up(uint64_t at, uint32_t align)
{
	return (at + align - 1) & ~((uint64_t)align - 1);
}

static int add_place(struct ctf_packet_plan *plan, const struct ctf_field *field, uint64_t at)
{
	struct ctf_packet_place *place;

	if (plan->place_count == plan->place_room) {
		size_t room = plan->place_room ? 2 * plan->place_room : 8;

		place = realloc(plan->places, room * sizeof(*place));
		if (!place)
			return -1;
		plan->places = place;
		plan->place_room = room;
	}
	place = &plan->places[plan->place_count++];
	*place = (struct ctf_packet_place){
		.at = (uint32_t)(at / 8),
		.bytes = (uint8_t)(field->size / 8),
		.big_endian = field->big_endian,
		.is_signed = field->kind == CTF_SIGNED,
		.roles = field->roles,
		.slot = field->keep_slot,
	};
	return 0;
}

/*
 * For each field in @field that has a role or a value slot, adds the place of the field. @field
 * starts at bit *@at. Moves *@at to the end of @field. Returns 0 on success, 1 if the fields are
 * not simple enough for fixed places, or -1 when out of memory. CTF_DEPTH_MAX limits the recursion.
 */
static int find_places(struct ctf_packet_plan *plan, const struct ctf_field *field, uint64_t *at)
{
	int ret = 0;

	*at = align_up(*at, field->align);
	if (field->kind == CTF_STRUCT) {
		for (size_t i = 0; i < field->member_count && !ret; i++)
			ret = find_places(plan, field->members[i].field, at);
		return ret;
	}
	/* No known header is larger. Offsets must fit in struct ctf_packet_place. */
	if (field->fixed_bits > 1u << 20 || *at > 1u << 20)
		return 1;
	if (field->roles & CTF_ROLE_UUID) {
		if (field->kind != CTF_STATIC_BLOB || field->length != 16 || *at % 8)
			return 1;
		plan->uuid_at = (int64_t)(*at / 8);
	} else if (field->kind == CTF_STATIC_ARRAY) {
		if (field->element && (field->element->roles || field->element->keep_slot >= 0 ||
				       field->element->depth > 1))
			return 1;
	} else if (field->roles || field->keep_slot >= 0) {
		if (!is_plain(field) || *at % 8)
			return 1;
		ret = add_place(plan, field, *at);
	}
	*at += field->fixed_bits;
	return ret;
}

static unsigned int width_of(const struct ctf_field *field)
{
	return field->size ? field->size : 64;
}

/* Finds the widths of timestamps and counters, which may wrap. */
static void find_widths(struct ctf_packet_plan *plan, const struct ctf_field *field)
{
	if (!field)
		return;
	if (field->roles & CTF_ROLE_TIME) {
		plan->begin_width = width_of(field);
		plan->has_begin = true;
	}
	if (field->roles & CTF_ROLE_PACKET_END_TIME) {
		plan->end_width = width_of(field);
		plan->has_end = true;
	}
	if (field->roles & CTF_ROLE_DISCARDED)
		plan->discarded_width = width_of(field);
	if (field->roles & CTF_ROLE_PACKET_SEQ)
		plan->seq_width = width_of(field);
	for (size_t i = 0; i < field->member_count; i++)
		find_widths(plan, field->members[i].field);
	find_widths(plan, field->element);
}

int ctf_packet_plan_init(struct ctf_packet_plan *plan, const struct ctf_stream_class *class)
{
	const struct ctf_field *parts[] = { class->trace->packet_header, class->packet_context };
	int ret = 0;

	*plan = (struct ctf_packet_plan){ .trace = class->trace,
					  .class = class,
					  .uuid_at = -1,
					  .begin_width = 64,
					  .end_width = 64,
					  .discarded_width = 64,
					  .seq_width = 64 };
	for (size_t i = 0; i < 2; i++) {
		find_widths(plan, parts[i]);
		if (parts[i] && !ret)
			ret = parts[i]->fixed ? find_places(plan, parts[i], &plan->bits) : 1;
		if (!i)
			plan->context_at = plan->bits;
	}
	if (ret < 0)
		ctf_packet_plan_done(plan);
	plan->fixed = !ret;
	return ret < 0 ? -1 : 0;
}

void ctf_packet_plan_done(struct ctf_packet_plan *plan)
{
	free(plan->places);
	plan->places = NULL;
	plan->place_count = plan->place_room = 0;
}

static uint64_t load(const uint8_t *from, const struct ctf_packet_place *place)
{
	uint64_t u64;
	uint32_t u32;
	uint16_t u16;

	switch (place->bytes) {
	case 1:
		return ctf_once(place->is_signed ? (uint64_t)(int8_t)*from : *from);
	case 2:
		memcpy(&u16, from, sizeof(u16));
		u16 = place->big_endian ? be16toh(u16) : le16toh(u16);
		return ctf_once(place->is_signed ? (uint64_t)(int16_t)u16 : u16);
	case 4:
		memcpy(&u32, from, sizeof(u32));
		u32 = place->big_endian ? be32toh(u32) : le32toh(u32);
		return ctf_once(place->is_signed ? (uint64_t)(int32_t)u32 : u32);
	default:
		memcpy(&u64, from, sizeof(u64));
		return ctf_once(place->big_endian ? be64toh(u64) : le64toh(u64));
	}
}

static int fail(struct ctf_header *header, const char *problem, uint64_t at)
{
	/* Keep the first problem, because it causes the later ones. */
	if (!header->problem) {
		header->problem = problem;
		header->problem_at = at;
		header->at_end = problem == truncated;
	}
	return -1;
}

static void mismatch(struct ctf_header *header, const char *what, uint64_t at)
{
	if (!header->mismatch) {
		header->mismatch = what;
		header->mismatch_at = at;
	}
}

/*
 * Notes a wrong UUID. If the magic number is right, the packet is foreign: it belongs to another
 * trace. If the magic number is wrong, too, the packet is damaged.
 */
static void mismatch_uuid(struct ctf_header *header, uint64_t at)
{
	header->foreign = !header->mismatch;
	mismatch(header, wrong_uuid, at);
}

/*
 * Reports a packet with an unknown stream class. If its magic number or UUID is wrong, reports that
 * instead.
 */
static int fail_class(struct ctf_header *header)
{
	return header->mismatch ? fail(header, header->mismatch, header->mismatch_at)
				: fail(header, other_class, 0);
}

static int check_class(const struct ctf_trace_class *trace, struct ctf_header *header)
{
	if (header->have & CTF_ROLE_STREAM_CLASS_ID)
		header->class = ctf_stream_class_find(
			trace, ctf_header_value(header, CTF_ROLE_STREAM_CLASS_ID));
	else
		header->class = trace->stream_count == 1 ? trace->streams[0] : NULL;
	return header->class ? 0 : fail(header, unknown_class, 0);
}

static int read_fixed(const struct ctf_packet_plan *plan, const uint8_t *data, uint64_t bits,
		      uint64_t *slots, struct ctf_header *header)
{
	const struct ctf_packet_place *place = plan->places;

	if (bits < plan->bits)
		return fail(header, truncated, bits);
	for (size_t i = 0; i < plan->place_count; i++, place++) {
		uint64_t value = load(data + place->at, place);

		note(header, place->roles, value);
		if (place->slot >= 0 && slots)
			slots[place->slot] = value;
	}
	header->bits = plan->bits;
	header->context_at = plan->context_at;
	if ((header->have & CTF_ROLE_MAGIC) && ctf_header_value(header, CTF_ROLE_MAGIC) != MAGIC)
		mismatch(header, wrong_magic, 0);
	if (plan->uuid_at >= 0 && plan->trace->has_uuid &&
	    memcmp(data + plan->uuid_at, plan->trace->uuid, 16))
		mismatch_uuid(header, 8 * (uint64_t)plan->uuid_at);
	header->class = plan->class;
	if ((header->have & CTF_ROLE_STREAM_CLASS_ID) &&
	    ctf_header_value(header, CTF_ROLE_STREAM_CLASS_ID) != plan->class->id) {
		if (!check_class(plan->trace, header))
			fail_class(header);
		return -1;
	}
	return 0;
}

struct header_reader {
	const struct ctf_trace_class *trace;
	struct ctf_header *header;
	const struct ctf_cursor *cursor;
};

static void found(void *user, const struct ctf_field *field, const struct ctf_scalar *scalar)
{
	struct header_reader *reading = user;

	if (!field->roles)
		return;
	if (field->roles & CTF_ROLE_UUID) {
		if (reading->trace->has_uuid &&
		    (scalar->length != 16 || memcmp(scalar->bytes, reading->trace->uuid, 16)))
			mismatch_uuid(reading->header, reading->cursor->at);
		return;
	}
	note(reading->header, field->roles, scalar->u);
	if ((field->roles & CTF_ROLE_MAGIC) && scalar->u != MAGIC)
		mismatch(reading->header, wrong_magic, 0);
}

static int read_part(struct header_reader *reading, struct ctf_cursor *cursor,
		     const struct ctf_field *part)
{
	enum ctf_status status = ctf_skip(cursor, part, found, reading);

	reading->header->bits = cursor->at;
	if (reading->header->problem)
		return -1;
	if (status == CTF_END)
		return fail(reading->header, truncated, cursor->at);
	if (status != CTF_OK)
		return fail(reading->header,
			    cursor->problem ? cursor->problem : "a field cannot be decoded",
			    cursor->at);
	return 0;
}

static int read_parts(const struct ctf_trace_class *trace, struct ctf_cursor *cursor,
		      struct ctf_header *header)
{
	struct header_reader reading = { .trace = trace, .header = header, .cursor = cursor };

	if (trace->packet_header && read_part(&reading, cursor, trace->packet_header))
		return -1;
	header->context_at = cursor->at;
	if (check_class(trace, header))
		return -1;
	return header->class->packet_context
		       ? read_part(&reading, cursor, header->class->packet_context)
		       : 0;
}

int ctf_header_read_any(const struct ctf_trace_class *trace, const uint8_t *data, uint64_t bits,
			uint64_t work, uint64_t *slots, struct ctf_header *header)
{
	struct ctf_cursor cursor = { .data = data,
				     .end = bits,
				     .slots = slots,
				     .idle_max = CTF_IDLE_DECODED,
				     .fields_left = UINT64_MAX,
				     .roles_only = true };
	int ret;

	memset(header, 0, sizeof(*header));
	if (work) {
		cursor.fields_left = work + 1;
		if (bits / 8 / CTF_HEADER_STRIDE > work)
			cursor.end = work * CTF_HEADER_STRIDE * 8;
	}
	header->work = cursor.fields_left;
	ret = read_parts(trace, &cursor, header);
	header->work -= cursor.fields_left;
	/*
	 * If the data ended early, count all bytes as work: the reader may have searched them for
	 * the end of a string.
	 */
	header->work += (header->at_end ? cursor.end : cursor.at) / 8 / CTF_HEADER_STRIDE;
	if (ret && header->at_end && cursor.end != bits) {
		header->problem = long_header;
		header->at_end = false;
	}
	return ret;
}

int ctf_header_read(const struct ctf_packet_plan *plan, const uint8_t *data, uint64_t bits,
		    uint64_t work, uint64_t *slots, struct ctf_header *header)
{
	if (plan->fixed) {
		memset(header, 0, sizeof(*header));
		if (work && plan->place_count > work)
			return fail(header, long_header, 0);
		header->work = plan->place_count;
		return read_fixed(plan, data, bits, slots, header);
	}
	if (ctf_header_read_any(plan->trace, data, bits, work, slots, header))
		return -1;
	return header->class == plan->class ? 0 : fail_class(header);
}

bool ctf_header_magic(const struct ctf_trace_class *trace, uint8_t magic[4])
{
	const struct ctf_field *field = trace->packet_header;
	uint32_t value;

	while (field && field->kind == CTF_STRUCT && field->member_count)
		field = field->members[0].field;
	if (!field || !(field->roles & CTF_ROLE_MAGIC) || !is_plain(field) || field->size != 32)
		return false;
	value = field->big_endian ? htobe32(MAGIC) : htole32(MAGIC);
	memcpy(magic, &value, sizeof(value));
	return true;
}
