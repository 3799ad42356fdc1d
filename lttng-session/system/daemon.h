/* SPDX-License-Identifier: LGPL-2.1-only */
/* The LTTng session daemon and the kernel probes it needs. */
#ifndef LTTNG_MM_SESSION_DAEMON_H
#define LTTNG_MM_SESSION_DAEMON_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/error.h"

/* Loads the kernel module of a probe, unless it is loaded. Returns 0, or -1 with @err set. */
int daemon_load_probe(const char *module, struct mm_error *err);

/*
 * Loads lttng-mm-freeze, if it is installed and this is root: it freezes buffers, and notes pauses
 * of the recording from then on. Without it, recording works, the session daemon writes snapshots,
 * and certificates say that pauses are not known.
 */
void daemon_load_freeze(void);

/* Loads the library of the probes, if it is installed: it has the state event of threads. */
void daemon_load_library(void);

/* Finds a running session daemon that is accessible, or starts one. */
int daemon_ensure(struct mm_error *err);

/* Is a session daemon running and accessible? It may hang. */
bool daemon_answers(void);

/*
 * When the session daemon of root was started, in clock ticks since the boot: it tells one from the
 * next. 0: none is running, or this is not known.
 */
int64_t daemon_started(void);

/* The process of root's session daemon, as its file says, which a killed daemon leaves; or 0. */
pid_t daemon_pid(void);

/* Notes that this program has started the session daemon that is running, if it is root's. */
void daemon_note_started(void);

enum daemon_end {
	DAEMON_NOT_OURS, /* none is running, or this program has not started it */
	DAEMON_ENDED,
	DAEMON_IN_USE, /* it has sessions of other programs */
	DAEMON_STAYS,  /* it does not answer, or does not end */
};

/*
 * Ends the session daemon if this program has started it and it has no session. Waits for up to 30
 * seconds. Only root may.
 */
enum daemon_end daemon_end_ours(void);

/* Checks the same as daemon_ensure(), but starts none. Returns 0, or -1 with @err set. */
int daemon_require(struct mm_error *err);

/*
 * contexts.c: does a channel of the session have LTTng's context callstack-kernel, whoever added
 * it? Returns 1, 0, or -1 if that is not known.
 */
int session_has_callstack(const char *session);

/*
 * What to do about an error of LTTng's library, from a semicolon on, if it is one with a usual
 * cause; else "".
 */
const char *daemon_remedy(int code);

#endif /* LTTNG_MM_SESSION_DAEMON_H */
