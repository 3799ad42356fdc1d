/* SPDX-License-Identifier: LGPL-2.1-only */
/* The process of root's session daemon, and when it was started. */
#ifndef LTTNG_MM_SESSION_DAEMON_PID_H
#define LTTNG_MM_SESSION_DAEMON_PID_H

#include <stdint.h>
#include <sys/types.h>

/*
 * Returns the PID of root's session daemon from its PID file, or 0. (A killed daemon leaves the
 * file.)
 */
pid_t daemon_pid(void);

/*
 * Returns the start time of root's session daemon in clock ticks since boot. This identifies the
 * daemon. 0: no daemon is running, or the time is unknown.
 */
int64_t daemon_started(void);

#endif /* LTTNG_MM_SESSION_DAEMON_PID_H */
