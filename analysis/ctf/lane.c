// SPDX-License-Identifier: LGPL-2.1-only
/* Fills chunks: packet after packet, event after event, only what is wanted. */
#include "analysis/ctf/lane.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A chunk's texts are to take so much for each of the events that it has room for. */
#define TEXT_PER_EVENT 512
/* Of events whose texts may be of any length so many are tried first. */
#define FILL_EVENTS_FIRST 4

/* Messages about one chunk's damage at most; the packets are counted all the same. */
#define DAMAGE_MAX 16

struct ctf_chunk *ctf_chunk_create(void)
{
	return calloc(1, sizeof(struct ctf_chunk));
}

static void drop_damage(struct ctf_chunk *chunk)
{
	while (chunk->damage) {
		struct ctf_damage *damage = chunk->damage;

		chunk->damage = damage->next;
		free(damage);
	}
	chunk->damage_end = &chunk->damage;
}

void ctf_chunk_destroy(struct ctf_chunk *chunk)
{
	if (!chunk)
		return;
	drop_damage(chunk);
	ctf_arena_free(&chunk->arena);
	free(chunk->text.data);
	free(chunk->records);
	free(chunk->values);
	free(chunk);
}

void ctf_damage_text(const struct ctf_finding *finding, const char *effect, char *dst, size_t size)
{
	struct mm_error message = MM_ERROR_INIT;

	/* The error object's way of writing makes one safe line of it. */
	mm_error_set(&message, MM_EXIT_BAD_INPUT,
		     "trace: %s: packet %" PRIu64 ", byte %" PRIu64 ": %s%s",
		     finding->file, finding->packet, finding->offset, finding->what, effect);
	snprintf(dst, size, "%s", message.message);
}

static void note_damage(struct ctf_chunk *chunk, const struct ctf_finding *finding,
			const char *effect)
{
	struct ctf_damage *damage;
	size_t count = 0;

	for (damage = chunk->damage; damage; damage = damage->next)
		count++;
	if (count >= DAMAGE_MAX)
		return;
	damage = calloc(1, sizeof(*damage));
	if (!damage)
		return;
	ctf_damage_text(finding, effect, damage->message, sizeof(damage->message));
	damage->truncated = finding->truncated;
	*chunk->damage_end = damage;
	chunk->damage_end = &damage->next;
}

static void found_damage(void *user, const struct ctf_finding *finding)
{
	struct ctf_lane *lane = user;

	/* Times or counters that go backward are for `verify`. */
	if (!finding->passed_over)
		return;
	lane->filling->packets_truncated += finding->truncated;
	lane->filling->packets_damaged += !finding->truncated;
	note_damage(lane->filling, finding, "");
}

int ctf_lane_init(struct ctf_lane *lane, const struct ctf_stream *stream,
		  const struct ctf_plan *plan, struct mm_source *source,
		  const struct mm_handler *handler, unsigned int index, unsigned int lanes,
		  size_t chunk_events, struct mm_error *err)
{
	size_t slots = stream->trace->class->slot_count;

	memset(lane, 0, sizeof(*lane));
	lane->stream = stream;
	lane->plan = plan;
	lane->source = source;
	lane->handler = handler;
	lane->begin_ns = source->options.begin_ns;
	lane->end_ns = source->options.end_ns;
	lane->index = index;
	lane->lanes = lanes;
	lane->chunk_events = chunk_events;
	lane->fill_events = handler->render ? FILL_EVENTS_FIRST : chunk_events;
	lane->slots = calloc(slots ? slots : 1, sizeof(*lane->slots));
	if (!lane->slots)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: out of memory");
	__cds_wfcq_init(&lane->free_head, &lane->free_tail);
	__cds_wfcq_init(&lane->ready_head, &lane->ready_tail);
	ctf_packet_iterator_init(&lane->iterator, stream, lane->slots);
	lane->iterator.finding = found_damage;
	lane->iterator.user = lane;
	return 0;
}

void ctf_lane_release(struct ctf_lane *lane)
{
	free(lane->slots);
}

void ctf_lane_read_all(struct ctf_lane *lane)
{
	lane->begin_ns = INT64_MIN;
	lane->end_ns = INT64_MAX;
}

