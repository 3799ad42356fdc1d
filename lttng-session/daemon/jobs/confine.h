/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Confines the command of a trigger: its processes have a cgroup of their own with limits on tasks
 * and memory, and none of them outlives the command. A supervisor process starts the command and
 * kills what is left:
 *
 *   daemon -- supervisor (root) -- command (its user) -- whatever the command starts
 *
 * SIGTERM makes the supervisor send SIGTERM to the command's process group, SIGQUIT makes it kill
 * all processes of the command. It does the latter, too, when the command or the daemon ends.
 */
#ifndef LTTNG_MM_DAEMON_JOBS_CONFINE_H
#define LTTNG_MM_DAEMON_JOBS_CONFINE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Limits of one command, which may not use swap. */
#define CONFINE_TASKS_MAX 64
#define CONFINE_MEMORY_MAX (UINT64_C(256) << 20)
/*
 * Limits of all commands together. packaging/system-lttng_mm.slice.in sets the same number of tasks
 * and a share of the memory where systemd runs.
 */
#define CONFINE_ALL_TASKS_MAX 512

/* The means by which commands are kept apart from the daemon. */
enum confine_mode {
	/*
	 * No cgroup. The supervisor finds the processes as its descendants. Memory is not limited;
	 * the only limit on tasks is RLIMIT_NPROC, which does not apply to root.
	 */
	CONFINE_TREE,
	/* A cgroup that the supervisor creates, where systemd does not run. */
	CONFINE_CGROUP,
	/* A transient scope unit of systemd. */
	CONFINE_SCOPE,
};

/*
 * Chooses the mode for this machine; before this call, it is CONFINE_TREE. Kills the commands that
 * an earlier daemon left, and returns the mode. *@limited is false if tasks or memory cannot be
 * limited.
 */
enum confine_mode confine_choose(bool *limited);
/* Sets the mode for tests, with the folder in which the cgroup2 filesystem is mounted. */
void confine_set(enum confine_mode mode, const char *mountpoint);

/* The status of a command that was not started. */
#define CONFINE_NOT_STARTED 127

/*
 * Supervises a process that calls @run with @user, which must not return, and ends as that process
 * did. @run_ns is the time limit of the command: systemd enforces it, slightly later, if the daemon
 * does not. To be called by a process that is only there for this, with root's rights.
 */
_Noreturn void confine_run(void (*run)(void *user), void *user, bool is_root, int64_t run_ns);

/* In confine-cgroup.c. The cgroup of a command. */
struct confine_group {
	char path[512]; /* absolute; empty: none */
	bool own;	/* it is to be removed */
};

/*
 * Moves the process @pid to a new cgroup, as @mode says. Returns 0, or -1 after a line in the
 * journal; then the process must not run the command.
 */
int confine_group_enter(struct confine_group *group, enum confine_mode mode, pid_t pid,
			int64_t run_ns);
/* Kills all processes in it, which end soon. */
void confine_group_kill(const struct confine_group *group);
void confine_group_remove(const struct confine_group *group);
/* As confine_choose(). */
enum confine_mode confine_group_prepare(bool *limited);
void confine_group_set_mountpoint(const char *mountpoint);

#endif /* LTTNG_MM_DAEMON_JOBS_CONFINE_H */
