// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Prepares to decode a packet, and finds zeros that replaced its events.
 *
 * A disk or file system may lose a block of a file and return zeros for it. If the metadata define
 * an event with id 0, these zeros decode as thousands of events with equal times.
 *
 * Intact events may contain many zeros (a dumped page, for example). But in a kernel trace, two
 * consecutive intact events never consist of zeros only. Both headers would state the same time on
 * one CPU, and the lowest 27 or more bits of this time would be 0. A short event of zeros is also
 * damaged if it lies in a long row of zeros.
 */
#include "reader/ctf/decode/decode.h"

#include <string.h>

#include "reader/ctf/packet/packet-read.h"

/*
 * Distance in bytes between two samples. In any 2 * STEP zeros, at least one sample is followed by
 * STEP zeros.
 */
#define STEP 32
/* Shorter rows of zeros are ignored, because intact events contain them, too. */
#define ZEROS_MIN 64

static bool are_zeros(const uint8_t *data, uint64_t count)
{
	return !data[0] && !memcmp(data, data + 1, count - 1);
}

/* Are the zeros from @at to @next a part of ZEROS_MIN zeros in a row? */
static bool is_among_zeros(const struct ctf_packet *packet, uint64_t at, uint64_t next)
{
	const uint64_t first = (packet->events_at + 7) / 8, end = packet->content_bits / 8;

	while (at > first && next - at < ZEROS_MIN && !packet->data[at - 1])
		at--;
	while (next < end && next - at < ZEROS_MIN && !packet->data[next])
		next++;
	return next - at >= ZEROS_MIN;
}

/*
 * Returns the offset of a byte in the packet's first row of ZEROS_MIN zeros, or UINT64_MAX. A
 * packet without such a row is decoded only once.
 */
static uint64_t find_bytes(const struct ctf_packet *packet)
{
	const uint8_t *data = packet->data;
	const uint64_t end = packet->content_bits / 8;
	uint64_t at = (packet->events_at + 7) / 8, needed = at, done = at;

	for (; at + STEP <= end; at += STEP) {
		if (at >= needed) {
			ctf_packet_need(packet, at);
			needed = at + CTF_MAP_AHEAD;
			done += ctf_packet_done(packet, done, at);
		}
		if (__builtin_expect(!ctf_load_8(data + at), 0) && are_zeros(data + at, STEP) &&
		    is_among_zeros(packet, at, at + STEP))
			return at;
	}
	return UINT64_MAX;
}

/* Returns the position of the first event that zeros have replaced, or the end of the content. */
static uint64_t find_event(const struct ctf_plan *plan, const struct ctf_packet *packet,
			   uint64_t *slots, uint64_t from)
{
	struct ctf_decoder decoder = { .plan = plan,
				       .packet = packet,
				       .at = packet->events_at,
				       .end = packet->content_bits,
				       .clock = packet->begin,
				       .slots = slots };
	/* @before: position of the previous event if it consists of zeros, else UINT64_MAX */
	uint64_t done = 0, before = UINT64_MAX;
	struct ctf_head head;

	while (!ctf_decode_head(&decoder, &head) && !ctf_decode_body(&decoder, &head, NULL, NULL)) {
		uint64_t at = head.at / 8, next = decoder.at / 8;

		done += ctf_packet_done(packet, done, next);
		if (next < from || ((head.at | decoder.at) & 7) ||
		    !are_zeros(packet->data + at, next - at)) {
			before = UINT64_MAX;
			continue;
		}
		if (next - at < ZEROS_MIN ? is_among_zeros(packet, at, next) : before != UINT64_MAX)
			return before != UINT64_MAX ? before : head.at;
		before = head.at;
	}
	return packet->content_bits;
}

/*
 * Searches for events of @packet that zeros replaced. Returns the position of the first such event,
 * in bits, or the end of the packet's content. Does not search packets with a checksum, or packets
 * of tracers other than LTTng's kernel tracer. @slots: values of the packet header and context,
 * which stay unchanged.
 */
static uint64_t find_zeros(const struct ctf_plan *plan, const struct ctf_packet *packet,
			   uint64_t *slots)
{
	uint64_t at;

	/* Packets that tests make in memory have no file. */
	if (!packet->file || packet->file->sums ||
	    !ctf_trace_private(packet->stream->trace)->kernel)
		return packet->content_bits;
	at = find_bytes(packet);
	if (at == UINT64_MAX)
		return packet->content_bits;
	return find_event(plan, packet, slots, at > 2 * STEP ? at - 2 * STEP : 0);
}

void ctf_decoder_begin(struct ctf_decoder *decoder, const struct ctf_plan *plan,
		       const struct ctf_packet *packet, uint64_t *slots)
{
	decoder->plan = plan;
	decoder->packet = packet;
	decoder->at = packet->events_at;
	decoder->end = find_zeros(plan, packet, slots);
	decoder->clock = packet->flags & CTF_PACKET_HAS_BEGIN ? packet->begin : 0;
	decoder->slots = slots;
	decoder->idle = 0;
	decoder->problem = NULL;
}
