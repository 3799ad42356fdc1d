/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Adds up the time in calls, and counts the time of nested calls of the same kind once. A kind is a
 * function, or a group of calls with the same value of an argument.
 */
#ifndef LTTNG_MM_FN_TRACK_OUTER_H
#define LTTNG_MM_FN_TRACK_OUTER_H

#include "analysis/fn/track/call.h"
#include "util/rows.h"

/*
 * Initializes the store of ended calls of all threads and kinds. Returns 0, or -1 when out of
 * memory.
 */
int fn_outer_init(struct mm_rows *outer);

/*
 * Adds a call when it ends. Sets *@outer_ns to the call's duration without nested calls of the same
 * kind. Returns 0, or -1 when out of memory.
 */
int fn_outer_add(struct mm_rows *outer, const struct fn_call *call, uint32_t kind,
		 uint64_t *outer_ns);

#endif /* LTTNG_MM_FN_TRACK_OUTER_H */
