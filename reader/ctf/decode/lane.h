/* SPDX-License-Identifier: LGPL-2.1-only */
/* Decodes a stream's packets to chunks, so that several threads can work ahead of the merger. */
#ifndef LTTNG_MM_CTF_DECODE_LANE_H
#define LTTNG_MM_CTF_DECODE_LANE_H

#include <stdatomic.h>
#include <urcu/wfcqueue.h>

#include "reader/ctf/decode/decode.h"

/* Damage that was skipped. */
struct ctf_damage {
	char *message;
	bool note;	/* ... or that is not in the stream */
	bool truncated; /* the file ends early, which is a loss */
	bool in_events; /* the damage is at the end of the packet's events, not before them */
	struct ctf_damage *next;
};

/*
 * Returns a text about @finding and its @effect, as passed to handlers; release with free(). NULL
 * when out of memory.
 */
char *ctf_damage_text(const struct ctf_finding *finding, const char *effect);

/* Events of one packet, or the end of a stream. Owned by its holder, a lane or the merger. */
struct ctf_chunk {
	struct cds_wfcq_node node;
	struct ctf_packet packet; /* when has_packet or reports_loss */
	/*
	 * As passed to handlers. Members that are the same for all events are filled in beforehand.
	 */
	struct mm_event *events;
	struct ctf_place *places; /* one per event */
	union mm_scalar *values;  /* plan->value_count per event */
	uint64_t *slots;	  /* packet.slots */
	/* bytes of the packet: position of the event that could not be rendered */
	uint64_t failed_at;
	uint64_t done_from, done_to; /* range of bytes of the packet that no later chunk needs */
	size_t count;
	uint64_t unwanted; /* events in the time range that are not requested */
	struct ctf_arena arena;
	struct mm_text text;
	struct ctf_damage *damage, **damage_end;
	uint64_t packets_truncated, packets_damaged;
	/* of the packet's last event so far, requested or not; initially the packet's start */
	int64_t last_ns;
	/* something before the packet, or before the end of the stream, could not be read */
	bool follows_damage;
	/* with ends_packet: its events end in damage, and those after it are missing */
	bool ends_damaged;
	bool begins_packet, ends_packet; /* losses are reported with the first chunk of a packet */
	bool ends_stream, has_packet;
	/*
	 * with ends_stream: the loss before @packet is in the requested time range, its events are
	 * not
	 */
	bool reports_loss;
	bool disordered;       /* as mm_source.disordered */
	bool goes_back;	       /* an event of the packet does, which is damage */
	bool doubtful;	       /* times of packets contradict each other */
	struct mm_error error; /* if its code is set, reading cannot continue */
};

/*
 * A stream's packets are distributed over its lanes: lane i of n takes packets i, i + n, and so on.
 * Threads fill different lanes at the same time, but a lane is filled by one thread at a time.
 */
struct ctf_lane {
	struct cds_wfcq_node node; /* in the queue of lanes with work */
	const struct ctf_plan *plan;
	const struct mm_source *source;
	const struct mm_handler *handler;
	const struct ctf_stream *stream;
	int64_t begin_ns, end_ns; /* only events in [begin, end] */
	int64_t seek_ns, stop_ns; /* only packets that reach into [seek, stop] */
	size_t chunk_events;	  /* limit on the events in a chunk */
	size_t text_max;	  /* limit on the bytes of text in a chunk */
	size_t fill_events;	  /* limit for the next chunk: lower where events have long text */
	unsigned int index, lanes;
	struct ctf_packet_iterator iterator;
	uint64_t turn; /* number of packets seen */
	bool in_packet, ended;
	uint64_t done; /* bytes of the packet that belong to earlier chunks */
	struct ctf_packet packet;
	int64_t last_ns; /* of the packet's last event so far; initially the packet's start */
	/* no order of packets or events is known, so that no timestamp ends the time range */
	bool unordered;
	/* of this packet: bits, of its first event that goes back in time; UINT64_MAX: none */
	uint64_t backward_at;
	struct ctf_decoder decoder;
	uint64_t *slots;
	struct ctf_chunk *filling; /* receives the iterator's findings */
	/* file of the first finding before the packet; NULL: none */
	const char *found_in;
	uint64_t found_at; /* ... and its offset */

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

struct ctf_chunk *ctf_chunk_create(void);
void ctf_chunk_destroy(struct ctf_chunk *chunk);

#endif /* LTTNG_MM_CTF_DECODE_LANE_H */
