// SPDX-License-Identifier: LGPL-2.1-only
/* Decodes events. Checks their times against the times of their packet and of other events. */
#include "reader/inspect/verify-batch.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/ctf/decode/quick.h"

int ctf_verifier_init(struct ctf_verifier *verifier, size_t value_count, size_t slot_count)
{
	*verifier = (struct ctf_verifier){
		.values = calloc(value_count + 1, sizeof(*verifier->values)),
		.slots = calloc(slot_count + 1, sizeof(*verifier->slots)),
	};
	return verifier->values && verifier->slots ? 0 : -1;
}

void ctf_verifier_done(struct ctf_verifier *verifier)
{
	free(verifier->values);
	free(verifier->slots);
	ctf_arena_free(&verifier->arena);
}

void ctf_batch_reset(struct ctf_batch *batch)
{
	for (size_t i = 0; i < batch->note_count; i++) {
		free(batch->notes[i].file);
		free(batch->notes[i].what);
	}
	batch->note_count = batch->packet_count = 0;
	batch->any_event = batch->begins_stream = false;
	batch->order = 0;
	batch->start_clock = 0;
	batch->counts = (struct ctf_verify_counts){ 0 };
	mm_error_clear(&batch->error);
}

void ctf_batch_done(struct ctf_batch *batch)
{
	ctf_batch_reset(batch);
	free(batch->notes);
}

static struct ctf_note *add_note(struct ctf_batch *batch)
{
	if (batch->note_count >= CTF_BATCH_FINDINGS)
		return NULL;
	if (batch->note_count == batch->note_room) {
		size_t room = batch->note_room ? 2 * batch->note_room : 8;
		struct ctf_note *notes = realloc(batch->notes, room * sizeof(*notes));

		if (!notes)
			return NULL;
		batch->notes = notes;
		batch->note_room = room;
	}
	return &batch->notes[batch->note_count];
}

void ctf_batch_note(struct ctf_batch *batch, enum ctf_verify_kind kind, const char *file,
		    uint64_t packet, uint64_t offset, const char *fmt, ...)
{
	struct ctf_note *note = add_note(batch);
	char what[256];
	va_list args;

	batch->counts.findings[kind]++;
	if (!note)
		return;
	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	*note = (struct ctf_note){ .kind = kind,
				   .file = strdup(file),
				   .what = strdup(what),
				   .packet = packet,
				   .offset = offset,
				   .order = batch->order };
	batch->note_count++;
}

/*
 * The kinds of faults that have already been reported for a packet. Only the first fault of each
 * kind is reported.
 */
struct reported_faults {
	bool backward, early, late;
};

static void note_event(struct ctf_batch *batch, const struct ctf_packet *packet,
		       const struct ctf_head *head, bool *seen, const char *what, uint64_t clock,
		       uint64_t limit)
{
	if (*seen)
		return;
	*seen = true;
	ctf_batch_note(batch, CTF_VERIFY_DAMAGED, packet->file->path, packet->number,
		       packet->offset + head->at / 8,
		       "event %s: its timestamp, %" PRIu64 ", is %s, %" PRIu64,
		       head->class->class->name, clock, what, limit);
}

static __attribute__((noinline, cold)) void
check_time(struct ctf_batch *batch, const struct ctf_packet *packet, const struct ctf_head *head,
	   struct reported_faults *seen, uint64_t before, uint64_t clock)
{
	if (clock < before)
		note_event(batch, packet, head, &seen->backward,
			   "earlier than the previous event's", clock, before);
	if ((packet->flags & CTF_PACKET_HAS_BEGIN) && !batch->early_is_fine &&
	    clock < packet->begin)
		note_event(batch, packet, head, &seen->early, "earlier than the packet's start",
			   clock, packet->begin);
	if ((packet->flags & CTF_PACKET_HAS_END) && clock > packet->end)
		note_event(batch, packet, head, &seen->late, "later than the packet's end", clock,
			   packet->end);
}

static void note_first(struct ctf_batch *batch, const struct ctf_packet *packet,
		       const struct ctf_head *head, uint64_t clock)
{
	batch->any_event = true;
	batch->first_clock = batch->last_clock = clock;
	batch->first_file = packet->file;
	batch->first_packet = packet->number;
	batch->first_offset = packet->offset + head->at / 8;
}

/* The valid range of an event's clock value, if the stream has a clock. */
struct clock_limits {
	bool timed;
	uint64_t low, high;
};

/*
 * The fast path: verifies events until an event may have a fault, or requires the slower functions
 * of decode.h. Returns the number of verified events. Updates *@last, the clock value of the last
 * event so far.
 */
static inline __attribute__((always_inline)) uint64_t
verify_quickly(struct ctf_batch *batch, struct ctf_verifier *verifier, struct ctf_decoder *decoder,
	       const struct clock_limits limits, uint64_t *last,
	       const struct ctf_quick_header header)
{
	const struct ctf_plan *plan = batch->plan;
	const struct ctf_quick quick = plan->quick;
	const uint8_t *data = decoder->packet->data;
	uint64_t at = decoder->at / 8, clock = decoder->clock;
	uint64_t end =
		decoder->end / 8 - at < CTF_MAP_AHEAD ? decoder->end / 8 : at + CTF_MAP_AHEAD;
	uint64_t low = limits.timed ? limits.low : 0, events = 0;
	uint64_t high = limits.timed ? limits.high : UINT64_MAX;

	if (limits.timed && low < *last)
		low = *last;
	for (;;) {
		const struct ctf_quick_class *class;
		struct ctf_quick_event found;

		class = ctf_quick_head(plan, quick, header, data, at, end, clock, &found);
		if (!class || found.clock < low || found.clock > high ||
		    ctf_quick_body(quick, class, data + found.body, verifier->values,
				   &verifier->arena))
			break;
		at = found.next;
		clock = found.clock;
		if (limits.timed)
			low = clock;
		events++;
	}
	if (events)
		*last = clock;
	decoder->at = at * 8;
	decoder->clock = clock;
	return events;
}

