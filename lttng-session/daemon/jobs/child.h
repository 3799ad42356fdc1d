/* SPDX-License-Identifier: LGPL-2.1-only */
/* Child processes of the recorder daemon, which inherit only the descriptors that they need. */
#ifndef LTTNG_MM_DAEMON_JOBS_CHILD_H
#define LTTNG_MM_DAEMON_JOBS_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Like fork(), but the child gets its own process group and keeps only the descriptors @keep and
 * 0 to 2. The parent returns after the child has closed all other descriptors. It keeps them open
 * until then, so that the child is never the last to close a socket. The last close() may block for
 * as long as the client likes.
 */
pid_t child_fork(const int *keep, size_t count);

/*
 * Like child_fork(). Also creates a socket pair for messages, and sets *@end in each process to its
 * end of the pair.
 */
pid_t child_fork_with_socket(int *end);

/*
 * Shuts down the receiving side of @socket. Returns true if unread messages remain. The caller must
 * then not close @socket itself, because that would also close the descriptors in the messages. The
 * sender can make this close block (with FUSE, or with a socket that lingers). No other process may
 * be receiving from the socket.
 */
bool child_is_needed_to_close(int socket);

/*
 * Starts a child process that discards the messages in @socket. Closes the caller's descriptor.
 * Returns the process ID. On failure, returns -1 and leaves @socket open.
 */
pid_t child_close(int socket);

#endif /* LTTNG_MM_DAEMON_JOBS_CHILD_H */
