// SPDX-License-Identifier: LGPL-2.1-only
/* Counts the packets of stream files. */
#include "reader/ctf/packet/count.h"

#include <stdlib.h>
#include <string.h>

#include "reader/coverage/missing.h"

struct count_ctx {
	const struct ctf_stream *stream;
	struct ctf_file_count *counts; /* one per file of the stream */
};

static void found(void *user, const struct ctf_finding *finding)
{
	struct count_ctx *counting = user;

	if (!finding->truncated && !finding->whole)
		return;
	for (size_t i = 0; i < counting->stream->file_count; i++)
		if (!strcmp(counting->stream->files[i].path, finding->file)) {
			counting->counts[i].packets_truncated += finding->truncated;
			counting->counts[i].cut |= finding->truncated;
			counting->counts[i].packets_damaged +=
				!finding->truncated && counting->stream->files[i].sums;
		}
}

/*
 * May packets be missing between the last packet that @count includes and @packet? Removed packets
 * leave a gap in time. Returns false if the sequence numbers jump at the gap, because the missing
 * packets then already count as lost.
 */
static bool has_room(const struct ctf_file_count *count, const struct ctf_packet *packet)
{
	return count->packets && count->end_ns != INT64_MAX && !count->file->index &&
	       !count->file->sums && !packet->lost_packets &&
	       (packet->flags & CTF_PACKET_HAS_BEGIN) && packet->begin_ns > count->end_ns &&
	       (uint64_t)packet->begin_ns - (uint64_t)count->end_ns >= MM_PAUSE_NS;
}

static int count_stream(const struct ctf_stream *stream, struct ctf_file_count *counts,
			uint64_t *slots, struct mm_error *err)
{
	struct count_ctx counting = { stream, counts };
	struct ctf_packet_iterator iterator;
	struct ctf_packet packet;
	int ret;

	for (size_t i = 0; i < stream->file_count; i++)
		counts[i] = (struct ctf_file_count){ .stream = stream,
						     .file = &stream->files[i],
						     .bytes = ctf_map_size(stream->files[i].map),
						     .begin_ns = INT64_MIN,
						     .end_ns = INT64_MAX,
						     .resumed_ns = INT64_MIN };
	ctf_packet_iterator_init(&iterator, stream, slots);
	iterator.finding = found;
	iterator.user = &counting;
	while ((ret = ctf_packet_next(&iterator, &packet, err)) > 0) {
		struct ctf_file_count *count = &counts[packet.file - stream->files];

		if (has_room(count, &packet))
			count->resumed_ns = packet.begin_ns;
		if (!count->packets++ && (packet.flags & CTF_PACKET_HAS_BEGIN))
			count->begin_ns = packet.begin_ns;
		count->end_ns = packet.flags & CTF_PACKET_HAS_END ? packet.end_ns : INT64_MAX;
		/* If the truncated packet has a complete header, @packets already counts it. */
		if (packet.flags & CTF_PACKET_TRUNCATED)
			count->packets_truncated = 0;
		count->packets_lost += packet.lost_packets;
		ctf_map_done(packet.file->map, packet.offset, packet.size_bits / 8);
	}
	return ret;
}

int ctf_trace_count(const struct ctf_trace *trace,
		    void (*each)(void *user, const struct ctf_file_count *count), void *user,
		    struct mm_error *err)
{
	uint64_t *slots = calloc(trace->class->slot_count + 1, sizeof(*slots));
	int ret = 0;

	for (size_t i = 0; i < trace->stream_count && slots && !ret; i++) {
		const struct ctf_stream *stream = &trace->streams[i];
		struct ctf_file_count *counts = calloc(stream->file_count + 1, sizeof(*counts));

		if (!counts || count_stream(stream, counts, slots, err))
			ret = mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: %s: out of memory",
					   trace->folder);
		for (size_t j = 0; j < stream->file_count && !ret; j++)
			each(user, &counts[j]);
		free(counts);
	}
	free(slots);
	return slots ? ret
		     : mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: %s: out of memory",
				    trace->folder);
}
