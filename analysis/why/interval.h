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
	WHY_OPERATION, /* kind of operation 0; operation N has the kind WHY_OPERATION + N */
	WHY_KINDS = WHY_OPERATION + MM_OPERATIONS_MAX,
};

/*
 * Serial number of a start that has no event, because the call was recorded as a single record at
 * its end.
 */
#define WHY_NO_SERIAL UINT64_MAX

struct why_interval {
	enum why_kind kind;
	uint32_t function; /* number of the called function */
	int64_t start_ns, end_ns;
	uint64_t duration_ns;
	/*
	 * Serial numbers of the start and the end event. They count all events that can start or
	 * end an interval, so they are the same in both passes.
	 */
	uint64_t start_serial, end_serial;
	uint32_t key;	 /* the thread's key at the interval's end: see fn_thread_key() */
	uint32_t tid;	 /* the thread's id at the interval's end */
	uint32_t cpu;	 /* CPU of the interval's last event */
	uint32_t thread; /* index in struct mm_threads */
};

#endif /* LTTNG_MM_WHY_INTERVAL_H */
