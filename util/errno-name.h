/* SPDX-License-Identifier: LGPL-2.1-only */
/* Names of the kernel's errors in results. */
#ifndef LTTNG_MM_UTIL_ERRNO_NAME_H
#define LTTNG_MM_UTIL_ERRNO_NAME_H

#include <stdint.h>
#include <string.h>

/* The kernel's MAX_ERRNO: unsigned 64-bit results of at least its negative value are errors. */
#define MM_ERRNO_MAX 4095

/*
 * Returns the name of the error that a result is, such as "ENOENT" for -2 or 0xfffffffffffffffe, or
 * NULL if the value is no error number, or has no name.
 */
static inline const char *mm_errno_name(int64_t result)
{
	return result < 0 && result >= -MM_ERRNO_MAX ? strerrorname_np((int)-result) : NULL;
}

#endif /* LTTNG_MM_UTIL_ERRNO_NAME_H */
