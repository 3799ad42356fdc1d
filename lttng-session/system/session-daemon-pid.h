/* SPDX-License-Identifier: LGPL-2.1-only */
/* The process ID and the start time of root's session daemon. */
#ifndef LTTNG_MM_SESSION_SESSION_DAEMON_PID_H
#define LTTNG_MM_SESSION_SESSION_DAEMON_PID_H

#include <stdint.h>
#include <sys/types.h>

/*
 * Returns the process ID in the PID file of root's session daemon, or 0. A killed daemon leaves
 * this file, so the process may be gone.
 */
pid_t daemon_pid(void);

/*
 * Returns the start time of root's session daemon in clock ticks since boot, which identifies the
 * daemon. Returns 0 if no daemon is running or the time is unknown.
 */
int64_t daemon_started(void);

#endif /* LTTNG_MM_SESSION_SESSION_DAEMON_PID_H */
