/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Watches for the events of triggers, alone or at a rate. LTTng matches them in the kernel and
 * notifies the process that this starts.
 *
 * All triggers share one buffer of notifications in the kernel, one thread of the session daemon
 * reads it, and what does not fit is discarded. A trigger that matches so often that others would
 * be late is therefore unregistered while a match cannot get a snapshot anyway. The session daemon
 * counts what was discarded: a match that arrives as such a count only is reported as well, without
 * the CPU and the fields.
 */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_WATCH_EVENTS_H
#define LTTNG_MM_DAEMON_TRIGGERS_WATCH_EVENTS_H

#include <sys/types.h>

#include "lttng-session/daemon/triggers/definition/trigger.h"
#include "util/error.h"

/* LTTng's triggers have names that start so, followed by the daemon's process ID and the name. */
#define EVENTS_PREFIX "lttng-mm-"

/*
 * Starts a process that watches for @trigger, with root's rights, and removes triggers of daemons
 * that no longer exist. It sends the messages of trigger.h, and ends when *@socket, the caller's
 * end, is closed, or when the session daemon does not do what it must. The caller waits for it
 * (waitpid()). Returns its process ID, or -1 with @err set.
 */
pid_t events_start(const struct trigger *trigger, int *socket, struct mm_error *err);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_WATCH_EVENTS_H */
