/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds losses by the counters that each packet has: its number and the discarded events. */
#ifndef LTTNG_MM_CTF_PACKET_PACKET_COUNTERS_H
#define LTTNG_MM_CTF_PACKET_PACKET_COUNTERS_H

#include "reader/ctf/packet/packet-read.h"
#include "reader/ctf/packet/sums.h"

/* Is the file one whose packets are not all where they were recorded? */
static inline const struct ctf_parts *ctf_file_parts(const struct ctf_file *file)
{
	return file->sums ? ctf_sums_parts(file->sums) : NULL;
}

/*
 * Compare @packet with the packet before it. ctf_packet_count_losses() must precede the others: it
 * checks the number of @packet, and counts the events that were discarded.
 */
void ctf_packet_count_losses(const struct ctf_packet_iterator *iterator, struct ctf_packet *packet,
			     const struct ctf_packet_plan *plan);
void ctf_packet_count_packets(const struct ctf_packet_iterator *iterator, struct ctf_packet *packet,
			      const struct ctf_packet_plan *plan);

/* Notes the packet's discarded-event count, from which the next one is counted. */
void ctf_packet_pass_count(struct ctf_packet_iterator *iterator, const struct ctf_packet *packet);

#endif /* LTTNG_MM_CTF_PACKET_PACKET_COUNTERS_H */
