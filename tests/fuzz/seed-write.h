/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Writes sound packets of any metadata, with random values: what the packets' fuzzing begins with.
 */
#ifndef LTTNG_MM_TESTS_FUZZ_SEED_WRITE_H
#define LTTNG_MM_TESTS_FUZZ_SEED_WRITE_H

#include "analysis/ctf/model/model.h"

/*
 * A stream file that grows; all zeros but class and random is an empty one. Release data and slots.
 */
struct seed_stream {
	const struct ctf_trace_class *trace;
	const struct ctf_stream_class *class;
	uint64_t random; /* not 0 */
	uint8_t *data;
	uint64_t at, room; /* bits */
	uint64_t base;	   /* bits: where the packet begins */
	uint64_t *slots;
	uint64_t time, seq;
	uint64_t begin; /* time of the packet's begin */
	const struct ctf_event_class *event;
	bool failed; /* a selector chose nothing */
	/* Places of sizes and of the end's time, which are known when the packet is written. */
	struct {
		const struct ctf_field *field;
		uint64_t at;
	} late[8];
	size_t late_count;
};

/* What the last packet's index entry says; sizes in bits, offset in bytes. */
struct seed_packet {
	uint64_t offset, size, content, begin, end, seq;
};

/* Appends a packet of @events events and fills it up to whole bytes and @padding more. */
void seed_write_packet(struct seed_stream *stream, size_t events, size_t padding,
		       struct seed_packet *packet);

#endif /* LTTNG_MM_TESTS_FUZZ_SEED_WRITE_H */
