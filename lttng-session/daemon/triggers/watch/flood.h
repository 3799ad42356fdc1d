/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Counts a condition's matches in the last second. The watcher compares this number with the rate
 * of the condition, and unregisters the condition if there are too many matches. All times are
 * nanoseconds of one clock, which the caller chooses.
 */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_WATCH_FLOOD_H
#define LTTNG_MM_DAEMON_TRIGGERS_WATCH_FLOOD_H

#include <stdbool.h>
#include <stdint.h>

#define FLOOD_SLOTS 20
#define FLOOD_SLOT_NS INT64_C(50000000)

/*
 * Limit while no match can get a snapshot. More matches per second are a flood. The session daemon
 * spends about a tenth of a CPU on FLOOD_MAX notifications per second. FLOOD_MAX_AGAIN is the limit
 * for a condition that has flooded before.
 */
#define FLOOD_MAX 100
#define FLOOD_MAX_AGAIN 1
/*
 * Limit while a match may get a snapshot, as far as this process knows. More matches per second are
 * a flood. After this many matches, the daemon has surely decided about the first match. The limit
 * also keeps the queue of notifications short: before LTTng 2.14.2 and 2.15.1, 8192 waiting
 * notifications make the session daemon hang forever.
 */
#define FLOOD_MAX_PERMITTED 1000
/* After this time without a flood, FLOOD_MAX applies again. */
#define FLOOD_OVER_NS INT64_C(10000000000)

/* Matches in the last second, in slots of FLOOD_SLOT_NS. Zero-initialize it. */
struct flood {
	uint64_t slots[FLOOD_SLOTS];
	int64_t last; /* the slot of the last flood_add() */
	bool again;   /* the condition has flooded before */
};

/* Adds @count matches at @now_ns. */
void flood_add(struct flood *flood, int64_t now_ns, uint64_t count);
/* Returns the number of matches in the second (or slightly less) before @now_ns. */
uint64_t flood_sum(struct flood *flood, int64_t now_ns);
/* Is there a flood? If @permitted, a match may get a snapshot, and FLOOD_MAX_PERMITTED applies. */
bool flood_is_on(struct flood *flood, int64_t now_ns, bool permitted);
/* Forgets all counts. */
void flood_clear(struct flood *flood);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_WATCH_FLOOD_H */
