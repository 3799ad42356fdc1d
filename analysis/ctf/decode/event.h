/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * One event as the fast reader finds it in a packet, for who wants more of it than wanted fields.
 */
#ifndef LTTNG_MM_DECODE_EVENT_H
#define LTTNG_MM_DECODE_EVENT_H

#include "analysis/ctf/packet/packet.h"
#include "analysis/ctf/packet/read.h"

/* mm_event.native of the fast reader: where the event is. Positions are bits from packet->data. */
struct ctf_place {
	const struct ctf_packet *packet;
	uint64_t at, body, clock; /* as below */
};

/* What there is to know of an event. */
struct ctf_event {
	const struct ctf_packet *packet;
	const struct ctf_event_class *class;
	uint64_t at; /* of the event's header */
	/* of what follows it: common context, specific context, payload, each aligned */
	uint64_t body;
	uint64_t clock; /* the clock's value in cycles, 64 bits wide */
	bool outer;	/* the body refers to fields outside of it */
};

/* Fills @native; false when @event is of another source. */
bool ctf_event_of(const struct mm_event *event, struct ctf_event *native);

/*
 * A cursor at the event's body. Its slots are the packet's, which hold what packet header, packet
 * context and event header say, where the event refers to that; one thread at a time may use them.
 */
void ctf_event_cursor(const struct ctf_event *event, struct ctf_cursor *cursor);

#endif /* LTTNG_MM_DECODE_EVENT_H */
