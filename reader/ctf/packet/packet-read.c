// SPDX-License-Identifier: LGPL-2.1-only
/* Reads and checks the head of a single packet (sizes, timestamps and counters). */
#include "reader/ctf/packet/packet-read.h"

#include <string.h>

const struct ctf_packet_plan *ctf_packet_plan_find(const struct ctf_trace *trace,
						   const struct ctf_stream_class *class)
{
	const struct ctf_trace_private *private = ctf_trace_private(trace);

	return &private->plans[class->index];
}

static int fail(struct ctf_packet_head *head, const char *problem, uint64_t at_bits)
{
	head->problem = problem;
	head->problem_at = at_bits / 8;
	return -1;
}

static int check_sizes(struct ctf_packet_head *head)
{
	const struct ctf_header *header = &head->header;

	/* Without a size, the packet extends to the end of the file. */
	if (!(header->have & (CTF_ROLE_PACKET_SIZE | CTF_ROLE_CONTENT_SIZE)))
		return 0;
	if (!head->size_bits)
		return fail(head, "packet_size is 0", 0);
	if (head->size_bits % 8)
		return fail(head, "packet_size is not a multiple of 8 bits", 0);
	if (head->content_bits > head->size_bits)
		return fail(head, "content_size is larger than packet_size", 0);
	if (head->content_bits < header->bits)
		return fail(head, "content_size is smaller than packet header and context", 0);
	return 0;
}

/*
 * Limits on the work (see struct ctf_header) for data that is not a packet header. The limit for a
 * file is WORK_FIRST, plus WORK_PER_BYTE for each byte before the data. A single header may cost
 * WORK_HEAD even beyond this limit.
 */
#define WORK_FIRST 16384
#define WORK_PER_BYTE 4
#define WORK_HEAD 512
/*
 * Like WORK_HEAD, for a header that is found by its magic number. The value is smaller, because
 * data other than packets may contain the magic number every 4 bytes.
 */
#define WORK_FOUND 64

static uint64_t work_allowed(uint64_t spent, uint64_t offset, uint64_t least)
{
	uint64_t most;

	if (__builtin_mul_overflow(offset, WORK_PER_BYTE, &most) ||
	    __builtin_add_overflow(most, WORK_FIRST, &most))
		most = UINT64_MAX - 1;
	return most > spent && most - spent > least ? most - spent : least;
}

static int read_head(const struct ctf_trace *trace, const struct ctf_packet_plan *plan,
		     const struct ctf_map *map, uint64_t offset, uint64_t work, uint64_t *slots,
		     struct ctf_packet_head *head)
{
	const uint8_t *data = ctf_map_data(map) + offset;
	uint64_t left = ctf_map_size(map) - offset;
	uint64_t bits = left > UINT64_MAX / 8 ? UINT64_MAX & ~UINT64_C(7) : left * 8;
	struct ctf_header *header = &head->header;
	int ret = plan ? ctf_header_read(plan, data, bits, work, slots, header)
		       : ctf_header_read_any(trace->class, data, bits, work, slots, header);
	bool has_size = header->have & CTF_ROLE_PACKET_SIZE;
	bool has_content = header->have & CTF_ROLE_CONTENT_SIZE;

	head->problem = head->mismatch = NULL;
	head->at_end = false;
	head->size_bits = head->content_bits = UINT64_MAX;
	if (has_content)
		head->content_bits = ctf_header_value(header, CTF_ROLE_CONTENT_SIZE);
	if (has_size)
		head->size_bits = ctf_header_value(header, CTF_ROLE_PACKET_SIZE);
	else if (has_content) /* the next packet starts at a byte boundary */
		head->size_bits = (head->content_bits + 7) & ~UINT64_C(7);
	if (has_size && !has_content)
		head->content_bits = head->size_bits;
	if (ret) {
		head->at_end = header->at_end;
		return fail(head, header->problem, header->problem_at);
	}
	if (check_sizes(head))
		return -1;
	if (!header->mismatch)
		return 0;
	/*
	 * With a wrong magic number or UUID, the data may not be a packet at all. Accept it only if
	 * the stated size fits in the file.
	 */
	if (!has_size || head->size_bits > bits)
		return fail(head, header->mismatch, header->mismatch_at);
	head->mismatch = header->mismatch;
	head->problem_at = header->mismatch_at / 8;
	return 0;
}

