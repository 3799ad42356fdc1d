/* SPDX-License-Identifier: LGPL-2.1-only */
/* Decodes the events of packets, one by one. */
#ifndef LTTNG_MM_CTF_DECODE_DECODE_H
#define LTTNG_MM_CTF_DECODE_DECODE_H

#include <endian.h>
#include <string.h>

#include "reader/ctf/decode/arena.h"
#include "reader/ctf/decode/event.h"
#include "reader/ctf/decode/plan.h"
#include "reader/ctf/packet/packet.h"

/* The position of decoding in a packet. */
struct ctf_decoder {
	const struct ctf_plan *plan;
	const struct ctf_packet *packet;
	/*
	 * in bits from packet->data; if the packet ends with zeros instead of events, @end is the
	 * start of the zeros
	 */
	uint64_t at, end;
	uint64_t clock;	 /* clock value of the previous event, or of the packet's start */
	uint64_t *slots; /* slots of the packet iterator */
	uint64_t idle;	 /* number of fields of size 0 in the packet's events */
	const char *problem;
	uint64_t unknown_id; /* the unknown event id, if @problem is about one */
};

/* A decoded event header. */
struct ctf_head {
	struct ctf_class_plan *class;
	uint64_t at;   /* start of the header, in bits */
	uint64_t body; /* start of the fields after the header, in bits */
};

/*
 * Prepares for the first event of @packet. @slots hold the values of its packet header and packet
 * context.
 */
void ctf_decoder_begin(struct ctf_decoder *decoder, const struct ctf_plan *plan,
		       const struct ctf_packet *packet, uint64_t *slots);

/*
 * Decodes the next event's header into @head and decoder->clock. Returns CTF_END with
 * decoder->problem NULL at the end of the packet's content. On any other failure, decoder->problem
 * is the reason and decoder->at the position.
 */
static inline enum ctf_status ctf_decode_head(struct ctf_decoder *decoder, struct ctf_head *head);

/*
 * Decodes the rest of the event into plan->value_count @values (NULL: skips the event) and moves
 * decoder->at to the event's end. Strings are copied to @arena, because the file may change. On
 * CTF_END and CTF_BAD, decoder->problem is the reason and decoder->at the start of the event.
 */
static inline enum ctf_status ctf_decode_body(struct ctf_decoder *decoder,
					      const struct ctf_head *head, union mm_scalar *values,
					      struct ctf_arena *arena);

/*
 * Converts a clock value to nanoseconds since the clock's origin, limited to INT64_MIN and
 * INT64_MAX.
 */
static inline int64_t ctf_plan_ns(const struct ctf_plan *plan, uint64_t clock)
{
	int64_t ns;

	if (plan->nanoseconds && !__builtin_add_overflow((int64_t)clock, plan->offset_ns, &ns))
		return ns;
	if (!plan->stream_class->clock)
		return INT64_MIN;
	if (ctf_clock_to_ns(plan->stream_class->clock, clock, &ns))
		return INT64_MAX;
	return ns;
}

/*
 * Ends decoding at decoder->end. Returns CTF_END, or CTF_BAD with decoder->problem set if zeros
 * replaced the packet's last events.
 */
enum ctf_status ctf_decode_end(struct ctf_decoder *decoder);

/*
 * Called by ctf_decode_head() and ctf_decode_body() for events that their inline code cannot
 * decode.
 */
enum ctf_status ctf_decode_head_fields(struct ctf_decoder *decoder, struct ctf_head *head);
enum ctf_status ctf_decode_body_steps(struct ctf_decoder *decoder, const struct ctf_head *head,
				      union mm_scalar *values, struct ctf_arena *arena);
enum ctf_status ctf_decode_texts(const uint8_t *body, const struct ctf_layout *layout,
				 unsigned int count, union mm_scalar *values,
				 struct ctf_arena *arena);
static inline uint64_t ctf_load_8(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return le64toh(value);
}

