/* SPDX-License-Identifier: LGPL-2.1-only */
/* Counts the packets of stream files. */
#ifndef LTTNG_MM_PACKET_COUNT_H
#define LTTNG_MM_PACKET_COUNT_H

#include "analysis/ctf/packet/packet.h"

/* What one stream file has. */
struct ctf_file_count {
	const struct ctf_stream *stream;
	const struct ctf_file *file;
	uint64_t packets;
	uint64_t packets_truncated; /* ... besides: of which the file ends in the header */
	uint64_t packets_lost;	    /* before and between them, by their sequence numbers */
	uint64_t bytes;		    /* of the file */
	/* of its first and its last packet; INT64_MIN, INT64_MAX: not known */
	int64_t begin_ns, end_ns;
};

/*
 * Calls @each for every file of every stream of @trace, by walking packet headers. Returns 0, or -1
 * with @err set: a file shrank meanwhile, or out of memory.
 */
int ctf_trace_count(const struct ctf_trace *trace,
		    void (*each)(void *user, const struct ctf_file_count *count), void *user,
		    struct mm_error *err);

#endif /* LTTNG_MM_PACKET_COUNT_H */
