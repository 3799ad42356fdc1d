/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What the names of functions have stood for since the machine was started. LTTng attaches no
 * second event of the same name in a channel: a session that has the events of a removed function
 * would not record one of the same name with other fields.
 *
 * /run/lttng-mm/functions has one line for each name: the name, a hash of its definition, the time
 * of its removal in seconds since the Epoch, 0 if it was not removed, and 1 if functions of that
 * name have been recorded with kernel addresses or unchanged memory, otherwise 0.
 */
#ifndef LTTNG_MM_SESSION_FN_HISTORY_H
#define LTTNG_MM_SESSION_FN_HISTORY_H

#include "lttng-session/fn/describe/function.h"

/*
 * Refuses functions whose names stood for something else in a session that still has their events.
 * Returns 0, or -1 with @err set.
 */
int fn_history_check(const struct fn_function *functions, size_t count, struct mm_error *err);

/* Before functions are added: remembers those that fn_history_reveals() tells of. */
void fn_history_prepare(const struct fn_function *functions, size_t count);

/* After functions were added, and after some were removed. */
void fn_history_add(const struct fn_function *functions, size_t count);
void fn_history_remove(const char *const *names, size_t count);

/*
 * Has one of the functions of the @count names been added with --raw, or with fields of the type
 * bytes, since the machine was started? Returns 1, 0, or -1 if that is not known of one of them.
 */
int fn_history_reveals(const char *const *names, size_t count);

#endif /* LTTNG_MM_SESSION_FN_HISTORY_H */
