/* SPDX-License-Identifier: LGPL-2.1-only */
/* An event in a packet of the fast reader, for callers that need more than the requested fields. */
#ifndef LTTNG_MM_CTF_DECODE_EVENT_H
#define LTTNG_MM_CTF_DECODE_EVENT_H

#include "reader/ctf/packet/packet.h"
#include "reader/ctf/packet/read.h"

/* mm_event.native of the fast reader: the event's position, in bits from packet->data. */
struct ctf_place {
	const struct ctf_packet *packet;
	uint64_t at, body, clock; /* as in struct ctf_event */
};

/* An event whose position in the packet is known. */
struct ctf_event {
	const struct ctf_packet *packet;
	const struct ctf_event_class *class;
	uint64_t at; /* start of the event's header */
	/* start of the body (common context, specific context and payload, each aligned) */
	uint64_t body;
	uint64_t clock; /* the clock's value in cycles, 64 bits wide */
	bool outer;	/* the body refers to fields outside the body */
};

/* Fills @native. Returns false if the fast reader did not read @event. */
bool ctf_event_of(const struct mm_event *event, struct ctf_event *native);

/*
 * Initializes a cursor at the event's body, with the packet's slots. If the body refers to fields
 * of the packet header, packet context or event header, the slots hold their values. Only one
 * thread at a time may use the slots.
 */
void ctf_event_cursor(const struct ctf_event *event, struct ctf_cursor *cursor);

#endif /* LTTNG_MM_CTF_DECODE_EVENT_H */
