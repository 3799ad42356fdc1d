// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Sets a realtime priority, because a process of normal priority gets only its share of a busy CPU.
 * Uses pthread functions, because glibc caches the priority. After a plain system call,
 * pthread_getschedparam() in freeze_and_start() (lttng-session/freeze/copy.c) would return the old
 * value.
 */
#include "lttng-session/system/urgent.h"

#include <pthread.h>

void urgent_begin(struct urgent *urgent)
{
	const struct sched_param lowest = { .sched_priority = sched_get_priority_min(SCHED_FIFO) };

	*urgent = (struct urgent){ .raised = false };
	if (pthread_getschedparam(pthread_self(), &urgent->policy, &urgent->param) ||
	    urgent->policy != SCHED_OTHER)
		return;
	urgent->raised =
		!pthread_setschedparam(pthread_self(), SCHED_FIFO | SCHED_RESET_ON_FORK, &lowest);
}

void urgent_end_all(void)
{
	const struct sched_param usual = { .sched_priority = 0 };
	struct sched_param now;

	/* Only urgent_begin() sets this policy, flag and priority together. */
	if (sched_getscheduler(0) == (SCHED_FIFO | SCHED_RESET_ON_FORK) &&
	    !sched_getparam(0, &now) && now.sched_priority == sched_get_priority_min(SCHED_FIFO))
		pthread_setschedparam(pthread_self(), SCHED_OTHER, &usual);
}

void urgent_end(const struct urgent *urgent)
{
	if (urgent->raised)
		pthread_setschedparam(pthread_self(), urgent->policy, &urgent->param);
}
