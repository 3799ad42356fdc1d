/* SPDX-License-Identifier: LGPL-2.1-only */
/* What the supervisor's process does: see supervisor.h. */
#ifndef LTTNG_MM_DAEMON_SUPERVISOR_LOOP_H
#define LTTNG_MM_DAEMON_SUPERVISOR_LOOP_H

#include <stdbool.h>

#include "lttng-session/daemon/supervisor/settings.h"

/*
 * Records what the settings say, and keeps it recording, until the other side of the socket @report
 * is closed. Sends messages to it, each with one of these members, or none to show that it is
 * alive:
 *
 *   "repair": as in repairs.h
 *   "rescue": { "path": ..., "what": ..., "at_ns": N } or { "error": ..., "what": ..., "at_ns": N };
 *       "at_ns": when the buffers were frozen, or when it failed
 *   "problem": what cannot be repaired at present; empty: nothing
 *   "note": for the log
 *   "snapshot": as in recent.h; if @first, the newest ones in the recorders' folders are sent
 */
void supervisor_loop_run(const struct settings *settings, bool first, int report);

#endif /* LTTNG_MM_DAEMON_SUPERVISOR_LOOP_H */
