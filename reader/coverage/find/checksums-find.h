/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds snapshots whose packets cannot be compared with checksums. */
#ifndef LTTNG_MM_COVERAGE_FIND_CHECKSUMS_FIND_H
#define LTTNG_MM_COVERAGE_FIND_CHECKSUMS_FIND_H

#include "reader/sysinfo/snapshot-dirs.h"

/*
 * Fills two lists of source->missing. `unchecked` has snapshots without checksums or without a
 * usable snapshot.json. `lost_sums` has checksum files that are missing or damaged. Returns 0, or
 * -1 when out of memory.
 */
int mm_checksums_find(struct mm_source *source, const struct mm_snapshots *snapshots);

#endif /* LTTNG_MM_COVERAGE_FIND_CHECKSUMS_FIND_H */
