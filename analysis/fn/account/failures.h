/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Counts failures. An error that functions pass on to their callers is one failure. Example:
 * path_openat() returns -ENOENT to do_sys_openat2(), which also returns -ENOENT. Two calls fail,
 * but this counts as one failure.
 */
#ifndef LTTNG_MM_FN_ACCOUNT_FAILURES_H
#define LTTNG_MM_FN_ACCOUNT_FAILURES_H

#include "analysis/fn/track/stacks.h"
#include "analysis/fn/track/call.h"

/* Maximum number of distinct failures. */
#define FN_FAILURES_MAX 4096u

/*
 * A failure: an error, and the chain of functions that returned it. Failure 0 sums up failures
 * beyond FN_FAILURES_MAX.
 */
struct fn_failure {
	struct fn_error error;
	const struct fn_class *class; /* class of the outermost function */
	/* failure whose chain lacks only the outermost function; 0: the chain has one function */
	uint32_t inner;
	uint64_t count; /* occurrences of exactly this chain, not of longer chains */
};

struct fn_failures {
	struct fn_failure *all;
	size_t count, room;
	struct mm_hash index;
};

/* Returns 0, or -1 when out of memory. */
int fn_failures_init(struct fn_failures *failures);
void fn_failures_release(struct fn_failures *failures);

/*
 * Adds @call, which returned @error. Calls must be added in the order in which they end. @thread
 * may be NULL. Returns 0, or -1 when out of memory.
 */
int fn_failures_add(struct fn_failures *failures, struct fn_thread *thread,
		    const struct fn_call *call, const struct fn_error *error);

uint64_t fn_failures_sum(const struct fn_failures *failures);
/* Returns the most frequent failure, or NULL. */
const struct fn_failure *fn_failures_most(const struct fn_failures *failures);
/* Writes the functions of the failure, innermost first: `path_openat() and do_sys_openat2()`. */
void fn_failure_functions(const struct fn_failures *failures, const struct fn_failure *failure,
			  char *const *names, char *text, size_t size);

#endif /* LTTNG_MM_FN_ACCOUNT_FAILURES_H */
