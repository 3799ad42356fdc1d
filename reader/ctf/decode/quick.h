/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The fast path: decodes the most frequent forms of events with as few instructions as possible.
 * The functions of decode.h handle all other events. To be fast, the calling loop keeps values that
 * do not change within a packet in local variables.
 */
#ifndef LTTNG_MM_CTF_DECODE_QUICK_H
#define LTTNG_MM_CTF_DECODE_QUICK_H

#include "reader/ctf/decode/decode.h"

/* A form of event header. In a loop that handles only one form, the members are constants. */
struct ctf_quick_header {
	bool compact, split;
	uint32_t id_byte, time_byte, time_shift, size;
	uint64_t id_mask, time_mask;
	uint64_t only_id; /* id of the only class, for FLAT headers without an id */
};

/* LTTng's compact header: 5 bits of id, 27 bits of timestamp. */
static inline __attribute__((always_inline)) struct ctf_quick_header ctf_quick_header_compact(void)
{
	return (struct ctf_quick_header){ .compact = true,
					  .split = true,
					  .time_shift = 5,
					  .size = 4,
					  .id_mask = 31,
					  .time_mask = (1 << 27) - 1 };
}

static inline struct ctf_quick_header ctf_quick_header_of(const struct ctf_plan *plan)
{
	const struct ctf_header_plan *header = &plan->header;
	bool split = header->form == CTF_HEADER_SPLIT;

	return (struct ctf_quick_header){ .split = split,
					  .id_byte = split ? 0 : header->id_byte,
					  .time_byte = split ? 0 : header->time_byte,
					  .time_shift = split ? header->time_shift : 0,
					  .size = header->size,
					  .id_mask = ctf_bits_mask(header->id_bits),
					  .time_mask = ctf_bits_mask(header->time_bits),
					  .only_id = header->id_bits ? 0 : header->escape };
}

/*
 * An event: byte offsets of its body and of the next event from packet->data, and its clock value.
 */
struct ctf_quick_event {
	uint64_t body, next;
	uint64_t clock;
};

/*
 * Decodes the extended form of a split header. Returns NULL if the event requires the general path.
 */
static inline const struct ctf_quick_class *ctf_quick_long(const struct ctf_plan *plan,
							   const uint8_t *data, uint64_t at,
							   uint64_t end, uint64_t clock,
							   struct ctf_quick_event *event)
{
	const struct ctf_header_plan *header = &plan->header;
	const struct ctf_quick_class *class;
	uint64_t id;

	if (at + header->long_size > end ||
	    (ctf_load_8(data + at) & ctf_bits_mask(header->id_bits)) != header->escape)
		return NULL;
	id = ctf_once(ctf_load_8(data + at + header->long_id_byte)) &
	     ctf_bits_mask(header->long_id_bits);
	if (id == header->escape)
		id = CTF_QUICK_ESCAPE(&plan->quick);
	else if (id >= plan->quick.class_count)
		return NULL;
	class = &plan->quick.classes[id];
	event->body = at + header->long_size;
	event->next = event->body + class->bytes - header->size;
	event->clock = ctf_clock_update(clock,
					ctf_once(ctf_load_8(data + at + header->long_time_byte)) &
						ctf_bits_mask(header->long_time_bits),
					header->long_time_bits);
	return event->next > end ? NULL : class;
}

/*
 * Decodes the header of the event at byte @at into @event. @end: the end of the content, at or
 * after @at. @clock: the clock value of the previous event. Returns NULL at the end of the packet,
 * or if the event requires the general path.
 */
static inline __attribute__((always_inline)) const struct ctf_quick_class *
ctf_quick_head(const struct ctf_plan *plan, const struct ctf_quick quick,
	       const struct ctf_quick_header header, const uint8_t *data, uint64_t at, uint64_t end,
	       uint64_t clock, struct ctf_quick_event *event)
{
	const struct ctf_quick_class *class;
	uint64_t word = ctf_once(ctf_load_8(data + at + header.id_byte)), time = word;
	uint64_t id = word & header.id_mask;

	if (!header.compact)
		id += header.only_id;
	if (!header.split)
		time = ctf_once(ctf_load_8(data + at + header.time_byte));
	class = &quick.classes[header.compact || id < quick.class_count
				       ? id
				       : CTF_QUICK_UNKNOWN(&quick)];
	event->body = at + header.size;
	event->next = at + class->bytes;
	/*
	 * The clock is monotonic, so its new value is the previous value plus the difference modulo
	 * the width of the timestamp field.
	 */
	event->clock = clock + (((time >> header.time_shift) - clock) & header.time_mask);
	if (__builtin_expect(event->next > end, 0))
		return header.split ? ctf_quick_long(plan, data, at, end, clock, event) : NULL;
	return class;
}

