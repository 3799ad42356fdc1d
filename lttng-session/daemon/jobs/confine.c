// SPDX-License-Identifier: LGPL-2.1-only
/* The confining process of a command. */
#include "lttng-session/daemon/jobs/confine.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lttng-session/system/journal.h"

/*
 * RLIMIT_NPROC of the command if no cgroup limits its tasks. The kernel also counts the user's
 * other tasks against this limit.
 */
#define USER_TASKS_MAX 512
/*
 * Pause between attempts to kill all processes of a command, and the maximum number of attempts.
 * All attempts together take ten seconds. Killed processes usually exit within milliseconds, unless
 * they hang in the kernel.
 */
#define KILL_PAUSE_NS 5000000
#define KILL_TRIES 2000

static enum confine_mode mode = CONFINE_TREE;
static bool has_limits;

enum confine_mode confine_choose(bool *limited)
{
	mode = confine_group_prepare(limited);
	has_limits = *limited;
	return mode;
}

void confine_set(enum confine_mode new_mode, const char *mountpoint)
{
	mode = new_mode;
	confine_group_set_mountpoint(mountpoint);
}

struct confined_command {
	struct confine_group group;
	pid_t pid;
	int status; /* status from waitpid(), if @ended */
	bool ended;
};

/* Reaps children that have exited. Returns true if others are still running. */
static bool reap(struct confined_command *command)
{
	pid_t pid;
	int status;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != command->pid)
			continue;
		command->status = status;
		command->ended = true;
	}
	return !pid;
}

/*
 * Kills all children of this process. Orphans of the command are among them, because this process
 * is a subreaper (PR_SET_CHILD_SUBREAPER).
 */
static void kill_children(void)
{
	char path[64];
	FILE *children;
	int pid;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	children = fopen(path, "re");
	if (!children)
		return;
	while (fscanf(children, "%d", &pid) == 1)
		kill(pid, SIGKILL);
	fclose(children);
}

/*
 * Kills all processes of the command. Without a cgroup, each attempt kills one generation: when a
 * process exits, its children become children of this subreaper, and the next attempt finds them.
 */
static void kill_all(struct confined_command *command)
{
	const struct timespec pause = { .tv_nsec = KILL_PAUSE_NS };

	for (int tries = 0; tries < KILL_TRIES; tries++) {
		confine_group_kill(&command->group);
		kill_children();
		if (!reap(command))
			return;
		nanosleep(&pause, NULL);
	}
	journal_note(LOG_WARNING, "trigger: some processes of a command cannot be killed");
}

static _Noreturn void end_as(int status)
{
	sigset_t set;
	int number;

	if (WIFEXITED(status))
		_exit(WEXITSTATUS(status));
	number = WTERMSIG(status);
	signal(number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	kill(getpid(), number);
	_exit(128 + number);
}

static _Noreturn void await_command(struct confined_command *command, const sigset_t *signals)
{
	while (!command->ended) {
		int number = sigwaitinfo(signals, NULL);

		if (number == SIGTERM)
			kill(-command->pid, SIGTERM);
		else if (number == SIGQUIT)
			kill_all(command);
		reap(command);
	}
	kill_all(command);
	confine_group_remove(&command->group);
	end_as(command->status);
}

/*
 * Waits until the confining process has moved this process to the command's cgroup, then calls
 * @run.
 */
static void run_child(void (*run)(void *user), void *user, bool is_root, int gate)
{
	const struct rlimit tasks = { USER_TASKS_MAX, USER_TASKS_MAX };
	char byte;

	setpgid(0, 0);
	if (read(gate, &byte, 1) != 1)
		_exit(CONFINE_NOT_STARTED);
	close(gate);
	if (!has_limits && !is_root)
		setrlimit(RLIMIT_NPROC, &tasks);
	run(user);
	_exit(CONFINE_NOT_STARTED);
}

/*
 * Starts the process that will execute the command. The process first waits for a byte from the
 * pipe *@gate. Returns -1 with errno set on failure.
 */
static pid_t start_child(void (*run)(void *user), void *user, bool is_root, int *gate)
{
	int ends[2];
	pid_t pid;

	if (pipe(ends))
		return -1;
	pid = fork();
	if (!pid) {
		close(ends[1]);
		run_child(run, user, is_root, ends[0]);
	}
	close(ends[0]);
	*gate = ends[1];
	return pid;
}

_Noreturn void confine_run(void (*run)(void *user), void *user, bool is_root, int64_t run_ns)
{
	const struct rlimit no_core = { 0, 0 };
	struct confined_command command = { .ended = false };
	pid_t parent = getppid();
	sigset_t signals;
	int gate = -1;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGQUIT);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	/*
	 * If SIGCHLD were ignored, the kernel would reap the children, and their status would be
	 * lost.
	 */
	signal(SIGCHLD, SIG_DFL);
	prctl(PR_SET_NAME, "lttng-mm-command");
	setrlimit(RLIMIT_CORE, &no_core);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	prctl(PR_SET_PDEATHSIG, SIGQUIT);
	if (getppid() != parent)
		_exit(CONFINE_NOT_STARTED);
	command.pid = start_child(run, user, is_root, &gate);
	if (command.pid < 0) {
		journal_note(LOG_WARNING, "trigger: no process can be started for a command: %s",
			     strerror(errno));
		_exit(CONFINE_NOT_STARTED);
	}
	setpgid(command.pid, command.pid);
	/*
	 * If the process cannot be confined, no byte is written to the gate, and the process exits.
	 */
	if (!confine_group_enter(&command.group, mode, command.pid, run_ns) &&
	    write(gate, "", 1) < 0)
		kill(command.pid, SIGKILL);
	close(gate);
	await_command(&command, &signals);
}
