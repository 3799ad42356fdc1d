/* SPDX-License-Identifier: LGPL-2.1-only */
/* Clocks in nanoseconds. */
#ifndef LTTNG_MM_UTIL_CLOCK_H
#define LTTNG_MM_UTIL_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Returns the time of @clock, such as CLOCK_MONOTONIC. The kernel must support the clock. */
static inline int64_t mm_clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#endif /* LTTNG_MM_UTIL_CLOCK_H */
