/* SPDX-License-Identifier: LGPL-2.1-only */
/* A chunk of decoded events, and damage found while filling it. */
#ifndef LTTNG_MM_CTF_DECODE_CHUNK_H
#define LTTNG_MM_CTF_DECODE_CHUNK_H

#include <urcu/wfcqueue.h>

#include "reader/ctf/decode/decode.h"

/* A message about damage that was skipped, or a note. */
struct ctf_damage {
	char *message;
	bool note;	/* the message is informational: the stream is not damaged */
	bool truncated; /* the file ends early, which is a loss */
	bool in_events; /* the damage follows the packet's events; otherwise it precedes them */
	struct ctf_damage *next;
};

/*
 * Events of one packet, or the end of a stream. A chunk belongs to the lane that fills it (lane.h)
 * or to the merger, which delivers its events.
 */
struct ctf_chunk {
	struct cds_wfcq_node node;
	struct ctf_packet packet; /* valid if @has_packet or @reports_loss */
	/* Events as passed to handlers. Members that are equal in all events are already set. */
	struct mm_event *events;
	struct ctf_place *places;
	union mm_scalar *values; /* plan->value_count per event */
	uint64_t *slots;	 /* memory of packet.slots */
	/* position of the event that could not be rendered, in bytes from the packet's start */
	uint64_t failed_at;
	uint64_t done_from, done_to; /* range of bytes of the packet that no later chunk needs */
	size_t count;
	uint64_t unwanted; /* events in the time range that match no request */
	struct ctf_arena arena;
	struct mm_text text;
	struct ctf_damage *damage, **damage_end;
	uint64_t packets_truncated, packets_damaged;
	/* time of the packet's last event so far, requested or not; initially the packet's start */
	int64_t last_ns;
	/* damage was skipped before the packet (or before the end of the stream) */
	bool follows_damage;
	/* with @ends_packet: the last events are missing because of damage */
	bool ends_damaged;
	/* the chunk is the packet's first or last one; the first one reports the losses */
	bool begins_packet, ends_packet;
	bool ends_stream, has_packet;
	/*
	 * with @ends_stream: @packet is after the requested time range, but events lost before
	 * @packet may belong to the range
	 */
	bool reports_loss;
	bool disordered;       /* see mm_source_is_disordered() */
	bool goes_back;	       /* an event of the packet goes back in time, which is damage */
	bool doubtful;	       /* the packet's times are wrong, or its index entry differs */
	struct mm_error error; /* if its code is set, reading cannot continue */
};

struct ctf_chunk *ctf_chunk_create(void);
void ctf_chunk_destroy(struct ctf_chunk *chunk);

/*
 * Returns a message about @finding and its @effect, for handlers. Release it with free(). NULL: out
 * of memory.
 */
char *ctf_damage_text(const struct ctf_finding *finding, const char *effect);

/*
 * Adds a message about @finding to the chunk's damage, up to a limit of messages. If @in_events is
 * true, the damage follows the packet's events; otherwise it precedes them.
 */
void ctf_chunk_note_damage(struct ctf_chunk *chunk, const struct ctf_finding *finding,
			   const char *effect, bool in_events);
void ctf_chunk_drop_damage(struct ctf_chunk *chunk);

#endif /* LTTNG_MM_CTF_DECODE_CHUNK_H */
