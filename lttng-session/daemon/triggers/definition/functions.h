/* SPDX-License-Identifier: LGPL-2.1-only */
/* Triggers on events of added functions: fn_NAME_entry, fn_NAME_exit, fn_NAME_call. */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_FUNCTIONS_H
#define LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_FUNCTIONS_H

#include "instrumentation/wire/fn.h"
#include "lttng-session/daemon/triggers/definition/trigger.h"

/*
 * If @event is the event of a function, writes the function's name to @name and returns true.
 * @event may be NULL.
 */
bool trigger_function_of(const char *event, char name[LTTNG_MM_FN_NAME_MAX]);

/*
 * Handles each trigger on a function's event. If the function exists, stores its SPEC in
 * trigger->spec, unless that is set already. If the function is missing, adds it from
 * trigger->spec, but only for root's triggers. On failure, sets the element of @errs for the
 * trigger. Does nothing unless the caller is root.
 */
void trigger_add_functions(struct trigger *const *triggers, size_t count, struct mm_error *errs);

/*
 * Calls @take for each trigger on a function's event: for stored triggers, and for triggers of
 * profiles that are being recorded. Skips unreadable triggers.
 */
void trigger_each_function(void (*take)(void *user, const struct trigger *trigger,
					const char *function),
			   void *user);

/* May fields of the trigger's event contain kernel addresses? */
bool trigger_reveals(const struct trigger *trigger);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_FUNCTIONS_H */
