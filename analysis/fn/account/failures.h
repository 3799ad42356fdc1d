/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Failures: an error that a function returns because a function that it called returned it is one.
 * If path_openat() fails with -ENOENT within do_sys_openat2(), which returns -ENOENT too, two calls
 * have failed, but one failure was passed on.
 */
#ifndef LTTNG_MM_FN_ACCOUNT_FAILURES_H
#define LTTNG_MM_FN_ACCOUNT_FAILURES_H

#include "analysis/fn/track/stacks.h"
#include "analysis/fn/track/call.h"

/* Different errors and lists of functions that return them. */
#define FN_FAILURES_MAX 4096u

/* An error, and the functions that returned it. The first one sums up what exceeds the maximum. */
struct fn_failure {
	struct fn_error error;
	const struct fn_class *class; /* of the outermost function */
	uint32_t inner; /* the failure without this function; 0: it is the innermost */
	uint64_t count; /* of those that no other function passed on */
};

struct fn_failures {
	struct fn_failure *all;
	size_t count, room;
	struct mm_hash index;
};

/* Both return 0, or -1: out of memory. */
int fn_failures_init(struct fn_failures *failures);
void fn_failures_release(struct fn_failures *failures);

/*
 * @call of @thread, which may be NULL, has returned @error. Calls that fail are added when they
 * end.
 */
int fn_failures_add(struct fn_failures *failures, struct fn_thread *thread,
		    const struct fn_call *call, const struct fn_error *error);

uint64_t fn_failures_sum(const struct fn_failures *failures);
/* Returns the most frequent failure, or NULL. */
const struct fn_failure *fn_failures_most(const struct fn_failures *failures);
/* Writes its functions, the innermost first: `path_openat() and do_sys_openat2()`. */
void fn_failure_functions(const struct fn_failures *failures, const struct fn_failure *failure,
			  char *const *names, char *text, size_t size);

#endif /* LTTNG_MM_FN_ACCOUNT_FAILURES_H */
