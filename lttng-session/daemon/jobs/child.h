/* SPDX-License-Identifier: LGPL-2.1-only */
/* Child processes of the recorder daemon, which inherit only the descriptors that they need. */
#ifndef LTTNG_MM_DAEMON_JOBS_CHILD_H
#define LTTNG_MM_DAEMON_JOBS_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Like fork(). The child keeps the descriptors @keep and 0 to 2, and gets its own process group.
 * The parent returns after the child has closed all other descriptors. Otherwise, a child might
 * later close the last descriptor of a socket, and a client can make that block.
 */
pid_t child_fork(const int *keep, size_t count);

/* Like child_fork(), with a socket pair for messages: each process gets its end in *@end. */
pid_t child_fork_with_socket(int *end);

/*
 * Shuts down the receiving side. Returns true if closing @socket would discard messages. Closing
 * would also close the descriptors in them, and their sender can make this block (FUSE, or a socket
 * that lingers). No other process may be receiving from the socket.
 */
bool child_is_needed_to_close(int socket);

/*
 * Starts a process that discards the messages in @socket and closes it. Closes the caller's
 * descriptor. Returns the process ID; or -1 on failure, with @socket still open.
 */
pid_t child_close(int socket);

#endif /* LTTNG_MM_DAEMON_JOBS_CHILD_H */
