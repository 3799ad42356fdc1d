/* SPDX-License-Identifier: LGPL-2.1-only */
/* Declarations shared by the files that open traces, walk packets and seek. */
#ifndef LTTNG_MM_CTF_PACKET_PACKET_READ_H
#define LTTNG_MM_CTF_PACKET_PACKET_READ_H

#include "reader/ctf/packet/header.h"
#include "reader/ctf/packet/packet.h"

/* Known faults of tracers. babeltrace2 has workarounds for the first three. */
enum ctf_quirk {
	/* Old LTTng tracers: the last events of a packet are later than its end timestamp. */
	CTF_QUIRK_EVENT_AFTER_PACKET = 1 << 0,
	/* LTTng after a crash: the end timestamp of a packet that was being written is 0. */
	CTF_QUIRK_CRASH = 1 << 1,
	/* barectf before 2.3.1: the first event of a packet is earlier than its start timestamp. */
	CTF_QUIRK_EVENT_BEFORE_PACKET = 1 << 2,
	/*
	 * LTTng may omit a packet's discarded-event count. The event that switches to a new packet
	 * requests that the count is written, and the event that completes last in the old packet
	 * writes it. The count is lost as follows: 1. Event A is interrupted while it is being
	 * written. 2. Other events fill the packet and switch to the next one. 3. A completes last
	 * and writes 0. (babeltrace2 then computes 2^64 - count discarded events.)
	 * If A started the packet, A writes the previous packet's count instead. Readers cannot
	 * detect this, so they report the loss with the next packet.
	 */
	CTF_QUIRK_WITHOUT_COUNT = 1 << 3,
	/*
	 * LTTng before 2.13.3: a packet's discarded-event count may include events discarded in
	 * later packets. The next packet's count may then be lower.
	 */
	CTF_QUIRK_LATE_COUNT = 1 << 4,
};

struct ctf_trace_private {
	struct ctf_trace base;
	struct ctf_packet_plan *plans; /* one per stream class, in the model's order */
	size_t plan_count;
	uint8_t magic[4];
	bool has_magic;
	bool per_cpu; /* written by LTTng: one stream for each channel and CPU */
	bool kernel;  /* written by LTTng's kernel tracer */
	uint32_t quirks;
};

static inline const struct ctf_trace_private *ctf_trace_private(const struct ctf_trace *trace)
{
	return (const struct ctf_trace_private *)trace;
}

/*
 * Sets the ids, names and ranks of the streams of @trace. Call this after adding all files. Returns
 * 0, or -1 when out of memory.
 */
int ctf_trace_order(struct ctf_trace *trace);
/*
 * Adds @file to its stream, creating the stream if necessary, and takes ownership of @file. Returns
 * 0, or -1: out of memory.
 */
int ctf_trace_add_file(struct ctf_trace *trace, const struct ctf_stream_class *class, bool has_id,
		       uint64_t id, struct ctf_file *file, uint32_t cpu);
/*
 * Checks the packet order of each stream, and sorts packets that are not in time order. Call this
 * after adding all files. Returns 0, or -1 with @err set.
 */
int ctf_trace_order_packets(struct ctf_trace *trace, struct mm_error *err);
/*
 * Restores the order in which the packets of @stream were recorded, if checksums show that packets
 * were moved. Returns 1 if it did, 0 if no packet was moved, or -1 when out of memory.
 */
int ctf_stream_order_recorded(struct ctf_stream *stream);
void ctf_stream_release_order(struct ctf_stream *stream);
/* Adds a copy of @finding. Returns 0, or -1: out of memory. */
int ctf_trace_add_finding(struct ctf_trace *trace, const struct ctf_finding *finding);

const struct ctf_packet_plan *ctf_packet_plan_find(const struct ctf_trace *trace,
						   const struct ctf_stream_class *class);

/* A packet's header and context after the checks. */
struct ctf_packet_head {
	struct ctf_header header;
	uint64_t size_bits, content_bits; /* as stored; UINT64_MAX: up to the end of the file */
	/*
	 * the magic number or UUID is wrong, and the packet is valid otherwise (babeltrace2 2.1
	 * reads such packets)
	 */
	const char *mismatch;
	const char *problem; /* NULL: the head is valid */
	/* position of @problem or @mismatch: bytes from the start of the packet */
	uint64_t problem_at;
	bool at_end; /* the problem is the end of the file */
};

