// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Compares plans with the field reader, for random event classes and random bytes: each value that
 * a plan loads must be the value that ctf_read_scalar() reads. Also compares the quick functions,
 * which decode headers and events with fixed layouts, with the general functions.
 */
#include <stdlib.h>
#include <string.h>

#include "reader/ctf/decode/quick.h"
#include "tests/tap.h"

#define ROUNDS 1500
#define BYTES 1024
#define FIELDS_MAX 12
#define VALUES_MAX 128
#define CLASSES_MAX 9

static uint64_t state = 7;

static uint32_t roll(uint32_t below)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(state >> 33) % below;
}

struct event_shape {
	const char *name;
	uint32_t align_max; /* log2 of the alignment in bits */
	bool big_endian, mixed, packed, dynamic;
};

static const struct event_shape shapes[] = {
	{ .name = "bytes, little-endian", .align_max = 3 },
	{ .name = "bytes, big-endian", .align_max = 3, .big_endian = true },
	{ .name = "natural alignment", .align_max = 6 },
	{ .name = "natural alignment, big-endian", .align_max = 6, .big_endian = true },
	{ .name = "bit-packed", .align_max = 3, .packed = true },
	{ .name = "bit-packed, big-endian", .align_max = 3, .packed = true, .big_endian = true },
	{ .name = "both byte orders", .align_max = 6, .mixed = true, .packed = true },
	{ .name = "strings and sequences", .align_max = 5, .dynamic = true },
};

static struct ctf_field *make_integer(const struct event_shape *shape)
{
	struct ctf_field *field = ctf_field_create(roll(2) ? CTF_SIGNED : CTF_UNSIGNED);

	field->size = shape->packed ? 1 + roll(64) : 8u << roll(4);
	field->align =
		shape->packed ? 1u << roll(shape->align_max + 1) : 8u << roll(shape->align_max - 2);
	field->big_endian = shape->mixed ? roll(2) : shape->big_endian;
	return field;
}

static struct ctf_field *make_field(const struct event_shape *shape, struct ctf_field *structure)
{
	struct ctf_field *field;

	switch (roll(shape->dynamic ? 6 : 4)) {
	case 0:
		field = ctf_field_create(CTF_STATIC_STRING);
		field->align = 8;
		field->length = 1 + roll(9);
		return field;
	case 1:
		field = ctf_field_create(CTF_STATIC_ARRAY);
		field->length = roll(5);
		field->element = make_integer(shape);
		field->align = field->element->align;
		return field;
	case 4:
		field = ctf_field_create(CTF_STRING);
		field->align = 8;
		return field;
	case 5:
		/* The length is a separate member. It is so small that the elements fit. */
		field = ctf_field_create(CTF_UNSIGNED);
		field->size = 3;
		ctf_field_add_member(structure, "length", field);
		{
			struct ctf_field *array = ctf_field_create(CTF_DYNAMIC_ARRAY);

			array->element = make_integer(shape);
			ctf_field_add_ref(array, field);
			return array;
		}
	default:
		return make_integer(shape);
	}
}

static struct ctf_field *make_structure(const struct event_shape *shape)
{
	struct ctf_field *structure = ctf_field_create(CTF_STRUCT);
	unsigned int count = roll(FIELDS_MAX);
	char name[16];

	for (unsigned int i = 0; i < count; i++) {
		struct ctf_field *field = make_field(shape, structure);

		snprintf(name, sizeof(name), "f%u", i);
		ctf_field_add_member(structure, name, field);
	}
	return structure;
}

/* Moves @cursor over @scope and compares each requested field on the way. */
static bool same_fields(struct ctf_cursor *cursor, const struct ctf_field *scope,
			const char *const *names, const char *prefix, const union mm_scalar *values)
{
	if (ctf_align(cursor, scope))
		return false;
	for (size_t i = 0; i < scope->member_count; i++) {
		const struct ctf_field *field = scope->members[i].field;
		struct ctf_scalar scalar;
		char name[32];

		snprintf(name, sizeof(name), "%s%s", prefix, scope->members[i].name);
		if (field->kind >= CTF_STATIC_ARRAY) {
			if (ctf_skip(cursor, field, NULL, NULL))
				return false;
			continue;
		}
		if (ctf_read_scalar(cursor, field, &scalar))
			return false;
		for (size_t j = 0; names[j]; j++) {
			if (strcmp(names[j], name))
				continue;
			if (field->kind == CTF_STRING || field->kind == CTF_STATIC_STRING) {
				if (strlen(values[j].s) != scalar.length ||
				    memcmp(values[j].s, scalar.bytes, scalar.length))
					return false;
			} else if (values[j].u != scalar.u) {
				return false;
			}
		}
	}
	return true;
}

