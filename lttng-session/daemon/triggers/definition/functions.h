/* SPDX-License-Identifier: LGPL-2.1-only */
/* Triggers on events of functions that were added: fn_NAME_entry, fn_NAME_exit, fn_NAME_call. */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_FUNCTIONS_H
#define LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_FUNCTIONS_H

#include "instrumentation/wire/fn.h"
#include "lttng-session/daemon/triggers/definition/trigger.h"

/* Writes NAME to @name. Returns false if @event, which may be NULL, is not such an event. */
bool trigger_function_of(const char *event, char name[LTTNG_MM_FN_NAME_MAX]);

/*
 * Sets @trigger->spec to what the function of its event is listed as, if it has none. A function
 * that is missing is added again by it, if root has added the trigger: only root may add functions.
 * @errs has an error of each of the @count triggers, which is set if that fails. Only for root.
 */
void trigger_add_functions(struct trigger *const *triggers, size_t count, struct mm_error *errs);

/*
 * Calls @take for each trigger on an event of a function, of those that are kept and those of
 * profiles that are being recorded. What cannot be read is left out.
 */
void trigger_each_function(void (*take)(void *user, const struct trigger *trigger,
					const char *function),
			   void *user);

/* May fields of the trigger's event contain kernel addresses? */
bool trigger_reveals(const struct trigger *trigger);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_FUNCTIONS_H */
