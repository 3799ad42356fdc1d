/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Calls of LTTng's library that must not block their caller: the library waits for the session
 * daemon for ever, which may hang. They run in a thread, which is left alone if it does not return
 * in time. The library has one connection per process: from then on, this process asks no more.
 */
#ifndef LTTNG_MM_SESSION_ASK_H
#define LTTNG_MM_SESSION_ASK_H

#include <stdbool.h>

/* A busy machine takes a second or two for the slowest call, the state dump. */
#define ASK_MS 10000

typedef void ask_call(void *data);

/*
 * Calls @call with @data, in a thread where one can be started. No other call may be in progress.
 * Returns false, and calls nothing, if an earlier one has not returned.
 */
bool ask_start(ask_call *call, void *data);

/*
 * Waits for the call that was started, up to @ms. Returns true if it has returned. Otherwise, its
 * data are in use until the process ends: do not release them.
 */
bool ask_wait(unsigned int ms);

/* Both. */
bool ask(ask_call *call, void *data);

/* Has a call not returned in time? */
bool ask_hangs(void);

#endif /* LTTNG_MM_SESSION_ASK_H */