static struct mm_requests make_requests(const struct mm_event_fields *table)
{
	struct mm_requests requests;

	mm_requests_init(&requests);
	mm_requests_add_table(&requests, table, MM_FIELD_ANY | MM_FIELD_OPTIONAL);
	return requests;
}

/* Tests one random class; counts it in @plain if its fields have fixed positions. */
static bool decodes(const struct event_shape *shape, unsigned int *plain)
{
	static uint8_t bytes[BYTES + 64];
	static const char *const names[] = { "f3", "$ctx.f0", "f0",	 "none",
					     "f7", "f5",      "$ctx.f2", NULL };
	static const struct mm_event_fields table[] = { { "e", names }, { NULL, NULL } };
	struct mm_requests requests = make_requests(table);
	struct ctf_trace_class *trace = ctf_trace_class_create();
	struct ctf_stream_class *stream = ctf_trace_class_add_stream(trace, 0);
	struct ctf_event_class *event = ctf_stream_class_add_event(stream, 0, "e");
	struct mm_error err = MM_ERROR_INIT;
	struct ctf_packet packet = { .data = bytes,
				     .content_bits = UINT64_C(8) * BYTES,
				     .events_at = (uint64_t)roll(64) * (shape->packed ? 1 : 8) };
	struct ctf_decoder decoder;
	struct ctf_arena arena = { 0 };
	struct ctf_cursor cursor;
	struct ctf_plan *plan = NULL;
	union mm_scalar values[VALUES_MAX];
	uint64_t slots[64] = { 0 }, more_slots[64] = { 0 };
	bool right = false;

	event->payload = make_structure(shape);
	event->specific_context = make_structure(shape);
	for (size_t i = 0; i < BYTES; i++)
		bytes[i] = roll(4) ? (uint8_t)roll(256) : 0;
	if (ctf_trace_class_finish(trace, "test", &err) || trace->slot_count > 64)
		goto end;
	plan = ctf_plan_create(stream, &requests, NULL);
	*plain += plan->classes[0].form == CTF_FORM_PLAIN;
	ctf_decoder_begin(&decoder, plan, &packet, slots);
	cursor = (struct ctf_cursor){ .data = bytes,
				      .at = packet.events_at,
				      .end = packet.content_bits,
				      .slots = more_slots };
	right = true;
	for (int i = 0; i < 5 && right; i++) {
		struct ctf_head head;

		if (ctf_decode_head(&decoder, &head) ||
		    ctf_decode_body(&decoder, &head, values, &arena)) {
			/*
			 * An event must be refused if it does not fit in the packet or takes no
			 * space.
			 */
			struct ctf_cursor before = cursor;

			right = ctf_skip(&cursor, event->specific_context, NULL, NULL) ||
				ctf_skip(&cursor, event->payload, NULL, NULL) ||
				cursor.at == before.at;
			break;
		}
		right = same_fields(&cursor, event->specific_context, names, "$ctx.", values) &&
			same_fields(&cursor, event->payload, names, "", values) &&
			cursor.at == decoder.at && !values[3].u;
	}
end:
	mm_requests_release(&requests);
	ctf_arena_free(&arena);
	ctf_plan_destroy(plan);
	ctf_trace_class_destroy(trace);
	return right;
}

static struct ctf_field *unsigned_field(uint32_t size, uint32_t roles)
{
	struct ctf_field *field = ctf_field_create(CTF_UNSIGNED);

	field->size = size;
	field->align = size >= 8 && roles ? 8 : 1;
	field->roles = roles;
	return field;
}

/* Returns a header with an id followed by a timestamp. */
static struct ctf_field *make_flat(uint32_t id_bits, uint32_t time_bits)
{
	struct ctf_field *header = ctf_field_create(CTF_STRUCT);

