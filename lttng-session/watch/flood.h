/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * How often something happens: whether more than a number of times within a second, and whether so
 * often that it is better not to look while nothing depends on it. Times are nanoseconds of one
 * clock, chosen by the caller.
 */
#ifndef LTTNG_MM_SESSION_FLOOD_H
#define LTTNG_MM_SESSION_FLOOD_H

#include <stdint.h>

#define FLOOD_SLOTS 20
#define FLOOD_SLOT_NS INT64_C(50000000)

/* Counts of the last second, by the slots of the clock. To be zeroed. */
struct flood {
	uint64_t slots[FLOOD_SLOTS];
	int64_t last; /* the slot of the last count */
};

/* Adds @count at @now_ns. */
void flood_add(struct flood *flood, int64_t now_ns, uint64_t count);
/* What was counted in a second, or slightly less, before @now_ns. */
uint64_t flood_sum(struct flood *flood, int64_t now_ns);
/* Forgets all counts. */
void flood_clear(struct flood *flood);

#endif /* LTTNG_MM_SESSION_FLOOD_H */
