/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The worker is a child process of the recorder daemon that takes one snapshot. The daemon is not
 * affected if the session daemon or a slow disk blocks the worker, or if the worker is killed.
 */
#ifndef LTTNG_MM_DAEMON_JOBS_WORKER_H
#define LTTNG_MM_DAEMON_JOBS_WORKER_H

#include <jansson.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "lttng-session/daemon/jobs/requester.h"

struct worker_job {
	const json_t *request; /* see request.h */
	const struct requester *requester;
	const char *stage; /* an empty folder in the stage, owned by root */
	/*
	 * The clients' sockets. The next message in each socket carries a descriptor of the output
	 * folder. The worker uses the descriptor of the first client. Without sockets, the worker
	 * opens the folder by its path.
	 */
	const int *sockets;
	size_t socket_count;
	bool triggered; /* requested by a trigger: the output is the recorder's folder */
	int report;	/* a socket for the messages of worker_run() */
	/* the daemon's lock, which the worker closes when it drops root's rights; -1: none */
	int lock;
	/* grows with each write to the output folder, and with each snapshot deleted there */
	atomic_ullong *progress;
};

/*
 * Takes the snapshot and reports to the socket @report:
 *
 *   { "no_room": true }    The stage is full. The worker waits for {"room": true}: try again, or
 *                          {"room": false}: no other snapshot will free room.
 *   { "will_be": PATH, "notes": [] }
 *                          For a request with "no_wait": the contents of the buffers are in memory,
 *                          and the snapshot will appear as PATH.
 *   { "frozen": PATH, ... }
 *                          The contents and the state dump are in memory. The message has all
 *                          members of the answer.
 *   { "received": true }   The clients' messages have been read.
 *   the answer             The snapshot is on the disk, or has failed (request.h).
 *
 * Returns the status for _exit(). The process switches to the requester's rights before it touches
 * the output folder. It switches only when the contents of the buffers are in memory, because the
 * folder's filesystem may block for as long as its owner likes.
 */
int worker_run(const struct worker_job *job);

#endif /* LTTNG_MM_DAEMON_JOBS_WORKER_H */
