/* SPDX-License-Identifier: LGPL-2.1-only */
/* Packets without checksums of which an event cannot be as it was recorded. */
#ifndef LTTNG_MM_COVERAGE_SUSPECTS_H
#define LTTNG_MM_COVERAGE_SUSPECTS_H

#include <stddef.h>
#include <stdint.h>

struct mm_suspect {
	char *file;	    /* the path of the stream file */
	uint64_t packet_at; /* bytes of the file: the packet's start */
	uint64_t at;	    /* bytes of the packet: the first event that is wrong */
	char *what;	    /* is wrong with it; no part of it is hostile */
};

/* Sorted by mm_suspects_sort(). Initialized with zeros. */
struct mm_suspects {
	struct mm_suspect *all;
	size_t count, room;
};

/* Adds a packet, if it is not the last one that was added. Returns 0, or -1: out of memory. */
int mm_suspects_add(struct mm_suspects *suspects, const struct mm_suspect *suspect);
void mm_suspects_sort(struct mm_suspects *suspects);

/* @suspects may be NULL. Returns NULL if the packet at byte @packet_at of @file is not one. */
const struct mm_suspect *mm_suspects_find(const struct mm_suspects *suspects, const char *file,
					  uint64_t packet_at);
void mm_suspects_release(struct mm_suspects *suspects);

#endif /* LTTNG_MM_COVERAGE_SUSPECTS_H */
