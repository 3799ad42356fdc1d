/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Watches for an event of a trigger, or for its rate. LTTng matches the event in the kernel and
 * notifies the watcher process.
 *
 * All triggers share one notification buffer in the kernel, which one thread of the session daemon
 * reads. A trigger that matches very often would delay other triggers, or overflow the buffer, so
 * the watcher unregisters such a trigger while no match gets a snapshot:
 *
 *   registered --(flood.h: too many matches, and none can get a snapshot)--> unregistered
 *   unregistered --(a snapshot is permitted again)--> registered
 *
 * The session daemon counts discarded notifications. If the count grows, the watcher reports a
 * match without CPU and fields. Calls to the session daemon may block, so the process has two
 * further threads: one receives notifications (notifications.h), the other ends the process when a
 * call hangs (deadline.h).
 */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_WATCH_EVENTS_H
#define LTTNG_MM_DAEMON_TRIGGERS_WATCH_EVENTS_H

#include <sys/types.h>

#include "lttng-session/daemon/triggers/definition/trigger.h"
#include "util/error.h"

/*
 * Prefix of the names of LTTng's triggers, such as lttng-mm-4711-oom. The process ID of the
 * recorder daemon and the name of the trigger follow.
 */
#define EVENTS_PREFIX "lttng-mm-"

/*
 * Starts the watcher process, which has root's rights. The process first removes LTTng's triggers
 * of recorder daemons that have ended. Then it sends the messages of trigger.h. It ends when the
 * caller closes *@socket, or when the session daemon fails. The caller must reap it. Returns the
 * process ID, or -1 with @err set.
 */
pid_t events_start(const struct trigger *trigger, int *socket, struct mm_error *err);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_WATCH_EVENTS_H */
