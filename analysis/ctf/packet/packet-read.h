/* SPDX-License-Identifier: LGPL-2.1-only */
/* What the files that open traces, walk packets and seek share. */
#ifndef LTTNG_MM_PACKET_PACKET_READ_H
#define LTTNG_MM_PACKET_PACKET_READ_H

#include "analysis/ctf/packet/header.h"
#include "analysis/ctf/packet/packet.h"

/* Known faults of tracers; babeltrace2 allows for all but the last. */
enum ctf_quirk {
	/* Old LTTng tracers: the last events of a packet are younger than its end. */
	CTF_QUIRK_EVENT_AFTER_PACKET = 1 << 0,
	/* LTTng after a crash: the end of a packet that was being written is 0. */
	CTF_QUIRK_CRASH = 1 << 1,
	/* barectf before 2.3.1: the first event of a packet is older than its begin. */
	CTF_QUIRK_EVENT_BEFORE_PACKET = 1 << 2,
	/*
	 * LTTng: the event that is finished last writes the packet's count of discarded events, but
	 * only those that change packets have asked for it. An event that is interrupted, with the
	 * packet filled by others meanwhile, leaves 0 there (babeltrace2 takes that for 2^64 -
	 * count discarded events); or, when it had begun the packet, the count as of then, which
	 * nobody can tell from a true one: that loss is told with the next packet.
	 */
	CTF_QUIRK_UNCOUNTED = 1 << 3,
};

struct ctf_trace_private {
	struct ctf_trace base;
	struct ctf_packet_plan *plans; /* one per stream class, in the model's order */
	size_t plan_count;
	uint8_t magic[4];
	bool has_magic;
	uint32_t quirks;
};

static inline const struct ctf_trace_private *ctf_trace_private(const struct ctf_trace *trace)
{
	return (const struct ctf_trace_private *)trace;
}

/*
 * Numbers, names and ranks of the streams of @trace, when all their files are known; -1: no memory.
 */
int ctf_trace_order(struct ctf_trace *trace);
/* Takes over @file, to the stream it is of, made when new; -1: no memory. */
int ctf_trace_add_file(struct ctf_trace *trace, const struct ctf_stream_class *class, bool has_id,
		       uint64_t id, struct ctf_file *file, uint32_t cpu);
/* Keeps a copy of @finding. */
int ctf_trace_add_finding(struct ctf_trace *trace, const struct ctf_finding *finding);

const struct ctf_packet_plan *ctf_packet_plan_find(const struct ctf_trace *trace,
						   const struct ctf_stream_class *class);

/* A packet's begin, as its header and context say, checked. */
struct ctf_packet_head {
	struct ctf_header header;
	uint64_t size_bits, content_bits; /* as stored; UINT64_MAX: to the file's end */
	/*
	 * Magic number or UUID are wrong, but the rest is a packet: babeltrace2 2.1 reads such too.
	 */
	const char *doubt;
	const char *problem; /* NULL: it is sound */
	uint64_t problem_at; /* bytes from the packet's begin; of the doubt too */
	bool at_end;	     /* the problem is that the file ends */
};

/*
 * Reads the head of what may be a packet at byte @offset of @map. With @plan NULL any stream class
 * will do. Returns 0, or -1 with head->problem set; the sizes are set as far as they are known.
 *
 * To find that a place holds no packet header may take as long as reading the rest of the file.
 * @spent adds up the work on such places of one file: it stays in proportion to how far the file
 * has been read, apart from a minimum that every header has. NULL: no bound.
 */
int ctf_packet_head_read(const struct ctf_trace *trace, const struct ctf_packet_plan *plan,
			 const struct ctf_map *map, uint64_t offset, uint64_t *spent,
			 uint64_t *slots, struct ctf_packet_head *head);

/*
 * Where in @map, from @offset on, something begins that looks like a packet: magic number and all
 * else that can be checked are right. UINT64_MAX: nowhere. Work is bounded as above. Memory is,
 * too: what has been searched is given back, and holes are skipped.
 */
uint64_t ctf_packet_find(const struct ctf_trace *trace, const struct ctf_packet_plan *plan,
			 const struct ctf_map *map, uint64_t offset, uint64_t *spent,
			 uint64_t *slots);

/* @value of @width bits that wraps round, joined with @near, a value not later than it. */
static inline uint64_t ctf_clock_extend(uint64_t near, uint64_t value, unsigned int width)
{
	uint64_t mask;

	if (width >= 64)
		return value;
	mask = (UINT64_C(1) << width) - 1;
	value &= mask;
	if (value < (near & mask))
		near += mask + 1;
	return (near & ~mask) | value;
}

/*
 * Fills @packet from @head: sizes, places, times joined with those of @before, the packet before it
 * (NULL: it is the first).
 */
void ctf_packet_fill(struct ctf_packet *packet, const struct ctf_stream *stream,
		     const struct ctf_file *file, uint64_t offset,
		     const struct ctf_packet_head *head, const struct ctf_packet *before);

/* LTTng's index of one stream file; all in the host's byte order. */
struct ctf_index_entry {
	uint64_t offset; /* bytes */
	uint64_t size_bits, content_bits, begin, end, discarded, stream_class_id;
	bool has_more; /* version 1.1: */
	uint64_t stream_id, seq;
};

/*
 * Opens index/@name.idx beside the stream file. NULL when there is none that can be used. Its
 * header is read once, here: an index that changes later gives wrong entries, but none outside of
 * the file.
 */
struct ctf_index *ctf_index_open(const char *folder, const char *name);
void ctf_index_close(struct ctf_index *index);
uint64_t ctf_index_count(const struct ctf_index *index);
/* @number: below the count. */
void ctf_index_read(const struct ctf_index *index, uint64_t number, struct ctf_index_entry *entry);
/*
 * Where entry @number is in the index file; where the last packet it tells of ends in its file:
 * bytes.
 */
uint64_t ctf_index_offset(const struct ctf_index *index, uint64_t number);
uint64_t ctf_index_end(const struct ctf_index *index);
/* Does @entry say what @packet says? NULL, or what differs. */
const char *ctf_index_differs(const struct ctf_index_entry *entry, const struct ctf_packet *packet);

#endif /* LTTNG_MM_PACKET_PACKET_READ_H */
