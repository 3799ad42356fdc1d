// SPDX-License-Identifier: LGPL-2.1-only
/* The guard process, which removes the functions of a killed command. */
#include "lttng-session/fn/guard.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "lttng-session/system/process.h"

/* Runs in the guard process after the command was killed. */
static void decide(void *user)
{
	const struct fn_guard *guard = user;
	struct mm_error ignored = MM_ERROR_INIT;

	if (guard->is_done && guard->is_done(guard->user))
		fn_add_restart(guard->added, &ignored);
	else
		fn_added_undo(guard->added);
}

/*
 * Starts the guard process, which inherits the signal mask of this process. Blocked signals such as
 * SIGTERM therefore do not end the guard process.
 */
static int start(void *user, const struct fn_added *added, struct mm_error *err)
{
	struct fn_guard *guard = user;

	guard->added = added;
	if (!death_guard_start(&guard->process, decide, guard))
		return 0;
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "fn: no process can be started: %s",
			    strerror(errno));
}

int fn_guard_add(struct fn_guard *guard, const char *const *specs, size_t count,
		 const struct fn_set_options *options, struct fn_added *added, struct mm_error *err)
{
	struct fn_set_options guarded = *options;
	sigset_t before;
	int ret;

	guarded.before_add = start;
	guarded.user = guard;
	process_block_signals(&before);
	ret = fn_add(specs, count, &guarded, added, err);
	if (ret)
		death_guard_end(&guard->process);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return ret;
}

/*
 * Restarts the stopped functions while the guard still runs. If this process is killed meanwhile,
 * the guard restarts them, provided that @is_done returns true.
 */
int fn_guard_keep(struct fn_guard *guard, const struct fn_added *added, struct mm_error *err)
{
	int ret = fn_add_restart(added, err);

	death_guard_end(&guard->process);
	return ret;
}

void fn_guard_undo(struct fn_guard *guard, const struct fn_added *added)
{
	fn_added_undo(added);
	death_guard_end(&guard->process);
}
