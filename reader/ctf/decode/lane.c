// SPDX-License-Identifier: LGPL-2.1-only
/* Fills chunks with the requested events, packet by packet. */
#include "reader/ctf/decode/lane.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reader/ctf/decode/check.h"
#include "reader/ctf/decode/chunk.h"
#include "reader/ctf/decode/quick.h"
#include "reader/ctf/packet/packet-read.h"
#include "reader/events/source-base.h"

/* Target for the size of a chunk's text: this many bytes per event. */
#define TEXT_PER_EVENT 512
/* Limit on the total size of the events in a chunk with text. */
#define FILL_BYTES (UINT64_C(256) << 10)
/* Initial number of events in a chunk with text. The length of the text is not yet known. */
#define FILL_EVENTS_FIRST 4

static void found_damage(void *user, const struct ctf_finding *finding)
{
	struct ctf_lane *lane = user;

	if (finding->note)
		ctf_chunk_note_damage(lane->filling, finding, "", false);
	if (!finding->skipped && !finding->truncated && !finding->backward && !finding->counter &&
	    !finding->doubtful)
		return;
	if (finding->counter || finding->doubtful) {
		/* In an unordered stream, packet numbers go backwards without damage. */
		if (lane->unordered)
			return;
		lane->filling->packets_damaged++;
		lane->filling->doubtful |= finding->doubtful;
		ctf_chunk_note_damage(lane->filling, finding, "", false);
		return;
	}
	if (finding->backward) {
		/*
		 * Time goes backwards. This is not damage in an unordered stream, or if the packets
		 * only overlap. In any other stream, the times of this packet are wrong.
		 */
		if (!lane->unordered && !lane->stream->overlaps) {
			lane->filling->packets_damaged++;
			ctf_chunk_note_damage(lane->filling, finding, "", false);
		}
		lane->filling->doubtful |=
			!lane->unordered && ctf_stream_is_exclusive(lane->stream);
		return;
	}
	if (!lane->found_in && finding->skipped) {
		lane->found_in = finding->file;
		lane->found_at = finding->offset;
	}
	/*
	 * ctf_report_order() has already reported and counted the packets that belong to other
	 * traces.
	 */
	if (finding->foreign && lane->stream->foreign)
		return;
	lane->filling->packets_truncated += finding->truncated;
	lane->filling->packets_damaged += !finding->truncated;
	ctf_chunk_note_damage(lane->filling, finding, finding->foreign ? "; it is skipped" : "",
			      false);
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
	lane->last_ns = INT64_MIN;
	lane->begin_ns = lane->seek_ns = source->options.begin_ns;
	lane->end_ns = lane->stop_ns = source->options.end_ns;
	if (source->options.by_packet) {
		lane->begin_ns = INT64_MIN;
		lane->end_ns = INT64_MAX;
	}
	lane->index = index;
	lane->lanes = lanes;
	lane->chunk_events = chunk_events;
	lane->text_max = SIZE_MAX;
	lane->unordered = stream->order == CTF_ORDER_NONE;
	lane->fill_events = handler->render ? FILL_EVENTS_FIRST : chunk_events;
	lane->slots = calloc(slots ? slots : 1, sizeof(*lane->slots));
	if (!lane->slots)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: out of memory");
	__cds_wfcq_init(&lane->free_head, &lane->free_tail);
	__cds_wfcq_init(&lane->ready_head, &lane->ready_tail);
	ctf_packet_iterator_init(&lane->iterator, stream, lane->slots);
	lane->iterator.finding = found_damage;
	lane->iterator.user = lane;
	lane->iterator.indexed = !lane->unordered && ctf_stream_is_exclusive(stream);
	lane->iterator.wary = lane->iterator.indexed && source->options.check_packets;
	return 0;
}

void ctf_lane_release(struct ctf_lane *lane)
{
	free(lane->slots);
}

void ctf_lane_read_all(struct ctf_lane *lane)
{
	lane->begin_ns = lane->seek_ns = INT64_MIN;
	lane->end_ns = lane->stop_ns = INT64_MAX;
}

/* May events that were lost before the current packet belong to the requested time range? */
static bool lost_in_time(const struct ctf_lane *lane)
{
	const struct ctf_packet *packet = &lane->packet;

	return ctf_packet_has_loss(packet) && packet->lost_since_ns <= lane->stop_ns;
}

