/* SPDX-License-Identifier: LGPL-2.1-only */
/* What the system information says of slab caches. */
#ifndef LTTNG_MM_SLAB_DECODE_SYSINFO_H
#define LTTNG_MM_SLAB_DECODE_SYSINFO_H

#include "reader/sysinfo/part.h"
#include "reader/sysinfo/sysinfo.h"

/* The files. */
extern const struct mm_sysinfo_part slab_sysinfo_parts[];

/*
 * Returns name @index of the slab caches that were merged with @cache when the snapshot was taken,
 * including itself; NULL after the last one. Untrusted.
 */
const char *slab_sysinfo_alias(const struct mm_sysinfo *sysinfo, const char *cache, size_t index);

/*
 * Could the kernel reclaim the objects of the slab cache of that name, by the system information?
 * Returns 1, 0, or -1 if that is not known.
 */
int slab_sysinfo_is_reclaimable(const struct mm_sysinfo *sysinfo, const char *cache);

#endif /* LTTNG_MM_SLAB_DECODE_SYSINFO_H */
