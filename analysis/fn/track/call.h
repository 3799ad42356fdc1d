/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A call that has ended, as fn_pairing_ops.call() receives it. For a single record, @entry and
 * @exit are the same class.
 */
#ifndef LTTNG_MM_FN_TRACK_CALL_H
#define LTTNG_MM_FN_TRACK_CALL_H

#include "analysis/fn/decode/values.h"

struct fn_thread;

struct fn_call {
	const struct fn_class *entry; /* class of the event with the arguments */
	const struct fn_class *exit;  /* class of the event with the result */
	/* copy of the arguments, valid during the callback; NULL: the arguments are in @event */
	const struct fn_values *values;
	const struct mm_event *event; /* the exit event or the single record */
	int64_t start_ns;
	uint64_t duration_ns, self_ns; /* @self_ns: duration without recorded callees */
	/* duration without nested complete calls of the same function */
	uint64_t outer_ns;
	uint64_t unread; /* mask of the arguments that the probe could not read */
	uint32_t cpu;
	uint32_t key; /* key of the thread */
	struct fn_thread *thread;
	uint64_t tag;
};

/* Outcomes of calls that are not complete. */
enum fn_outcome {
	FN_NOT_ENDED,	 /* still open at the end of the trace */
	FN_BEFORE_TRACE, /* an exit whose call started before the trace */
	FN_NO_ENTRY,	 /* an exit without its entry, although no events are missing */
	FN_NO_EXIT,	 /* an entry without its exit, although no events are missing */
	FN_THREAD_ENDED, /* the thread exited during the call */
	FN_UNDETERMINED, /* the entry or the exit may be lost */
	FN_TOO_DEEP,	 /* nested deeper than FN_DEPTH_MAX */
	/* like FN_NO_EXIT, but the function is not entered again: its recording probably ended */
	FN_STOPPED,
	FN_OUTCOMES,
};

#endif /* LTTNG_MM_FN_TRACK_CALL_H */
