/* SPDX-License-Identifier: LGPL-2.1-only */
/* What packet headers and packet contexts say of their packets. */
#ifndef LTTNG_MM_PACKET_HEADER_H
#define LTTNG_MM_PACKET_HEADER_H

#include "analysis/ctf/model/model.h"

/* Fields of packet header and context, where all of them have places that do not change. */
struct ctf_packet_place {
	uint32_t at;   /* bytes from the packet's begin */
	uint8_t bytes; /* 1, 2, 4 or 8 */
	bool big_endian, is_signed;
	uint32_t roles;
	int32_t slot; /* -1: nobody refers to it */
};

/* How to read them for one stream class; made once. */
struct ctf_packet_plan {
	const struct ctf_trace_class *trace;
	const struct ctf_stream_class *class;
	bool fixed;	/* else field by field, as the classes say */
	bool has_begin; /* the context tells the packet's begin */
	struct ctf_packet_place *places;
	size_t place_count, place_room;
	int64_t uuid_at;     /* bytes; -1: there is none */
	uint64_t bits;	     /* of header and context, when fixed */
	uint64_t context_at; /* of the header alone */
	/* Widths in bits of what wraps round; 64 where there is no such field. */
	unsigned int begin_width, end_width, discarded_width, seq_width;
};

enum { CTF_HEADER_VALUES = 12 }; /* bits of enum ctf_role */

struct ctf_header {
	uint32_t have;			    /* CTF_ROLE_* */
	uint64_t values[CTF_HEADER_VALUES]; /* by number of the role's bit; 0 where there is none */
	uint64_t bits;			    /* read so far: where the events begin */
	uint64_t context_at;		    /* where the packet header ends */
	const struct ctf_stream_class *class;
	const char *doubt;   /* magic number or UUID are wrong; a constant string */
	uint64_t doubt_at;   /* bits */
	const char *problem; /* a constant string */
	bool at_end;	     /* the problem is that there is no more data */
	uint64_t problem_at; /* bits, about */
	uint64_t work;	     /* done: one for each field, and for CTF_HEADER_STRIDE bytes */
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
 * Reads header and context of the packet at @data, which has @bits at most. Magic and UUID are
 * checked (header->doubt), and the stream class. Returns 0, or -1 with header->problem set. @work:
 * how much work it may take; 0: no bound.
 */
int ctf_header_read(const struct ctf_packet_plan *plan, const uint8_t *data, uint64_t bits,
		    uint64_t work, uint64_t *slots, struct ctf_header *header);

/* The same when the stream class is not known yet: header->class tells. Slower. */
int ctf_header_read_any(const struct ctf_trace_class *trace, const uint8_t *data, uint64_t bits,
			uint64_t work, uint64_t *slots, struct ctf_header *header);

/* The first bytes of every packet, when all begin with a magic number of 32 bits; else false. */
bool ctf_header_magic(const struct ctf_trace_class *trace, uint8_t magic[4]);

#endif /* LTTNG_MM_PACKET_HEADER_H */
