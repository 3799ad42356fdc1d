/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Does a session that is active record anything? Its events may be rare, so that nothing is
 * recorded for a while proves nothing. When it does not, the keeper therefore causes an event that
 * the session records, and looks again: that is recorded at once, unless something prevents it.
 */
#ifndef LTTNG_MM_SESSION_SILENCE_H
#define LTTNG_MM_SESSION_SILENCE_H

#include <stdbool.h>

/* It is recorded, synchronously, by whoever starts a process or a thread. */
#define SILENCE_EVENT "sched_process_fork"
/* An event is caused after so many looks, of which there is one in a second. */
#define SILENCE_LOOKS 5

/* Zeros at first. */
struct silence {
	unsigned int looks; /* without anything recorded */
	bool caused;	    /* an event was caused before the next look */
};

enum silence_verdict {
	SILENCE_NONE,
	SILENCE_CAUSE, /* cause an event before the next look */
	SILENCE_FOUND, /* nothing is recorded, not even the event that was caused; cause another */
};

/* @moved: something has been recorded since the last look. */
enum silence_verdict silence_look(struct silence *silence, bool moved);

/* Causes the event: starts a thread, which ends at once. Returns 0, or an error number. */
int silence_cause(void);

#endif /* LTTNG_MM_SESSION_SILENCE_H */
