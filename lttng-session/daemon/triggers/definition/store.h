/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The stored triggers, which survive reboots. Each trigger has a file NAME.json, owned by root, and
 * a hidden file .NAME.limits with the state of its limits. If a file is refused, the other triggers
 * still work.
 */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_STORE_H
#define LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_STORE_H

#include "lttng-session/daemon/triggers/definition/trigger.h"
#include "util/error.h"

#define TRIGGER_STORE "/var/lib/lttng-mm/triggers"

/*
 * Reads all triggers in the order of their names. Calls @take for each trigger, and gives it
 * ownership of the trigger. If a file is refused, calls @take with NULL and the reason. If the
 * folder is missing, there are no triggers. Returns 0, or -1 with @err set if the folder cannot be
 * read.
 */
int trigger_store_list(void (*take)(void *user, struct trigger *trigger,
				    const struct mm_error *refused),
		       void *user, struct mm_error *err);

/*
 * Stores @trigger, replacing a stored trigger of the same name. After a crash, either the old or
 * the new file is complete. Returns 0, or -1 with @err set.
 */
int trigger_store_add(const struct trigger *trigger, struct mm_error *err);

/*
 * Saves the limits (limits.h) of the trigger @name. They last until the trigger is removed or
 * stored again. Returns 0, or -1 with @err set.
 */
int trigger_store_save_limits(const char *name, const json_t *json, struct mm_error *err);
/*
 * Returns saved limits (a new reference), or NULL if there are none. Returns JSON null if the file
 * is untrusted or unreadable.
 */
json_t *trigger_store_load_limits(const char *name);

/* Removes saved limits that are older than @age_s seconds, if their names begin with @prefix. */
void trigger_store_forget_limits(const char *prefix, int64_t age_s);

/* Does the trigger @name have a file? trigger_store_list() may still refuse the file. */
bool trigger_store_has(const char *name);

/* Removes a trigger if it is stored. Returns 0, or -1 with @err set. */
int trigger_store_remove(const char *name, struct mm_error *err);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_STORE_H */
