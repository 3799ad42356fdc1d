/* SPDX-License-Identifier: LGPL-2.1-only */
/* What certify() knows of the packets of a trace, before and after it applies the facts. */
#ifndef LTTNG_MM_COVERAGE_CERTIFY_CERTIFY_INTERNAL_H
#define LTTNG_MM_COVERAGE_CERTIFY_CERTIFY_INTERNAL_H

#include "reader/coverage/certify/certify.h"
#include "reader/coverage/ranges.h"

/* What the packets of a stream show besides the certificate's members. */
struct certify_stream {
	size_t number;	  /* in the certificate's streams, which may move */
	bool from_start;  /* its first packet is the first one that the tracer has begun ... */
	bool is_numbered; /* ... as its sequence number says */
	bool has_times;	  /* all packets have timestamps */
	uint64_t damaged; /* places that are damaged or truncated */
	bool has_facts;
};

/* A trace, while it is certified. */
struct certify_trace {
	const char *name;
	struct certify_stream *streams;
	size_t stream_count, stream_room;
	struct mm_ranges packets; /* when any stream of the trace has a packet */
	/*
	 * Its tracer starts a packet where the one before ended, unless recording was paused or the
	 * buffers were flushed: LTTng does, others may not.
	 */
	bool contiguous;
	const json_t *facts; /* NULL: none */
	/* By the recorder, so that what no fact shows is not known, also where packets are. */
	bool recorded;
};

/*
 * Extends the coverage of the streams by what the facts show, up to @end_ns, the freeze or before
 * it, and adds pauses and gaps as holes. Returns 0, or -1 when out of memory.
 */
int certify_apply(struct certify_trace *trace, struct mm_certificate *certificate, int64_t end_ns);

/*
 * Reads the packet headers into @certificate, without facts and verdict. @opened: the traces of
 * @folder if they are open, or NULL. Returns 0, or -1 with @err set as certify().
 */
int certify_packets(const char *folder, const struct certify_traces *opened,
		    struct mm_certificate *certificate, struct mm_error *err);

#endif /* LTTNG_MM_COVERAGE_CERTIFY_CERTIFY_INTERNAL_H */
