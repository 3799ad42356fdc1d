/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Which matches of a trigger get a snapshot. No clock is read here: times are nanoseconds of one
 * clock that does not go backwards, chosen by the caller.
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
	LIMITS_WARM_UP,	 /* it was added too recently */
	LIMITS_COOLDOWN, /* after the last snapshot */
	LIMITS_MAX,	 /* there were as many as are permitted */
};

/* To be zeroed, and then limits_start(). */
struct snapshot_limits {
	int64_t cooldown_ns, warm_up_ns;
	uint64_t max;	/* snapshots ... */
	int64_t max_ns; /* ... in any interval of this length; 0: no limit */
	int64_t since_ns;

	/* The times of the last snapshots, oldest first: those that still count. */
	int64_t *taken;
	size_t taken_count, taken_room;
	bool any;
	int64_t last_ns;

	uint64_t matches; /* that count, since the last snapshot */
	bool at_least;	  /* there may have been more */
};

/* The trigger is watched from @now_ns on. */
void limits_start(struct snapshot_limits *limits, int64_t now_ns);
void limits_release(struct snapshot_limits *limits);

/* What would become of a match at @now_ns. Changes nothing that can be seen. */
enum limits_verdict limits_check(struct snapshot_limits *limits, int64_t now_ns);

/*
 * Adds @matches at @now_ns, of which there may have been more if @at_least, to those that the next
 * snapshot states. Matches in the warm-up do not count.
 */
void limits_count(struct snapshot_limits *limits, int64_t now_ns, uint64_t matches, bool at_least);

/*
 * A snapshot is taken at @now_ns, for a match that limits_count() has counted. Stores in *@matches,
 * and *@at_least, how many matches there were since the snapshot before it. Returns 0, or -1 when
 * out of memory: then it must not be taken.
 */
int limits_take(struct snapshot_limits *limits, int64_t now_ns, uint64_t *matches, bool *at_least);

/*
 * When a match can get a snapshot, at the earliest; @now_ns: at once; INT64_MAX: never.
 */
int64_t limits_next(struct snapshot_limits *limits, int64_t now_ns);

/* The time on the clock of the limits, CLOCK_REALTIME, and the boot to which the first belongs. */
struct limits_clocks {
	int64_t now_ns, realtime_ns;
	const char *boot_id;
};

/*
 * The state as JSON, to be kept over a restart; NULL when out of memory. limits_from_json()
 * replaces the state by it. If it is of an earlier boot, what has passed since then is known by
 * CLOCK_REALTIME; if that was set back, no time counts as passed. The warm-up then starts anew. It
 * returns 0, or -1, and nothing is changed, if @json is malformed or memory runs out. Sample:
 *
 *   { "version": 1, "boot_id": "5dd5...", "now_ns": N, "realtime_ns": N, "since_ns": N,
 *     "last_ns": N, "matches": N, "at_least": false, "taken": [ [ N, 1 ], ... ] }
 *
 * "last_ns" is there if there was a snapshot. "taken" has times with how many snapshots were taken
 * until then, after the time before it.
 */
json_t *limits_to_json(const struct snapshot_limits *limits, const struct limits_clocks *clocks);
int limits_from_json(struct snapshot_limits *limits, const json_t *json,
		     const struct limits_clocks *clocks);

/*
 * Why there is none, as a part of a sentence: "in its cooldown, for 12 s more". Of several limits,
 * it names the one that ends last.
 */
void limits_explain(struct snapshot_limits *limits, int64_t now_ns, char *text, size_t size);

/* What limits_explain() needs at most. */
#define LIMITS_TEXT (64 + MM_DURATION_TEXT)

#endif /* LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_LIMITS_H */
