// SPDX-License-Identifier: LGPL-2.1-only
/* Starts worker threads with blocked signals. */
#include "util/threads.h"

#include <signal.h>

int mm_thread_start_attr(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *user),
			 void *user)
{
	sigset_t all, before;
	int ret;

	/* The new thread inherits this signal mask. */
	sigfillset(&all);
	sigdelset(&all, SIGBUS);
	sigdelset(&all, SIGSEGV);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	ret = pthread_create(thread, attr, run, user);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return ret;
}

int mm_thread_start(pthread_t *thread, void *(*run)(void *user), void *user)
{
	return mm_thread_start_attr(thread, NULL, run, user);
}

unsigned int mm_threads_start(pthread_t *threads, unsigned int count, void *(*run)(void *user),
			      void *user)
{
	unsigned int started = 0;

	while (started < count && !mm_thread_start(&threads[started], run, user))
		started++;
	return started;
}

void mm_threads_join(const pthread_t *threads, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}
