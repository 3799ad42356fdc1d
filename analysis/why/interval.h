/* SPDX-License-Identifier: LGPL-2.1-only */
/* An interval of one thread: a call, an operation of a subsystem, or from one event to another. */
#ifndef LTTNG_MM_WHY_INTERVAL_H
#define LTTNG_MM_WHY_INTERVAL_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/subsystem/event-roles.h"

enum why_kind {
	WHY_CALL,
	WHY_PAIR,      /* of the two events that --pair names */
	WHY_OPERATION, /* the first operation that a subsystem declares; the others follow */
	WHY_KINDS = WHY_OPERATION + MM_OPERATIONS_MAX,
};

/* Of a single record, whose start has no event. */
#define WHY_NO_SERIAL UINT64_MAX

struct why_interval {
	enum why_kind kind;
	uint32_t function; /* of a call: its number */
	int64_t start_ns, end_ns;
	uint64_t duration_ns;
	/* Numbers of its events among those that can start or end intervals, in all passes. */
	uint64_t start_serial, end_serial;
	uint32_t key;	 /* of the thread, at the end: see fn_thread_key() */
	uint32_t tid;	 /* at the end */
	uint32_t cpu;	 /* on which it ended */
	uint32_t thread; /* what mm_threads has of the thread */
};

#endif /* LTTNG_MM_WHY_INTERVAL_H */
