/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reads the covered times and the pauses of streams from certificates of coverage. */
#ifndef LTTNG_MM_COVERAGE_FIND_PAUSES_FIND_H
#define LTTNG_MM_COVERAGE_FIND_PAUSES_FIND_H

#include "reader/coverage/missing.h"
#include "reader/sysinfo/snapshot-dirs.h"

/*
 * Adds the pauses, covered times and limits in the certificates of @snapshots to source->missing.
 * Returns 0, or -1 when out of memory.
 */
int mm_pauses_find(struct mm_source *source, const struct mm_snapshots *snapshots);

/*
 * Adds a pause, and takes ownership of its file. A file that is NULL means that the caller is out
 * of memory. Returns 0, or -1 when out of memory. Call mm_pauses_sort() after adding all pauses.
 */
int mm_pauses_add(struct mm_missing_list *list, const struct mm_pause *pause);
void mm_pauses_sort(struct mm_missing_list *list);

#endif /* LTTNG_MM_COVERAGE_FIND_PAUSES_FIND_H */
