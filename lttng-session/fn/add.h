/* SPDX-License-Identifier: LGPL-2.1-only */
/* Adds functions to those that the module lttng-probe-fn has. */
#ifndef LTTNG_MM_SESSION_FN_ADD_H
#define LTTNG_MM_SESSION_FN_ADD_H

#include "lttng-session/fn/set.h"

/* Was a function that is to be added there already? */
enum fn_presence {
	FN_MISSING,
	FN_PRESENT,
	FN_STOPPED, /* it was called too often; adding it again starts it again */
};

/* What was added. Release with fn_added_release(). */
struct fn_added {
	struct fn_set set;
	enum fn_presence *presence; /* of each function of the set, before it was added */
};

/*
 * Adds the functions of @count SPECs: all, or none if one is not possible. Those that are there
 * with the same SPEC and options are left as they are. With @options->dry_run it only finds out
 * what they are. Loads the module; only root may. Returns 0, or -1 with @err set.
 */
int fn_add(const char *const *specs, size_t count, const struct fn_set_options *options,
	   struct fn_added *added, struct mm_error *err);
/*
 * Starts the functions again that fn_add() left stopped because of @options->before_add. Returns 0,
 * or -1 with @err set.
 */
int fn_add_restart(const struct fn_added *added, struct mm_error *err);
/* Removes the functions again that were not there before. */
void fn_added_undo(const struct fn_added *added);
void fn_added_release(struct fn_added *added);

/* The options without which `fn add` is used. */
void fn_set_options_init(struct fn_set_options *options);

/*
 * Adds the function @name again, by what was listed of it (listed.h). Returns 0, also if it is
 * there, or -1 with @err set.
 */
int fn_add_listed(const char *name, const char *listed, struct mm_error *err);

#endif /* LTTNG_MM_SESSION_FN_ADD_H */
