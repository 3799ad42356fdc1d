// SPDX-License-Identifier: LGPL-2.1-only
/* Decoding functions that are not inlined: headers field by field, bodies in steps, and strings. */
#include "reader/ctf/decode/decode.h"

#include <inttypes.h>
#include <stdio.h>

enum ctf_status ctf_decode_end(struct ctf_decoder *decoder)
{
	if (decoder->end == decoder->packet->content_bits)
		return CTF_END;
	return ctf_decode_problem(decoder, CTF_BAD, "events have been overwritten with zeros");
}

const char ctf_problem_unknown_id[] = "an event's id is not in the metadata";

const char *ctf_decode_problem_text(const struct ctf_decoder *decoder, char *text, size_t size)
{
	if (decoder->problem != ctf_problem_unknown_id)
		return decoder->problem;
	snprintf(text, size, "an event's id, %" PRIu64 " (0x%" PRIx64 "), is not in the metadata",
		 decoder->unknown_id, decoder->unknown_id);
	return text;
}

static struct ctf_cursor cursor_at(const struct ctf_decoder *decoder, uint64_t at)
{
	return (struct ctf_cursor){ .data = decoder->packet->data,
				    .at = at,
				    .end = decoder->end,
				    .slots = decoder->slots,
				    .idle = decoder->idle,
				    .idle_max = CTF_IDLE_DECODED,
				    .roles_only = true };
}

struct event_header {
	uint64_t id, clock;
	bool has_id;
};

static void found_header_field(void *user, const struct ctf_field *field,
			       const struct ctf_scalar *scalar)
{
	struct event_header *found = user;

	if (field->roles & CTF_ROLE_EVENT_CLASS_ID) {
		found->id = scalar->u;
		found->has_id = true;
	}
	if (field->roles & CTF_ROLE_TIME)
		found->clock =
			ctf_clock_update(found->clock, scalar->u, field->size ? field->size : 64);
}

enum ctf_status ctf_decode_head_fields(struct ctf_decoder *decoder, struct ctf_head *head)
{
	const struct ctf_stream_class *class = decoder->plan->stream_class;
	struct ctf_cursor cursor = cursor_at(decoder, decoder->at);
	struct event_header found = { .clock = decoder->clock };
	enum ctf_status status = ctf_skip(&cursor, class->event_header, found_header_field, &found);

	decoder->idle = cursor.idle;
	if (status == CTF_END)
		return ctf_decode_problem(decoder, status, "an event's header is truncated");
	if (status)
		return ctf_decode_problem(decoder, status, cursor.problem);
	if (!found.has_id && class->event_count)
		found.id = class->events[0]->id;
	head->class = ctf_plan_class(decoder->plan, found.id);
	if (!head->class)
		return ctf_decode_unknown(decoder, found.id);
	decoder->clock = found.clock;
	head->body = cursor.at;
	return CTF_OK;
}

enum ctf_status ctf_decode_texts(const uint8_t *body, const struct ctf_layout *layout,
				 unsigned int count, union mm_scalar *values,
				 struct ctf_arena *arena)
{
	for (unsigned int i = 0; i < count; i++) {
		const struct ctf_text_load *text = &layout->texts[i];

		values[text->slot].s = ctf_arena_text(arena, body + text->byte, text->length);
		if (!values[text->slot].s)
			return CTF_NO_MEMORY;
	}
	return CTF_OK;
}

static enum ctf_status step_scalar(struct ctf_cursor *cursor, const struct ctf_step *step,
				   union mm_scalar *values, struct ctf_arena *arena)
{
	struct ctf_scalar scalar;
	enum ctf_status status = ctf_read_scalar(cursor, step->field, &scalar);

	if (status || step->slot < 0 || !values)
		return status;
	switch (step->field->kind) {
	case CTF_STRING:
	case CTF_STATIC_STRING:
	case CTF_DYNAMIC_STRING:
		values[step->slot].s = ctf_arena_string(arena, step->field, &scalar);
		if (values[step->slot].s)
			return CTF_OK;
		cursor->problem = "out of memory";
		return CTF_NO_MEMORY;
	case CTF_FLOAT:
		values[step->slot].r = scalar.r;
		return CTF_OK;
	default:
		values[step->slot].u = scalar.u;
		return CTF_OK;
	}
}

enum ctf_status ctf_decode_body_steps(struct ctf_decoder *decoder, const struct ctf_head *head,
				      union mm_scalar *values, struct ctf_arena *arena)
{
	const struct ctf_class_plan *class = head->class;
	struct ctf_cursor cursor = cursor_at(decoder, head->body);
	enum ctf_status status = CTF_OK;

	if (values)
		memset(values, 0, decoder->plan->value_count * sizeof(*values));
	if (values && class->pick_count)
		ctf_pick_clear(class->kinds, class->type.field_count, values);
	for (size_t i = 0; i < class->step_count && !status; i++) {
		const struct ctf_step *step = &class->steps[i];

		switch (step->kind) {
		case CTF_STEP_SKIP:
			cursor.at = (cursor.at + step->align - 1) & ~(uint64_t)(step->align - 1);
			if (cursor.at > cursor.end || cursor.end - cursor.at < step->bits)
				status = CTF_END;
			else
				cursor.at += step->bits;
			break;
		case CTF_STEP_SCALAR:
			status = step_scalar(&cursor, step, values, arena);
			break;
		case CTF_STEP_PICK:
			status = values ? ctf_pick_read(&cursor, step->pick, values, arena)
					: ctf_skip(&cursor, step->field, NULL, NULL);
			break;
		case CTF_STEP_FIELD:
			status = ctf_skip(&cursor, step->field, NULL, NULL);
			break;
		}
	}
	decoder->idle = cursor.idle;
	if (status)
		return ctf_decode_problem(decoder, status,
					  status == CTF_END ? "an event's fields are truncated"
							    : cursor.problem);
	if (cursor.at == head->at)
		return ctf_decode_problem(decoder, CTF_BAD, "an event takes no space");
	decoder->at = cursor.at;
	return CTF_OK;
}

void ctf_event_cursor(const struct ctf_event *event, struct ctf_cursor *cursor)
{
	const struct ctf_packet *packet = event->packet;

	*cursor = (struct ctf_cursor){ .data = packet->data,
				       .at = event->at,
				       .end = packet->content_bits,
				       .slots = packet->slots,
				       .start = event->at };
	/*
	 * Reads the event header again if the body refers to its fields. The slots still have the
	 * values of packet header and context.
	 */
	if (event->outer)
		ctf_skip(cursor, packet->stream->class->event_header, NULL, NULL);
	cursor->at = event->body;
}
