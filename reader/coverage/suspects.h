/* SPDX-License-Identifier: LGPL-2.1-only */
/* Suspects: packets without checksums that contain an impossible event, so they must be damaged. */
#ifndef LTTNG_MM_COVERAGE_SUSPECTS_H
#define LTTNG_MM_COVERAGE_SUSPECTS_H

#include <stddef.h>
#include <stdint.h>

struct mm_suspect {
	char *file;
	uint64_t packet_at; /* byte offset of the packet in the file */
	uint64_t at;	    /* byte offset of the first impossible event in the packet */
	char *what;	    /* the fault, as a text that contains nothing hostile */
};

/* A list of suspects, which mm_suspects_sort() sorts. Initialize with zeros. */
struct mm_suspects {
	struct mm_suspect *all;
	size_t count, room;
};

/*
 * Adds a copy of @suspect, unless the last added suspect is the same packet. Returns 0, or -1 when
 * out of memory.
 */
int mm_suspects_add(struct mm_suspects *suspects, const struct mm_suspect *suspect);
void mm_suspects_sort(struct mm_suspects *suspects);

/*
 * Finds the suspect at byte @packet_at of @file. Returns NULL if that packet is not a suspect.
 * @suspects may be NULL.
 */
const struct mm_suspect *mm_suspects_find(const struct mm_suspects *suspects, const char *file,
					  uint64_t packet_at);
void mm_suspects_release(struct mm_suspects *suspects);

#endif /* LTTNG_MM_COVERAGE_SUSPECTS_H */
