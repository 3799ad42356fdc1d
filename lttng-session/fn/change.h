/* SPDX-License-Identifier: LGPL-2.1-only */
/* Changes which calls are recorded of functions that have been added. */
#ifndef LTTNG_MM_SESSION_FN_CHANGE_H
#define LTTNG_MM_SESSION_FN_CHANGE_H

#include "lttng-session/fn/describe/function.h"

/* A function that was changed. */
struct fn_changed_one {
	char name[LTTNG_MM_FN_NAME_MAX];
	char listed[LTTNG_MM_FN_SPEC_MAX]; /* its SPEC and options before */
};

struct fn_changed {
	struct fn_changed_one *functions;
	size_t count;
};

/*
 * Adds all functions again that have been added, with @options->inside, slower_ns and errors in
 * place of their own, as far as these are set. Others are left as they are. If one cannot be
 * changed, all are as before. Returns 0, or -1 with @err set. Release @changed with
 * fn_changed_release().
 *
 * The module cannot change a function, so each is removed and added: for that moment its calls are
 * not recorded. SIGINT, SIGTERM and SIGHUP wait until it is there again.
 */
int fn_change_all(const struct fn_add_options *options, struct fn_changed *changed,
		  struct mm_error *err);
/* Changes them back. */
void fn_changed_undo(struct fn_changed *changed);
void fn_changed_release(struct fn_changed *changed);

#endif /* LTTNG_MM_SESSION_FN_CHANGE_H */
