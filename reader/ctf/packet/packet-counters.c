// SPDX-License-Identifier: LGPL-2.1-only
/* Finds losses by the sequence numbers and discarded-event counts of packets. */
#include "reader/ctf/packet/packet-counters.h"

#include <inttypes.h>

#include "reader/ctf/packet/packet-read.h"
#include "reader/ctf/packet/packet-report.h"
#include "reader/ctf/packet/packet.h"
#include "reader/ctf/packet/sums.h"

/*
 * Did LTTng omit the discarded-event count of the packet? An omitted count is written as 0. A
 * stream's real count starts at 0 and never returns to 0.
 */
static bool is_without_count(const struct ctf_packet_iterator *iterator,
			     const struct ctf_packet *packet)
{
	return iterator->discarded && !packet->discarded &&
	       ctf_trace_private(packet->stream->trace)->quirks & CTF_QUIRK_WITHOUT_COUNT;
}

static void report_too_many(const struct ctf_packet_iterator *iterator, struct ctf_packet *packet)
{
	packet->flags |= CTF_PACKET_WITHOUT_COUNT;
	ctf_packet_report(iterator, packet->file, packet->offset, CTF_FOUND_COUNTER,
			  "events_discarded, %" PRIu64 ", is impossibly large", packet->discarded);
}

/*
 * Reports that the count is lower than the previous count. A tracer other than LTTng may have
 * restarted the count. LTTng never restarts it, so one of the counts is wrong, and the number of
 * events discarded since the last correct count is unknown.
 */
static void report_decrease(const struct ctf_packet_iterator *iterator, struct ctf_packet *packet)
{
	const bool lttng = ctf_stream_is_exclusive(packet->stream);

	if (ctf_trace_private(packet->stream->trace)->quirks & CTF_QUIRK_LATE_COUNT)
		return;
	packet->flags |= lttng ? CTF_PACKET_WITHOUT_COUNT : 0;
	ctf_packet_report(iterator, packet->file, packet->offset,
			  lttng ? CTF_FOUND_COUNTER : CTF_FOUND_ODD,
			  "events_discarded goes backwards, from %" PRIu64 " to %" PRIu64,
			  iterator->discarded, packet->discarded);
}

/*
 * LTTng counts packets from 0, so a sequence number of 2^63 or more is damage. Replaces it with the
 * number expected after the previous packet, so that the next packet can be compared with it.
 */
static void check_seq(const struct ctf_packet_iterator *iterator, struct ctf_packet *packet)
{
	const struct ctf_packet *last = &iterator->last;

	if (!(packet->flags & CTF_PACKET_HAS_SEQ) || packet->seq <= INT64_MAX ||
	    !ctf_stream_is_exclusive(packet->stream))
		return;
	ctf_packet_report(iterator, packet->file, packet->offset, CTF_FOUND_COUNTER,
			  "packet_seq_num, %" PRIu64 ", is impossibly large", packet->seq);
	if (iterator->any && (last->flags & CTF_PACKET_HAS_SEQ))
		packet->seq = last->seq + 1 + iterator->damaged;
	else
		packet->flags &= ~(uint32_t)CTF_PACKET_HAS_SEQ;
}

/*
 * Is this the empty packet of a flush? If a buffer has no new events (as in a snapshot of a stopped
 * session), a flush ends the file with an empty packet. LTTng's kernel tracer gives this packet the
 * number of times that the buffer was filled, so the numbers may be 0 1 2 3 2. The user-space
 * tracer gives it the number of the next packet.
 */
bool ctf_packet_is_of_flush(const struct ctf_packet *packet)
{
	const uint32_t times = CTF_PACKET_HAS_BEGIN | CTF_PACKET_HAS_END;

	return (packet->flags & (times | CTF_PACKET_TRUNCATED)) == times &&
	       packet->begin == packet->end && packet->content_bits == packet->events_at &&
	       packet->offset + packet->size_bits / 8 == ctf_map_size(packet->file->map) &&
	       ctf_stream_is_exclusive(packet->stream);
}

