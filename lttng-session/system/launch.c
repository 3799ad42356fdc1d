// SPDX-License-Identifier: LGPL-2.1-only
/* Starts a program in two steps. */
#include "lttng-session/system/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS INT64_C(1000000000)
/* A program that ignores SIGTERM is killed after this time. */
#define KILL_NS (5 * SECOND_NS)

__attribute__((noreturn)) static void run(int go, int failed, char *const argv[],
					  const sigset_t *mask)
{
	ssize_t got;
	int error;
	char byte;

	do
		got = read(go, &byte, 1);
	while (got < 0 && errno == EINTR);
	if (got != 1)
		_exit(LAUNCH_NOT_EXECUTABLE);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(argv[0], argv);
	error = errno;
	while (write(failed, &error, sizeof(error)) < 0 && errno == EINTR)
		;
	_exit(LAUNCH_NOT_EXECUTABLE);
}

static void close_both(const int ends[2])
{
	close(ends[0]);
	close(ends[1]);
}

int launch_prepare(struct launch *launch, char *const argv[], const sigset_t *mask)
{
	int go[2], failed[2], error;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, go))
		return -1;
	if (pipe2(failed, O_CLOEXEC)) {
		error = errno;
		close_both(go);
		errno = error;
		return -1;
	}
	/*
	 * If SIGCHLD were ignored, the kernel would reap the process, and its status would be lost.
	 */
	signal(SIGCHLD, SIG_DFL);
	launch->pid = fork();
	if (!launch->pid) {
		/*
		 * Close the process's copy of this end of the socket. Otherwise, the process would
		 * not read end-of-file when its parent ends.
		 */
		close(go[1]);
		run(go[0], failed[1], argv, mask);
	}
	if (launch->pid < 0) {
		error = errno;
		close_both(go);
		close_both(failed);
		launch->pid = 0;
		errno = error;
		return -1;
	}
	close(go[0]);
	close(failed[1]);
	launch->go = go[1];
	launch->failed = failed[0];
	return 0;
}

static void await(struct launch *launch)
{
	while (waitpid(launch->pid, NULL, 0) < 0 && errno == EINTR)
		;
	launch->pid = 0;
}

int launch_go(struct launch *launch)
{
	const char byte = 0;
	int error = 0;
	ssize_t got;

	/* This fails if the waiting process was killed. */
	if (send(launch->go, &byte, 1, MSG_NOSIGNAL) != 1)
		error = errno;
	close(launch->go);
	do
		got = read(launch->failed, &error, sizeof(error));
	while (got < 0 && errno == EINTR);
	close(launch->failed);
	/* There is no errno in the pipe, because a successful execvp() closes the pipe. */
	if (!error)
		return 0;
	await(launch);
	errno = error;
	return -1;
}

void launch_cancel(struct launch *launch)
{
	if (!launch->pid)
		return;
	close(launch->go);
	close(launch->failed);
	await(launch);
}

bool launch_reap(struct launch *launch, int *status)
{
	int wait_status;

	if (waitpid(launch->pid, &wait_status, WNOHANG) != launch->pid)
		return false;
	launch->pid = 0;
	*status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
	return true;
}

void launch_signals(sigset_t *signals)
{
	static const int deadly[] = { SIGINT, SIGTERM, SIGHUP };

	sigemptyset(signals);
	sigaddset(signals, SIGCHLD);
	for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++) {
		struct sigaction action;

		if (!sigaction(deadly[i], NULL, &action) && action.sa_handler != SIG_IGN)
			sigaddset(signals, deadly[i]);
	}
}

static int64_t monotonic_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * SECOND_NS + now.tv_nsec;
}

/* Waits up to @left_ns for a signal (INT64_MAX: no limit). Returns the signal, or 0. */
static int wait_signal(const sigset_t *signals, int64_t left_ns, siginfo_t *info)
{
	const int64_t ns = left_ns < 0 ? 0 : left_ns;
	const struct timespec wait = { .tv_sec = ns / SECOND_NS, .tv_nsec = ns % SECOND_NS };
	const int number = left_ns == INT64_MAX ? sigwaitinfo(signals, info)
						: sigtimedwait(signals, info, &wait);

	return number > 0 ? number : 0;
}

void launch_await(struct launch *launch, const struct launch_wait *wait, struct launch_end *end)
{
	const int64_t started_ns = monotonic_now();
	int64_t until_ns = wait->timeout_ns ? started_ns + wait->timeout_ns : INT64_MAX;
	sigset_t signals;

	*end = (struct launch_end){ .status = 0 };
	launch_signals(&signals);
	while (!launch_reap(launch, &end->status)) {
		int64_t left_ns = until_ns == INT64_MAX ? until_ns : until_ns - monotonic_now();
		siginfo_t info;
		int number;

		if (wait->period_ns && wait->period_ns < left_ns)
			left_ns = wait->period_ns;
		number = wait_signal(&signals, left_ns, &info);
		if (wait->look)
			wait->look(wait->user);
		if (number && number != SIGCHLD) {
			end->interrupted = number;
			/*
			 * The terminal sends its signals (SI_KERNEL) to the program, too, so
			 * forward only other signals.
			 */
			if (info.si_code != SI_KERNEL)
				kill(launch->pid, number);
		} else if (!number && monotonic_now() >= until_ns) {
			kill(launch->pid, end->timed_out ? SIGKILL : SIGTERM);
			end->timed_out = true;
			until_ns = monotonic_now() + KILL_NS;
		}
	}
	end->elapsed_ns = monotonic_now() - started_ns;
}
