/* SPDX-License-Identifier: LGPL-2.1-only */
/* Slab caches in the system information. */
#ifndef LTTNG_MM_SLAB_DECODE_SYSINFO_H
#define LTTNG_MM_SLAB_DECODE_SYSINFO_H

#include "reader/sysinfo/part.h"
#include "reader/sysinfo/sysinfo.h"

/* Files of the system information that list slab caches. */
extern const struct mm_sysinfo_part slab_sysinfo_parts[];

/*
 * Returns name number @index of @cache, or NULL after the last name. The names include those of
 * caches that had been merged with @cache at the time of the snapshot. Names are untrusted.
 */
const char *slab_sysinfo_alias(const struct mm_sysinfo *sysinfo, const char *cache, size_t index);

/*
 * Can the kernel reclaim objects of the slab cache? Returns 1, 0, or -1 if the system information
 * does not say.
 */
int slab_sysinfo_is_reclaimable(const struct mm_sysinfo *sysinfo, const char *cache);

#endif /* LTTNG_MM_SLAB_DECODE_SYSINFO_H */
