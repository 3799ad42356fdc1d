/* SPDX-License-Identifier: LGPL-2.1-only */
/* Worker threads. */
#ifndef LTTNG_MM_UTIL_THREADS_H
#define LTTNG_MM_UTIL_THREADS_H

#include <pthread.h>

/*
 * Starts a thread that runs @run with @user. Signals stay with the thread that handles them: the
 * new one blocks all of them but SIGBUS and SIGSEGV, which its own accesses cause. Returns 0, or an
 * error number as pthread_create() does.
 */
int mm_thread_start(pthread_t *thread, void *(*run)(void *user), void *user);

/* Starts up to @count of them. Returns how many have started: the first ones of @threads. */
unsigned int mm_threads_start(pthread_t *threads, unsigned int count, void *(*run)(void *user),
			      void *user);

void mm_threads_join(const pthread_t *threads, unsigned int count);

#endif /* LTTNG_MM_UTIL_THREADS_H */