/*
 * Opens the lane's next packet. Returns 1 on success, 0 at the end of the stream or of the
 * requested time range, or -1 with @err set. If the next packet is after the range, but events lost
 * before it may belong to the range, sets chunk->reports_loss.
 */
static int next_packet(struct ctf_lane *lane, struct mm_error *err)
{
	uint64_t clock = lane->decoder.clock;
	int ret;

	if (!lane->turn && lane->seek_ns != INT64_MIN &&
	    ctf_packet_seek(&lane->iterator, lane->seek_ns, err))
		return -1;
	for (;;) {
		ret = ctf_packet_next(&lane->iterator, &lane->packet, err);
		if (ret <= 0)
			return ret;
		if (lane->turn++ % lane->lanes == lane->index)
			break;
		/* This packet belongs to another lane, which reports the damage before it. */
		ctf_chunk_drop_damage(lane->filling);
		lane->found_in = NULL;
		lane->filling->packets_truncated = lane->filling->packets_damaged = 0;
	}
	if ((lane->packet.flags & CTF_PACKET_HAS_BEGIN) && lane->packet.begin_ns > lane->stop_ns &&
	    !lane->unordered) {
		lane->filling->reports_loss = lost_in_time(lane);
		return 0;
	}
	ctf_decoder_begin(&lane->decoder, lane->plan, &lane->packet, lane->slots);
	if (!(lane->packet.flags & CTF_PACKET_HAS_BEGIN))
		lane->decoder.clock = clock;
	/*
	 * A stream without start timestamps has only one lane, so @last_ns is the time of the
	 * previous packet. Keep @last_ns.
	 */
	if (lane->packet.flags & CTF_PACKET_HAS_BEGIN)
		lane->last_ns = lane->packet.begin_ns;
	lane->in_packet = true;
	lane->backward_at = UINT64_MAX;
	lane->done = 0;
	return 1;
}

/* Was damage skipped before the packet, or before the end of the stream? */
static bool follows_damage(const struct ctf_lane *lane, bool has_packet)
{
	return lane->found_in && (!has_packet || lane->found_in != lane->packet.file->path ||
				  lane->found_at < lane->packet.offset);
}

/* Allocates events, each in one cache line. */
static struct mm_event *make_events(size_t count)
{
	void *made = aligned_alloc(64, count * sizeof(struct mm_event));

	_Static_assert(sizeof(struct mm_event) % 64 == 0, "as aligned_alloc() requires");
	if (made)
		memset(made, 0, count * sizeof(struct mm_event));
	return made;
}

static int make_room(struct ctf_lane *lane, struct ctf_chunk *chunk)
{
	size_t stride = lane->plan->value_count, count = lane->chunk_events;

	if (chunk->events)
		return 0;
	chunk->events = make_events(count);
	chunk->places = calloc(count, sizeof(*chunk->places));
	chunk->values = calloc(count * (stride ? stride : 1), sizeof(*chunk->values));
	chunk->slots = calloc(lane->stream->trace->class->slot_count + 1, sizeof(*chunk->slots));
	if (!chunk->events || !chunk->places || !chunk->values || !chunk->slots)
		return -1;
	for (size_t i = 0; i < count; i++) {
		struct mm_event *event = &chunk->events[i];

		event->fields = stride ? &chunk->values[i * stride] : NULL;
		event->text = "";
		event->source = (struct mm_source *)lane->source;
		event->native = &chunk->places[i];
		chunk->places[i].packet = &chunk->packet;
	}
	return 0;
}

static void set_cpu(const struct ctf_lane *lane, struct ctf_chunk *chunk)
{
	if (chunk->events[0].cpu == chunk->packet.cpu)
		return;
	for (size_t i = 0; i < lane->chunk_events; i++)
		chunk->events[i].cpu = chunk->packet.cpu;
}

