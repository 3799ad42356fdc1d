/* SPDX-License-Identifier: LGPL-2.1-only */
/* What is counted of complete calls: by function, by error, by a value, and the slowest ones. */
#ifndef LTTNG_MM_FN_ACCOUNT_ACCOUNTS_H
#define LTTNG_MM_FN_ACCOUNT_ACCOUNTS_H

#include "analysis/fn/account/durations.h"
#include "analysis/fn/account/failures.h"
#include "analysis/fn/track/outer.h"

#define FN_ERRORS_MAX 4096u /* different errors of all functions */
#define FN_BY_MAX 1000u	    /* different values of the argument of --by */
#define FN_SLOWEST_MAX 100u

struct fn_account {
	struct fn_durations durations;
	uint64_t self_ns;
	uint64_t total_ns; /* without calls within another one of the same account */
	uint64_t errors;
};

struct fn_error_count {
	uint32_t function; /* of the first one: the sum of errors above FN_ERRORS_MAX */
	struct fn_error error;
	const struct fn_class *class;
	uint64_t count;
};

struct fn_slow_call {
	const struct fn_class *entry, *exit;
	struct fn_values *values; /* owned */
	int64_t start_ns;
	uint64_t duration_ns, self_ns, unread, ret, ret_unread, caller;
	uint32_t tid, cpu, thread; /* @thread: what MM_THREADS has of it, set by the user */
};

/* A value of the argument that --by names. The first one stands for all above FN_BY_MAX. */
struct fn_value_group {
	char *text; /* hostile */
	struct fn_account account;
};

struct fn_grouping {
	char *function, *argument; /* NULL: not requested */
	struct fn_value_group *all;
	size_t count, room;
	struct mm_hash by_text;
	struct mm_rows outer; /* by the number of the value */
	bool found;	      /* the function has such an argument */
};

struct fn_accounts {
	struct fn_account *functions;
	size_t function_room;
	struct fn_error_count *errors;
	size_t error_count, error_room;
	struct mm_hash by_error;
	struct fn_failures failures;
	/* A heap whose root is the fastest of them. */
	struct fn_slow_call slowest[FN_SLOWEST_MAX];
	size_t slow_count;
	struct fn_grouping by;
	struct fn_values *scratch; /* of calls whose arguments are in the event */
	size_t scratch_bytes;
};

int fn_accounts_init(struct fn_accounts *accounts);
void fn_accounts_release(struct fn_accounts *accounts);

/* What --by names: `FUNCTION.ARGUMENT`. Returns 0, or -1: out of memory. */
int fn_accounts_by(struct fn_accounts *accounts, const char *path);

/* Both return 0, or -1: out of memory. Makes room for @function. */
int fn_accounts_add_function(struct fn_accounts *accounts, uint32_t function);
/*
 * *@slow: where it is among the slowest calls, whose thread the caller sets; NULL: it is not one of
 * them. @name is the function's.
 */
int fn_accounts_add(struct fn_accounts *accounts, const struct fn_call *call, const char *name,
		    struct fn_slow_call **slow);

#endif /* LTTNG_MM_FN_ACCOUNT_ACCOUNTS_H */
