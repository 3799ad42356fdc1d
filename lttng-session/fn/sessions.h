/* SPDX-License-Identifier: LGPL-2.1-only */
/* Which LTTng sessions record the events of a function. */
#ifndef LTTNG_MM_SESSION_FN_SESSIONS_H
#define LTTNG_MM_SESSION_FN_SESSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As LTTng's names of sessions, with the NUL. */
#define FN_SESSION_MAX 256

/*
 * Finds a session of which a channel of the kernel has one of the events of the function @name, or
 * a pattern that one of them matches. Sessions that were created after @before_s, in seconds since
 * the Epoch, do not count; 0: all do. Writes its name to @session; false: there is none, or the
 * session daemon does not answer.
 */
bool fn_sessions_find(const char *name, int64_t before_s, char *session, size_t size);

#endif /* LTTNG_MM_SESSION_FN_SESSIONS_H */
