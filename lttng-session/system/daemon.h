/* SPDX-License-Identifier: LGPL-2.1-only */
/* The LTTng session daemon, and the kernel probes that it needs. */
#ifndef LTTNG_MM_SESSION_DAEMON_H
#define LTTNG_MM_SESSION_DAEMON_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/error.h"

/* Loads the kernel module of a probe unless it is loaded. Returns 0, or -1 with @err set. */
int daemon_load_probe(const char *module, struct mm_error *err);

/*
 * Loads lttng-mm-freeze if it is installed and the user is root. The module freezes buffers, and
 * from then on notices when recording sessions pause. Recording works without it, too: the session
 * daemon then writes snapshots, and certificates say that pauses are unknown.
 */
void daemon_load_freeze(void);

/* Loads the probes' library if it is installed. It provides the state dump of threads. */
void daemon_load_library(void);

/*
 * Finds a running session daemon that is accessible, or starts one as root. Returns 0, or -1 with
 * @err set.
 */
int daemon_ensure(struct mm_error *err);

/* Is a session daemon running and accessible? Blocks if the daemon hangs. */
bool daemon_answers(void);

/* Records that this program started the running session daemon of root. */
void daemon_note_started(void);

enum daemon_end {
	DAEMON_NOT_OURS, /* not running, or not started by this program */
	DAEMON_ENDED,
	DAEMON_IN_USE, /* the daemon has sessions of other programs */
	DAEMON_STAYS,  /* the daemon does not respond or exit */
};

/*
 * Stops the session daemon if this program started it and no session exists. Waits up to 30
 * seconds. Root only.
 */
enum daemon_end daemon_end_ours(void);

/* May this user connect to root's session daemon, if it is running? */
bool daemon_is_accessible(void);

/*
 * Checks that a session daemon is accessible, but does not start one. Returns 0, or -1 with @err
 * set.
 */
int daemon_require(struct mm_error *err);

/*
 * contexts.c: does a channel of the session have LTTng's context callstack-kernel? Another program
 * may have added it. Returns 1, 0, or -1 if unknown.
 */
int session_has_callstack(const char *session);

/*
 * Returns the remedy for an error of LTTng's library, starting with a semicolon. "": no usual cause
 * is known.
 */
const char *daemon_remedy(int code);

#endif /* LTTNG_MM_SESSION_DAEMON_H */
