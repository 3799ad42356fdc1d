/* SPDX-License-Identifier: LGPL-2.1-only */
/* Chooses the sizes of ring buffers within a memory budget. Arithmetic only. */
#ifndef LTTNG_MM_SESSION_BUDGET_H
#define LTTNG_MM_SESSION_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Size of LTTng's smallest sub-buffer. */
#define BUDGET_SUBBUF_MIN 4096u

/* The buffers of a channel, one per CPU. */
struct budget_ring {
	/* size from the profile; budget_choose() replaces it unless @fixed */
	uint64_t subbuf_bytes;
	uint64_t subbuf_count;
	bool fixed; /* the channel already records, or belongs to a state session */
	bool small; /* the channel is for rare events, so it may shrink but not grow */
};

struct budget {
	uint64_t takes; /* memory for the chosen sizes */
	uint64_t next;	/* memory for the next larger sizes; 0 if all sizes are fixed */
	uint64_t least; /* memory for the smallest sizes */
};

/*
 * Returns the memory for the buffers on @cpus CPUs. Includes three additions: LTTng's extra
 * sub-buffer per buffer for the reader, a snapshot's copy of all buffers, and one page per buffer
 * for an empty packet. Returns UINT64_MAX on overflow.
 */
uint64_t budget_bytes(const struct budget_ring *rings, size_t count, unsigned int cpus);

/*
 * Chooses the largest sub-buffers within @ceiling bytes. Multiplies the profiles' sizes by one
 * power of two (small rings by at most 1), with BUDGET_SUBBUF_MIN as the lower limit. Returns true;
 * or false with the smallest sizes if even they exceed @ceiling.
 */
bool budget_choose(struct budget_ring *rings, size_t count, unsigned int cpus, uint64_t ceiling,
		   struct budget *budget);

#endif /* LTTNG_MM_SESSION_BUDGET_H */
