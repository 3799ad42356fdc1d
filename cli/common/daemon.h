/* SPDX-License-Identifier: LGPL-2.1-only */
/* The recorder daemon where the service does not run: `record` starts it, and `stop` ends it. */
#ifndef LTTNG_MM_CLI_COMMON_DAEMON_H
#define LTTNG_MM_CLI_COMMON_DAEMON_H

#include <stdbool.h>

#include "lttng-session/daemon/server/server.h"
#include "util/error.h"

/*
 * Runs the recorder daemon in the background. Returns when it accepts requests, or -1 with @err set
 * to the reason for which it does not.
 */
int daemon_run_detached(struct server_options *options, struct mm_error *err);

/*
 * Starts a daemon that ends with the last recorder, unless one is running. Without it, recording
 * works: a failure is a warning.
 */
void daemon_start(void);
/*
 * Ends it, unless something is being recorded. Returns whether it ends, or none is running; the
 * service continues.
 */
bool daemon_end(void);

#endif /* LTTNG_MM_CLI_COMMON_DAEMON_H */
