/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Watches for conditions that LTTng does not see: pressure, failed allocations, kernel messages,
 * lines of files, and messages of the journal. A watcher process serves one user. It first opens
 * what requires root (PSI triggers, /dev/kmsg), and closes all other descriptors. Then it switches
 * to the rights of the user. Only then does it open files and the journal. It sends the messages of
 * trigger.h.
 */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_WATCH_WATCH_H
#define LTTNG_MM_DAEMON_TRIGGERS_WATCH_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "lttng-session/daemon/triggers/definition/trigger.h"
#include "util/error.h"

/* Does watch_start() support this kind? (events.h supports events and rates.) */
bool watch_has(enum trigger_kind kind);

/*
 * Starts a watcher for @count triggers of one user, of kinds that watch_has() accepts.
 *
 * The process never waits for the caller. If the caller reads too slowly, the process counts the
 * matches and reports their number in the trigger's next message. When a condition cannot be
 * watched for, the process sends "failed". If the file of a trigger cannot be opened, it then tries
 * every second to open the file, and sends {"trigger": "NAME", "armed": true} when it succeeds.
 *
 * Returns the process ID. *@socket becomes the caller's end of a nonblocking SOCK_SEQPACKET socket.
 * The process ends when the caller closes the socket or exits, or when the user kills the process.
 * The caller must reap it. An exit status other than 0 is a failure. Returns -1 with @err set on
 * failure.
 */
pid_t watch_start(const struct trigger *const *triggers, size_t count, int *socket,
		  struct mm_error *err);

/*
 * Turns this process into a watcher. Permanently gives up rights and closes descriptors. Sends
 * messages to @socket until its other end is closed. Returns the status for _exit().
 */
int watch_run(const struct trigger *const *triggers, size_t count, int socket);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_WATCH_WATCH_H */
