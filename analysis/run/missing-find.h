/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds what a trace should have and does not. */
#ifndef LTTNG_MM_RUN_MISSING_FIND_H
#define LTTNG_MM_RUN_MISSING_FIND_H

#include "analysis/trace/source.h"

/*
 * Compares what is there with what the system information lists, with index files that name
 * packets, and in older snapshots with the CPUs of the other session. The list is source->missing
 * then. Returns 0, or -1 with @err set.
 */
int mm_missing_search(struct mm_source *source, struct mm_error *err);

#endif /* LTTNG_MM_RUN_MISSING_FIND_H */