/* Renders the events' text in the thread of the lane, so that all threads share the work. */
static int render(struct ctf_lane *lane, struct ctf_chunk *chunk)
{
	const char *at;

	for (size_t i = 0; i < chunk->count; i++) {
		struct mm_event *event = &chunk->events[i];
		size_t begin = chunk->text.start = chunk->text.length;
		int ret;

		event->text = "";
		event->text_length = 0;
		ret = lane->handler->render(lane->handler->user, event, &chunk->text);
		if (!ret && chunk->text.length > lane->text_max) {
			chunk->text.problem = "the text of a few events does not fit in memory";
			ret = -1;
		}
		if (ret) {
			chunk->failed_at = chunk->places[i].at / 8;
			return -1;
		}
		event->text_length = (uint32_t)(chunk->text.length - begin);
	}
	/* Point the events to their text now that its buffer no longer moves. */
	chunk->text.start = 0;
	at = chunk->text.data;
	for (size_t i = 0; i < chunk->count; i++) {
		struct mm_event *event = &chunk->events[i];

		event->text = event->text_length ? at : "";
		at += event->text_length;
	}
	return 0;
}

static void fail_render(struct ctf_chunk *chunk)
{
	const struct ctf_packet *packet = &chunk->packet;

	if (chunk->text.problem)
		mm_error_set(
			&chunk->error, MM_EXIT_BAD_INPUT,
			"trace: %s: packet %" PRIu64 ", byte %" PRIu64
			": an event cannot be shown: %s; read other events or another time range",
			packet->file->path, packet->number, packet->offset + chunk->failed_at,
			chunk->text.problem);
	else
		mm_error_set(&chunk->error, MM_EXIT_ENVIRONMENT, "trace: out of memory");
}

/* Adapts the number of events in the next chunks to the length of the text of @chunk. */
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

/* Clears a chunk's text, and releases its buffer if it exceeds the target size. */
static void reset_text(const struct ctf_lane *lane, struct mm_text *text)
{
	text->length = 0;
	text->problem = NULL;
	if (text->room <= 2 * lane->chunk_events * TEXT_PER_EVENT)
		return;
	free(text->data);
	*text = (struct mm_text){ 0 };
}

static int64_t packet_end(const struct ctf_packet *packet)
{
	return packet->flags & CTF_PACKET_HAS_END ? packet->end_ns : INT64_MAX;
}

struct decode_progress {
	int64_t last_ns;
	size_t count;
	uint64_t unwanted;
	bool in_order;
	bool was_plain; /* the last event was plain: try the fast path for the next event */
	/* in bits; events from this position on go to another chunk */
	uint64_t stop;
};

enum outcome { CONTINUES, PACKET_ENDS, WINDOW_ENDS };

static uint64_t plan_clock_ns(const struct ctf_plan *plan, uint64_t clock)
{
	const struct ctf_clock *class = plan->stream_class->clock;

	if (plan->nanoseconds || !class)
		return clock;
	return (uint64_t)((__uint128_t)clock * 1000000000 / class->frequency);
}

static __attribute__((noinline, cold)) void go_back(struct ctf_lane *lane, uint64_t at)
{
	if (lane->backward_at == UINT64_MAX)
		lane->backward_at = at;
}

/* The general path: decodes one event of any form. */
static inline enum outcome decode_event(struct ctf_lane *lane, struct ctf_chunk *chunk,
					struct decode_progress *progress, enum ctf_status *status)
{
	struct ctf_decoder *decoder = &lane->decoder;
	const struct ctf_plan *plan = lane->plan;
	bool timed = plan->stream_class->clock, requested;
	size_t index = progress->count;
	struct ctf_head head;
	int64_t ns;

	*status = ctf_decode_head(decoder, &head);
	if (*status)
		return PACKET_ENDS;
	requested = head.class->type.request >= 0;
	*status = ctf_decode_body(decoder, &head,
				  requested ? &chunk->values[index * plan->value_count] : NULL,
				  &chunk->arena);
	if (*status)
		return PACKET_ENDS;
	progress->was_plain = head.class->form == CTF_FORM_PLAIN;
	ns = ctf_plan_ns(plan, decoder->clock);
	if (__builtin_expect(ns < progress->last_ns, 0)) {
		progress->in_order = false;
		go_back(lane, head.at);
	}
	progress->last_ns = ns;
	if (timed && ns > lane->end_ns)
		return lane->unordered ? CONTINUES : WINDOW_ENDS;
	if (!requested) {
		progress->unwanted += !timed || ns >= lane->begin_ns;
		return CONTINUES;
	}
	chunk->events[index].time_ns = ns;
	chunk->events[index].clock_ns = plan_clock_ns(plan, decoder->clock);
	chunk->events[index].type = &head.class->type;
	chunk->places[index].at = head.at;
	chunk->places[index].body = head.body;
	chunk->places[index].clock = decoder->clock;
	progress->count += !timed || ns >= lane->begin_ns;
	return CONTINUES;
}

