/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds what certificates of coverage say: what streams cover, and the pauses. */
#ifndef LTTNG_MM_COVERAGE_FIND_PAUSES_FIND_H
#define LTTNG_MM_COVERAGE_FIND_PAUSES_FIND_H

#include "reader/coverage/missing.h"
#include "reader/sysinfo/snapshot-dirs.h"

/*
 * Adds what the certificates of @snapshots, those of @source, say of its streams to
 * source->missing, and notes on each snapshot.json that cannot be used. Returns 0, or -1 when out
 * of memory.
 */
int mm_pauses_find(struct mm_source *source, const struct mm_snapshots *snapshots);

/*
 * Adds a pause; its file is taken over, and may be NULL. Returns 0, or -1 when out of memory. Once
 * all are added, mm_pauses_sort() brings them into order.
 */
int mm_pauses_add(struct mm_missing_list *list, const struct mm_pause *pause);
void mm_pauses_sort(struct mm_missing_list *list);

#endif /* LTTNG_MM_COVERAGE_FIND_PAUSES_FIND_H */
