// SPDX-License-Identifier: LGPL-2.1-only
/* The process that removes the functions of a killed command. */
#include "lttng-session/fn/guard.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lttng-session/system/process.h"
#include "lttng-session/system/rights.h"

/* The command writes this byte to end the guard; a killed command causes end-of-file instead. */
#define DONE 'x'

/* Runs the guard, in its own session, so that Ctrl-C does not kill it. */
__attribute__((noreturn)) static void guard_functions(const struct fn_guard *guard,
						      const struct fn_added *added, int socket)
{
	struct mm_error ignored = MM_ERROR_INIT;
	char byte = 0;
	ssize_t got;

	setsid();
	socket = rights_close_others(socket);
	if (socket < 0)
		_exit(1);
	do
		got = read(socket, &byte, 1);
	while (got < 0 && errno == EINTR);
	if (byte != DONE && guard->is_done && guard->is_done(guard->user))
		fn_add_restart(added, &ignored);
	else if (byte != DONE)
		fn_added_undo(added);
	_exit(0);
}

/* Starts the guard. Signals such as SIGTERM are blocked, also in the guard. */
static int start(void *user, const struct fn_added *added, struct mm_error *err)
{
	struct fn_guard *guard = user;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "fn: %s", strerror(errno));
	guard->pid = fork();
	if (!guard->pid) {
		close(ends[1]);
		guard_functions(guard, added, ends[0]);
	}
	close(ends[0]);
	guard->socket = ends[1];
	if (guard->pid > 0)
		return 0;
	mm_error_set(err, MM_EXIT_ENVIRONMENT, "fn: no process can be started: %s", strerror(errno));
	close(ends[1]);
	guard->socket = -1;
	return -1;
}

static void end(struct fn_guard *guard)
{
	const char done = DONE;

	if (guard->pid < 0)
		return;
	while (send(guard->socket, &done, 1, MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
	close(guard->socket);
	while (waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR)
		;
	guard->pid = -1;
	guard->socket = -1;
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
		end(guard);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return ret;
}

/* Restarts functions first: the guard completes the restart if this process is killed. */
int fn_guard_keep(struct fn_guard *guard, const struct fn_added *added, struct mm_error *err)
{
	int ret = fn_add_restart(added, err);

	end(guard);
	return ret;
}

void fn_guard_undo(struct fn_guard *guard, const struct fn_added *added)
{
	fn_added_undo(added);
	end(guard);
}
