/* SPDX-License-Identifier: LGPL-2.1-only */
/* Adds functions to the kernel module lttng-probe-fn. */
#ifndef LTTNG_MM_SESSION_FN_ADD_H
#define LTTNG_MM_SESSION_FN_ADD_H

#include "lttng-session/fn/set.h"

/* State of a function in the module before it is added. */
enum fn_presence {
	FN_MISSING,
	FN_PRESENT,
	/* the module stopped it because it exceeded its max_rate; it must be added again */
	FN_STOPPED,
};

/* Functions that fn_add() added or found. Release with fn_added_release(). */
struct fn_added {
	struct fn_set set;
	enum fn_presence *presence; /* per function of the set: its state before fn_add() */
};

/*
 * Adds the functions of @count SPECs. If one function fails, adds none. If a function is already
 * present with the same SPEC and options, keeps it, and restarts it if it was stopped. Loads the
 * module lttng-probe-fn, which requires root. With @options->dry_run, only fills in @added. Returns
 * 0, or -1 with @err set.
 */
int fn_add(const char *const *specs, size_t count, const struct fn_set_options *options,
	   struct fn_added *added, struct mm_error *err);
/*
 * Restarts stopped functions. Call it after fn_add() if @options->before_add was set, because
 * fn_add() then does not restart functions. Returns 0, or -1 with @err set.
 */
int fn_add_restart(const struct fn_added *added, struct mm_error *err);
/* Removes the functions that were missing before fn_add(). */
void fn_added_undo(const struct fn_added *added);
void fn_added_release(struct fn_added *added);

/* Sets the defaults of `fn add`. */
void fn_set_options_init(struct fn_set_options *options);

/*
 * Adds the function @name. @listed describes it, as in `fn list` (list-entry.h). Returns 0, also if
 * the function is already present, or -1 with @err set.
 */
int fn_add_listed(const char *name, const char *listed, struct mm_error *err);

#endif /* LTTNG_MM_SESSION_FN_ADD_H */
