/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The stored triggers, which survive reboots: one file NAME.json for each, owned by root, and a
 * hidden file .NAME.limits with the state of its limits. A refused file does not affect the others.
 */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_STORE_H
#define LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_STORE_H

#include "lttng-session/daemon/triggers/definition/trigger.h"
#include "util/error.h"

#define TRIGGER_STORE "/var/lib/lttng-mm/triggers"

/*
 * Reads all triggers in the order of their names. Calls @take with each trigger, which @take then
 * owns, or with NULL and the reason why a file is refused. A missing folder has no triggers.
 * Returns 0, or -1 with @err set if the folder cannot be read.
 */
int trigger_store_list(void (*take)(void *user, struct trigger *trigger,
				    const struct mm_error *refused),
		       void *user, struct mm_error *err);

/*
 * Stores @trigger, or replaces the trigger of the same name. After a crash, the old or the new file
 * is complete. Returns 0, or -1 with @err set.
 */
int trigger_store_add(const struct trigger *trigger, struct mm_error *err);

/*
 * Saves the state of the limits (limits.h) of the trigger @name, until the trigger is removed or
 * stored again. Returns 0, or -1 with @err set.
 */
int trigger_store_save_limits(const char *name, const json_t *json, struct mm_error *err);
/* Returns saved limits (a new reference); JSON null: untrusted or unreadable; NULL: none. */
json_t *trigger_store_load_limits(const char *name);

/* Removes saved limits whose names begin with @prefix and that are older than @age_s seconds. */
void trigger_store_forget_limits(const char *prefix, int64_t age_s);

/* Is there a file of the trigger @name? (trigger_store_list() may refuse the file.) */
bool trigger_store_has(const char *name);

/* Removes a trigger, if it is stored. Returns 0, or -1 with @err set. */
int trigger_store_remove(const char *name, struct mm_error *err);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_STORE_H */
