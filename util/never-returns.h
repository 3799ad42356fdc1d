/* SPDX-License-Identifier: LGPL-2.1-only */
/* Kernel functions that never return. */
#ifndef LTTNG_MM_UTIL_NEVER_RETURNS_H
#define LTTNG_MM_UTIL_NEVER_RETURNS_H

#include <stdbool.h>

/* Does the kernel declare @function as __noreturn? A call then ends only when its thread exits. */
bool mm_never_returns(const char *function);

#endif /* LTTNG_MM_UTIL_NEVER_RETURNS_H */
