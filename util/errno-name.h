/* SPDX-License-Identifier: LGPL-2.1-only */
/* Names of the kernel's errors in results. */
#ifndef LTTNG_MM_UTIL_ERRNO_NAME_H
#define LTTNG_MM_UTIL_ERRNO_NAME_H

#include <stdint.h>
#include <string.h>

/* Results from -MM_ERRNO_MAX to -1 are errors (the kernel's MAX_ERRNO). */
#define MM_ERRNO_MAX 4095

/*
 * Returns the name of the error in @result, such as "ENOENT" for -2 or 0xfffffffffffffffe. Returns
 * NULL if the value is not an error, or if the error has no name.
 */
static inline const char *mm_errno_name(int64_t result)
{
	return result < 0 && result >= -MM_ERRNO_MAX ? strerrorname_np((int)-result) : NULL;
}

#endif /* LTTNG_MM_UTIL_ERRNO_NAME_H */
