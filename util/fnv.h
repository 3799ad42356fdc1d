/* SPDX-License-Identifier: LGPL-2.1-only */
/* FNV-1a, a hash that detects changed texts. It does not resist deliberate collisions. */
#ifndef LTTNG_MM_UTIL_FNV_H
#define LTTNG_MM_UTIL_FNV_H

#include <stdint.h>

#define MM_FNV_START UINT64_C(0xcbf29ce484222325)
#define MM_FNV_FACTOR UINT64_C(0x100000001b3)

/* Adds @text including its terminator, so that "a", "bc" and "ab", "c" differ. */
static inline void mm_fnv_add(uint64_t *hash, const char *text)
{
	do
		*hash = (*hash ^ (unsigned char)*text) * MM_FNV_FACTOR;
	while (*text++);
}

#endif /* LTTNG_MM_UTIL_FNV_H */
