/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The worker: a child process of the recorder daemon that takes one snapshot. If the session daemon
 * or a slow disk blocks it, or something kills it, the daemon is not affected.
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
	 * The clients' sockets. The next message in each one carries a descriptor of the output
	 * folder; the worker uses the first. Without sockets, it opens the folder by its path.
	 */
	const int *sockets;
	size_t socket_count;
	bool triggered; /* requested by a trigger: the output is the recorder's folder */
	int report;	/* a socket for the messages below */
	/* the daemon's lock (-1: none), to be closed when root's rights are dropped */
	int lock;
	/* grows with each write to the output folder, and each snapshot deleted there */
	atomic_ullong *progress;
};

/*
 * Takes the snapshot and reports to the socket @report:
 *
 *   { "no_room": true }    The stage is full. Waits for {"room": true}: try again, or
 *                          {"room": false}: no other snapshot will free room.
 *   { "will_be": PATH, "notes": [] }
 *                          For a request with "no_wait": the contents of the buffers are in memory,
 *                          and the snapshot will appear as PATH.
 *   { "frozen": PATH, ... }
 *                          The contents and the state dump are in memory; has all members of the
 *                          answer.
 *   { "received": true }   The clients' messages have been read.
 *   the answer             The snapshot is on the disk, or has failed (request.h).
 *
 * Returns the status for _exit(). The process becomes the requester before it touches the output
 * folder, and only when the contents of the buffers are in memory: the folder's filesystem may
 * block for as long as its owner likes.
 */
int worker_run(const struct worker_job *job);

#endif /* LTTNG_MM_DAEMON_JOBS_WORKER_H */
