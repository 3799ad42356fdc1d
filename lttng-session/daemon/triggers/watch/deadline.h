/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A time limit for calls of liblttng-ctl, which wait for the session daemon without a limit. If a
 * call exceeds the limit, a thread ends the process.
 */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_WATCH_DEADLINE_H
#define LTTNG_MM_DAEMON_TRIGGERS_WATCH_DEADLINE_H

#include <pthread.h>
#include <stdint.h>

/* Initialize it with DEADLINE_INIT. */
struct deadline {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int64_t at_ns; /* time limit on CLOCK_MONOTONIC; 0: no call is in progress */
	const char *what;
	void (*expired)(void *user, const char *what);
	void *user;
};

#define DEADLINE_INIT                                                                  \
	{                                                                              \
		.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER \
	}

/*
 * Starts the thread. If a call takes too long, the thread calls @expired with @user and the name of
 * the call. @expired must not return. Returns 0, or an error number like pthread_create().
 */
int deadline_start(struct deadline *deadline, void (*expired)(void *user, const char *what),
		   void *user);

/* Starts the time limit @ns for the next call. @what is the name of the call, a string constant. */
void deadline_begin(struct deadline *deadline, const char *what, int64_t ns);
/* Ends the time limit after the call. */
void deadline_end(struct deadline *deadline);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_WATCH_DEADLINE_H */
