/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The supervisor: a child process of the recorder daemon that keeps the recorders of the plan
 * recording. Processes:
 *
 *   daemon (supervisor.c)      starts the supervisor, and stores its reports; never blocks
 *     supervisor (loop.c)      may block in calls to the session daemon
 *       rescue (held-buffers.c)  may block on a disk; outlives the supervisor
 *       recall (recall.c)      reads the snapshots of earlier daemons from disk
 *
 * Once a second, the supervisor
 *
 *   1. notices the end of LTTng's daemons (daemons.h), and rescues the buffers that it holds,
 *   2. sets the targets of page references (held-targets.h), and holds the buffers of all
 *      recorders (held-buffers.h),
 *   3. compares each session of the plan with the session daemon and with its buffers, and repairs
 *      one difference at a time (repair.h),
 *   4. checks that active sessions still record (silence.h),
 *   5. starts the recorder of recorder.conf if that has not succeeded yet (autostart.h).
 *
 * The supervisor sends the messages of loop.h, at least every five seconds. If it sends none for 90
 * s, the session daemon probably hangs. The recorder daemon then kills the supervisor and starts
 * another, which holds the buffers before it calls the session daemon.
 */
#ifndef LTTNG_MM_DAEMON_SUPERVISOR_SUPERVISOR_H
#define LTTNG_MM_DAEMON_SUPERVISOR_SUPERVISOR_H

#include <jansson.h>
#include <systemd/sd-event.h>

#include "lttng-session/daemon/supervisor/settings.h"

struct supervisor;

/*
 * Called for each snapshot of an earlier daemon. @snapshot has the format of job_queue_list(). The
 * caller releases it.
 */
typedef void supervisor_found(void *user, json_t *snapshot);

/*
 * Starts the supervisor. @settings must outlive it. Calls @found with @user for the newest
 * snapshots in the recorders' folders. Returns NULL if the process cannot be started.
 */
struct supervisor *supervisor_create(sd_event *event, const struct settings *settings,
				     supervisor_found *found, void *user);
/* Kills the process, which ends all repairs. Rescues in progress are completed. */
void supervisor_finish(struct supervisor *supervisor);
/* Calls supervisor_finish() and frees the supervisor. */
void supervisor_destroy(struct supervisor *supervisor);

/*
 * Returns the supervisor's part of the status (a new reference). repairs.h describes "repairs";
 * "problem" is a text about faults that cannot be repaired at present, or null:
 *
 *   { "problem": "the session daemon does not answer", "silent_s": 0, "repairs": [ ... ],
 *     "rescues": [ { "path": "/var/lib/lttng-mm/rescue-20261123-093000-0", "what": "...",
 *                    "at_ns": N } ],
 *     "page_ref": { "session": "lttng-mm-page-ref", "targets": "pid 4711", "interval_ms": 500,
 *                   "max_overhead": N, "held": true, "since_ns": N,
 *                   "lacking": "process 4712 (ended)",
 *                   "problem": null, "counters": { "marked": N, "restored": N, ... } } }
 *
 * "page_ref" is null unless page references are recorded. If the control file is not "held",
 * "since_ns" and "counters" are null, and "problem" states the reason. The counters start when the
 * probe is loaded.
 *
 * A rescue that failed has an "error" instead of a path. "at_ns" is the time of the freeze or of
 * the failure, in nanoseconds since the Epoch.
 */
json_t *supervisor_status(const struct supervisor *supervisor);

#endif /* LTTNG_MM_DAEMON_SUPERVISOR_SUPERVISOR_H */
