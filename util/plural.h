/* SPDX-License-Identifier: LGPL-2.1-only */
/* Singular and plural forms in messages. */
#ifndef LTTNG_MM_UTIL_PLURAL_H
#define LTTNG_MM_UTIL_PLURAL_H

#include <stdint.h>

static inline const char *mm_plural(uint64_t count, const char *singular, const char *plural)
{
	return count == 1 ? singular : plural;
}

/* Returns the plural ending of a regular noun: `"%u packet%s", count, mm_plural_s(count)`. */
static inline const char *mm_plural_s(uint64_t count)
{
	return mm_plural(count, "", "s");
}

#endif /* LTTNG_MM_UTIL_PLURAL_H */
