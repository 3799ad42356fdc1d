// SPDX-License-Identifier: LGPL-2.1-only
/* Adds up the time in calls, and counts the time of nested calls of the same kind once. */
#include "analysis/fn/track/outer.h"

#include <string.h>

#include "analysis/fn/track/stacks.h"

/*
 * Maximum number of (thread, kind) pairs. For further pairs, the time of nested calls is counted
 * twice.
 */
#define ROWS_MAX (1u << 18)
/* Maximum number of ended calls of a thread and a kind that are stored until their caller ends. */
#define CALLS_MAX 16u

struct outer_calls {
	struct mm_row key; /* (thread, kind + 1) */
	uint32_t count;
	struct fn_ended_call calls[CALLS_MAX];
};

int fn_outer_init(struct mm_rows *outer)
{
	return mm_rows_init(outer, sizeof(struct outer_calls), ROWS_MAX, 10);
}

int fn_outer_add(struct mm_rows *outer, const struct fn_call *call, uint32_t kind,
		 uint64_t *outer_ns)
{
	struct outer_calls *row = mm_rows_get(outer, call->key, kind + 1);
	struct fn_ended_call ended = { call->event->time_ns, call->duration_ns };
	uint64_t inner_ns = 0;

	if (!row)
		return -1;
	*outer_ns = call->duration_ns;
	if (!row->key.b)
		return 0;
	while (row->count && row->calls[row->count - 1].end_ns > call->start_ns)
		inner_ns += row->calls[--row->count].duration_ns;
	*outer_ns -= inner_ns < call->duration_ns ? inner_ns : call->duration_ns;
	if (row->count == CALLS_MAX) {
		row->calls[1].duration_ns += row->calls[0].duration_ns;
		row->count--;
		memmove(&row->calls[0], &row->calls[1], row->count * sizeof(row->calls[0]));
	}
	row->calls[row->count++] = ended;
	return 0;
}
