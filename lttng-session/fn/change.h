/* SPDX-License-Identifier: LGPL-2.1-only */
/* Changes the conditions under which calls of added functions are recorded. */
#ifndef LTTNG_MM_SESSION_FN_CHANGE_H
#define LTTNG_MM_SESSION_FN_CHANGE_H

#include "lttng-session/fn/describe/function.h"

/* A function that was changed. */
struct fn_changed_one {
	char name[LTTNG_MM_FN_NAME_MAX];
	/* the description before the change, as in `fn list` (list-entry.h) */
	char listed[LTTNG_MM_FN_SPEC_MAX];
};

struct fn_changed {
	struct fn_changed_one *functions;
	size_t count;
};

/*
 * If @options->inside, slower_ns or errors are set, applies them to all added functions. If
 * this fails for one function, restores all functions. Returns 0, or -1 with @err set. Release
 * @changed with fn_changed_release().
 *
 * The module cannot modify a function, so each function is removed and added again. Calls of the
 * function in between are not recorded. This process blocks SIGINT, SIGTERM and SIGHUP until all
 * functions are added again.
 */
int fn_change_all(const struct fn_add_options *options, struct fn_changed *changed,
		  struct mm_error *err);
/* Undoes the change of all functions in @changed, and releases @changed. */
void fn_changed_undo(struct fn_changed *changed);
void fn_changed_release(struct fn_changed *changed);

#endif /* LTTNG_MM_SESSION_FN_CHANGE_H */
