/* SPDX-License-Identifier: LGPL-2.1-only */
/* The loop of the supervisor process (supervisor.h). */
#ifndef LTTNG_MM_DAEMON_SUPERVISOR_LOOP_H
#define LTTNG_MM_DAEMON_SUPERVISOR_LOOP_H

#include <stdbool.h>

#include "lttng-session/daemon/supervisor/settings.h"

/*
 * Supervises the recorders until the daemon closes its end of the socket @report. Sends messages to
 * the daemon. Each has one of these members, or none if it is only a sign of life:
 *
 *   "repair": as in repairs.h
 *   "rescue": { "path": ..., "what": ..., "at_ns": N }, or with "error" instead of "path";
 *       "at_ns": the time of the freeze, or of the failure
 *   "problem": a text about faults that cannot be repaired at present; empty: none
 *   "note": a text for the journal
 *   "page_ref": the state of the targets of page references, as in supervisor.h
 *   "snapshot": as in recent.h; if @first is true, sent at the start for the newest snapshots
 */
void supervisor_loop_run(const struct settings *settings, bool first, int report);

#endif /* LTTNG_MM_DAEMON_SUPERVISOR_LOOP_H */
