/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * liburcu is not built for ThreadSanitizer, so the ordering by its queues and stacks is annotated.
 */
#ifndef LTTNG_MM_UTIL_TSAN_H
#define LTTNG_MM_UTIL_TSAN_H

/* To be called before enqueueing to @queue, and after dequeueing from it. */
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#define ctf_before_enqueue(queue) __tsan_release(queue)
#define ctf_after_dequeue(queue) __tsan_acquire(queue)
#else
#define ctf_before_enqueue(queue) ((void)(queue))
#define ctf_after_dequeue(queue) ((void)(queue))
#endif

#endif /* LTTNG_MM_UTIL_TSAN_H */