/* Compares the sequence numbers of @packet and the previous packet. */
void ctf_packet_count_packets(const struct ctf_packet_iterator *iterator, struct ctf_packet *packet,
			      const struct ctf_packet_plan *plan)
{
	const struct ctf_packet *last = &iterator->last;
	/* The kernel tracer pads all packets except flush packets. */
	const bool unpadded = packet->size_bits == packet->content_bits;
	const bool comparable = iterator->any && (last->flags & packet->flags & CTF_PACKET_HAS_SEQ);
	uint64_t step = 0;

	if (comparable && !ctf_counter_step(last->seq, packet->seq, plan->seq_width, &step))
		step = 0;
	if ((comparable ? step <= unpadded : unpadded) && ctf_packet_is_of_flush(packet))
		packet->flags |= CTF_PACKET_UNNUMBERED;
	else if (comparable && !step &&
		 (last->file == packet->file || !ctf_packet_is_of_flush(last)))
		ctf_packet_report(iterator, packet->file, packet->offset,
				  ctf_stream_is_exclusive(packet->stream) ? CTF_FOUND_COUNTER
									  : CTF_FOUND_ODD,
				  "packet_seq_num goes from %" PRIu64 " to %" PRIu64
				  "; the number of this packet or of the previous one is wrong",
				  last->seq, packet->seq);
	else if (step && step - 1 > iterator->damaged)
		packet->lost_packets = step - 1 - iterator->damaged;
	else if (!comparable && ctf_file_parts(packet->file))
		packet->lost_packets =
			ctf_sums_part_at(packet->file->sums, packet->offset, packet->number)->lost;
}

void ctf_packet_count_losses(const struct ctf_packet_iterator *iterator, struct ctf_packet *packet,
			     const struct ctf_packet_plan *plan)
{
	const struct ctf_packet *last = &iterator->last;
	uint32_t both = last->flags & packet->flags;
	uint64_t step;

	packet->lost_since_ns = packet->counted_since_ns = INT64_MIN;
	check_seq(iterator, packet);
	if (!iterator->any) {
		if ((packet->flags & CTF_PACKET_HAS_DISCARDED) && packet->discarded > INT64_MAX)
			report_too_many(iterator, packet);
		return;
	}
	if (last->flags & CTF_PACKET_HAS_END)
		packet->lost_since_ns = last->end_ns;
	else if (last->flags & CTF_PACKET_HAS_BEGIN)
		packet->lost_since_ns = last->begin_ns;
	packet->without_count_before = iterator->without_count;
	packet->counted_since_ns =
		iterator->without_count ? iterator->counted_ns : packet->lost_since_ns;
	if (both & CTF_PACKET_HAS_DISCARDED) {
		if (packet->discarded > INT64_MAX)
			report_too_many(iterator, packet);
		else if (is_without_count(iterator, packet))
			packet->flags |= CTF_PACKET_WITHOUT_COUNT;
		else if (ctf_counter_step(iterator->discarded, packet->discarded,
					  plan->discarded_width, &step))
			packet->lost_events = step;
		else
			report_decrease(iterator, packet);
	}
}

/* Stores the packet's discarded-event count, to be subtracted from the next count. */
void ctf_packet_pass_count(struct ctf_packet_iterator *iterator, const struct ctf_packet *packet)
{
	const bool late = ctf_trace_private(packet->stream->trace)->quirks & CTF_QUIRK_LATE_COUNT;

	if ((packet->flags & CTF_PACKET_WITHOUT_COUNT) &&
	    (!packet->discarded || packet->discarded > INT64_MAX)) {
		iterator->without_count++;
		iterator->counted_ns = packet->counted_since_ns;
		return;
	}
	iterator->without_count = 0;
	if (!late || packet->discarded > iterator->discarded)
		iterator->discarded = packet->discarded;
}
