/* SPDX-License-Identifier: LGPL-2.1-only */
/* A call of a function, as the tracker hands it on when it has ended. */
#ifndef LTTNG_MM_FN_TRACK_CALL_H
#define LTTNG_MM_FN_TRACK_CALL_H

#include "analysis/fn/decode/values.h"

struct fn_thread;

struct fn_call {
	const struct fn_class *entry; /* the class that has the arguments */
	const struct fn_class *exit;  /* ... and the result; the same one for a single record */
	/* Where the arguments are: kept, or (NULL) in the event. Valid during the call. */
	const struct fn_values *values;
	const struct mm_event *event; /* the last one */
	int64_t start_ns;
	uint64_t duration_ns, self_ns; /* self: without recorded callees of the same thread */
	/* What it adds to the time in the function: without complete calls of it within it. */
	uint64_t outer_ns;
	uint64_t unread; /* of the arguments */
	uint32_t cpu;	 /* on which it ended */
	uint32_t key;	 /* of its thread */
	struct fn_thread *thread;
	uint64_t tag; /* of its frame */
};

/* What became of calls other than complete ones. */
enum fn_outcome {
	FN_NOT_ENDED,	 /* at the end of the trace */
	FN_BEFORE_TRACE, /* an exit of what was called before the trace starts */
	FN_NO_ENTRY,	 /* an exit without its entry, which no loss explains */
	FN_NO_EXIT,	 /* an entry without its exit, which no loss explains */
	FN_THREAD_ENDED, /* in the call */
	FN_UNDETERMINED, /* events may be missing in between */
	FN_TOO_DEEP,	 /* more calls within each other than are kept */
	FN_STOPPED,	 /* an entry without exit, and no later call of the function */
	FN_OUTCOMES,
};

#endif /* LTTNG_MM_FN_TRACK_CALL_H */
