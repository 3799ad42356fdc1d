/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The recorder daemon: takes snapshots for root and the group `tracing`. It is one thread that
 * never waits: whatever may block is done by processes of their own (worker.h).
 */
#ifndef LTTNG_MM_DAEMON_SERVER_SERVER_H
#define LTTNG_MM_DAEMON_SERVER_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

struct server_options {
	/* For snapshots that are not written yet; 0: a quarter of the machine's memory. */
	uint64_t memory_bytes;
	/* See job_queue_limit(); 0: its default. */
	uint64_t write_us;
	/* It ends on request: `record` has started it, and `stop` ends it. */
	bool with_recorder;
	/* Called when it accepts requests, with @user; may be NULL. */
	void (*ready)(void *user);
	void *user;
	/* The file of settings, with what to record; NULL: defaults, and what the plan says. */
	const char *settings;
};

/*
 * Serves until SIGTERM or SIGINT. Snapshots that are waiting or being written then are completed
 * first; those that are to be taken later are not.
 * Returns 0, or -1 with @err set: it could not start.
 */
int server_run(const struct server_options *options, struct mm_error *err);

/*
 * Keeps a daemon from starting, for a change of what it reads at its start. Returns a descriptor,
 * which the caller closes, or -1 with @err set: one is running, or the caller is not root.
 */
int server_prevent(struct mm_error *err);

#endif /* LTTNG_MM_DAEMON_SERVER_SERVER_H */
