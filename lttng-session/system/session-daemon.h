/* SPDX-License-Identifier: LGPL-2.1-only */
/* Starts, finds and stops the LTTng session daemon, and loads kernel probes. */
#ifndef LTTNG_MM_SESSION_SESSION_DAEMON_H
#define LTTNG_MM_SESSION_SESSION_DAEMON_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/error.h"

/*
 * Loads the kernel module of a probe, unless it is loaded already. Returns 0, or -1 with @err set.
 */
int daemon_load_probe(const char *module, struct mm_error *err);

/*
 * Loads lttng-mm-freeze if it is installed and this user is root. The module freezes buffers, and
 * notices when recording sessions pause. Recording works without the module. But then the session
 * daemon writes snapshots, and their certificates state that pauses are unknown.
 */
void daemon_load_freeze(void);

/* Loads the probes' library if it is installed. It provides the state dump of threads. */
void daemon_load_library(void);

/*
 * Finds a running session daemon to which this user may connect. If there is none and this user is
 * root, starts one. Returns 0, or -1 with @err set.
 */
int daemon_ensure(struct mm_error *err);

/*
 * Is a session daemon running to which this user may connect? Blocks if the session daemon hangs.
 */
bool daemon_answers(void);

/* Notes that this program started root's current session daemon. */
void daemon_note_started(void);

enum daemon_end {
	DAEMON_NOT_OURS, /* no session daemon is running, or another program started it */
	DAEMON_ENDED,
	DAEMON_IN_USE, /* the session daemon has sessions of other programs */
	DAEMON_STAYS,  /* the session daemon does not respond, or does not exit */
};

/*
 * Stops the session daemon if this program started it and it has no sessions. Waits up to 30
 * seconds. Requires root.
 */
enum daemon_end daemon_end_ours(void);

/* May this user connect to root's session daemon, if that is running? */
bool daemon_is_accessible(void);

/*
 * Checks that a session daemon is running to which this user may connect. Does not start one.
 * Returns 0, or -1 with @err set.
 */
int daemon_require(struct mm_error *err);

/*
 * Defined in contexts.c. Does a channel of the session have LTTng's context callstack-kernel?
 * Another program may have added the context. Returns 1, 0, or -1 if that is unknown.
 */
int session_has_callstack(const char *session);

/*
 * Returns the remedy for an error of LTTng's library, starting with a semicolon. Returns "" if no
 * usual cause is known.
 */
const char *daemon_remedy(int code);

#endif /* LTTNG_MM_SESSION_SESSION_DAEMON_H */
