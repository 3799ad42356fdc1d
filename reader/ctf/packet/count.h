/* SPDX-License-Identifier: LGPL-2.1-only */
/* Counts the packets of stream files. */
#ifndef LTTNG_MM_CTF_PACKET_COUNT_H
#define LTTNG_MM_CTF_PACKET_COUNT_H

#include "reader/ctf/packet/packet.h"

struct ctf_file_count {
	const struct ctf_stream *stream;
	const struct ctf_file *file;
	uint64_t packets;
	uint64_t packets_truncated; /* truncated in their header; not included in @packets */
	uint64_t packets_damaged;   /* listed by the checksums, but damaged; not in @packets */
	/* packets lost before and between the packets of the file, according to sequence numbers */
	uint64_t packets_lost;
	bool cut; /* the file ends in the middle of a packet */
	uint64_t bytes;
	/* start of the first and end of the last packet; INT64_MIN, INT64_MAX: unknown */
	int64_t begin_ns, end_ns;
	/*
	 * Start of the last packet that follows a gap in time without a gap in the sequence
	 * numbers. No index lists the packets, so packets may be missing in the gap. INT64_MIN: no
	 * such gap.
	 */
	int64_t resumed_ns;
};

/*
 * Walks the packet headers of all files of all streams of @trace. Calls @each once for each file.
 * Returns 0, or -1 with @err set if a file shrank during the walk or when out of memory.
 */
int ctf_trace_count(const struct ctf_trace *trace,
		    void (*each)(void *user, const struct ctf_file_count *count), void *user,
		    struct mm_error *err);

#endif /* LTTNG_MM_CTF_PACKET_COUNT_H */
