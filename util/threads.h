/* SPDX-License-Identifier: LGPL-2.1-only */
/* Worker threads, and annotations of their queues for ThreadSanitizer. */
#ifndef LTTNG_MM_UTIL_THREADS_H
#define LTTNG_MM_UTIL_THREADS_H

#include <pthread.h>

/*
 * Starts a thread that calls @run(@user). The thread blocks all signals except SIGBUS and SIGSEGV,
 * because its own memory accesses may raise these two. Returns 0 or an error number, like
 * pthread_create().
 */
int mm_thread_start(pthread_t *thread, void *(*run)(void *user), void *user);

/* Starts a thread with the attributes @attr (see pthread_attr_init()). NULL: the defaults. */
int mm_thread_start_attr(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *user),
			 void *user);

/*
 * Starts up to @count threads. Returns the number of started threads. They are the first elements
 * of @threads.
 */
unsigned int mm_threads_start(pthread_t *threads, unsigned int count, void *(*run)(void *user),
			      void *user);

void mm_threads_join(const pthread_t *threads, unsigned int count);

/*
 * liburcu is built without ThreadSanitizer. These macros tell ThreadSanitizer in which order queues
 * and stacks are accessed. Call mm_before_enqueue() before adding an element, and
 * mm_after_dequeue() after removing one.
 */
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#define mm_before_enqueue(queue) __tsan_release(queue)
#define mm_after_dequeue(queue) __tsan_acquire(queue)
#else
#define mm_before_enqueue(queue) ((void)(queue))
#define mm_after_dequeue(queue) ((void)(queue))
#endif

#endif /* LTTNG_MM_UTIL_THREADS_H */
