// SPDX-License-Identifier: LGPL-2.1-only
/* Ends the process if a call takes too long. */
#include "lttng-session/daemon/triggers/watch/deadline.h"

#include <stdlib.h>
#include <time.h>

#include "util/clock.h"
#include "util/threads.h"

#define NS_PER_S INT64_C(1000000000)

static void *wait_for_end(void *user)
{
	struct deadline *deadline = user;

	pthread_mutex_lock(&deadline->lock);
	while (!deadline->at_ns || mm_clock_ns(CLOCK_MONOTONIC) < deadline->at_ns) {
		struct timespec until = { .tv_sec = deadline->at_ns / NS_PER_S,
					  .tv_nsec = deadline->at_ns % NS_PER_S };

		if (deadline->at_ns)
			pthread_cond_clockwait(&deadline->changed, &deadline->lock, CLOCK_MONOTONIC,
					       &until);
		else
			pthread_cond_wait(&deadline->changed, &deadline->lock);
	}
	deadline->expired(deadline->user, deadline->what);
	abort();
}

int deadline_start(struct deadline *deadline, void (*expired)(void *user, const char *what),
		   void *user)
{
	pthread_t thread;

	deadline->expired = expired;
	deadline->user = user;
	return mm_thread_start(&thread, wait_for_end, deadline);
}

static void set(struct deadline *deadline, const char *what, int64_t at_ns)
{
	pthread_mutex_lock(&deadline->lock);
	deadline->what = what;
	deadline->at_ns = at_ns;
	pthread_cond_signal(&deadline->changed);
	pthread_mutex_unlock(&deadline->lock);
}

void deadline_begin(struct deadline *deadline, const char *what, int64_t ns)
{
	set(deadline, what, mm_clock_ns(CLOCK_MONOTONIC) + ns);
}

void deadline_end(struct deadline *deadline)
{
	set(deadline, NULL, 0);
}
