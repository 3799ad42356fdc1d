/* SPDX-License-Identifier: LGPL-2.1-only */
/* The contexts that a session records. */
#ifndef LTTNG_MM_SESSION_CONTEXTS_H
#define LTTNG_MM_SESSION_CONTEXTS_H

/*
 * Does a channel of the session have LTTng's context callstack-kernel, whoever added it? 1, 0, or
 * -1 if that is not known.
 */
int session_has_callstack(const char *session);

#endif /* LTTNG_MM_SESSION_CONTEXTS_H */