	header->align = 8;
	ctf_field_add_member(header, "id", unsigned_field(id_bits, CTF_ROLE_EVENT_CLASS_ID));
	ctf_field_add_member(header, "time", unsigned_field(time_bits, CTF_ROLE_TIME));
	return header;
}

static bool same_values(const struct ctf_class_plan *class, const union mm_scalar *a,
			const union mm_scalar *b)
{
	/* No request: all values are numbers. */
	if (class->type.request < 0)
		return !memcmp(a, b, class->load_count * sizeof(*a));
	for (unsigned int i = 0; i < class->type.field_count; i++)
		if (class->kinds[i] == MM_KIND_STRING ? strcmp(a[i].s, b[i].s) : a[i].u != b[i].u)
			return false;
	return true;
}

/*
 * Decodes the next event with the general functions and, if they accept it, with the quick
 * functions. Returns false if the results differ. @status: the result of the general functions.
 */
static bool next_agrees(const struct ctf_plan *plan, struct ctf_decoder *decoder,
			enum ctf_status *status, unsigned int *quick)
{
	union mm_scalar general_values[VALUES_MAX] = { 0 }, values[VALUES_MAX] = { 0 };
	const struct ctf_quick_class *class = NULL;
	const uint8_t *data = decoder->packet->data;
	uint64_t at = (decoder->at + 7) / 8, end = decoder->end / 8;
	struct ctf_quick_event found;
	struct ctf_arena arena = { 0 };
	struct ctf_head head;
	bool right;

	if (plan->quick.classes && at <= end)
		class = ctf_quick_head(plan, plan->quick, ctf_quick_header_of(plan), data, at, end,
				       decoder->clock, &found);
	*status = ctf_decode_head(decoder, &head);
	if (!*status)
		*status = ctf_decode_body(decoder, &head, general_values, &arena);
	right = !class || (!*status && class->class == head.class && found.body * 8 == head.body &&
			   found.next * 8 == decoder->at && found.clock == decoder->clock &&
			   !ctf_quick_body(plan->quick, class, data + found.body, values, &arena) &&
			   same_values(head.class, values, general_values));
	*quick += class != NULL;
	ctf_arena_free(&arena);
	return right;
}

/*
 * Tests random classes in which two events or all events are requested. Events come in any order.
 */
static bool loop_agrees(const struct event_shape *shape, unsigned int *quick)
{
	static uint8_t bytes[BYTES + 64];
	static const char *const names[] = { "f3", "$ctx.f0", "f0", "none", "f7", "f5", NULL };
	static const char *const more_names[] = { "f1", "f2", "$ctx.f1", NULL };
	static const char *const no_names[] = { "none", NULL };
	static const struct mm_event_fields table[] = {
		{ "e", names }, { "f", more_names }, { "*", no_names }, { NULL, NULL }
	};
	struct mm_requests requests = make_requests(table);
	uint32_t classes = roll(2) ? 2 : CLASSES_MAX;
	struct ctf_trace_class *trace = ctf_trace_class_create();
	struct ctf_stream_class *stream = ctf_trace_class_add_stream(trace, 0);
	struct ctf_packet packet = { .data = bytes, .content_bits = UINT64_C(8) * BYTES };
	uint64_t slots[64] = { 0 };
	struct mm_error err = MM_ERROR_INIT;
	enum ctf_status status = CTF_OK;
	struct ctf_plan *plan = NULL;
	struct ctf_decoder decoder;
	bool right = true;

	stream->event_header = make_flat(8, 8);
	for (uint64_t id = 0; id < classes; id++) {
		struct ctf_event_class *event = ctf_stream_class_add_event(stream, id,
									   id > 1 ? "g"
									   : id	  ? "f"
										  : "e");

		event->payload = make_structure(shape);
		event->specific_context = make_structure(shape);
	}
	for (size_t i = 0; i < BYTES; i++)
		bytes[i] = roll(4) ? (uint8_t)roll(256) : 0;
	if (ctf_trace_class_finish(trace, "test", &err) || trace->slot_count > 64)
		goto end;
	plan = ctf_plan_create(stream, roll(4) ? &requests : NULL, NULL);
	if (plan->value_count > VALUES_MAX)
		goto end;
	ctf_decoder_begin(&decoder, plan, &packet, slots);
	while (right && !status) {
		/* Write an event id, nearly always the id of an existing class. */
		bytes[(decoder.at + 7) / 8] = (uint8_t)(roll(20) ? roll(classes) : roll(16));
		right = next_agrees(plan, &decoder, &status, quick);
	}
end:
	mm_requests_release(&requests);
	ctf_plan_destroy(plan);
	ctf_trace_class_destroy(trace);
	return right;
}

