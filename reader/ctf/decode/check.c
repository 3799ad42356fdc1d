// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Checks the events of a packet before any of them is used.
 *
 * Damage often becomes visible only much later in a packet, where the bytes no longer decode as
 * events. By then, the consumer would have received wrong events. Therefore packets without a
 * checksum are decoded twice; the first pass is cheap because it loads no values.
 */
#include "reader/ctf/decode/check.h"

#include "reader/ctf/decode/decode.h"
#include "reader/ctf/decode/quick.h"
#include "reader/ctf/packet/packet-read.h"

/* Valid clock values of an event, from the start to the end of its packet. */
struct clock_range {
	bool timed;
	uint64_t low, high;
};

/*
 * The fast path: checks events until an event may be wrong, or requires the slower functions of
 * decode.h.
 */
static inline __attribute__((always_inline)) void
check_quickly(const struct ctf_plan *plan, struct ctf_decoder *decoder,
	      const struct clock_range *range, const struct ctf_quick_header header)
{
	const struct ctf_quick quick = plan->quick;
	const uint8_t *data = decoder->packet->data;
	const uint64_t high = range->timed ? range->high : UINT64_MAX;
	uint64_t at = decoder->at / 8, end = decoder->end / 8, clock = decoder->clock;
	const uint64_t low = range->timed ? range->low : 0;

	/*
	 * Stop at the limit of the mapped bytes, because large packets are mapped and released in
	 * parts.
	 */
	if (end - at > CTF_MAP_AHEAD)
		end = at + CTF_MAP_AHEAD;
	for (;;) {
		struct ctf_quick_event found;

		if (!ctf_quick_head(plan, quick, header, data, at, end, clock, &found) ||
		    found.clock < low || found.clock > high)
			break;
		at = found.next;
		clock = found.clock;
	}
	decoder->at = at * 8;
	decoder->clock = clock;
}

/* Not inlined: ctf_packet_check() then has more registers for the loop that calls this function. */
static __attribute__((noinline)) void check_quick(const struct ctf_plan *plan,
						  struct ctf_decoder *decoder,
						  const struct clock_range *range)
{
	if (!plan->quick.classes || (decoder->at & 7) || decoder->at >= decoder->end)
		return;
	ctf_packet_need(decoder->packet, decoder->at / 8);
	if (plan->quick.compact)
		check_quickly(plan, decoder, range, ctf_quick_header_compact());
	else
		check_quickly(plan, decoder, range, ctf_quick_header_of(plan));
}

static const char *check_time(const struct clock_range *range, uint64_t clock)
{
	if (!range->timed || (clock >= range->low && clock <= range->high))
		return NULL;
	return clock > range->high ? "an event is later than the packet's end"
				   : "an event is earlier than the packet's start";
}

bool ctf_packet_check(const struct ctf_plan *plan, const struct ctf_packet *packet, uint64_t *slots,
		      struct ctf_fault *fault)
{
	const uint32_t quirks = ctf_trace_private(packet->stream->trace)->quirks;
	const bool has_begin =
		(packet->flags & CTF_PACKET_HAS_BEGIN) && !(quirks & CTF_QUIRK_EVENT_BEFORE_PACKET);
	const struct clock_range range = {
		/* The quirk implies LTTng. Other tracers may write events in any order. */
		.timed = plan->stream_class->clock && (quirks & CTF_QUIRK_WITHOUT_COUNT),
		.low = has_begin ? packet->begin : 0,
		.high = packet->flags & CTF_PACKET_HAS_END ? packet->end : UINT64_MAX,
	};
	struct ctf_decoder decoder;
	enum ctf_status status;
	struct ctf_head head;
	uint64_t done = 0;

	ctf_decoder_begin(&decoder, plan, packet, slots);
	for (;;) {
		check_quick(plan, &decoder, &range);
		done += ctf_packet_done(packet, done, decoder.at / 8);
		status = ctf_decode_head(&decoder, &head);
		if (status)
			break;
		decoder.problem = check_time(&range, decoder.clock);
		if (decoder.problem)
			break;
		status = ctf_decode_body(&decoder, &head, NULL, NULL);
		if (status)
			break;
	}
	fault->at = decoder.at / 8;
	fault->what = ctf_decode_problem_text(&decoder, fault->text, sizeof(fault->text));
	return !decoder.problem || (status == CTF_END && (packet->flags & CTF_PACKET_TRUNCATED));
}
