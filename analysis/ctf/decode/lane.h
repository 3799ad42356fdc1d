/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Decodes a stream's packets chunk by chunk, so that several threads can work ahead of who merges.
 */
#ifndef LTTNG_MM_DECODE_LANE_H
#define LTTNG_MM_DECODE_LANE_H

#include <stdatomic.h>
#include <urcu/wfcqueue.h>

#include "analysis/ctf/decode/decode.h"

/* Damage that was read past, and how many packets it spoilt. */
struct ctf_damage {
	char *message;
	bool truncated; /* the file ends early: a loss */
	bool in_events; /* it is where the packet's events end, not before them */
	struct ctf_damage *next;
};

/*
 * One safe line about @finding and what it leads to, as handlers are told it. NULL when out of
 * memory.
 */
char *ctf_damage_text(const struct ctf_finding *finding, const char *effect);

/* Events of one packet, or the end of a stream. Whoever holds it owns it: a lane or the merger. */
struct ctf_chunk {
	struct cds_wfcq_node node;
	struct ctf_packet packet; /* when has_packet or reports_loss */
	/*
	 * As handlers take them: what does not change from event to event is filled in beforehand.
	 */
	struct mm_event *events;
	struct ctf_place *places; /* of the events */
	union mm_scalar *values;  /* plan->value_count for each event */
	uint64_t *slots;	  /* packet.slots */
	uint64_t failed_at;	  /* bytes of the packet: the event whose text could not be made */
	uint64_t done_from, done_to; /* bytes of the packet that no later chunk needs */
	size_t count;
	uint64_t unwanted; /* events in the window that nobody wants */
	struct ctf_arena arena;
	struct mm_text text;
	struct ctf_damage *damage, **damage_end;
	uint64_t packets_truncated, packets_damaged;
	/* of the packet's last event by then, wanted or not; before that, its begin */
	int64_t last_ns;
	/* what is before the packet, or before the stream's end, could not be read */
	bool follows_damage;
	/* ends_packet, whose events end in damage: those that followed are missing */
	bool ends_damaged;
	bool begins_packet, ends_packet; /* losses are told with the first chunk of a packet */
	bool ends_stream, has_packet;
	/* ends_stream, and what @packet lost is of the requested time: nothing else of it is */
	bool reports_loss;
	bool disordered;       /* see mm_source.disordered */
	struct mm_error error; /* code set: reading cannot go on */
};

/*
 * A stream's packets are dealt out to its lanes in turn: lane i of n takes packets i, i + n ... A
 * lane is filled by one thread at a time; different lanes by different threads.
 */
struct ctf_lane {
	struct cds_wfcq_node node; /* in the queue of lanes that have work */
	const struct ctf_plan *plan;
	const struct mm_source *source;
	const struct mm_handler *handler;
	const struct ctf_stream *stream;
	int64_t begin_ns, end_ns; /* only events in [begin, end] */
	size_t chunk_events;	  /* at most so many */
	size_t text_max;	  /* bytes of text in a chunk */
	size_t fill_events;	  /* into the next chunk: fewer where events have long texts */
	unsigned int index, lanes;
	struct ctf_packet_iterator iterator;
	uint64_t turn; /* packets seen */
	bool in_packet, ended;
	uint64_t done; /* bytes of the packet: those before belong to earlier chunks */
	struct ctf_packet packet;
	int64_t last_ns; /* of the packet's last event; before that, its begin */
	struct ctf_decoder decoder;
	uint64_t *slots;
	struct ctf_chunk *filling; /* for the iterator's findings */
	/* the file of the first of them on the way to the packet, NULL: none */
	const char *found_in;
	uint64_t found_at; /* ... and its byte */

	/* Between threads; the pool uses these. */
	struct __cds_wfcq_head free_head, ready_head;
	struct cds_wfcq_tail free_tail, ready_tail;
	atomic_int scheduled;
};

/* Returns 0, or -1 with @err set. */
int ctf_lane_init(struct ctf_lane *lane, const struct ctf_stream *stream,
		  const struct ctf_plan *plan, struct mm_source *source,
		  const struct mm_handler *handler, unsigned int index, unsigned int lanes,
		  size_t chunk_events, struct mm_error *err);
void ctf_lane_release(struct ctf_lane *lane);

/* Events of all times, whatever the source's options say. */
void ctf_lane_read_all(struct ctf_lane *lane);

/* Decodes the lane's next events to @chunk, whose own memory it uses again. */
void ctf_lane_fill(struct ctf_lane *lane, struct ctf_chunk *chunk);

struct ctf_chunk *ctf_chunk_create(void);
void ctf_chunk_destroy(struct ctf_chunk *chunk);

#endif /* LTTNG_MM_DECODE_LANE_H */
