/* SPDX-License-Identifier: LGPL-2.1-only */
/* An interval of one thread: a call, an operation of a subsystem, or a pair of events. */
#ifndef LTTNG_MM_WHY_INTERVAL_H
#define LTTNG_MM_WHY_INTERVAL_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/subsystem/event-roles.h"

enum why_kind {
	WHY_CALL,
	WHY_PAIR,      /* between the two events of --pair */
	WHY_OPERATION, /* plus the number of the operation */
	WHY_KINDS = WHY_OPERATION + MM_OPERATIONS_MAX,
};

/* Serial of the start of a call that a single record describes: no event marks this start. */
#define WHY_NO_SERIAL UINT64_MAX

struct why_interval {
	enum why_kind kind;
	uint32_t function; /* number of a call's function */
	int64_t start_ns, end_ns;
	uint64_t duration_ns;
	/* Numbers of start and end among all possible endpoints. Equal in both passes. */
	uint64_t start_serial, end_serial;
	uint32_t key;	 /* key of the thread at the end: see fn_thread_key() */
	uint32_t tid;	 /* id of the thread at the end */
	uint32_t cpu;	 /* CPU of its last event */
	uint32_t thread; /* number of the thread in struct mm_threads */
};

#endif /* LTTNG_MM_WHY_INTERVAL_H */
