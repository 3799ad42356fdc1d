/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Starts a program in two steps, so that its process ID is known before the program is executed:
 *
 *   waiting -> launch_go() -> executing -> launch_reap() -> ended
 *      |             |
 *      |             +- not executable: ended
 *      +- launch_cancel(), or this process ends: ended without executing
 */
#ifndef LTTNG_MM_SESSION_LAUNCH_H
#define LTTNG_MM_SESSION_LAUNCH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct launch {
	pid_t pid;  /* process ID; 0: no process */
	int go;	    /* socket from which the waiting process reads a byte before it continues */
	int failed; /* pipe to which the process writes errno if it cannot execute the program */
};

/* Exit statuses if the program cannot be executed. Shells and env(1) use the same numbers. */
#define LAUNCH_NOT_EXECUTABLE 126
#define LAUNCH_NOT_FOUND 127

/*
 * Forks a process that waits for launch_go(), then executes @argv with the signal mask @mask. @argv
 * is terminated by NULL, and its program is looked up in PATH. Resets SIGCHLD to its default
 * action. Returns 0, or -1 with errno set.
 */
int launch_prepare(struct launch *launch, char *const argv[], const sigset_t *mask);

/*
 * Makes the process execute the program. Returns 0, or -1 with errno set if that fails. After -1,
 * the process has ended.
 */
int launch_go(struct launch *launch);

/* Ends the process if it is still waiting. */
void launch_cancel(struct launch *launch);

/*
 * Has the program ended? If so, sets *@status to its exit status, or to 128 plus the number of the
 * signal that killed it, as shells do. Does not wait.
 */
bool launch_reap(struct launch *launch, int *status);

/*
 * Sets @signals to SIGCHLD and to the signals that launch_await() forwards: SIGINT, SIGTERM and
 * SIGHUP, except those that this process ignores, as under nohup(1).
 */
void launch_signals(sigset_t *signals);

/* How to wait for a program. Members that are 0 have no effect. */
struct launch_wait {
	/* send SIGTERM after this time, and SIGKILL if the program still runs 5 s after that */
	int64_t timeout_ns;
	/* call @look at least this often, and after each signal */
	int64_t period_ns;
	void (*look)(void *user);
	void *user;
};

struct launch_end {
	int status;	    /* as in launch_reap() */
	bool timed_out;	    /* the timeout expired, so SIGTERM was sent to the program */
	int interrupted;    /* the last signal that this process received; 0: none */
	int64_t elapsed_ns; /* from the call of launch_await() to the program's end */
};

/*
 * Waits until the program has ended, and forwards signals to it. The signals of launch_signals()
 * must have been blocked before launch_go().
 */
void launch_await(struct launch *launch, const struct launch_wait *wait, struct launch_end *end);

#endif /* LTTNG_MM_SESSION_LAUNCH_H */
