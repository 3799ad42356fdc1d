/* SPDX-License-Identifier: LGPL-2.1-only */
/* Changes the conditions under which added functions are recorded. */
#ifndef LTTNG_MM_SESSION_FN_CHANGE_H
#define LTTNG_MM_SESSION_FN_CHANGE_H

#include "lttng-session/fn/describe/function.h"

/* The state of a function before the change. */
struct fn_changed_one {
	char name[LTTNG_MM_FN_NAME_MAX];
	char listed[LTTNG_MM_FN_SPEC_MAX]; /* SPEC and options: see list-entry.h */
};

struct fn_changed {
	struct fn_changed_one *functions;
	size_t count;
};

/*
 * Applies @options->inside, slower_ns and errors, if set, to all added functions. If that fails for
 * one function, restores all. Returns 0, or -1 with @err set. Release @changed with
 * fn_changed_release().
 *
 * The module cannot modify a function, so each function is removed and added again. In between, its
 * calls are not recorded. This process blocks SIGINT, SIGTERM and SIGHUP during that time.
 */
int fn_change_all(const struct fn_add_options *options, struct fn_changed *changed,
		  struct mm_error *err);
/* Restores the functions, and releases @changed. */
void fn_changed_undo(struct fn_changed *changed);
void fn_changed_release(struct fn_changed *changed);

#endif /* LTTNG_MM_SESSION_FN_CHANGE_H */
