/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Takes a snapshot for a requester, in a process of its own that the recorder daemon starts: what
 * blocks it (the session daemon, a slow disk) or ends it does not affect the daemon.
 */
#ifndef LTTNG_MM_DAEMON_JOBS_WORKER_H
#define LTTNG_MM_DAEMON_JOBS_WORKER_H

#include <jansson.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "lttng-session/daemon/jobs/requester.h"

struct worker_job {
	const json_t *request; /* as request.h makes it */
	const struct requester *requester;
	const char *stage; /* an empty folder in memory, of root */
	/*
	 * Of the clients: the next message of each has a descriptor of the output folder, and that
	 * of the first is used. Without any client, the folder is opened by its path.
	 */
	const int *sockets;
	size_t socket_count;
	bool triggered; /* by a trigger: into the recorder's folder */
	int report;	/* a socket for the messages below */
	int lock;	/* closed with root's rights; -1: none */
	/* Grows with what is written to the output folder, and deleted there. */
	atomic_ullong *progress;
};

/*
 * Sends messages to the socket @report, of request.h's form but for the first three:
 *
 * - "received" when the messages of the clients have been received.
 * - "no_room" when the stage has no room for the contents of the buffers; this waits for a message
 *   {"room": true}, or {"room": false}: there will not be more.
 * - for a request that does not wait, "will_be" with the path under which the snapshot will appear,
 *   and "notes", when the time of the freeze is fixed and the contents of the buffers are in memory.
 * - one with "frozen" instead of "path" when the state has been dumped and is in memory, too.
 * - the answer when the snapshot is complete and on the disk, or an error.
 *
 * Returns the status for _exit(). The process has the requester's user and groups afterwards. It
 * touches the output folder only then, and not before the contents of the buffers are in memory:
 * the folder's filesystem may block for as long as its owner likes.
 */
int worker_run(const struct worker_job *job);

#endif /* LTTNG_MM_DAEMON_JOBS_WORKER_H */