static inline uint64_t ctf_bits_mask(unsigned int bits)
{
	return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/*
 * Computes the clock's new value from its lowest @bits. The clock is monotonic, so a smaller value
 * means that these bits have wrapped.
 */
static inline uint64_t ctf_clock_update(uint64_t clock, uint64_t value, unsigned int bits)
{
	uint64_t mask = ctf_bits_mask(bits);

	if (bits >= 64)
		return value;
	if (value < (clock & mask))
		clock += mask + 1;
	return (clock & ~mask) | value;
}

static inline enum ctf_status ctf_decode_problem(struct ctf_decoder *decoder,
						 enum ctf_status status, const char *problem)
{
	decoder->problem = problem;
	return status;
}

extern const char ctf_problem_unknown_id[];

static inline enum ctf_status ctf_decode_unknown(struct ctf_decoder *decoder, uint64_t id)
{
	decoder->unknown_id = id;
	return ctf_decode_problem(decoder, CTF_BAD, ctf_problem_unknown_id);
}

/*
 * Returns a text about decoder->problem with its details. May write the text to @text, of @size
 * bytes.
 */
const char *ctf_decode_problem_text(const struct ctf_decoder *decoder, char *text, size_t size);

static inline enum ctf_status ctf_decode_head(struct ctf_decoder *decoder, struct ctf_head *head)
{
	const struct ctf_header_plan *plan = &decoder->plan->header;
	const uint8_t *bytes;
	uint64_t at = decoder->at, word, id, clock;
	uint32_t size = plan->size;

	decoder->problem = NULL;
	if (at >= decoder->end)
		return ctf_decode_end(decoder);
	head->at = at;
	if (plan->form == CTF_HEADER_FIELDS)
		return ctf_decode_head_fields(decoder, head);
	at = (at + plan->align - 1) & ~(uint64_t)(plan->align - 1);
	if (at & 7)
		return ctf_decode_head_fields(decoder, head);
	bytes = decoder->packet->data + at / 8;
	if (at + size * 8 > decoder->end)
		return ctf_decode_problem(decoder, CTF_END, "an event's header is truncated");
	if (plan->form == CTF_HEADER_SPLIT) {
		word = ctf_once(ctf_load_8(bytes));
		id = word & ctf_bits_mask(plan->id_bits);
		if (id != plan->escape) {
			clock = ctf_clock_update(decoder->clock,
						 word >> plan->time_shift &
							 ctf_bits_mask(plan->time_bits),
						 plan->time_bits);
		} else {
			size = plan->long_size;
			if (at + size * 8 > decoder->end)
				return ctf_decode_problem(decoder, CTF_END,
							  "an event's header is truncated");
			id = ctf_once(ctf_load_8(bytes + plan->long_id_byte)) &
			     ctf_bits_mask(plan->long_id_bits);
			clock = ctf_clock_update(decoder->clock,
						 ctf_load_8(bytes + plan->long_time_byte) &
							 ctf_bits_mask(plan->long_time_bits),
						 plan->long_time_bits);
		}
	} else {
		id = plan->id_bits ? ctf_once(ctf_load_8(bytes + plan->id_byte)) &
					     ctf_bits_mask(plan->id_bits)
				   : plan->escape;
		clock = decoder->clock;
		if (plan->time_bits)
			clock = ctf_clock_update(clock,
						 ctf_load_8(bytes + plan->time_byte) &
							 ctf_bits_mask(plan->time_bits),
						 plan->time_bits);
	}
	head->class = ctf_plan_class(decoder->plan, id);
	if (!head->class)
		return ctf_decode_unknown(decoder, id);
	decoder->clock = clock;
	head->body = at + size * 8;
	return CTF_OK;
}

static inline void ctf_decode_loads(const uint8_t *body, const struct ctf_load *loads,
				    unsigned int count, bool big_endian, union mm_scalar *values)
{
	if (big_endian) {
		for (unsigned int i = 0; i < count; i++) {
			uint64_t v = __builtin_bswap64(ctf_load_8(body + loads[i].byte));

			v = v >> loads[i].shift & loads[i].mask;
			values[i].u = (v ^ loads[i].sign) - loads[i].sign;
		}
		return;
	}
	for (unsigned int i = 0; i < count; i++) {
		uint64_t v = ctf_load_8(body + loads[i].byte) >> loads[i].shift & loads[i].mask;

		values[i].u = (v ^ loads[i].sign) - loads[i].sign;
	}
}

static inline enum ctf_status ctf_decode_body(struct ctf_decoder *decoder,
					      const struct ctf_head *head, union mm_scalar *values,
					      struct ctf_arena *arena)
{
	const struct ctf_class_plan *class = head->class;
	const struct ctf_layout *layout;
	const uint8_t *body;

	if (class->form != CTF_FORM_PLAIN || (head->body & 7))
		return ctf_decode_body_steps(decoder, head, values, arena);
	layout = &class->layouts[(head->body >> 3) & class->phase_mask];
	if (head->body + layout->bits > decoder->end)
		return ctf_decode_problem(decoder, CTF_END, "an event's fields are truncated");
	body = decoder->packet->data + head->body / 8;
	if (values && class->requested) {
		ctf_decode_loads(body, layout->loads, class->load_count, decoder->plan->big_endian,
				 values);
		if (class->text_count &&
		    ctf_decode_texts(body, layout, class->text_count, values, arena))
			return ctf_decode_problem(decoder, CTF_NO_MEMORY, "out of memory");
	}
	decoder->at = head->body + layout->bits;
	if (decoder->at == head->at)
		return ctf_decode_problem(decoder, CTF_BAD, "an event takes no space");
	return CTF_OK;
}

#endif /* LTTNG_MM_CTF_DECODE_DECODE_H */
