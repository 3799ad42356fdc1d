/* SPDX-License-Identifier: LGPL-2.1-only */
/* Adds functions to the kernel module lttng-probe-fn. */
#ifndef LTTNG_MM_SESSION_FN_ADD_H
#define LTTNG_MM_SESSION_FN_ADD_H

#include "lttng-session/fn/set.h"

/* State of a function in the module before it is added. */
enum fn_presence {
	FN_MISSING,
	FN_PRESENT,
	FN_STOPPED, /* exceeded its max_rate and was stopped; must be added again */
};

/* Functions that fn_add() added or found. Release with fn_added_release(). */
struct fn_added {
	struct fn_set set;
	enum fn_presence *presence; /* state of each function of the set before fn_add() */
};

/*
 * Adds the functions of @count SPECs. If one fails, adds none. Keeps a function that is present
 * with this SPEC and these options, and restarts it if it is stopped. Loads the module, which
 * requires root. With @options->dry_run, only fills in @added. Returns 0, or -1 with @err set.
 */
int fn_add(const char *const *specs, size_t count, const struct fn_set_options *options,
	   struct fn_added *added, struct mm_error *err);
/*
 * Restarts stopped functions. For use after fn_add() with @options->before_add. Returns 0, or -1
 * with @err set.
 */
int fn_add_restart(const struct fn_added *added, struct mm_error *err);
/* Removes the functions that were missing before fn_add(). */
void fn_added_undo(const struct fn_added *added);
void fn_added_release(struct fn_added *added);

/* Sets the defaults of `fn add`. */
void fn_set_options_init(struct fn_set_options *options);

/*
 * Adds the function @name as described by @listed (list-entry.h). Returns 0, even if it is already
 * present; or -1 with @err set.
 */
int fn_add_listed(const char *name, const char *listed, struct mm_error *err);

#endif /* LTTNG_MM_SESSION_FN_ADD_H */
