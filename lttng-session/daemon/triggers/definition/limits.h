/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Decides which matches of a trigger get a snapshot. There are three limits: the warm-up, the
 * cooldown, and the maximum number of snapshots in a sliding interval. The caller passes all times,
 * in nanoseconds, from one monotonic clock.
 */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_LIMITS_H
#define LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_LIMITS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/duration.h"

enum limits_verdict {
	LIMITS_TAKE,
	LIMITS_WARM_UP,	 /* the warm-up has not passed since the trigger was added */
	LIMITS_COOLDOWN, /* the cooldown has not passed since the last snapshot */
	LIMITS_MAX,	 /* the interval already has the maximum number of snapshots */
};

/* Limits and state of a trigger. Zero-initialize it, set the limits, and call limits_start(). */
struct snapshot_limits {
	int64_t cooldown_ns, warm_up_ns;
	uint64_t max;	/* maximum number of snapshots per interval */
	int64_t max_ns; /* length of the interval; 0: no limit */
	int64_t since_ns;

	/* times of the snapshots that still count towards the maximum, oldest first */
	int64_t *taken;
	size_t taken_count, taken_room;
	bool any;
	int64_t last_ns;

	uint64_t matches; /* number of matches since the last snapshot, except in the warm-up */
	bool at_least; /* @matches is a lower bound, because some matches may have been dropped */
};

/* Starts the warm-up at @now_ns. */
void limits_start(struct snapshot_limits *limits, int64_t now_ns);
void limits_release(struct snapshot_limits *limits);

/* Decides on a match at @now_ns, without counting it. */
enum limits_verdict limits_check(struct snapshot_limits *limits, int64_t now_ns);

/*
 * Adds @matches, which occurred at @now_ns, to the number that the next snapshot reports. If
 * @at_least is true, that number becomes a lower bound. Ignores matches in the warm-up.
 */
void limits_count(struct snapshot_limits *limits, int64_t now_ns, uint64_t matches, bool at_least);

/*
 * Counts a snapshot at @now_ns. Call it after limits_count() has counted the match. Stores the
 * number of matches since the previous snapshot in *@matches and *@at_least. Returns 0, or -1 when
 * out of memory. After -1, the snapshot must not be taken.
 */
int limits_take(struct snapshot_limits *limits, int64_t now_ns, uint64_t *matches, bool *at_least);

/*
 * Returns the time from which a match can get a snapshot: @now_ns means at once, INT64_MAX never.
 */
int64_t limits_next(struct snapshot_limits *limits, int64_t now_ns);

/* The current time on the clock of the limits and on CLOCK_REALTIME, and the boot id. */
struct limits_clocks {
	int64_t now_ns, realtime_ns;
	const char *boot_id;
};

/*
 * limits_to_json() returns the state for saving, or NULL when out of memory. limits_from_json()
 * restores a saved state. After a reboot, it computes the elapsed time from CLOCK_REALTIME (0 if
 * that clock was set back), and restarts the warm-up. Returns 0. If @json is malformed or memory is
 * exhausted, returns -1 and changes nothing. Sample:
 *
 *   { "version": 1, "boot_id": "5dd5...", "now_ns": N, "realtime_ns": N, "since_ns": N,
 *     "last_ns": N, "matches": N, "at_least": false, "taken": [ [ N, 1 ], ... ] }
 *
 * "last_ns" is absent before the first snapshot. Each pair in "taken" has a time and a number. The
 * number counts the snapshots after the time of the previous pair, up to the time of this pair.
 */
json_t *limits_to_json(const struct snapshot_limits *limits, const struct limits_clocks *clocks);
int limits_from_json(struct snapshot_limits *limits, const json_t *json,
		     const struct limits_clocks *clocks);

/*
 * Writes the limit that prevents a snapshot, as part of a sentence: "in its cooldown, for 12 s
 * more". If several limits prevent it, writes the limit that ends last.
 */
void limits_explain(struct snapshot_limits *limits, int64_t now_ns, char *text, size_t size);

/* Size of a buffer for the text of limits_explain(). */
#define LIMITS_TEXT (64 + MM_DURATION_TEXT)

#endif /* LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_LIMITS_H */