/* Not inlined, so that the loop of verify_packet() has more registers. */
static __attribute__((noinline)) uint64_t
verify_quick(struct ctf_batch *batch, struct ctf_verifier *verifier, struct ctf_decoder *decoder,
	     const struct clock_limits limits, uint64_t *last)
{
	if ((decoder->at & 7) || decoder->at >= decoder->end)
		return 0;
	ctf_packet_need(decoder->packet, decoder->at / 8);
	if (batch->plan->quick.compact)
		return verify_quickly(batch, verifier, decoder, limits, last,
				      ctf_quick_header_compact());
	return verify_quickly(batch, verifier, decoder, limits, last,
			      ctf_quick_header_of(batch->plan));
}

/* Verifies the events of a packet. Returns how many bytes of the packet's memory were released. */
static uint64_t verify_packet(struct ctf_batch *batch, const struct ctf_packet *packet,
			      struct ctf_verifier *verifier, struct ctf_decoder *decoder)
{
	bool has_begin = packet->flags & CTF_PACKET_HAS_BEGIN && !batch->early_is_fine;
	const struct clock_limits limits = {
		.timed = batch->plan->stream_class->clock,
		.low = has_begin ? packet->begin : 0,
		.high = packet->flags & CTF_PACKET_HAS_END ? packet->end : UINT64_MAX,
	};
	bool has_quick = batch->plan->quick.classes, may_be_quick = has_quick && batch->any_event;
	uint64_t events = 0, last = batch->any_event ? batch->last_clock : 0, done = 0;
	struct reported_faults seen = { false };
	enum ctf_status status;
	char text[96];
	struct ctf_head head;

	for (;;) {
		uint64_t clock;

		if (may_be_quick) {
			uint64_t last_quick = last;

			events += verify_quick(batch, verifier, decoder, limits, &last_quick);
			last = last_quick;
		}
		done += ctf_packet_done(packet, done, decoder->at / 8);
		status = ctf_decode_head(decoder, &head);
		if (status)
			break;
		clock = decoder->clock;
		if (limits.timed && (clock < last || clock < limits.low || clock > limits.high))
			check_time(batch, packet, &head, &seen, last, clock);
		last = clock;
		if (!batch->any_event)
			note_first(batch, packet, &head, clock);
		status = ctf_decode_body(decoder, &head, verifier->values, &verifier->arena);
		if (status)
			break;
		events++;
		/*
		 * An event that requires the general path is often followed by another such event,
		 * so do not try the fast path next.
		 */
		may_be_quick = has_quick && head.class->form == CTF_FORM_PLAIN;
	}
	batch->last_clock = last;
	batch->counts.events += events;
	/* A truncated packet was already reported when its header was read. */
	if (status == CTF_NO_MEMORY)
		mm_error_set(&batch->error, MM_EXIT_ENVIRONMENT, "verify: out of memory");
	else if (decoder->problem && !(status == CTF_END && (packet->flags & CTF_PACKET_TRUNCATED)))
		ctf_batch_note(batch, CTF_VERIFY_DAMAGED, packet->file->path, packet->number,
			       packet->offset + decoder->at / 8, "%s",
			       ctf_decode_problem_text(decoder, text, sizeof(text)));
	return done;
}

/*
 * Sorts the findings by packet. For each packet, findings in the header come first. Most findings
 * are already in order, so this insertion sort is fast.
 */
static void sort_notes(struct ctf_batch *batch)
{
	for (size_t i = 1; i < batch->note_count; i++) {
		struct ctf_note note = batch->notes[i];
		size_t at = i;

		for (; at && batch->notes[at - 1].order > note.order; at--)
			batch->notes[at] = batch->notes[at - 1];
		batch->notes[at] = note;
	}
}

void ctf_batch_verify(struct ctf_batch *batch, struct ctf_verifier *verifier)
{
	bool has_slots = batch->stream->trace->class->slot_count;
	struct ctf_decoder decoder = { .clock = batch->start_clock };

	for (size_t i = 0; i < batch->packet_count; i++) {
		const struct ctf_packet *packet = &batch->packets[i];
		uint64_t clock = decoder.clock, done;

		if (has_slots)
			ctf_packet_slots(packet, verifier->slots);
		ctf_arena_reset(&verifier->arena);
		ctf_decoder_begin(&decoder, batch->plan, packet, verifier->slots);
		if (!(packet->flags & CTF_PACKET_HAS_BEGIN))
			decoder.clock = clock;
		batch->order = 2 * i + 1;
		done = verify_packet(batch, packet, verifier, &decoder);
		batch->counts.bytes += packet->size_bits / 8;
		if (ctf_map_truncated(packet->file->map))
			mm_error_set(&batch->error, MM_EXIT_BAD_INPUT,
				     "trace: %s: packet %" PRIu64 " at byte %" PRIu64
				     ": cannot be read: the file shrank or its disk failed",
				     packet->file->path, packet->number, packet->offset);
		ctf_map_done(packet->file->map, packet->offset + done,
			     packet->size_bits / 8 - done);
	}
	sort_notes(batch);
}
