/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds losses by the sequence numbers and discarded-event counts of packets. */
#ifndef LTTNG_MM_CTF_PACKET_PACKET_COUNTERS_H
#define LTTNG_MM_CTF_PACKET_PACKET_COUNTERS_H

#include "reader/ctf/packet/packet-read.h"
#include "reader/ctf/packet/sums.h"

/* If packets of @file were moved, removed or added, returns the parts of @file; else NULL. */
static inline const struct ctf_parts *ctf_file_parts(const struct ctf_file *file)
{
	return file->sums ? ctf_sums_parts(file->sums) : NULL;
}

/*
 * Compares @packet with the previous packet: corrects an impossible sequence number, and counts
 * discarded events. Call this before the functions below.
 */
void ctf_packet_count_losses(const struct ctf_packet_iterator *iterator, struct ctf_packet *packet,
			     const struct ctf_packet_plan *plan);
void ctf_packet_count_packets(const struct ctf_packet_iterator *iterator, struct ctf_packet *packet,
			      const struct ctf_packet_plan *plan);

/* Stores the packet's discarded-event count, to be subtracted from the next count. */
void ctf_packet_pass_count(struct ctf_packet_iterator *iterator, const struct ctf_packet *packet);

#endif /* LTTNG_MM_CTF_PACKET_PACKET_COUNTERS_H */
