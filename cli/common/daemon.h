/* SPDX-License-Identifier: LGPL-2.1-only */
/* The recorder daemon without a service: `record` starts it, and `stop` ends it. */
#ifndef LTTNG_MM_CLI_COMMON_DAEMON_H
#define LTTNG_MM_CLI_COMMON_DAEMON_H

#include <stdbool.h>

#include "lttng-session/daemon/server/server.h"
#include "util/error.h"

/*
 * Starts the recorder daemon in the background. Returns 0 when the daemon accepts requests, or -1
 * with @err set.
 */
int daemon_run_detached(struct server_options *options, struct mm_error *err);

/*
 * Starts a daemon that exits with the last recorder. Does nothing if a daemon is running. A failure
 * is only a warning, because recording works without a daemon.
 */
void daemon_start(void);
/*
 * Ends the daemon, unless a recorder is running or the daemon is a service. Returns true if the
 * daemon is exiting or not running.
 */
bool daemon_end(void);

#endif /* LTTNG_MM_CLI_COMMON_DAEMON_H */
