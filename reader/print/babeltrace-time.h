/* SPDX-License-Identifier: LGPL-2.1-only */
/* The columns that depend on the previous event: timestamp and delta. */
#ifndef LTTNG_MM_PRINT_BABELTRACE_TIME_H
#define LTTNG_MM_PRINT_BABELTRACE_TIME_H

#include "reader/ctf/decode/event.h"
#include "reader/print/babeltrace.h"

struct mm_babeltrace_time {
	const struct mm_babeltrace_options *options;
	bool names, usual; /* @usual: the formats are the defaults, and there is no clock offset */
	/* Timestamp of the previous event; all bits set: none. */
	uint64_t last_cycles, last_ns;
	/*
	 * difference between the last two timestamps; an event without a timestamp does not change
	 * it
	 */
	uint64_t delta_cycles, delta_ns;
	bool negative_seen;
	/* Cached text of a second. Many events share it. */
	bool cached;
	uint64_t cached_s;
	size_t cached_length;
	char cached_text[48];
	/* --clock-offset: the last clock, and a copy with the offset added */
	const struct ctf_clock *clock;
	struct ctf_clock moved;
};

/* More than the length of both columns. */
#define MM_BABELTRACE_TIME_ROOM 192

void mm_babeltrace_time_init(struct mm_babeltrace_time *time,
			     const struct mm_babeltrace_options *options);

/* Writes `[22:13:20.000001005] (+0.000001000) `, or with names. Returns the end of the text. */
char *mm_babeltrace_put_time(struct mm_babeltrace_time *time, char *out,
			     const struct mm_event *event, const struct ctf_event *native);

/*
 * Notes a loss before the next event. The loss starts at @begin_ns (INT64_MIN: not known). If this
 * time is the first one before 1970, the format of later times changes, as in babeltrace2.
 */
void mm_babeltrace_time_lost(struct mm_babeltrace_time *time, int64_t begin_ns);

#endif /* LTTNG_MM_PRINT_BABELTRACE_TIME_H */
