/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A guard process that undoes the changes of a command if the command is killed:
 *
 *   death_guard_start()  forks the guard
 *   death_guard_end()    ends the guard, which undoes nothing
 *   command killed       the guard calls a function, and exits
 */
#ifndef LTTNG_MM_SESSION_DEATH_GUARD_H
#define LTTNG_MM_SESSION_DEATH_GUARD_H

#include <sys/types.h>

struct death_guard {
	pid_t pid; /* the guard process; -1: no guard */
	int socket;
};

#define DEATH_GUARD_INIT                \
	{                               \
		.pid = -1, .socket = -1 \
	}

/*
 * Starts the guard in a new session, so that Ctrl-C does not kill it. The guard inherits blocked
 * signals, and closes all descriptors except standard error. If the command is killed, the guard
 * calls @killed. Returns 0, or -1 with errno set.
 */
int death_guard_start(struct death_guard *guard, void (*killed)(void *user), void *user);

/* Ends the guard, if there is one, and waits for it. */
void death_guard_end(struct death_guard *guard);

#endif /* LTTNG_MM_SESSION_DEATH_GUARD_H */
