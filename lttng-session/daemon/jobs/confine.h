/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Confines the command of a trigger: its processes run in a cgroup with limits on tasks and memory,
 * and are killed when the command ends.
 *
 *   daemon -- confining process (root) -- command (its user) -- processes that the command starts
 *
 * The confining process moves the command's process into the cgroup before that process executes
 * the command. On SIGTERM, the confining process sends SIGTERM to the command's process group. On
 * SIGQUIT, or when the command or the daemon ends, it kills all processes of the command. The
 * confining process may block, so the daemon never waits for it.
 */
#ifndef LTTNG_MM_DAEMON_JOBS_CONFINE_H
#define LTTNG_MM_DAEMON_JOBS_CONFINE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Limits of one command: tasks and bytes of memory. The command cannot use swap. */
#define CONFINE_TASKS_MAX 64
#define CONFINE_MEMORY_MAX (UINT64_C(256) << 20)
/*
 * Maximum number of tasks of all commands together. With systemd,
 * packaging/system-lttng_mm.slice.in sets this limit, and also limits memory to a percentage.
 */
#define CONFINE_ALL_TASKS_MAX 512

/* How commands are confined. */
enum confine_mode {
	/*
	 * No cgroup. The confining process is a subreaper, so it finds the command's processes
	 * among its descendants, but they may fork faster than it kills them. Memory is not
	 * limited. Tasks are limited only by RLIMIT_NPROC, which does not apply to root.
	 */
	CONFINE_TREE,
	/* A cgroup made by the confining process, on machines without systemd. */
	CONFINE_CGROUP,
	/* A transient scope unit of systemd. */
	CONFINE_SCOPE,
};

/*
 * Chooses the mode for this machine, sets it and returns it. Before this call, the mode is
 * CONFINE_TREE. Kills the commands that an earlier daemon left running. Sets *@limited to false if
 * tasks or memory cannot be limited.
 */
enum confine_mode confine_choose(bool *limited);
/* Sets the mode and the mountpoint of cgroup2, for tests. */
void confine_set(enum confine_mode mode, const char *mountpoint);

/* Exit status of a command that was not started. */
#define CONFINE_NOT_STARTED 127

/*
 * Turns this process into a confining process. Starts a child that calls @run with @user. @run must
 * not return. Exits with the child's status. The daemon enforces the time limit @run_ns; systemd
 * enforces it, somewhat later, if the daemon does not. Requires root's rights.
 */
_Noreturn void confine_run(void (*run)(void *user), void *user, bool is_root, int64_t run_ns);

/* The cgroup of a command (confine-cgroup.c). */
struct confine_group {
	char path[512]; /* absolute path of the cgroup; empty: no cgroup */
	bool own;	/* this process created the cgroup, so it must remove it */
};

/*
 * Moves the process @pid into a new cgroup according to @mode. Returns 0. On failure, writes a
 * journal entry and returns -1. The process must then not run the command.
 */
int confine_group_enter(struct confine_group *group, enum confine_mode mode, pid_t pid,
			int64_t run_ns);
/* Sends SIGKILL to all processes in the cgroup. Does not wait for their end. */
void confine_group_kill(const struct confine_group *group);
void confine_group_remove(const struct confine_group *group);
/* Implements confine_choose(). */
enum confine_mode confine_group_prepare(bool *limited);
void confine_group_set_mountpoint(const char *mountpoint);

#endif /* LTTNG_MM_DAEMON_JOBS_CONFINE_H */
