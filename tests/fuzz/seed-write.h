/* SPDX-License-Identifier: LGPL-2.1-only */
/* Writes valid packets for any metadata, with random values, as seeds for fuzzing. */
#ifndef LTTNG_MM_TESTS_FUZZ_SEED_WRITE_H
#define LTTNG_MM_TESTS_FUZZ_SEED_WRITE_H

#include "reader/ctf/model/model.h"

/*
 * A growing stream file. To start an empty stream, set only trace, class, random and time. Release
 * data and slots with free().
 */
struct seed_stream {
	const struct ctf_trace_class *trace;
	const struct ctf_stream_class *class;
	uint64_t random; /* not 0 */
	uint8_t *data;
	uint64_t at, room; /* bits */
	uint64_t base;	   /* bits: start of the packet */
	uint64_t *slots;
	uint64_t time, seq;
	uint64_t begin; /* start timestamp of the packet */
	const struct ctf_event_class *event;
	bool failed; /* a selector selected nothing */
	/*
	 * Positions of the sizes and the end timestamp. Their values are known only after the
	 * packet is written.
	 */
	struct {
		const struct ctf_field *field;
		uint64_t at;
	} late[8];
	size_t late_count;
};

/* The index entry of the last packet; sizes in bits, offset in bytes. */
struct seed_packet {
	uint64_t offset, size, content, begin, end, seq;
};

/* Appends a packet of @events events. Pads it to a byte boundary, and then by @padding bytes. */
void seed_write_packet(struct seed_stream *stream, size_t events, size_t padding,
		       struct seed_packet *packet);

#endif /* LTTNG_MM_TESTS_FUZZ_SEED_WRITE_H */
