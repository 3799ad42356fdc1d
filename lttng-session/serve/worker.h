/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Takes a snapshot for a requester, in a process of its own that the recorder daemon starts: what
 * blocks it (the session daemon, a slow disk) or ends it does not affect the daemon.
 */
#ifndef LTTNG_MM_SESSION_WORKER_H
#define LTTNG_MM_SESSION_WORKER_H

#include <jansson.h>

#include "lttng-session/serve/requester.h"

struct worker_job {
	const json_t *request; /* as request.h makes it */
	const struct requester *requester;
	const char *stage; /* an empty folder in memory, of root */
	int output;	   /* the output folder, opened by the requester */
	int report;	   /* a socket for the messages below */
};

/*
 * Sends messages of request.h's form to the socket @report: one with "frozen" instead of "path"
 * when the contents of the buffers are in memory (for a request that does not wait, with the path
 * under which the snapshot will appear), and the answer when the snapshot is complete and on the
 * disk, or an error. Returns the status for _exit(). The process has the requester's user and
 * groups afterwards.
 */
int worker_run(const struct worker_job *job);

#endif /* LTTNG_MM_SESSION_WORKER_H */
