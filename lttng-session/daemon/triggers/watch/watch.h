/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Watches for conditions that LTTng does not see: pressure, failed allocations, kernel messages,
 * lines of files and messages of the journal. A watcher process serves one user: it opens what
 * requires root (PSI triggers, /dev/kmsg), closes all other descriptors, becomes the user, and only
 * then opens files and the journal. The process sends the messages of trigger.h.
 */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_WATCH_WATCH_H
#define LTTNG_MM_DAEMON_TRIGGERS_WATCH_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "lttng-session/daemon/triggers/definition/trigger.h"
#include "util/error.h"

/* Does watch_start() support this kind? It does not support events and rates (events.h). */
bool watch_has(enum trigger_kind kind);

/*
 * Starts a watcher for @count triggers of one user, of kinds that watch_has() accepts. The process
 * never waits for the caller: matches that the caller does not read in time are counted, and sent
 * with the next message of the trigger. A trigger that cannot be watched for is reported as
 * "failed", also later, when its file becomes unreadable. The process tries to open a file again
 * every second, and sends {"trigger": "NAME", "armed": true} when that succeeds.
 *
 * Returns the process ID, and in *@socket the caller's end of a nonblocking SOCK_SEQPACKET socket.
 * The process ends when the caller closes the socket or exits, or if its user kills it. The caller
 * reaps the process; any status but 0 is a failure. Returns -1 with @err set.
 */
pid_t watch_start(const struct trigger *const *triggers, size_t count, int *socket,
		  struct mm_error *err);

/*
 * Turns this process into a watcher, which permanently gives up rights and descriptors, and reports
 * to @socket until its other end is closed. Returns the status for _exit().
 */
int watch_run(const struct trigger *const *triggers, size_t count, int socket);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_WATCH_WATCH_H */
