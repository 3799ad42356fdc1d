/* SPDX-License-Identifier: LGPL-2.1-only */
/* Processes of the recorder daemon that have none of its descriptors but those that they need. */
#ifndef LTTNG_MM_DAEMON_JOBS_CHILD_H
#define LTTNG_MM_DAEMON_JOBS_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * As fork(). The new process has the descriptors @keep, and 0 to 2, and a process group of its own.
 * The parent returns when the others are closed there: none of them can be closed last, which may
 * block, by a process that is still needed.
 */
pid_t child_fork(const int *keep, size_t count);

/* As child_fork(), with a socket for messages: *@end is the end of the process that returns. */
pid_t child_fork_with_socket(int *end);

/*
 * Would closing @socket discard messages? Their descriptors are closed with them, which blocks for
 * as long as their sender likes: descriptors of a filesystem in user space, or of a connection that
 * lingers. No further message can be received; no other process may be receiving.
 */
bool child_is_needed_to_close(int socket);

/*
 * Starts a process that closes @socket, and returns its number; the caller's descriptor is closed.
 * Returns -1, and nothing is closed, if none can be started.
 */
pid_t child_close(int socket);

#endif /* LTTNG_MM_DAEMON_JOBS_CHILD_H */