static inline __attribute__((always_inline)) void ctf_quick_load(const uint8_t *body,
								 const struct ctf_load *load,
								 const enum ctf_quick_form form,
								 union mm_scalar *value)
{
	uint64_t v = ctf_load_8(body + load->byte);

	if (form != CTF_QUICK_BYTES)
		v >>= load->shift;
	v &= load->mask;
	value->u = form == CTF_QUICK_SIGNED ? (v ^ load->sign) - load->sign : v;
}

/*
 * Does @count loads without a loop: jumps into a list of loads. @count is the same for all events
 * of a stream, so the CPU predicts the jump.
 */
static inline __attribute__((always_inline)) void
ctf_quick_loads(const uint8_t *body, const struct ctf_load *loads, unsigned int count,
		const enum ctf_quick_form form, union mm_scalar *values)
{
#define LOAD(i)                                                    \
	case (i) + 1:                                              \
		ctf_quick_load(body, &loads[i], form, &values[i]); \
		__attribute__((fallthrough))
	switch (count) {
		LOAD(15);
		LOAD(14);
		LOAD(13);
		LOAD(12);
		LOAD(11);
		LOAD(10);
		LOAD(9);
		LOAD(8);
		LOAD(7);
		LOAD(6);
		LOAD(5);
		LOAD(4);
		LOAD(3);
		LOAD(2);
		LOAD(1);
		LOAD(0);
	default:
		break;
	}
#undef LOAD
}

/* Copies strings of fixed size, because the file may change before the consumer reads them. */
static inline __attribute__((always_inline)) int
ctf_quick_texts(const uint8_t *body, const struct ctf_quick_class *class, unsigned int count,
		union mm_scalar *values, struct ctf_arena *arena)
{
	for (unsigned int i = 0; i < count; i++) {
		const struct ctf_quick_text *text = &class->texts[i];
		char *made = ctf_arena_take(arena, (size_t)(text->length | 16) + 1);

		if (__builtin_expect(!made, 0))
			return -1;
		/*
		 * Copy 16 bytes at once; 16 bytes are always readable. Most strings are thread
		 * names, which have at most 16 bytes.
		 */
		memcpy(made, body + text->byte, 16);
		if (__builtin_expect(text->length > 16, 0))
			memcpy(made + 16, body + text->byte + 16, text->length - 16);
		made[text->length] = '\0';
		values[text->slot].s = made;
	}
	return 0;
}

/*
 * Completes the values of a class that needs more than the first @count loads. Does the remaining
 * loads, and repeats the loads that need sign extension.
 */
static inline void ctf_quick_more(const struct ctf_quick_class *class, unsigned int count,
				  const uint8_t *body, union mm_scalar *values)
{
	for (unsigned int i = 0; i < class->class->load_count; i++)
		if (i >= count || class->loads[i].sign)
			ctf_quick_load(body, &class->loads[i], CTF_QUICK_SIGNED, &values[i]);
}

/* Decodes the values of an event of a requested class. Returns 0, or -1 when out of memory. */
static inline __attribute__((always_inline)) int
ctf_quick_body(const struct ctf_quick quick, const struct ctf_quick_class *class,
	       const uint8_t *body, union mm_scalar *values, struct ctf_arena *arena)
{
	if (quick.form == CTF_QUICK_BYTES)
		ctf_quick_loads(body, class->loads, quick.load_count, CTF_QUICK_BYTES, values);
	else if (quick.form == CTF_QUICK_BITS)
		ctf_quick_loads(body, class->loads, quick.load_count, CTF_QUICK_BITS, values);
	else
		ctf_quick_loads(body, class->loads, quick.load_count, CTF_QUICK_SIGNED, values);
	for (unsigned int i = 0; i < quick.sign_count; i++) {
		const struct ctf_quick_sign *sign = &class->signs[i];
		union mm_scalar *value = &values[sign->slot];

		value->u = (value->u ^ sign->sign) - sign->sign;
	}
	if (__builtin_expect(class->more, 0))
		ctf_quick_more(class, quick.load_count, body, values);
	return ctf_quick_texts(body, class, quick.text_count, values, arena);
}

#endif /* LTTNG_MM_CTF_DECODE_QUICK_H */
