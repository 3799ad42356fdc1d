/* SPDX-License-Identifier: LGPL-2.1-only */
/* Functions of the kernel that never return. */
#ifndef LTTNG_MM_UTIL_NEVER_RETURNS_H
#define LTTNG_MM_UTIL_NEVER_RETURNS_H

#include <stdbool.h>

/* Does the kernel declare the function as __noreturn? A call of it ends with its thread. */
bool mm_never_returns(const char *function);

#endif /* LTTNG_MM_UTIL_NEVER_RETURNS_H */
