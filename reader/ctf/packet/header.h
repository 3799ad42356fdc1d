/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reads packet headers and packet contexts. */
#ifndef LTTNG_MM_CTF_PACKET_HEADER_H
#define LTTNG_MM_CTF_PACKET_HEADER_H

#include "reader/ctf/model/model.h"

/* The place of a field in a packet header or packet context with fixed offsets. */
struct ctf_packet_place {
	uint32_t at;   /* bytes from the start of the packet */
	uint8_t bytes; /* 1, 2, 4 or 8 */
	bool big_endian, is_signed;
	uint32_t roles;
	int32_t slot; /* slot that receives the value; -1: no other field refers to this field */
};

/* A plan for reading the packet header and context of one stream class. It is computed once. */
struct ctf_packet_plan {
	const struct ctf_trace_class *trace;
	const struct ctf_stream_class *class;
	bool fixed; /* all fields have fixed offsets; otherwise they are read one by one */
	bool has_begin, has_end;
	struct ctf_packet_place *places;
	size_t place_count, place_room;
	int64_t uuid_at;     /* bytes; -1: no UUID */
	uint64_t bits;	     /* bits of header and context together, if @fixed */
	uint64_t context_at; /* bits of the header alone */
	/* Widths in bits of the fields that may wrap; 64 if there is no such field. */
	unsigned int begin_width, end_width, discarded_width, seq_width;
};

enum { CTF_HEADER_VALUES = 12 }; /* number of bits of enum ctf_role */

struct ctf_header {
	uint32_t have;			    /* CTF_ROLE_* */
	uint64_t values[CTF_HEADER_VALUES]; /* indexed by the role's bit number; 0: absent */
	uint64_t bits;	     /* number of bits read; at the end, start of the events */
	uint64_t context_at; /* end of the packet header */
	const struct ctf_stream_class *class;
	const char *mismatch; /* the magic number or UUID is wrong; a constant string */
	uint64_t mismatch_at; /* bits */
	bool foreign;
	const char *problem; /* constant string; NULL: no problem */
	bool at_end;	     /* the problem is that the data end too early */
	uint64_t problem_at; /* in bits, approximate */
	uint64_t work;	     /* work so far: 1 per field and 1 per CTF_HEADER_STRIDE bytes */
};

#define CTF_HEADER_STRIDE 16

static inline uint64_t ctf_header_value(const struct ctf_header *header, enum ctf_role role)
{
	return header->values[__builtin_ctz(role)];
}

/* Returns 0, or -1 when out of memory. Release with ctf_packet_plan_done(). */
int ctf_packet_plan_init(struct ctf_packet_plan *plan, const struct ctf_stream_class *class);
void ctf_packet_plan_done(struct ctf_packet_plan *plan);

/*
 * Reads the header and context of the packet at @data, which has at most @bits bits. Checks the
 * magic number and UUID (see header->mismatch) and the stream class. Returns 0, or -1 with
 * header->problem set. @work: limit on header->work; 0: no limit.
 */
int ctf_header_read(const struct ctf_packet_plan *plan, const uint8_t *data, uint64_t bits,
		    uint64_t work, uint64_t *slots, struct ctf_header *header);

/*
 * Like ctf_header_read(), but slower, for an unknown stream class. Stores the class in
 * header->class.
 */
int ctf_header_read_any(const struct ctf_trace_class *trace, const uint8_t *data, uint64_t bits,
			uint64_t work, uint64_t *slots, struct ctf_header *header);

/*
 * If each packet starts with a magic number of 32 bits, stores its bytes in @magic. Otherwise
 * returns false.
 */
bool ctf_header_magic(const struct ctf_trace_class *trace, uint8_t magic[4]);

#endif /* LTTNG_MM_CTF_PACKET_HEADER_H */
