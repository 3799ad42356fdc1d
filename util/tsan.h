/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Annotates the ordering of liburcu's queues and stacks for ThreadSanitizer, because liburcu is
 * built without it.
 */
#ifndef LTTNG_MM_UTIL_TSAN_H
#define LTTNG_MM_UTIL_TSAN_H

/* Call the first before enqueueing to @queue, and the second after dequeueing from it. */
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#define ctf_before_enqueue(queue) __tsan_release(queue)
#define ctf_after_dequeue(queue) __tsan_acquire(queue)
#else
#define ctf_before_enqueue(queue) ((void)(queue))
#define ctf_after_dequeue(queue) ((void)(queue))
#endif

#endif /* LTTNG_MM_UTIL_TSAN_H */
