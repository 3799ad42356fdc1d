/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Removes functions that a command has added if the command fails, or ends in any other way, before
 * it has done what they were added for.
 */
#ifndef LTTNG_MM_SESSION_FN_GUARD_H
#define LTTNG_MM_SESSION_FN_GUARD_H

#include <stdbool.h>
#include <sys/types.h>

#include "lttng-session/fn/add.h"

struct fn_guard {
	pid_t pid;  /* the guard, which waits for the end of the command; -1: there is no guard */
	int socket; /* connected to it */
	/*
	 * Asked if the command was killed: had it done what the functions were added for? They stay
	 * then. NULL: it had not.
	 */
	bool (*is_done)(void *user);
	void *user;
};

#define FN_GUARD_INIT                   \
	{                               \
		.pid = -1, .socket = -1 \
	}

/*
 * Adds functions as fn_add() does. A process that is started before removes them again if this one
 * is killed before fn_guard_keep(). Functions that were there stay as they are, even if they were
 * stopped.
 */
int fn_guard_add(struct fn_guard *guard, const char *const *specs, size_t count,
		 const struct fn_set_options *options, struct fn_added *added,
		 struct mm_error *err);

/* Each ends the guard. The functions stay; those that were stopped are started again. */
int fn_guard_keep(struct fn_guard *guard, const struct fn_added *added, struct mm_error *err);
/* The functions are removed. */
void fn_guard_undo(struct fn_guard *guard, const struct fn_added *added);

#endif /* LTTNG_MM_SESSION_FN_GUARD_H */