/*
 * Reads the head of a possible packet at byte @offset of @map. With @plan NULL, accepts any stream
 * class. Returns 0, or -1 with head->problem set. Sizes are set as far as they are known.
 *
 * The function may have to read the rest of the file to find that there is no packet header. @spent
 * adds up this work for one file, and limits it in proportion to the part of the file read so far,
 * with a minimum per header. With @spent NULL, the work is not limited.
 */
int ctf_packet_head_read(const struct ctf_trace *trace, const struct ctf_packet_plan *plan,
			 const struct ctf_map *map, uint64_t offset, uint64_t *spent,
			 uint64_t *slots, struct ctf_packet_head *head);

/*
 * Searches @map from @offset for a packet whose magic number and other checked fields are valid.
 * Returns its offset, or UINT64_MAX. @spent limits the work as in ctf_packet_head_read(). Releases
 * searched pages, and skips holes.
 */
uint64_t ctf_packet_find(const struct ctf_trace *trace, const struct ctf_packet_plan *plan,
			 const struct ctf_map *map, uint64_t offset, uint64_t *spent,
			 uint64_t *slots);

/*
 * Extends @value, of @width bits, to 64 bits. Returns the first clock value at or after @near whose
 * lowest bits are @value.
 */
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

/* Computes the increase of a counter of @width bits. Returns false if it went backwards. */
static inline bool ctf_counter_step(uint64_t from, uint64_t to, unsigned int width, uint64_t *step)
{
	uint64_t mask = width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;

	*step = (to - from) & mask;
	return *step <= mask / 2;
}

/*
 * Fills @packet from @head. Extends narrow timestamps from the previous packet @before, which may
 * be NULL.
 */
void ctf_packet_fill(struct ctf_packet *packet, const struct ctf_stream *stream,
		     const struct ctf_file *file, uint64_t offset,
		     const struct ctf_packet_head *head, const struct ctf_packet *before);

/* The difference between a packet and the stream that its file belongs to. */
struct ctf_packet_difference {
	const char *what; /* name of the field that differs; NULL: the packet is of the stream */
	uint64_t is, expected;
};

struct ctf_packet_difference ctf_packet_other(const struct ctf_packet *packet,
					      const struct ctf_header *header);

/* An entry of LTTng's index of a stream file, in the host's byte order. */
struct ctf_index_entry {
	uint64_t offset; /* bytes */
	uint64_t size_bits, content_bits, begin, end, discarded, stream_class_id;
	bool has_more; /* the members below are valid: version 1.1 */
	uint64_t stream_id, seq;
};

/*
 * Opens index/@name.idx in @folder. Returns NULL if there is no usable index. The header is read
 * only once. If the index changes later, entries may be wrong, but accesses stay within the file.
 */
struct ctf_index *ctf_index_open(const char *folder, const char *name);
void ctf_index_close(struct ctf_index *index);
uint64_t ctf_index_count(const struct ctf_index *index);
/* @number must be less than the number of entries. */
void ctf_index_read(const struct ctf_index *index, uint64_t number, struct ctf_index_entry *entry);
/*
 * Return the offset of entry @number in the index file, or the end of the last indexed packet in
 * the stream file. Both are in bytes.
 */
uint64_t ctf_index_offset(const struct ctf_index *index, uint64_t number);
uint64_t ctf_index_end(const struct ctf_index *index);
/* Do the packets of the index follow each other without gaps from byte 0? */
bool ctf_index_is_contiguous(const struct ctf_index *index);
/* Does @entry describe a packet of another stream? */
bool ctf_index_is_other(const struct ctf_index_entry *entry, const struct ctf_stream *stream);
/* Compares @entry with @packet. Returns NULL, or the name of a field that differs. */
const char *ctf_index_differs(const struct ctf_index_entry *entry, const struct ctf_packet *packet);
/*
 * Compares the index of @file, if there is one, with all packets up to the end of the file. Returns
 * NULL, or the name of the first field that differs.
 */
const char *ctf_index_check(const struct ctf_stream *stream, const struct ctf_file *file,
			    uint64_t *slots);

/* qsort() comparison of struct ctf_packet_ref by file and offset. */
int ctf_packet_ref_compare(const void *a, const void *b);

/* Is this the empty packet that a flush without new events writes at the end of a file? */
bool ctf_packet_is_of_flush(const struct ctf_packet *packet);

#endif /* LTTNG_MM_CTF_PACKET_PACKET_READ_H */