struct header_split {
	const char *name;
	uint32_t id_bits, time_bits;
	uint32_t align,
		time_align; /* alignment of the whole header, and of the short form's timestamp */
	bool quick;	    /* all positions are fixed */
	bool flat;
};

static const struct header_split splits[] = {
	{ "compact", 5, 27, 8, 1, true, false },
	{ "large", 16, 32, 8, 8, true, false },
	{ "compact at any bit", 5, 27, 1, 1, false, false },
	{ "large with a separately aligned timestamp", 16, 32, 8, 16, false, false },
	{ "flat", 16, 64, 8, 8, true, true },
	{ "flat, of 4 bytes", 8, 24, 8, 8, true, true },
};

/*
 * Returns LTTng's kind of header: the largest id selects an extended form, other ids a short one.
 */
static struct ctf_field *make_split(const struct header_split *split)
{
	uint32_t id_bits = split->id_bits, time_bits = split->time_bits;
	struct ctf_field *header = ctf_field_create(CTF_STRUCT);
	struct ctf_field *variant = ctf_field_create(CTF_VARIANT);
	struct ctf_field *options[2] = { ctf_field_create(CTF_STRUCT),
					 ctf_field_create(CTF_STRUCT) };
	struct ctf_field *id = unsigned_field(id_bits, CTF_ROLE_EVENT_CLASS_ID);
	struct ctf_field *time = unsigned_field(time_bits, CTF_ROLE_TIME);
	uint64_t escape = (UINT64_C(1) << id_bits) - 1;
	struct ctf_range range = { 0 };

	time->align = split->time_align;
	if (split->align == 1)
		id->align = 1;
	ctf_field_add_member(options[0], "timestamp", time);
	ctf_field_add_member(options[1], "id", unsigned_field(32, CTF_ROLE_EVENT_CLASS_ID));
	ctf_field_add_member(options[1], "timestamp", unsigned_field(64, CTF_ROLE_TIME));
	options[1]->align = 8;
	header->align = split->align;
	ctf_field_add_member(header, "id", id);
	ctf_field_add_member(variant, "compact", options[0]);
	ctf_field_add_member(variant, "extended", options[1]);
	range.upper.u = escape - 1;
	ctf_member_add_range(&variant->members[0], range);
	range.lower.u = range.upper.u = escape;
	ctf_member_add_range(&variant->members[1], range);
	ctf_field_add_ref(variant, id);
	ctf_field_add_member(header, "v", variant);
	return header;
}

/*
 * These events have a header and at most one field. The quick functions must accept an event if it
 * is complete and its class is known. (The id that selects the extended form may also be the id of
 * a class.)
 */
static bool quick_agrees(const struct ctf_plan *plan, const struct ctf_packet *packet, uint64_t at,
			 enum ctf_status status, const struct ctf_head *head, uint64_t clock)
{
	struct ctf_quick_header header = ctf_quick_header_of(plan);
	uint64_t next = status ? 0 : head->body + head->class->layouts->bits;

	for (int way = 0; way < (plan->quick.compact ? 2 : 1); way++) {
		const struct ctf_quick_class *class;
		struct ctf_quick_event found;

		if (way)
			header = ctf_quick_header_compact();
		class = ctf_quick_head(plan, plan->quick, header, packet->data, at / 8,
				       packet->content_bits / 8, packet->begin, &found);
		if (!class != (status || next > packet->content_bits || packet->content_bits <= at))
			return false;
		if (class && (class->class != head->class || found.body * 8 != head->body ||
			      found.next * 8 != next || found.clock != clock))
			return false;
	}
	return true;
}

