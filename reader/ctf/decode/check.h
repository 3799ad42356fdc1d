/* SPDX-License-Identifier: LGPL-2.1-only */
/* Checks the events of a packet before any of them is used. */
#ifndef LTTNG_MM_CTF_DECODE_CHECK_H
#define LTTNG_MM_CTF_DECODE_CHECK_H

#include "reader/coverage/suspects.h"
#include "reader/ctf/decode/plan.h"
#include "reader/ctf/packet/packet.h"

/* The reason why the events of a packet are unreliable. */
struct ctf_fault {
	const char *what; /* a constant, the text of a struct mm_suspect, or @text */
	uint64_t at;	  /* bytes from the start of the packet */
	char text[96];
};

/*
 * Checks all events of @packet: decodes their ids, sizes and timestamps, but not their values.
 * @slots must hold the values of the packet header and packet context. Returns false with *@fault
 * set if something is wrong. An event truncated by the end of the file is not a fault.
 */
bool ctf_packet_check(const struct ctf_plan *plan, const struct ctf_packet *packet, uint64_t *slots,
		      struct ctf_fault *fault);

/*
 * Like ctf_packet_check(). @known is earlier evidence against the packet, or NULL. If the check
 * finds no fault and @known is not NULL, fails with the text of @known.
 */
static inline bool ctf_packet_check_known(const struct ctf_plan *plan,
					  const struct ctf_packet *packet,
					  const struct mm_suspect *known, uint64_t *slots,
					  struct ctf_fault *fault)
{
	if (!ctf_packet_check(plan, packet, slots, fault))
		return false;
	if (known)
		*fault = (struct ctf_fault){ .what = known->what, .at = known->at };
	return !known;
}

#endif /* LTTNG_MM_CTF_DECODE_CHECK_H */
