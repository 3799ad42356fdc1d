/* SPDX-License-Identifier: LGPL-2.1-only */
/* What state dumps say of functions that had been added: how often each was called and missed. */
#ifndef LTTNG_MM_FN_DECODE_STATES_H
#define LTTNG_MM_FN_DECODE_STATES_H

#include "analysis/fn/decode/classes.h"

struct fn_state_dump {
	char *name; /* hostile */
	int64_t time_ns;
	uint64_t calls, misses; /* since the function was added, up to @time_ns */
	uint32_t hook;		/* functions of one number are hooked together; 0: never hooked */
	bool hooked, stopped, absent;
};

/* The last one of each function. */
struct fn_state_dumps {
	struct fn_state_dump *all;
	size_t count, room;
	struct mm_hash by_name;
};

void fn_state_dumps_init(struct fn_state_dumps *dumps);
void fn_state_dumps_release(struct fn_state_dumps *dumps);

void fn_state_dumps_request(struct mm_requests *requests);
/*
 * An event of that request, at any time. Functions beyond FN_FUNCTIONS_MAX are ignored. Returns 0,
 * or -1: out of memory.
 */
int fn_state_dumps_see(struct fn_state_dumps *dumps, const struct mm_event *event);

#endif /* LTTNG_MM_FN_DECODE_STATES_H */