/* Decodes headers of random bytes with the general and the quick functions. */
static bool heads_agree(const struct header_split *split)
{
	static uint8_t bytes[BYTES + 64];
	static const struct mm_event_fields nothing[] = { { NULL, NULL } };
	struct mm_requests requests = make_requests(nothing);
	struct ctf_trace_class *trace = ctf_trace_class_create();
	struct ctf_stream_class *stream = ctf_trace_class_add_stream(trace, 0);
	struct mm_error err = MM_ERROR_INIT;
	struct ctf_packet packet = { .data = bytes, .content_bits = UINT64_C(8) * BYTES };
	struct ctf_decoder quick, general;
	uint64_t slots[8] = { 0 };
	struct ctf_clock *clock;
	struct ctf_plan *plan;
	bool right;

	clock = ctf_trace_class_add_clock(trace);
	clock->frequency = 1000000000;
	stream->clock = clock;
	stream->event_header =
		split->flat ? make_flat(split->id_bits, split->time_bits) : make_split(split);
	for (uint64_t id = 0; id < 40; id++) {
		struct ctf_event_class *event = ctf_stream_class_add_event(stream, id, "e");

		event->payload = ctf_field_create(CTF_STRUCT);
		if (id % 2)
			ctf_field_add_member(event->payload, "f", unsigned_field(16, 0));
	}
	right = !ctf_trace_class_finish(trace, "test", &err);
	plan = ctf_plan_create(stream, &requests, NULL);
	mm_requests_release(&requests);
	right &= plan->header.form == (split->flat    ? CTF_HEADER_FLAT
				       : split->quick ? CTF_HEADER_SPLIT
						      : CTF_HEADER_FIELDS);
	right &= (plan->quick.classes != NULL) == split->quick;
	right &= plan->quick.compact == !strcmp(split->name, "compact");
	for (uint32_t round = 0; round < ROUNDS && right; round++) {
		struct ctf_head a, b;
		enum ctf_status status;
		uint32_t first = roll(8), at = first * 8 + (split->align == 1 ? roll(8) : 0);

		for (size_t i = 0; i < 32; i++)
			bytes[i] = roll(3) ? (uint8_t)roll(256) : 0;
		/* In every other round, write the extended form with a known id. */
		if (roll(2)) {
			uint8_t *extended = bytes + first + (split->id_bits > 8 ? 2 : 1);

			memset(bytes + first, 0xff, (size_t)(extended - bytes) - first);
			memset(extended, 0, 4);
			*extended = (uint8_t)roll(42);
		}
		packet.content_bits = roll(4) ? BYTES * 8 : at + roll(20) * 8;
		packet.begin = roll(1000000);
		packet.flags = CTF_PACKET_HAS_BEGIN;
		ctf_decoder_begin(&quick, plan, &packet, slots);
		ctf_decoder_begin(&general, plan, &packet, slots);
		quick.at = general.at = at;
		status = ctf_decode_head(&quick, &a);
		if (packet.content_bits > at) {
			b.at = at;
			right = status == ctf_decode_head_fields(&general, &b);
		}
		if (!status)
			right &= a.class == b.class && a.body == b.body &&
				 quick.clock == general.clock;
		if (split->quick && at / 8 <= packet.content_bits / 8)
			right &= quick_agrees(plan, &packet, at, status, &a, quick.clock);
	}
	ctf_plan_destroy(plan);
	ctf_trace_class_destroy(trace);
	return right;
}

int main(void)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		unsigned int plain = 0, wrong = 0;

		for (int round = 0; round < ROUNDS; round++)
			wrong += !decodes(&shapes[i], &plain);
		tap(!wrong, "plan: %s: as the field reader (%u of %u plain, %u wrong)",
		    shapes[i].name, plain, ROUNDS, wrong);
		tap(plain > ROUNDS / (shapes[i].mixed || shapes[i].dynamic ? 50 : 3),
		    "plan: %s: the quick form is used", shapes[i].name);
	}
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		unsigned int quick = 0, wrong = 0;

		for (int round = 0; round < ROUNDS; round++)
			wrong += !loop_agrees(&shapes[i], &quick);
		tap(!wrong, "plan: %s: the shortest loop as the others (%u events, %u wrong)",
		    shapes[i].name, quick, wrong);
		if (shapes[i].align_max == 3 && !shapes[i].big_endian)
			tap(quick > ROUNDS, "plan: %s: the shortest loop is used", shapes[i].name);
	}
	for (size_t i = 0; i < sizeof(splits) / sizeof(splits[0]); i++)
		tap(heads_agree(&splits[i]), "plan: header %s, both ways", splits[i].name);
	return tap_status();
}