/* The lane's next packet. 1, 0 at the end of the stream, -1 with @err set. */
static int next_packet(struct ctf_lane *lane, struct mm_error *err)
{
	uint64_t clock = lane->decoder.clock;
	int ret;

	if (!lane->turn && lane->begin_ns != INT64_MIN &&
	    ctf_packet_seek(&lane->iterator, lane->begin_ns, err))
		return -1;
	for (;;) {
		ret = ctf_packet_next(&lane->iterator, &lane->packet, err);
		if (ret <= 0)
			return ret;
		if (lane->turn++ % lane->lanes == lane->index)
			break;
		/* What was found on the way to another lane's packet is that lane's to tell. */
		drop_damage(lane->filling);
		lane->filling->packets_truncated = lane->filling->packets_damaged = 0;
	}
	if ((lane->packet.flags & CTF_PACKET_HAS_BEGIN) &&
	    lane->packet.begin_ns > lane->end_ns)
		return 0;
	ctf_decoder_begin(&lane->decoder, lane->plan, &lane->packet, lane->slots);
	if (!(lane->packet.flags & CTF_PACKET_HAS_BEGIN))
		lane->decoder.clock = clock;
	lane->last_ns = lane->packet.flags & CTF_PACKET_HAS_BEGIN ? lane->packet.begin_ns :
								    INT64_MIN;
	lane->in_packet = true;
	return 1;
}

static int make_room(struct ctf_lane *lane, struct ctf_chunk *chunk)
{
	size_t values = lane->plan->value_count ? lane->plan->value_count : 1;

	if (chunk->records)
		return 0;
	chunk->records = malloc(lane->chunk_events * sizeof(*chunk->records));
	chunk->values = calloc(lane->chunk_events * values, sizeof(*chunk->values));
	return chunk->records && chunk->values ? 0 : -1;
}

void ctf_record_event(const struct ctf_chunk *chunk, size_t index, const struct ctf_plan *plan,
		      struct mm_event *event)
{
	const struct ctf_record *record = &chunk->records[index];
	const struct ctf_clock *clock = plan->stream_class->clock;

	event->time_ns = record->time_ns;
	event->clock_ns = record->event.clock;
	if (!plan->nanoseconds && clock)
		event->clock_ns = (uint64_t)((__uint128_t)record->event.clock * 1000000000 /
					     clock->frequency);
	event->fields = plan->value_count ? &chunk->values[index * plan->value_count] : NULL;
	event->type = record->type;
	event->cpu = chunk->packet.cpu;
	event->text = record->text_length ? chunk->text.data + record->text_at : "";
	event->text_length = record->text_length;
	event->native = &record->event;
}

/* Texts are made here, so that threads share that work. */
static int render(struct ctf_lane *lane, struct ctf_chunk *chunk)
{
	struct mm_event event = { .source = (struct mm_source *)lane->source };

	for (size_t i = 0; i < chunk->count; i++) {
		struct ctf_record *record = &chunk->records[i];

		record->text_at = (uint32_t)chunk->text.length;
		record->text_length = 0;
		ctf_record_event(chunk, i, lane->plan, &event);
		if (lane->handler->render(lane->handler->user, &event, &chunk->text) ||
		    chunk->text.length > UINT32_MAX)
			return -1;
		record->text_length = (uint32_t)(chunk->text.length - record->text_at);
	}
	return 0;
}

/* Keeps the texts of the next chunks within bounds by the length of this one's. */
static void adapt(struct ctf_lane *lane, const struct ctf_chunk *chunk)
{
	size_t most = lane->chunk_events * TEXT_PER_EVENT, length = chunk->text.length;

	if (length > most)
		lane->fill_events = chunk->count * (most / 2) / length;
	else if (length <= most / 2)
		lane->fill_events *= 2;
	if (!lane->fill_events)
		lane->fill_events = 1;
	if (lane->fill_events > lane->chunk_events)
		lane->fill_events = lane->chunk_events;
}

/* Text that was longer than it is to be is not kept. */
static void reset_text(const struct ctf_lane *lane, struct mm_text *text)
{
	text->length = 0;
	if (text->room <= 2 * lane->chunk_events * TEXT_PER_EVENT)
		return;
	free(text->data);
	*text = (struct mm_text){ 0 };
}

static int64_t packet_end(const struct ctf_packet *packet)
{
	return packet->flags & CTF_PACKET_HAS_END ? packet->end_ns : INT64_MAX;
}

