/* SPDX-License-Identifier: LGPL-2.1-only */
/* Lists of shell patterns for names. */
#ifndef LTTNG_MM_UTIL_GLOB_H
#define LTTNG_MM_UTIL_GLOB_H

#include <stdbool.h>

/* Does @name match a pattern in @globs, a comma-separated list? NULL matches every name. */
bool mm_glob_match(const char *globs, const char *name);

#endif /* LTTNG_MM_UTIL_GLOB_H */
