/* SPDX-License-Identifier: LGPL-2.1-only */
/* Passes findings to the user of a packet iterator. */
#ifndef LTTNG_MM_CTF_PACKET_PACKET_REPORT_H
#define LTTNG_MM_CTF_PACKET_PACKET_REPORT_H

#include "reader/ctf/packet/packet.h"

/* Each bit sets the member of struct ctf_finding with the same name. */
enum ctf_found {
	CTF_FOUND_ODD,
	CTF_FOUND_SKIPPED = 1 << 0,
	CTF_FOUND_TRUNCATED = 1 << 1,
	CTF_FOUND_FOREIGN = 1 << 2,
	CTF_FOUND_BACKWARD = 1 << 3,
	CTF_FOUND_UNSEEN = 1 << 4,
	CTF_FOUND_OTHER = 1 << 5,
	CTF_FOUND_COUNTER = 1 << 6,
	CTF_FOUND_DOUBTFUL = 1 << 7,
	CTF_FOUND_WHOLE = 1 << 8,
	CTF_FOUND_NOTE = 1 << 9,
};

/* Reports a finding at byte @offset of @file. @how: bits of enum ctf_found. */
__attribute__((format(printf, 5, 6))) void
ctf_packet_report(const struct ctf_packet_iterator *iterator, const struct ctf_file *file,
		  uint64_t offset, unsigned int how, const char *fmt, ...);

#endif /* LTTNG_MM_CTF_PACKET_PACKET_REPORT_H */
