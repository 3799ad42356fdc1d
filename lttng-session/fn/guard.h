/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Removes functions again if the command that added them fails, or is killed before it uses them. A
 * guard process waits for the end of the command:
 *
 *   fn_guard_add()    starts the guard, then adds the functions
 *   fn_guard_keep()   ends the guard; the functions stay
 *   fn_guard_undo()   removes the functions, and ends the guard
 *   command killed    the guard calls @is_done, and keeps or removes the functions
 */
#ifndef LTTNG_MM_SESSION_FN_GUARD_H
#define LTTNG_MM_SESSION_FN_GUARD_H

#include <stdbool.h>

#include "lttng-session/fn/add.h"
#include "lttng-session/system/death-guard.h"

struct fn_guard {
	struct death_guard process;
	const struct fn_added *added; /* the added functions; set in the guard process */
	/*
	 * The guard process calls this if the command was killed. Returns true if the functions
	 * shall stay. If NULL, the functions are removed.
	 */
	bool (*is_done)(void *user);
	void *user;
};

#define FN_GUARD_INIT                        \
	{                                    \
		.process = DEATH_GUARD_INIT, \
	}

/*
 * Starts the guard process, and adds functions like fn_add(), but does not restart stopped
 * functions.
 */
int fn_guard_add(struct fn_guard *guard, const char *const *specs, size_t count,
		 const struct fn_set_options *options, struct fn_added *added,
		 struct mm_error *err);

/* Restarts the stopped functions, and ends the guard. Returns 0, or -1 with @err set. */
int fn_guard_keep(struct fn_guard *guard, const struct fn_added *added, struct mm_error *err);
/* Removes the functions that were added, and ends the guard. */
void fn_guard_undo(struct fn_guard *guard, const struct fn_added *added);

#endif /* LTTNG_MM_SESSION_FN_GUARD_H */
