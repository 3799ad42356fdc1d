/* SPDX-License-Identifier: LGPL-2.1-only */
/* Lets what must be soon precede other work on the machine. */
#ifndef LTTNG_MM_SESSION_URGENT_H
#define LTTNG_MM_SESSION_URGENT_H

#include <sched.h>
#include <stdbool.h>

struct urgent {
	bool raised;
	int policy; /* the caller's before */
	struct sched_param param;
};

/*
 * Gives the calling thread the lowest realtime priority, which processes and threads that it starts
 * do not inherit. Without the right to that, or with a realtime priority of its own, it stays as it
 * is. End with urgent_end() in the same thread.
 */
void urgent_begin(struct urgent *urgent);
void urgent_end(const struct urgent *urgent);

/*
 * When what was urgent is done: ends what any of the callers of this function has begun. A priority
 * that the process was started with stays.
 */
void urgent_end_all(void);

#endif /* LTTNG_MM_SESSION_URGENT_H */
