/* SPDX-License-Identifier: LGPL-2.1-only */
/* Chooses the sizes of ring buffers within a memory budget. Consists of arithmetic only. */
#ifndef LTTNG_MM_SESSION_BUDGET_H
#define LTTNG_MM_SESSION_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Size of LTTng's smallest sub-buffer. */
#define BUDGET_SUBBUF_MIN 4096u

/* The buffers of a channel. There is one buffer per CPU. */
struct budget_ring {
	/* size of a sub-buffer in the profile; budget_choose() replaces it unless @fixed */
	uint64_t subbuf_bytes;
	uint64_t subbuf_count;
	/* keep the size, because the channel already records or belongs to a state session */
	bool fixed;
	bool small; /* the channel is for rare events, so its buffers may shrink but not grow */
};

struct budget {
	uint64_t takes; /* memory in bytes that the chosen sizes take */
	uint64_t next;	/* memory that the next larger sizes would take; 0 if all sizes are fixed */
	uint64_t least; /* memory that the smallest possible sizes would take */
};

/*
 * Returns the memory that the buffers take on @cpus CPUs. This includes LTTng's additional
 * sub-buffer per buffer for the reader, a snapshot's copy of all buffers, and one page per buffer
 * for an empty packet in the copy. Returns UINT64_MAX on overflow.
 */
uint64_t budget_bytes(const struct budget_ring *rings, size_t count, unsigned int cpus);

/*
 * Chooses the largest sub-buffers that fit within @ceiling bytes. Multiplies the sizes of all
 * profiles by the same power of two, such as 1/4 or 8, but makes no small ring larger and no
 * sub-buffer smaller than BUDGET_SUBBUF_MIN. If even the smallest sizes exceed @ceiling, chooses
 * these and returns false. Otherwise returns true.
 */
bool budget_choose(struct budget_ring *rings, size_t count, unsigned int cpus, uint64_t ceiling,
		   struct budget *budget);

#endif /* LTTNG_MM_SESSION_BUDGET_H */
