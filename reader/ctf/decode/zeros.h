/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds zeros that have replaced the events of a packet. */
#ifndef LTTNG_MM_CTF_DECODE_ZEROS_H
#define LTTNG_MM_CTF_DECODE_ZEROS_H

#include "reader/ctf/decode/plan.h"
#include "reader/ctf/packet/packet.h"

/*
 * Returns the position, in bits, of the first event of @packet that zeros have replaced together
 * with others, or the end of the packet's content. Only packets of the kernel tracer that have no
 * checksum are searched. @slots hold the values of the packet header and context, which remain.
 */
uint64_t ctf_zeros_find(const struct ctf_plan *plan, const struct ctf_packet *packet,
			uint64_t *slots);

#endif /* LTTNG_MM_CTF_DECODE_ZEROS_H */
