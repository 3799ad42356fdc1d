/* SPDX-License-Identifier: LGPL-2.1-only */
/* Counts complete calls by function, error, and value of an argument. Stores the slowest calls. */
#ifndef LTTNG_MM_FN_ACCOUNT_ACCOUNTS_H
#define LTTNG_MM_FN_ACCOUNT_ACCOUNTS_H

#include "analysis/fn/account/durations.h"
#include "analysis/fn/account/failures.h"
#include "analysis/fn/track/outer.h"

#define FN_ERRORS_MAX 4096u /* (function, error) pairs, and element 0 for all others */
#define FN_BY_MAX 1000u	    /* groups of --by */
#define FN_SLOWEST_MAX 100u

struct fn_account {
	struct fn_durations durations;
	uint64_t self_ns;
	/* total time; the time of nested calls of the same account is counted once */
	uint64_t total_ns;
	uint64_t errors;
};

struct fn_error_count {
	/* not valid in element 0, which sums up all errors beyond FN_ERRORS_MAX */
	uint32_t function;
	struct fn_error error;
	const struct fn_class *class;
	uint64_t count;
};

struct fn_slow_call {
	const struct fn_class *entry, *exit;
	struct fn_values *values; /* owned */
	int64_t start_ns;
	uint64_t duration_ns, self_ns, unread, ret, ret_unread, caller;
	uint32_t tid, cpu, thread; /* @thread: number in struct mm_threads, set by the caller */
};

/*
 * Calls with the same value of the argument that --by names. Group 0 sums up values beyond
 * FN_BY_MAX.
 */
struct fn_value_group {
	char *text; /* untrusted */
	struct fn_account account;
};

struct fn_grouping {
	char *function, *argument; /* NULL: no --by */
	struct fn_value_group *all;
	size_t count, room;
	struct mm_hash by_text;
	struct mm_rows outer; /* struct outer_calls per group */
	bool found;	      /* a complete call with the argument that --by names was seen */
};

struct fn_accounts {
	struct fn_account *functions;
	size_t function_room;
	struct fn_error_count *errors;
	size_t error_count, error_room;
	struct mm_hash by_error;
	struct fn_failures failures;
	/* a heap: the root is the fastest of these calls */
	struct fn_slow_call slowest[FN_SLOWEST_MAX];
	size_t slow_count;
	struct fn_grouping by;
	struct fn_values *scratch; /* copy of the arguments of a single record (fn_*_call) */
	size_t scratch_bytes;
};

int fn_accounts_init(struct fn_accounts *accounts);
void fn_accounts_release(struct fn_accounts *accounts);

/* Groups calls by --by=FUNCTION.ARGUMENT. Returns 0, or -1 when out of memory. */
int fn_accounts_by(struct fn_accounts *accounts, const char *path);

/* Makes room for the counts of @function. Returns 0, or -1 when out of memory. */
int fn_accounts_add_function(struct fn_accounts *accounts, uint32_t function);
/*
 * Counts a complete call of the function @name. If the call is one of the slowest, *@slow is its
 * entry in @slowest, and the caller sets the entry's thread. Otherwise, *@slow is NULL. Returns 0,
 * or -1 when out of memory.
 */
int fn_accounts_add(struct fn_accounts *accounts, const struct fn_call *call, const char *name,
		    struct fn_slow_call **slow);

#endif /* LTTNG_MM_FN_ACCOUNT_ACCOUNTS_H */
