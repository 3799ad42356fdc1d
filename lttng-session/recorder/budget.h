/* SPDX-License-Identifier: LGPL-2.1-only */
/* Sizes of ring buffers within a ceiling of memory: arithmetic only. */
#ifndef LTTNG_MM_SESSION_BUDGET_H
#define LTTNG_MM_SESSION_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* LTTng's smallest sub-buffer. */
#define BUDGET_SUBBUF_MIN 4096u

/* The buffers of a channel, which each CPU has. */
struct budget_ring {
	uint64_t subbuf_bytes; /* of the profile; budget_choose() replaces it unless @fixed */
	uint64_t subbuf_count;
	bool fixed; /* it is recording already, or is of a state session */
	bool small; /* of a channel for rare events: it becomes smaller, but not larger */
};

struct budget {
	uint64_t takes; /* what the chosen sizes take */
	uint64_t next;	/* what the next larger ones would; 0: there is nothing to choose */
	uint64_t least; /* what the smallest sizes take */
};

/*
 * The memory of the buffers on @cpus CPUs: LTTng adds one sub-buffer to each for the reader, and a
 * snapshot copies all of them to memory before it writes them, with a page each for an empty
 * packet. UINT64_MAX if it is more than that.
 */
uint64_t budget_bytes(const struct budget_ring *rings, size_t count, unsigned int cpus);

/*
 * Chooses the largest sub-buffers that take at most @ceiling bytes: those of the profiles, all
 * multiplied by one power of two, those of small rings at most by 1, but at least
 * BUDGET_SUBBUF_MIN. Returns false, and the smallest sizes, if these take more than @ceiling.
 */
bool budget_choose(struct budget_ring *rings, size_t count, unsigned int cpus, uint64_t ceiling,
		   struct budget *budget);

#endif /* LTTNG_MM_SESSION_BUDGET_H */
