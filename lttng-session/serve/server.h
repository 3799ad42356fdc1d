/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The recorder daemon: takes snapshots for root and the group `tracing`. It is one thread that
 * never waits: whatever may block is done by processes of their own (worker.h).
 */
#ifndef LTTNG_MM_SESSION_SERVER_H
#define LTTNG_MM_SESSION_SERVER_H

#include <stdint.h>

#include "util/error.h"

struct server_options {
	/* For snapshots that are not written yet; 0: a quarter of the machine's memory. */
	uint64_t memory_bytes;
};

/*
 * Serves until SIGTERM or SIGINT. Snapshots that are being written then are completed first.
 * Returns 0, or -1 with @err set: it could not start.
 */
int server_run(const struct server_options *options, struct mm_error *err);

#endif /* LTTNG_MM_SESSION_SERVER_H */
