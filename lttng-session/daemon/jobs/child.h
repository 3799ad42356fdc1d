/* SPDX-License-Identifier: LGPL-2.1-only */
/* Child processes of the recorder daemon, which inherit only the descriptors that they need. */
#ifndef LTTNG_MM_DAEMON_JOBS_CHILD_H
#define LTTNG_MM_DAEMON_JOBS_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Like fork(). The child keeps the descriptors @keep and 0 to 2, and gets its own process group.
 * The parent returns after the child has closed all other descriptors. If the parent closed a
 * socket first, the child would close its last descriptor, which may block for as long as a client
 * likes.
 */
pid_t child_fork(const int *keep, size_t count);

/* Like child_fork(), with a socket pair for messages: *@end is this process' end in each. */
pid_t child_fork_with_socket(int *end);

/*
 * Would closing @socket discard messages? Descriptors in them are then closed too, which may block
 * for as long as the sender likes (FUSE, or a socket that lingers). Shuts down the receiving side.
 * No other process may be receiving from the socket.
 */
bool child_is_needed_to_close(int socket);

/*
 * Starts a process that discards the messages in @socket and closes it, and closes the caller's
 * descriptor. Returns the process ID, or -1 if no process can be started; then nothing is closed.
 */
pid_t child_close(int socket);

#endif /* LTTNG_MM_DAEMON_JOBS_CHILD_H */