/* Decodes until the chunk is full or the packet is over. Returns false when the window's end came. */
static bool decode_events(struct ctf_lane *lane, struct ctf_chunk *chunk)
{
	const int64_t begin_ns = lane->begin_ns, end_ns = lane->end_ns;
	bool timed = lane->plan->stream_class->clock;
	struct ctf_decoder *decoder = &lane->decoder;
	unsigned int stride = lane->plan->value_count;
	struct ctf_head head;
	enum ctf_status status = CTF_OK;
	int64_t ns, last_ns = lane->last_ns;
	uint64_t unwanted = 0;
	size_t count = 0;
	bool in_order = true;

	while (count < lane->fill_events) {
		struct ctf_record *record = &chunk->records[count];

		status = ctf_decode_head(decoder, &head);
		if (status)
			break;
		if (head.class->type.want < 0) {
			status = ctf_decode_body(decoder, &head, NULL, NULL);
			if (status)
				break;
			ns = ctf_plan_ns(lane->plan, decoder->clock);
			in_order &= ns >= last_ns;
			last_ns = ns;
			if (timed && ns > end_ns)
				goto window_ends;
			unwanted += !timed || ns >= begin_ns;
			continue;
		}
		status = ctf_decode_body(decoder, &head, &chunk->values[count * stride],
					 &chunk->arena);
		if (status)
			break;
		ns = ctf_plan_ns(lane->plan, decoder->clock);
		in_order &= ns >= last_ns;
		last_ns = ns;
		if (timed && ns > end_ns)
			goto window_ends;
		record->time_ns = ns;
		record->type = &head.class->type;
		record->event = (struct ctf_event){ .packet = &chunk->packet,
						    .class = head.class->class,
						    .at = head.at,
						    .body = head.body,
						    .clock = decoder->clock,
						    .outer = head.class->outer };
		record->text_length = 0;
		count += !timed || ns >= begin_ns;
	}
	chunk->count = count;
	chunk->unwanted = unwanted;
	lane->last_ns = last_ns;
	chunk->disordered = timed && (!in_order || last_ns > packet_end(&lane->packet));
	if (!status)
		return true;
	lane->in_packet = false;
	/* A packet that the file's end cuts is told as such already. */
	if (decoder->problem &&
	    !(status == CTF_END && (lane->packet.flags & CTF_PACKET_TRUNCATED))) {
		const struct ctf_finding finding = {
			.file = lane->packet.file->path,
			.packet = lane->packet.number,
			.offset = lane->packet.offset + decoder->at / 8,
			.what = decoder->problem,
		};

		chunk->packets_damaged++;
		note_damage(chunk, &finding, "; what follows in the packet is left out");
	}
	return true;
window_ends:
	chunk->count = count;
	chunk->unwanted = unwanted;
	chunk->disordered = !in_order || last_ns > packet_end(&lane->packet);
	lane->in_packet = false;
	return false;
}

void ctf_lane_fill(struct ctf_lane *lane, struct ctf_chunk *chunk)
{
	int ret = 1;

	lane->filling = chunk;
	ctf_arena_reset(&chunk->arena);
	drop_damage(chunk);
	mm_error_clear(&chunk->error);
	reset_text(lane, &chunk->text);
	chunk->count = 0;
	chunk->unwanted = chunk->packets_truncated = chunk->packets_damaged = 0;
	chunk->ends_stream = chunk->ends_packet = chunk->has_packet = false;
	chunk->disordered = false;
	chunk->begins_packet = !lane->in_packet;
	if (make_room(lane, chunk)) {
		mm_error_set(&chunk->error, MM_EXIT_ENVIRONMENT, "trace: out of memory");
		return;
	}
	if (!lane->in_packet)
		ret = lane->ended ? 0 : next_packet(lane, &chunk->error);
	if (ret <= 0) {
		chunk->ends_stream = lane->ended = true;
		return;
	}
	chunk->packet = lane->packet;
	chunk->has_packet = true;
	lane->decoder.packet = &chunk->packet;
	if (!decode_events(lane, chunk))
		chunk->ends_stream = lane->ended = true;
	chunk->ends_packet = !lane->in_packet;
	if (ctf_map_broken(lane->packet.file->map)) {
		mm_error_set(&chunk->error, MM_EXIT_BAD_INPUT,
			     "trace: %s: the file shrank or could not be read; copy the trace before it changes, or look at the disk",
			     lane->packet.file->path);
		return;
	}
	if (!lane->handler->render)
		return;
	if (render(lane, chunk))
		mm_error_set(&chunk->error, MM_EXIT_ENVIRONMENT, "trace: out of memory");
	adapt(lane, chunk);
}
