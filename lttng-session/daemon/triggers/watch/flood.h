/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Counts the matches of a condition: whether there are more than a number within a second, and
 * whether there are so many that it had better be unregistered while nothing depends on it. Times
 * are nanoseconds of one clock, chosen by the caller.
 */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_WATCH_FLOOD_H
#define LTTNG_MM_DAEMON_TRIGGERS_WATCH_FLOOD_H

#include <stdbool.h>
#include <stdint.h>

#define FLOOD_SLOTS 20
#define FLOOD_SLOT_NS INT64_C(50000000)

/*
 * More in a second are a flood, upon which the trigger is unregistered while no snapshot is
 * permitted: the session daemon spends about a tenth of a CPU on so many notifications. Of an event
 * that flooded before, two in a second are enough.
 */
#define FLOOD_MAX 100
#define FLOOD_MAX_AGAIN 1
/*
 * The same while a snapshot is permitted as far as this process knows: the first of them must have
 * got it, or cannot. The session daemon hangs when it has a backlog of 8192 (before LTTng 2.14.2
 * and 2.15.1).
 */
#define FLOOD_MAX_PERMITTED 1000
/* After that time without a flood, an event is no longer one that flooded before. */
#define FLOOD_OVER_NS INT64_C(10000000000)

/* Counts of the last second, by the slots of the clock. To be zeroed. */
struct flood {
	uint64_t slots[FLOOD_SLOTS];
	int64_t last; /* the slot of the last count */
	bool again;   /* it flooded before */
};

/* Adds @count at @now_ns. */
void flood_add(struct flood *flood, int64_t now_ns, uint64_t count);
/* What was counted in a second, or slightly less, before @now_ns. */
uint64_t flood_sum(struct flood *flood, int64_t now_ns);
/* Is it a flood? @permitted: a match may get a snapshot. */
bool flood_is_on(struct flood *flood, int64_t now_ns, bool permitted);
/* Forgets all counts. */
void flood_clear(struct flood *flood);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_WATCH_FLOOD_H */