int ctf_packet_head_read(const struct ctf_trace *trace, const struct ctf_packet_plan *plan,
			 const struct ctf_map *map, uint64_t offset, uint64_t *spent,
			 uint64_t *slots, struct ctf_packet_head *head)
{
	uint64_t work = spent ? work_allowed(*spent, offset, WORK_HEAD) : 0;
	int ret = read_head(trace, plan, map, offset, work, slots, head);

	if (ret && spent)
		*spent += head->header.work;
	return ret;
}

/* Number of bytes that are searched before their memory is released. */
#define WINDOW (UINT64_C(1) << 20)

uint64_t ctf_packet_find(const struct ctf_trace *trace, const struct ctf_packet_plan *plan,
			 const struct ctf_map *map, uint64_t offset, uint64_t *spent,
			 uint64_t *slots)
{
	const struct ctf_trace_private *private = ctf_trace_private(trace);
	const uint8_t *data = ctf_map_data(map);
	uint64_t size = ctf_map_size(map), before = offset, hole, after;
	struct ctf_packet_head head;

	if (!private->has_magic)
		return UINT64_MAX;
	while (offset < size) {
		uint64_t end = size - offset > WINDOW ? offset + WINDOW : size, stop;
		const uint8_t *hit;

		/* Skip holes, because a magic number contains no byte 0. */
		if (ctf_map_hole(map, offset, end - offset, &hole, &after)) {
			if (hole == offset) {
				offset = before = after;
				continue;
			}
			end = hole;
		}
		stop = size - end < sizeof(private->magic) - 1 ? size
							       : end + sizeof(private->magic) - 1;
		hit = memmem(data + offset, (size_t)(stop - offset), private->magic,
			     sizeof(private->magic));
		if (!hit) {
			ctf_map_forget(map, before, end - before);
			offset = before = end;
			continue;
		}
		offset = (uint64_t)(hit - data);
		if (!read_head(trace, plan, map, offset, work_allowed(*spent, offset, WORK_FOUND),
			       slots, &head) &&
		    !head.mismatch)
			return offset;
		*spent += head.header.work;
		offset++;
		if (offset - before > WINDOW) {
			ctf_map_forget(map, before, offset - before);
			before = offset;
		}
	}
	return UINT64_MAX;
}

static void fill_times(struct ctf_packet *packet, const struct ctf_packet_plan *plan,
		       const struct ctf_header *header, uint32_t quirks,
		       const struct ctf_packet *before)
{
	const struct ctf_clock *clock = packet->stream->class->clock;
	uint64_t near = 0;
	bool no_end = quirks & CTF_QUIRK_EVENT_AFTER_PACKET;

	packet->begin_ns = INT64_MIN;
	packet->end_ns = INT64_MAX;
	if (before) {
		near = before->flags & CTF_PACKET_HAS_END ? before->end : before->begin;
		packet->begin = near;
		if (before->flags & CTF_PACKET_HAS_END)
			packet->begin_ns = before->end_ns;
		else if (before->flags & CTF_PACKET_HAS_BEGIN)
			packet->begin_ns = before->begin_ns;
	}
	if (!clock)
		return;
	if (header->have & CTF_ROLE_TIME) {
		packet->begin = near = ctf_clock_extend(
			near, ctf_header_value(header, CTF_ROLE_TIME), plan->begin_width);
		if (!ctf_clock_to_ns(clock, packet->begin, &packet->begin_ns))
			packet->flags |= CTF_PACKET_HAS_BEGIN;
		else if (quirks & CTF_QUIRK_WITHOUT_COUNT)
			packet->flags |= CTF_PACKET_LATE_BEGIN;
	}
	packet->end = near;
	if ((quirks & CTF_QUIRK_CRASH) && near &&
	    !ctf_header_value(header, CTF_ROLE_PACKET_END_TIME))
		no_end = true;
	if ((header->have & CTF_ROLE_PACKET_END_TIME) && !no_end) {
		packet->end = ctf_clock_extend(
			near, ctf_header_value(header, CTF_ROLE_PACKET_END_TIME), plan->end_width);
		/*
		 * LTTng never writes an end that is out of range, so such an end is damage. Set the
		 * flag but leave end_ns at INT64_MAX: the packet iterator then finds the packet
		 * doubtful.
		 */
		if (!ctf_clock_to_ns(clock, packet->end, &packet->end_ns) ||
		    (quirks & CTF_QUIRK_WITHOUT_COUNT && packet->end > packet->begin))
			packet->flags |= CTF_PACKET_HAS_END;
	}
}

