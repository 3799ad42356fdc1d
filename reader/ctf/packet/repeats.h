/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds stream files with equal packets. */
#ifndef LTTNG_MM_CTF_PACKET_REPEATS_H
#define LTTNG_MM_CTF_PACKET_REPEATS_H

#include "reader/ctf/packet/packet.h"

/* Two files of one stream with packets that repeat or overlap. */
struct ctf_repeat {
	const struct ctf_file *first, *second;
	/* @first has all packets of @second, and both have packets of one stream only. */
	bool is_copy;
};

/*
 * Searches for two files of one stream with packets that repeat or overlap, by timestamps and
 * sequence numbers. (Files of a rotated session follow one another without overlap.) Streams of
 * LTTng without a stream id are identified by class and CPU. Two streams of another tracer count as
 * one only if their first packets have equal bytes. Reads the packet headers of streams that have
 * several files.
 *
 * Returns 1 with the two files in @repeat, 0 if there are none, or -1 with @err set.
 */
int ctf_repeats_find(struct ctf_trace *const *traces, size_t count, struct ctf_repeat *repeat,
		     struct mm_error *err);

/*
 * Counts the packets that LTTng overwrote in a ring of trace files (`--tracefile-count`). These
 * packets are missing before the first packet of a file CHANNEL_CPU_NUMBER. Returns 0, or -1 with
 * @err set.
 */
int ctf_ring_count(struct ctf_trace *const *traces, size_t count, uint64_t *packets,
		   struct mm_error *err);

#endif /* LTTNG_MM_CTF_PACKET_REPEATS_H */
