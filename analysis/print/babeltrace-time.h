/* SPDX-License-Identifier: LGPL-2.1-only */
/* The columns that depend on the event before: timestamp and delta. */
#ifndef LTTNG_MM_PRINT_BABELTRACE_TIME_H
#define LTTNG_MM_PRINT_BABELTRACE_TIME_H

#include "analysis/ctf/decode/event.h"
#include "analysis/print/babeltrace.h"

struct mm_babeltrace_time {
	const struct mm_babeltrace_options *options;
	bool names, usual; /* @usual: plain times and deltas, nothing moved */
	/* Of the event before; all bits set: there is none. */
	uint64_t last_cycles, last_ns;
	/* Between the last two events; stays where an event has no time. */
	uint64_t delta_cycles, delta_ns;
	bool negative_seen;
	/* The text of a second, which many events share. */
	bool cached;
	uint64_t cached_s;
	size_t cached_length;
	char cached_text[48];
	/* --clock-offset: the clock that was moved last. */
	const struct ctf_clock *clock;
	struct ctf_clock moved;
};

/* More than both columns take. */
#define MM_BABELTRACE_TIME_ROOM 192

void mm_babeltrace_time_init(struct mm_babeltrace_time *time,
			     const struct mm_babeltrace_options *options);

/* `[22:13:20.000001005] (+0.000001000) `, or with names; returns the end. */
char *mm_babeltrace_put_time(struct mm_babeltrace_time *time, char *out,
			     const struct mm_event *event, const struct ctf_event *native);

/*
 * babeltrace2 writes times on losses too: at @begin_ns (INT64_MIN: not known), before the next
 * event.
 */
void mm_babeltrace_time_lost(struct mm_babeltrace_time *time, int64_t begin_ns);

#endif /* LTTNG_MM_PRINT_BABELTRACE_TIME_H */
