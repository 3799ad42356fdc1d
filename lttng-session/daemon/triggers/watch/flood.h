/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Counts a condition's matches in the last second. The count is compared with a rate, and shows
 * when to unregister the condition. Times are nanoseconds of any one clock.
 */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_WATCH_FLOOD_H
#define LTTNG_MM_DAEMON_TRIGGERS_WATCH_FLOOD_H

#include <stdbool.h>
#include <stdint.h>

#define FLOOD_SLOTS 20
#define FLOOD_SLOT_NS INT64_C(50000000)

/*
 * While no snapshot is allowed, more matches per second are a flood. The session daemon spends
 * about a tenth of a CPU on this many notifications. If the event has flooded before, two matches
 * per second are a flood.
 */
#define FLOOD_MAX 100
#define FLOOD_MAX_AGAIN 1
/*
 * The limit while a snapshot is allowed as far as this process knows. After this many matches, the
 * snapshot for the first one has been taken or refused. Before LTTng 2.14.2 and 2.15.1, the session
 * daemon hangs forever if 8192 notifications wait.
 */
#define FLOOD_MAX_PERMITTED 1000
/* After this time without a flood, FLOOD_MAX applies again. */
#define FLOOD_OVER_NS INT64_C(10000000000)

/* Matches in the last second, in slots of FLOOD_SLOT_NS. Initialize with zeros. */
struct flood {
	uint64_t slots[FLOOD_SLOTS];
	int64_t last; /* the slot of the last count */
	bool again;   /* the condition has flooded before */
};

/* Adds @count matches at @now_ns. */
void flood_add(struct flood *flood, int64_t now_ns, uint64_t count);
/* Returns the number of matches in the second (or slightly less) before @now_ns. */
uint64_t flood_sum(struct flood *flood, int64_t now_ns);
/* Is there a flood? @permitted: a match may get a snapshot. */
bool flood_is_on(struct flood *flood, int64_t now_ns, bool permitted);
/* Forgets all counts. */
void flood_clear(struct flood *flood);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_WATCH_FLOOD_H */