struct clock_window {
	uint64_t low, high;
};

/*
 * Can the fast path decode the next events? It cannot decode events before the start of the lane's
 * time range. Sets @window to the clock values that the fast path accepts. These are not earlier
 * than the last event, are in the time range, and fit in an int64_t in nanoseconds.
 */
static bool may_take_fast_path(const struct ctf_lane *lane, const struct decode_progress *progress,
			       struct clock_window *window)
{
	const struct ctf_decoder *decoder = &lane->decoder;
	const struct ctf_plan *plan = lane->plan;
	/* The difference of two timestamps may not fit in 64 bits. */
	__int128_t low = (__int128_t)progress->last_ns - plan->offset_ns;
	__int128_t high = (__int128_t)lane->end_ns - plan->offset_ns;

	if ((decoder->at & 7) || decoder->at >= decoder->end || progress->last_ns < lane->begin_ns)
		return false;
	/* ctf_plan_ns() would treat larger values as negative. */
	if (high > INT64_MAX)
		high = INT64_MAX;
	window->low = low < 0 ? 0 : (uint64_t)low;
	window->high = (uint64_t)high;
	return high >= 0 && low <= high;
}

/*
 * The fast path. Decodes events until one is truncated, or has a timestamp or class that requires
 * the general path. decode_event() continues with that event.
 */
static inline __attribute__((always_inline)) void
decode_quickly(struct ctf_lane *lane, struct ctf_chunk *chunk, struct decode_progress *progress,
	       const struct clock_window window, const struct ctf_quick_header header)
{
	const struct ctf_plan *plan = lane->plan;
	const struct ctf_quick quick = plan->quick;
	struct ctf_decoder *decoder = &lane->decoder;
	const uint8_t *data = decoder->packet->data;
	uint64_t at = decoder->at / 8, clock = decoder->clock;
	uint64_t end = (decoder->end < progress->stop ? decoder->end : progress->stop) / 8;
	uint64_t low = window.low, unwanted = 0;
	const size_t stride = plan->value_count;
	struct mm_event *event = &chunk->events[progress->count];
	const struct mm_event *event_end = &chunk->events[lane->fill_events];
	struct ctf_place *place = &chunk->places[progress->count];
	union mm_scalar *values = &chunk->values[progress->count * stride];

	while (event != event_end) {
		const struct ctf_quick_class *class;
		struct ctf_quick_event found;

		class = ctf_quick_head(plan, quick, header, data, at, end, clock, &found);
		if (!class || found.clock < low || found.clock > window.high)
			break;
		if (class->loads) {
			if (ctf_quick_body(quick, class, data + found.body, values, &chunk->arena))
				break;
			event->time_ns = (int64_t)found.clock + plan->offset_ns;
			event->clock_ns = found.clock;
			event->type = &class->class->type;
			place->at = at * 8;
			place->body = found.body * 8;
			place->clock = found.clock;
			event++;
			place++;
			values += stride;
		} else {
			unwanted++;
		}
		at = found.next;
		clock = low = found.clock;
	}
	if (at == decoder->at / 8)
		return;
	decoder->at = at * 8;
	decoder->clock = clock;
	progress->last_ns = (int64_t)clock + plan->offset_ns;
	progress->unwanted += unwanted;
	progress->count = (size_t)(event - chunk->events);
}

/*
 * Reports a packet whose header and events disagree about its times. Either may be wrong. Does not
 * check packets with a checksum, or packets of tracers other than LTTng.
 */
static void check_packet(const struct ctf_lane *lane, struct ctf_chunk *chunk, bool whole)
{
	struct ctf_finding finding = { .file = lane->packet.file->path,
				       .packet = lane->packet.number };
	struct ctf_fault fault;

	/*
	 * Compare only the last event, which is normally the latest. check_times() reports time
	 * that goes backwards.
	 */
	if (whole &&
	    (!(lane->packet.flags & CTF_PACKET_HAS_END) || lane->decoder.clock <= lane->packet.end))
		return;
	if (lane->packet.file->sums || lane->source->options.check_packets ||
	    (lane->packet.flags & (CTF_PACKET_INCOMPLETE | CTF_PACKET_HOLE)) ||
	    ctf_packet_check(lane->plan, &lane->packet, lane->slots, &fault))
		return;
	finding.offset = lane->packet.offset + fault.at;
	finding.what = fault.what;
	chunk->packets_damaged++;
	chunk->disordered = true;
	ctf_chunk_note_damage(chunk, &finding, "; the packet's events, or their times, are wrong",
			      true);
}

