/* SPDX-License-Identifier: LGPL-2.1-only */
/* State of certify(): facts about packets. The certificate does not contain these facts. */
#ifndef LTTNG_MM_COVERAGE_CERTIFY_CERTIFY_INTERNAL_H
#define LTTNG_MM_COVERAGE_CERTIFY_CERTIFY_INTERNAL_H

#include "reader/coverage/certify/certify.h"
#include "reader/coverage/ranges.h"

/* Facts about the packets of one stream. */
struct certify_stream {
	size_t number;	  /* index in certificate->streams (an array that may move) */
	bool from_start;  /* the stream's first packet has number 0 or no number */
	bool is_numbered; /* the stream's first packet has a sequence number */
	bool has_times;	  /* all packets have timestamps */
	uint64_t damaged; /* number of places that are damaged, or where a packet is truncated */
	bool has_facts;
};

struct certify_trace {
	const char *name;
	struct certify_stream *streams;
	size_t stream_count, stream_room;
	struct mm_ranges packets; /* times when any stream of the trace has a packet */
	/*
	 * Each packet starts at the end of the previous packet, except after a pause or a flush.
	 * LTTng guarantees this; other tracers may not.
	 */
	bool contiguous;
	const json_t *facts; /* facts from the tracer; NULL: none */
	/*
	 * The recorder made the trace. If there are no facts, the coverage is uncertain even where
	 * the trace has packets.
	 */
	bool recorded;
};

/*
 * Extends the coverage of the streams as far as the facts allow, up to @end_ns (the freeze or
 * earlier). Adds pauses and gaps as holes. Returns 0, or -1 when out of memory.
 */
int certify_apply(struct certify_trace *trace, struct mm_certificate *certificate, int64_t end_ns);

/*
 * Fills in @certificate from the packet headers. Adds no facts and no verdict. @opened: the traces
 * of @folder, or NULL if they are not open. Returns 0, or -1 with @err set, like certify().
 */
int certify_packets(const char *folder, const struct certify_traces *opened,
		    struct mm_certificate *certificate, struct mm_error *err);

#endif /* LTTNG_MM_COVERAGE_CERTIFY_CERTIFY_INTERNAL_H */
