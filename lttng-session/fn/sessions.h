/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds an LTTng session that records the events of a function. */
#ifndef LTTNG_MM_SESSION_FN_SESSIONS_H
#define LTTNG_MM_SESSION_FN_SESSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Size of a session's name, including the NUL. */
#define FN_SESSION_MAX 256

/*
 * Finds a session with a kernel event rule for an event of the function @name. Ignores sessions
 * created after @before_s (seconds since the Epoch; 0: considers all sessions). Writes the
 * session's name to @session. Returns false if no session is found or the session daemon does not
 * respond.
 */
bool fn_sessions_find(const char *name, int64_t before_s, char *session, size_t size);

#endif /* LTTNG_MM_SESSION_FN_SESSIONS_H */
