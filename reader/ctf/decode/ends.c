// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Decodes events where packet headers lack information. Finds the end time of a stream's last
 * packet, and the order of events in overlapping packets.
 */
#include "reader/ctf/decode/ends.h"

#include <stdlib.h>

#include "reader/ctf/decode/decode.h"

/*
 * Returns the clock value of the last event that can be decoded, or of the packet's start if no
 * event can be decoded.
 */
static uint64_t last_clock(const struct ctf_packet *packet, const struct ctf_plan *plan,
			   uint64_t *slots)
{
	struct ctf_decoder decoder;
	struct ctf_head head;
	uint64_t last = packet->begin, done = 0;

	ctf_packet_slots(packet, slots);
	ctf_decoder_begin(&decoder, plan, packet, slots);
	while (!ctf_decode_head(&decoder, &head) && !ctf_decode_body(&decoder, &head, NULL, NULL)) {
		if (decoder.clock > last)
			last = decoder.clock;
		done += ctf_packet_done(packet, done, decoder.at / 8);
	}
	return last;
}

/* Are the times of the stream's events in order, as far as they can be decoded? */
static bool are_events_ordered(const struct ctf_stream *stream, const struct ctf_plan *plan,
			       uint64_t *slots)
{
	struct ctf_packet_iterator iterator;
	struct ctf_packet packet;
	uint64_t last = 0;

	ctf_packet_iterator_init(&iterator, stream, slots);
	while (ctf_packet_next(&iterator, &packet, NULL) > 0) {
		struct ctf_decoder decoder;
		struct ctf_head head;
		uint64_t done = 0;

		ctf_decoder_begin(&decoder, plan, &packet, slots);
		while (!ctf_decode_head(&decoder, &head) &&
		       !ctf_decode_body(&decoder, &head, NULL, NULL)) {
			if (decoder.clock < last)
				return false;
			last = decoder.clock;
			done += ctf_packet_done(&packet, done, decoder.at / 8);
		}
		ctf_map_done(packet.file->map, packet.offset + done, packet.size_bits / 8 - done);
	}
	return true;
}

/* If packets overlap but their events are in order, drops the message that time goes backwards. */
static void check_backward(struct ctf_stream *stream, const struct ctf_plan *plan, uint64_t *slots)
{
	if (!are_events_ordered(stream, plan, slots))
		return;
	free(stream->backward);
	stream->backward = NULL;
	stream->backward_count = 0;
	stream->order = CTF_ORDER_FILE;
	stream->overlaps = true;
}

static int find_times(struct ctf_stream *stream, const struct mm_requests *nothing)
{
	struct ctf_plan *plan = ctf_plan_create(stream->class, nothing, NULL);
	uint64_t *slots = calloc(stream->trace->class->slot_count + 1, sizeof(*slots));
	bool done = plan && slots;

	if (done && stream->order == CTF_ORDER_NONE)
		check_backward(stream, plan, slots);
	if (done && stream->open_end) {
		stream->last_end = last_clock(stream->open_end, plan, slots);
		stream->has_last_end = true;
	}
	if (plan)
		ctf_plan_destroy(plan);
	free(slots);
	return done ? 0 : -1;
}

static int find_all_times(struct ctf_trace **traces, size_t count)
{
	struct mm_requests nothing;
	int ret = 0;

	mm_requests_init(&nothing);
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < traces[i]->stream_count && !ret; j++)
			if (traces[i]->streams[j].open_end ||
			    traces[i]->streams[j].order == CTF_ORDER_NONE)
				ret = find_times(&traces[i]->streams[j], &nothing);
	mm_requests_release(&nothing);
	return ret;
}

struct ctf_trace **ctf_traces_open_timed(const char *root, char *const *folders,
					 size_t folder_count, struct ctf_trace_class **classes,
					 int64_t clock_shift_ns, size_t *count,
					 struct mm_error *err)
{
	struct ctf_trace **traces =
		ctf_traces_open(root, folders, folder_count, classes, clock_shift_ns, count, err);

	if (!traces || !find_all_times(traces, *count))
		return traces;
	mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: %s: out of memory", root);
	ctf_traces_close(traces, *count);
	return NULL;
}
