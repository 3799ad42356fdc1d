/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Remembers the definitions of added functions since boot. LTTng refuses a second event of the same
 * name in a channel, so without a check, these steps would lose events:
 *
 *   a session records fn_foo_*; `fn remove foo`; `fn add foo` with other fields
 *   -> the session does not record the new fn_foo_*
 *
 * /run/lttng-mm/functions has one line for each name:
 *
 *   NAME HASH REMOVED_S REVEALS
 *   handle_mm_fault 1f2e3d4c5b6a7988 0 0
 *
 * HASH is a hash of the definition, or 0 before the function is added for the first time. REMOVED_S
 * is the time at which the function was removed, in seconds since the Epoch, or 0. REVEALS is 1 if
 * a function of this name has recorded kernel addresses or raw memory since boot.
 */
#ifndef LTTNG_MM_SESSION_FN_HISTORY_H
#define LTTNG_MM_SESSION_FN_HISTORY_H

#include "lttng-session/fn/describe/function.h"

/*
 * Refuses a function if a removed function had the same name but another definition, and a session
 * still uses the events of the removed function. Returns 0, or -1 with @err set.
 */
int fn_history_check(const struct fn_function *functions, size_t count, struct mm_error *err);

/*
 * Records in the history which functions reveal addresses or memory. Call it before adding the
 * functions, so that the history is right even if the process is killed.
 */
void fn_history_prepare(const struct fn_function *functions, size_t count);

/* Record added and removed functions in the history. Call these after the change. */
void fn_history_add(const struct fn_function *functions, size_t count);
void fn_history_remove(const char *const *names, size_t count);

/*
 * Was a function with one of these names added with --raw or with fields of type bytes since boot?
 * Returns 1 if so. Otherwise, returns -1 if the history lacks one of the names, or 0 if it has all
 * names.
 */
int fn_history_reveals(const char *const *names, size_t count);

#endif /* LTTNG_MM_SESSION_FN_HISTORY_H */