/*
 * Ends the packet, and reports damage in it. The packet iterator has already reported a packet that
 * is truncated by the end of the file.
 */
static void end_packet(struct ctf_lane *lane, struct ctf_chunk *chunk, enum ctf_status status)
{
	const struct ctf_decoder *decoder = &lane->decoder;
	char text[96];
	const struct ctf_finding finding = {
		.file = lane->packet.file->path,
		.packet = lane->packet.number,
		.offset = lane->packet.offset + decoder->at / 8,
		.what = ctf_decode_problem_text(decoder, text, sizeof(text)),
	};

	if (status == CTF_NO_MEMORY) {
		mm_error_set(&chunk->error, MM_EXIT_ENVIRONMENT, "trace: out of memory");
		return;
	}
	chunk->ends_damaged =
		decoder->problem || (lane->packet.flags & (CTF_PACKET_CUT | CTF_PACKET_HOLE));
	if (!decoder->problem)
		check_packet(lane, chunk, true);
	if (!decoder->problem || (status == CTF_END && (lane->packet.flags & CTF_PACKET_TRUNCATED)))
		return;
	chunk->packets_damaged++;
	ctf_chunk_note_damage(chunk, &finding, "; the rest of the packet is skipped", true);
}

/*
 * Reports that an event of the packet goes back in time. Call this after the whole packet has been
 * read. The event is not reported as damage if the whole stream is unordered, or if a known fault
 * of the tracer explains it.
 */
static __attribute__((noinline, cold)) void check_times(const struct ctf_lane *lane,
							struct ctf_chunk *chunk)
{
	const uint32_t quirks = ctf_trace_private(lane->stream->trace)->quirks;
	const struct ctf_finding finding = {
		.file = lane->packet.file->path,
		.packet = lane->packet.number,
		.offset = lane->packet.offset + lane->backward_at / 8,
		.what = "an event is earlier than the previous event or than the start of its packet",
	};

	if (lane->backward_at == UINT64_MAX || lane->unordered ||
	    !lane->plan->stream_class->clock || (quirks & CTF_QUIRK_EVENT_BEFORE_PACKET))
		return;
	chunk->packets_damaged++;
	chunk->goes_back = true;
	ctf_chunk_note_damage(chunk, &finding, "; times are wrong here", true);
}

/*
 * Decodes events until the chunk is full or the packet ends. Returns false at the end of the lane's
 * time range.
 */
static bool decode_events(struct ctf_lane *lane, struct ctf_chunk *chunk)
{
	struct decode_progress progress = { .last_ns = lane->last_ns,
					    .in_order = true,
					    .was_plain = true,
					    .stop = lane->decoder.at + 8 * CTF_MAP_PART };
	bool quick = lane->plan->quick.classes && lane->plan->nanoseconds;
	enum ctf_status status = CTF_OK;
	enum outcome outcome = CONTINUES;
	struct clock_window window;

	if (lane->decoder.at < lane->decoder.end)
		ctf_packet_need(&lane->packet, lane->decoder.at / 8);
	if (lane->handler->render)
		progress.stop = lane->decoder.at + 8 * FILL_BYTES;
	while (progress.count < lane->fill_events && outcome == CONTINUES &&
	       lane->decoder.at < progress.stop) {
		if (quick && progress.was_plain && may_take_fast_path(lane, &progress, &window)) {
			if (lane->plan->quick.compact)
				decode_quickly(lane, chunk, &progress, window,
					       ctf_quick_header_compact());
			else
				decode_quickly(lane, chunk, &progress, window,
					       ctf_quick_header_of(lane->plan));
			if (progress.count == lane->fill_events)
				break;
		}
		outcome = decode_event(lane, chunk, &progress, &status);
	}
	chunk->count = progress.count;
	chunk->unwanted = progress.unwanted;
	lane->last_ns = chunk->last_ns = progress.last_ns;
	chunk->disordered = lane->plan->stream_class->clock &&
			    (!progress.in_order || progress.last_ns > packet_end(&lane->packet));
	lane->in_packet = outcome == CONTINUES;
	if (outcome == PACKET_ENDS)
		end_packet(lane, chunk, status);
	/* A wrong timestamp may have ended the range too early. Check the packet. */
	if (outcome == WINDOW_ENDS)
		check_packet(lane, chunk, false);
	if (outcome != CONTINUES)
		check_times(lane, chunk);
	return outcome != WINDOW_ENDS;
}

