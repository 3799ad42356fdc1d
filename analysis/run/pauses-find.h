/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds what certificates of coverage say: what streams cover, and the pauses. */
#ifndef LTTNG_MM_RUN_PAUSES_FIND_H
#define LTTNG_MM_RUN_PAUSES_FIND_H

#include "analysis/trace/missing.h"

/*
 * Adds what certificates say of the streams of @source to source->missing, and notes on each
 * snapshot.json that cannot be used. Returns 0, or -1 when out of memory.
 */
int mm_pauses_find(struct mm_source *source);

#endif /* LTTNG_MM_RUN_PAUSES_FIND_H */