void ctf_packet_fill(struct ctf_packet *packet, const struct ctf_stream *stream,
		     const struct ctf_file *file, uint64_t offset,
		     const struct ctf_packet_head *head, const struct ctf_packet *before)
{
	const struct ctf_header *header = &head->header;
	uint64_t left = (ctf_map_size(file->map) - offset) * 8, hole, after;

	*packet = (struct ctf_packet){ .stream = stream,
				       .file = file,
				       .offset = offset,
				       .data = ctf_map_data(file->map) + offset,
				       .size_bits = head->size_bits,
				       .content_bits = head->content_bits,
				       .context_at = header->context_at,
				       .events_at = header->bits,
				       .seq = ctf_header_value(header, CTF_ROLE_PACKET_SEQ),
				       .discarded = ctf_header_value(header, CTF_ROLE_DISCARDED),
				       .cpu = MM_CPU_UNKNOWN };
	if (packet->size_bits == UINT64_MAX)
		packet->size_bits = packet->content_bits = left;
	if (packet->size_bits > left) {
		packet->size_bits = left;
		packet->flags |= CTF_PACKET_TRUNCATED;
	}
	if (packet->content_bits > packet->size_bits)
		packet->content_bits = packet->size_bits;
	if (ctf_map_hole(file->map, offset, (packet->content_bits + 7) / 8, &hole, &after)) {
		packet->content_bits = (hole - offset) * 8;
		packet->flags |= CTF_PACKET_HOLE;
	}
	if (header->have & CTF_ROLE_PACKET_SEQ)
		packet->flags |= CTF_PACKET_HAS_SEQ;
	if (header->have & CTF_ROLE_DISCARDED)
		packet->flags |= CTF_PACKET_HAS_DISCARDED;
	if (header->have & CTF_ROLE_CPU_ID) {
		packet->flags |= CTF_PACKET_HAS_CPU;
		packet->cpu = (uint32_t)ctf_header_value(header, CTF_ROLE_CPU_ID);
	}
	fill_times(packet, ctf_packet_plan_find(stream->trace, stream->class), header,
		   ctf_trace_private(stream->trace)->quirks, before);
}

struct ctf_packet_difference ctf_packet_other(const struct ctf_packet *packet,
					      const struct ctf_header *header)
{
	const struct ctf_stream *stream = packet->stream;
	uint64_t id = ctf_header_value(header, CTF_ROLE_STREAM_ID);

	if (stream->has_id && (header->have & CTF_ROLE_STREAM_ID) && id != stream->id)
		return (struct ctf_packet_difference){ "stream_instance_id", id, stream->id };
	if (ctf_trace_private(stream->trace)->per_cpu && stream->cpu != MM_CPU_UNKNOWN &&
	    (packet->flags & CTF_PACKET_HAS_CPU) && packet->cpu != stream->cpu)
		return (struct ctf_packet_difference){ "cpu_id", packet->cpu, stream->cpu };
	return (struct ctf_packet_difference){ 0 };
}