/*
 * Checks a new packet without a checksum, if options.check_packets is set or the packet is a
 * suspect. If the packet is damaged, drops all its events, even those before the fault.
 */
static bool is_suspect(struct ctf_lane *lane, struct ctf_chunk *chunk)
{
	struct ctf_finding finding = { .file = lane->packet.file->path,
				       .packet = lane->packet.number };
	const struct mm_suspect *known;
	struct ctf_fault fault;

	if (lane->packet.file->sums)
		return false;
	known = mm_suspects_find(lane->source->options.suspects, finding.file, lane->packet.offset);
	if (!known && !lane->source->options.check_packets)
		return false;
	if (ctf_packet_check_known(lane->plan, &lane->packet, known, lane->slots, &fault))
		return false;
	finding.offset = lane->packet.offset + fault.at;
	finding.what = fault.what;
	ctf_chunk_note_damage(chunk, &finding, "; the whole packet is skipped", true);
	chunk->packets_damaged++;
	chunk->ends_damaged = true;
	chunk->last_ns = lane->last_ns;
	lane->decoder.at = lane->decoder.end;
	lane->in_packet = false;
	return true;
}

/* Notes which bytes are no longer needed. Large packets are released in parts. */
static void note_done(struct ctf_lane *lane, struct ctf_chunk *chunk)
{
	uint64_t to = lane->decoder.at / 8;

	if (chunk->ends_packet || chunk->ends_stream)
		to = lane->packet.size_bits / 8;
	else if (to - lane->done < CTF_MAP_PART)
		to = lane->done;
	chunk->done_from = lane->done;
	chunk->done_to = lane->done = to;
}

void ctf_lane_fill(struct ctf_lane *lane, struct ctf_chunk *chunk)
{
	int ret = 1;

	lane->filling = chunk;
	ctf_arena_reset(&chunk->arena);
	ctf_chunk_drop_damage(chunk);
	mm_error_clear(&chunk->error);
	reset_text(lane, &chunk->text);
	chunk->count = 0;
	chunk->unwanted = chunk->packets_truncated = chunk->packets_damaged = 0;
	chunk->ends_stream = chunk->ends_packet = chunk->has_packet = false;
	chunk->disordered = chunk->reports_loss = chunk->ends_damaged = false;
	chunk->goes_back = chunk->doubtful = false;
	chunk->begins_packet = !lane->in_packet;
	if (make_room(lane, chunk)) {
		mm_error_set(&chunk->error, MM_EXIT_ENVIRONMENT, "trace: out of memory");
		return;
	}
	chunk->follows_damage = false;
	if (!lane->in_packet) {
		lane->found_in = NULL;
		ret = lane->ended ? 0 : next_packet(lane, &chunk->error);
		chunk->follows_damage = follows_damage(lane, ret > 0);
	}
	chunk->packet = lane->packet;
	if (ret <= 0) {
		chunk->ends_stream = lane->ended = true;
		return;
	}
	chunk->packet.slots = chunk->slots;
	memcpy(chunk->slots, lane->slots,
	       lane->stream->class->packet_slots * sizeof(*chunk->slots));
	chunk->has_packet = true;
	lane->decoder.packet = &chunk->packet;
	set_cpu(lane, chunk);
	if (!(chunk->begins_packet && is_suspect(lane, chunk)) && !decode_events(lane, chunk))
		chunk->ends_stream = lane->ended = true;
	chunk->ends_packet = !lane->in_packet;
	note_done(lane, chunk);
	if (ctf_map_truncated(lane->packet.file->map)) {
		mm_error_set(
			&chunk->error, MM_EXIT_BAD_INPUT,
			"trace: %s: the file shrank or could not be read; copy the trace before it changes, or check the disk",
			lane->packet.file->path);
		return;
	}
	if (!lane->handler->render)
		return;
	chunk->text.max = lane->text_max;
	if (render(lane, chunk))
		fail_render(chunk);
	adapt(lane, chunk);
}
