// SPDX-License-Identifier: LGPL-2.1-only
/* Runs modprobe and lttng-sessiond without a shell, and blocks signals. */
#include "lttng-session/system/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void child(const char *const argv[], int error_pipe)
{
	int null = open("/dev/null", O_RDWR);
	sigset_t none;

	/* A daemon that inherits blocked signals could not be ended by SIGTERM. */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(error_pipe, 2) < 0)
		_exit(127);
	/* execvp() does not modify the strings of argv, although its prototype lacks const. */
	execvp(argv[0], (char *const *)argv);
	dprintf(2, "%s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

int process_run(const char *const argv[], char *message, size_t size)
{
	size_t length = 0;
	int fds[2], status;
	pid_t pid;

	message[0] = '\0';
	if (pipe2(fds, O_CLOEXEC))
		return -1;
	pid = fork();
	if (!pid)
		child(argv, fds[1]);
	close(fds[1]);
	/*
	 * Wait for the program before reading. A daemon that the program starts may keep the pipe
	 * open, so reading until end-of-file could block. The program itself does not block,
	 * because it writes less than the pipe's capacity.
	 */
	if (pid < 0 || waitpid(pid, &status, 0) != pid) {
		close(fds[0]);
		return -1;
	}
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	while (length + 1 < size) {
		ssize_t n = read(fds[0], message + length, size - length - 1);

		if (n <= 0)
			break;
		length += (size_t)n;
	}
	close(fds[0]);
	message[length] = '\0';
	message[strcspn(message, "\n")] = '\0';
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void process_block_signals(sigset_t *before)
{
	sigset_t deadly;

	sigemptyset(&deadly);
	sigaddset(&deadly, SIGINT);
	sigaddset(&deadly, SIGTERM);
	sigaddset(&deadly, SIGHUP);
	sigprocmask(SIG_BLOCK, &deadly, before);
}
