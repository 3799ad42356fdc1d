/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The recorder daemon (`lttng-mm serve`): one process with root's rights, one thread, one event
 * loop. It serves requests of root and of the group `tracing`:
 *
 *   "snapshot"   job_queue_add()           jobs/job-queue.h
 *   "trigger-*"  engine_requests_serve()   triggers/engine-requests.h
 *   "status"     job_queue_list(), supervisor_status(), and rates by a child process (status.h)
 *   "end"        from `lttng-mm stop`, which ends a daemon that `record` started
 *
 * States of the daemon:
 *
 *   starting: takes serve.lock, mounts the stage, binds the socket, starts the supervisor
 *   serving:  systemd is notified (READY=1), and the watchdog is served
 *   ending:   after SIGTERM or "end": no socket, no supervisor, no new snapshots; exits when the
 *             last snapshot is written
 *
 * The daemon must never block, because a blocked daemon misses requests, and the watchdog kills it.
 * Any access to something that may block (the session daemon, a disk, a client's descriptor) runs
 * in a child process. Child processes inherit only the descriptors that they need (jobs/child.h).
 */
#ifndef LTTNG_MM_DAEMON_SERVER_SERVER_H
#define LTTNG_MM_DAEMON_SERVER_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

struct server_options {
	/*
	 * size in bytes of the stage, which holds unfinished snapshots; 0: a quarter of the memory
	 */
	uint64_t memory_bytes;
	/* argument of job_queue_limit(); 0: the default */
	uint64_t write_us;
	/* `record` started this daemon, so it ends on `stop`, or when another daemon starts */
	bool with_recorder;
	/* called with @user when the daemon starts to accept requests; may be NULL */
	void (*ready)(void *user);
	void *user;
	/* Path of recorder.conf; NULL: default settings. */
	const char *settings;
};

/*
 * Serves until SIGTERM or SIGINT. Then completes queued and unfinished snapshots, fails delayed
 * snapshots (--after), and returns. Returns 0, or -1 with @err set if the daemon cannot start or
 * its event loop fails.
 */
int server_run(const struct server_options *options, struct mm_error *err);

/*
 * Prevents a daemon from starting until the returned descriptor is closed. The caller can then
 * change files that a daemon reads only at its start. Returns -1 with @err set if a daemon is
 * running or the lock file cannot be opened.
 */
int server_prevent(struct mm_error *err);

#endif /* LTTNG_MM_DAEMON_SERVER_SERVER_H */
