/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The time in complete calls of one kind that are not within another one of them: of a function, or
 * of those with one value.
 */
#ifndef LTTNG_MM_FN_TRACK_OUTER_H
#define LTTNG_MM_FN_TRACK_OUTER_H

#include "analysis/fn/track/call.h"
#include "util/rows.h"

/* Keys @thread and @kind, in rows of fn_outer_init(). 0, or -1: out of memory. */
int fn_outer_init(struct mm_rows *outer);

/*
 * Sets *@outer_ns to what a call adds to that time: its duration without the calls of the same
 * @kind within it, which were added before. Calls are added as they end. 0, or -1: out of memory.
 */
int fn_outer_add(struct mm_rows *outer, const struct fn_call *call, uint32_t kind,
		 uint64_t *outer_ns);

#endif /* LTTNG_MM_FN_TRACK_OUTER_H */
