/* SPDX-License-Identifier: LGPL-2.1-only */
/* State dumps of added functions: how often each was called, and how many calls were missed. */
#ifndef LTTNG_MM_FN_DECODE_STATES_H
#define LTTNG_MM_FN_DECODE_STATES_H

#include "analysis/fn/decode/classes.h"

struct fn_state_dump {
	char *name; /* untrusted */
	int64_t time_ns;
	uint64_t calls, misses; /* from adding the function until @time_ns */
	/* number of the hook; several functions may share a hook; 0: never hooked */
	uint32_t hook;
	bool hooked, stopped, absent;
};

/* The last state dump of each function. */
struct fn_state_dumps {
	struct fn_state_dump *all;
	size_t count, room;
	struct mm_hash by_name;
};

void fn_state_dumps_init(struct fn_state_dumps *dumps);
void fn_state_dumps_release(struct fn_state_dumps *dumps);

void fn_state_dumps_request(struct mm_requests *requests);
/*
 * Reads an event of FN_REQUEST_STATE. Events may come in any order. Stores only the first
 * FN_FUNCTIONS_MAX functions. Returns 0, or -1 when out of memory.
 */
int fn_state_dumps_see(struct fn_state_dumps *dumps, const struct mm_event *event);

#endif /* LTTNG_MM_FN_DECODE_STATES_H */
