// SPDX-License-Identifier: LGPL-2.1-only
/* Starts child processes without the daemon's descriptors. */
#include "lttng-session/daemon/jobs/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <syslog.h>
#include <unistd.h>

#define KEEP_MAX 1100
/* Maximum number of attempts to read a socket. Each pending error makes one attempt fail. */
#define ERRORS_MAX 8

static int compare(const void *a, const void *b)
{
	const int *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

static void close_others(int *keep, size_t count)
{
	unsigned int from = 3;

	qsort(keep, count, sizeof(*keep), compare);
	for (size_t i = 0; i < count; i++) {
		unsigned int fd = (unsigned int)keep[i];

		if (keep[i] < (int)from)
			continue;
		if (fd > from)
			close_range(from, fd - 1, 0);
		from = fd + 1;
	}
	close_range(from, ~0u, 0);
}

static void reset_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void wait_for_end_of(int pipe)
{
	char byte;

	while (read(pipe, &byte, 1) < 0 && errno == EINTR)
		;
	close(pipe);
}

pid_t child_fork(const int *keep, size_t count)
{
	int ends[2], kept[KEEP_MAX];
	pid_t pid;

	if (count >= KEEP_MAX) {
		errno = E2BIG;
		return -1;
	}
	if (pipe2(ends, O_CLOEXEC))
		return -1;
	pid = fork();
	if (!pid) {
		/*
		 * Leave the daemon's process group, so that Ctrl-C in a terminal reaches only the
		 * daemon.
		 */
		setpgid(0, 0);
		closelog();
		if (count)
			memcpy(kept, keep, count * sizeof(*keep));
		kept[count] = ends[1];
		close_others(kept, count + 1);
		close(ends[1]);
		reset_signals();
		return 0;
	}
	close(ends[1]);
	if (pid > 0)
		wait_for_end_of(ends[0]);
	else
		close(ends[0]);
	return pid;
}

pid_t child_fork_with_socket(int *end)
{
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends))
		return -1;
	pid = child_fork(&ends[1], 1);
	if (!pid) {
		*end = ends[1];
		return 0;
	}
	close(ends[1]);
	if (pid > 0)
		*end = ends[0];
	else
		close(ends[0]);
	return pid;
}

/*
 * Does the socket contain a message? The returned length does not show this: an empty message and
 * the end of the connection both have length 0. But with SO_PASSCRED, each message has control
 * data. recvmsg() gets no buffer for this data, so a message sets MSG_CTRUNC. The socket returns
 * pending errors before messages, so skip the errors.
 */
static bool next_message(int socket, int flags)
{
	struct msghdr message = { .msg_control = NULL };
	ssize_t length;

	for (int tries = 0; tries < ERRORS_MAX; tries++) {
		message.msg_flags = 0;
		length = recvmsg(socket, &message, flags | MSG_DONTWAIT);
		if (length >= 0)
			return message.msg_flags & (MSG_CTRUNC | MSG_TRUNC);
		if (errno == EAGAIN)
			break;
	}
	return false;
}

/*
 * Only peek. Receiving a message without a buffer for its descriptors would close them in this
 * process, which may block.
 */
bool child_is_needed_to_close(int socket)
{
	const int on = 1;

	shutdown(socket, SHUT_RD);
	setsockopt(socket, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on));
	return next_message(socket, MSG_PEEK);
}

pid_t child_close(int socket)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	pid = child_fork((const int[]){ socket, ends[0] }, 2);
	if (!pid) {
		wait_for_end_of(ends[0]);
		/*
		 * Read all messages before the close. If unread messages remained, the peer would
		 * get an error instead of the answer that was sent to it.
		 */
		while (next_message(socket, 0))
			;
		_exit(0);
	}
	close(ends[0]);
	/*
	 * This close cannot block, because the child keeps the socket open until the parent closes
	 * ends[1].
	 */
	if (pid > 0)
		close(socket);
	close(ends[1]);
	return pid;
}
