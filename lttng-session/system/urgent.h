/* SPDX-License-Identifier: LGPL-2.1-only */
/* Runs urgent work before other work on the machine. */
#ifndef LTTNG_MM_SESSION_URGENT_H
#define LTTNG_MM_SESSION_URGENT_H

#include <sched.h>
#include <stdbool.h>

struct urgent {
	bool raised;
	int policy; /* the previous policy and priority */
	struct sched_param param;
};

/*
 * Gives the calling thread the lowest realtime priority. Its child processes and new threads do not
 * inherit it. Does nothing if the thread lacks permission, or already has a realtime priority. End
 * with urgent_end() in the same thread.
 */
void urgent_begin(struct urgent *urgent);
void urgent_end(const struct urgent *urgent);

/*
 * Ends the realtime priority of any earlier urgent_begin(). Call it after the urgent work. If the
 * process was started with a priority, keeps it.
 */
void urgent_end_all(void);

#endif /* LTTNG_MM_SESSION_URGENT_H */
