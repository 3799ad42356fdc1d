/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Calls LTTng's library without blocking the caller for long. The library waits for the session
 * daemon without a time limit, and the session daemon may hang. So each call runs in a thread,
 * which is abandoned if the call does not return in time:
 *
 *   ask_start()  -> running
 *   ask_wait()   -> returned; or, after the time limit: hangs until the process ends
 *
 * The library has one connection per process, so after a call that hangs, no other call is
 * possible.
 */
#ifndef LTTNG_MM_SESSION_ASK_H
#define LTTNG_MM_SESSION_ASK_H

#include <stdbool.h>

/* Time limit of a call. The slowest call, the state dump, may take a second or two under load. */
#define ASK_MS 10000

typedef void ask_call(void *data);

/*
 * Calls @call with @data, in a new thread if possible. No other call may be in progress. If an
 * earlier call hangs, returns false and does not call @call.
 */
bool ask_start(ask_call *call, void *data);

/*
 * Waits up to @ms for the current call. Returns true if it has returned. Otherwise, do not release
 * the call's data, because the thread uses them until the process ends.
 */
bool ask_wait(unsigned int ms);

/* Starts a call and waits for it up to ASK_MS. Returns true if the call has returned. */
bool ask(ask_call *call, void *data);

/* Did a call not return in time? */
bool ask_hangs(void);

#endif /* LTTNG_MM_SESSION_ASK_H */
