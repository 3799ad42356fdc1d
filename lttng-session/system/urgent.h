/* SPDX-License-Identifier: LGPL-2.1-only */
/* Gives urgent work precedence over other work on the machine. */
#ifndef LTTNG_MM_SESSION_URGENT_H
#define LTTNG_MM_SESSION_URGENT_H

#include <sched.h>
#include <stdbool.h>

struct urgent {
	bool raised;
	int policy; /* the previous policy; @param: the previous priority */
	struct sched_param param;
};

/*
 * Gives the calling thread the lowest realtime priority. Child processes and new threads do not
 * inherit it. Does nothing if the thread lacks permission, or already has a realtime priority. Call
 * urgent_end() afterwards in the same thread.
 */
void urgent_begin(struct urgent *urgent);
void urgent_end(const struct urgent *urgent);

/*
 * Ends the realtime priority that an earlier urgent_begin() gave this process, even if the process
 * has executed another program since then. Does not change any other realtime priority. Call it
 * after the urgent work.
 */
void urgent_end_all(void);

#endif /* LTTNG_MM_SESSION_URGENT_H */
