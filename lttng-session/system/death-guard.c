// SPDX-License-Identifier: LGPL-2.1-only
/* A guard process that undoes the changes of a killed command. */
#include "lttng-session/system/death-guard.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lttng-session/system/rights.h"

/*
 * The byte that the command writes to the socket to end the guard. If the command is killed, the
 * guard reads end-of-file instead.
 */
#define DONE 'x'

__attribute__((noreturn)) static void run(int socket, void (*killed)(void *user), void *user)
{
	char byte = 0;
	ssize_t got;

	setsid();
	socket = rights_close_others(socket);
	if (socket < 0)
		_exit(1);
	do
		got = read(socket, &byte, 1);
	while (got < 0 && errno == EINTR);
	if (byte != DONE)
		killed(user);
	_exit(0);
}

int death_guard_start(struct death_guard *guard, void (*killed)(void *user), void *user)
{
	int ends[2], error;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return -1;
	guard->pid = fork();
	if (!guard->pid) {
		close(ends[1]);
		run(ends[0], killed, user);
	}
	error = errno;
	close(ends[0]);
	guard->socket = ends[1];
	if (guard->pid > 0)
		return 0;
	close(ends[1]);
	guard->socket = -1;
	errno = error;
	return -1;
}

void death_guard_end(struct death_guard *guard)
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
