/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Watches for the conditions of triggers that no single event shows: pressure, failed allocations,
 * kernel messages, lines of files and messages of the journal. A process watches for one user,
 * with that user's rights, and sends the messages that trigger.h describes.
 */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_WATCH_WATCH_H
#define LTTNG_MM_DAEMON_TRIGGERS_WATCH_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "lttng-session/daemon/triggers/definition/trigger.h"
#include "util/error.h"

/* Does watch_start() watch for conditions of this kind? Events and rates come from LTTng. */
bool watch_has(enum trigger_kind kind);

/*
 * Starts a process that watches for the conditions of the @count triggers, which watch_has() and
 * which are all of one user. It never blocks on the caller: what the caller does not read in time
 * is counted, and comes with the next message of the trigger. A trigger that cannot be watched is
 * reported as "failed"; the others are watched. So is one whose file becomes unreadable; it is
 * tried again every second, and {"trigger": "NAME", "armed": true} is sent if it succeeds.
 *
 * Returns its process ID, and in *@socket the caller's end of the SOCK_SEQPACKET socket, which does
 * not block and which the caller closes: that, or the end of the caller, ends the process. It may
 * end at any time, if its user ends it for example. The caller waits for it (waitpid()); any status
 * but 0 is a failure. Copies what it needs of @triggers. Returns -1 with @err set.
 */
pid_t watch_start(const struct trigger *const *triggers, size_t count, int *socket,
		  struct mm_error *err);

/*
 * What that process does, in this one: gives up the rights and the descriptors that it does not
 * need, for good, and reports to @socket until the other side is closed. Returns the status for
 * _exit().
 */
int watch_run(const struct trigger *const *triggers, size_t count, int socket);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_WATCH_WATCH_H */
