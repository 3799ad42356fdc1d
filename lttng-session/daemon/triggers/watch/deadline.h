/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A time limit for calls of liblttng-ctl, which waits for the session daemon without one. A thread
 * ends the process when a call exceeds it.
 */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_WATCH_DEADLINE_H
#define LTTNG_MM_DAEMON_TRIGGERS_WATCH_DEADLINE_H

#include <pthread.h>
#include <stdint.h>

/* Initialize it with DEADLINE_INIT. */
struct deadline {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int64_t at_ns; /* on CLOCK_MONOTONIC; 0: no call is in progress */
	const char *what;
	void (*expired)(void *user, const char *what);
	void *user;
};

#define DEADLINE_INIT                                                                  \
	{                                                                              \
		.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER \
	}

/*
 * Starts the thread. When a call takes too long, it calls @expired with @user and the name of the
 * call; @expired must not return. Returns 0, or an error number like pthread_create().
 */
int deadline_start(struct deadline *deadline, void (*expired)(void *user, const char *what),
		   void *user);

/* The next call, named by the string constant @what, must return within @ns. */
void deadline_begin(struct deadline *deadline, const char *what, int64_t ns);
/* The call has returned. */
void deadline_end(struct deadline *deadline);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_WATCH_DEADLINE_H */
