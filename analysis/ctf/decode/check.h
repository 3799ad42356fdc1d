/* SPDX-License-Identifier: LGPL-2.1-only */
/* Checks the events of a packet before any of them is used. */
#ifndef LTTNG_MM_DECODE_CHECK_H
#define LTTNG_MM_DECODE_CHECK_H

#include "analysis/ctf/decode/plan.h"
#include "analysis/ctf/packet/packet.h"

/* Why the events of a packet cannot be relied on. */
struct ctf_fault {
	const char *what; /* a constant, or a struct mm_suspect's */
	uint64_t at;	  /* bytes from the start of the packet */
};

/*
 * Decodes all events of @packet, without their values: their ids, sizes and timestamps. @slots are
 * those of the packet iterator; values of the packet header and context remain. Returns false with
 * *@fault set if something is wrong. An event that the end of the file truncates is not.
 */
bool ctf_packet_check(const struct ctf_plan *plan, const struct ctf_packet *packet, uint64_t *slots,
		      struct ctf_fault *fault);

#endif /* LTTNG_MM_DECODE_CHECK_H */
