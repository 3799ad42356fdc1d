/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The supervisor: a process of the recorder daemon that keeps what the plan says recording. Once a
 * second it compares the plan with the sessions that exist, and repairs what others have stopped,
 * cleared, changed or destroyed. It holds the buffers of the recorders, so that they can be
 * rescued when LTTng's daemons end. Whatever may block it does not block the recorder daemon, which
 * ends it if it is silent for too long, and starts another one.
 */
#ifndef LTTNG_MM_DAEMON_SUPERVISOR_SUPERVISOR_H
#define LTTNG_MM_DAEMON_SUPERVISOR_SUPERVISOR_H

#include <jansson.h>
#include <systemd/sd-event.h>

#include "lttng-session/daemon/supervisor/settings.h"

struct supervisor;

/* Gets a snapshot of an earlier daemon, in the form of job_queue_list(); it is not taken over. */
typedef void supervisor_found(void *user, json_t *snapshot);

/*
 * Starts it. @settings must exist as long as the supervisor. @found is called with @user for the
 * newest snapshots in the recorders' folders. Returns NULL if it cannot be started.
 */
struct supervisor *supervisor_create(sd_event *event, const struct settings *settings,
				     supervisor_found *found, void *user);
/* Ends the process; snapshots that it has begun are completed. Nothing is repaired any more. */
void supervisor_finish(struct supervisor *supervisor);
/* As supervisor_finish(), and releases it. */
void supervisor_destroy(struct supervisor *supervisor);

/*
 * What it has seen, a new reference; "repairs" as in repairs.h, "problem" what it cannot repair at
 * present, or null:
 *
 *   { "problem": "the session daemon does not answer", "silent_s": 0, "repairs": [ ... ],
 *     "rescues": [ { "path": "/var/lib/lttng-mm/rescue-20261123-093000-0", "what": "...",
 *                    "at_ns": N } ] }
 *
 * A rescue that failed has an "error" instead of a path. "at_ns", in nanoseconds since the Epoch, is
 * when the buffers were frozen, or when it failed.
 */
json_t *supervisor_status(const struct supervisor *supervisor);

#endif /* LTTNG_MM_DAEMON_SUPERVISOR_SUPERVISOR_H */
