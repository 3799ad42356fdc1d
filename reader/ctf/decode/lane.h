/* SPDX-License-Identifier: LGPL-2.1-only */
/* Decodes a stream's packets to chunks, so that several threads can work ahead of the merger. */
#ifndef LTTNG_MM_CTF_DECODE_LANE_H
#define LTTNG_MM_CTF_DECODE_LANE_H

#include <stdatomic.h>
#include <urcu/wfcqueue.h>

#include "reader/ctf/decode/chunk.h"
#include "reader/ctf/decode/decode.h"

/*
 * The packets of a stream are distributed over its lanes: lane i of n decodes packets i, i + n, and
 * so on. Threads fill different lanes in parallel, but only one thread at a time fills a lane.
 */
struct ctf_lane {
	struct cds_wfcq_node node; /* in the queue of lanes with work */
	const struct ctf_plan *plan;
	const struct mm_source *source;
	const struct mm_handler *handler;
	const struct ctf_stream *stream;
	int64_t begin_ns, end_ns; /* events outside this range are not delivered */
	/*
	 * packets outside this range are not read; the range may be wider than the range of events
	 */
	int64_t seek_ns, stop_ns;
	size_t chunk_events;
	size_t text_max;    /* limit on the bytes of text in a chunk */
	size_t fill_events; /* limit for the next chunk: lower where events have long text */
	unsigned int index, lanes;
	struct ctf_packet_iterator iterator;
	uint64_t turn; /* number of packets seen so far */
	bool in_packet, ended;
	uint64_t done; /* number of the packet's bytes that earlier chunks have released */
	struct ctf_packet packet;
	int64_t last_ns; /* time of the packet's last event so far; initially the packet's start */
	/* the order of the packets is unknown, so a late timestamp does not end the reading */
	bool unordered;
	/* position (in bits) of the packet's first event that goes back in time, or UINT64_MAX */
	uint64_t backward_at;
	struct ctf_decoder decoder;
	uint64_t *slots;
	struct ctf_chunk *filling; /* the chunk that collects the iterator's findings */
	/* file of the first finding before the packet; NULL: none */
	const char *found_in;
	uint64_t found_at;

	/* Queues between threads, used by the pool. */
	struct __cds_wfcq_head free_head, ready_head;
	struct cds_wfcq_tail free_tail, ready_tail;
	atomic_int scheduled;
};

/* Initializes lane @index of @lanes. Returns 0, or -1 with @err set. */
int ctf_lane_init(struct ctf_lane *lane, const struct ctf_stream *stream,
		  const struct ctf_plan *plan, struct mm_source *source,
		  const struct mm_handler *handler, unsigned int index, unsigned int lanes,
		  size_t chunk_events, struct mm_error *err);
void ctf_lane_release(struct ctf_lane *lane);

/* Makes the lane ignore the time range of the source's options. */
void ctf_lane_read_all(struct ctf_lane *lane);

/*
 * Decodes the lane's next events into @chunk, whose memory is reused. Errors are stored in
 * chunk->error.
 */
void ctf_lane_fill(struct ctf_lane *lane, struct ctf_chunk *chunk);

#endif /* LTTNG_MM_CTF_DECODE_LANE_H */
