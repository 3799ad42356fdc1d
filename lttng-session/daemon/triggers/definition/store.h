/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The triggers that are kept over reboots: one file NAME.json for each, which root owns, and a
 * hidden one with what its limits depend on.
 */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_STORE_H
#define LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_STORE_H

#include "lttng-session/daemon/triggers/definition/trigger.h"
#include "util/error.h"

#define TRIGGER_STORE "/var/lib/lttng-mm/triggers"

/*
 * Reads all triggers, in the order of their names, and calls @take with each, which takes it over,
 * or with NULL and why a file is refused, with the remedy. A folder that does not exist has none.
 * Returns 0, or -1 with @err set: the folder cannot be read.
 */
int trigger_store_list(void (*take)(void *user, struct trigger *trigger,
				    const struct mm_error *refused),
		       void *user, struct mm_error *err);

/*
 * Writes @trigger, in the place of one of the same name: after a crash, the old or the new one is
 * there, whole. Returns 0, or -1 with @err set.
 */
int trigger_store_add(const struct trigger *trigger, struct mm_error *err);

/*
 * Keeps the state of the limits of a trigger (limits.h) with it, until the trigger is removed or
 * written anew. Returns 0, or -1 with @err set.
 */
int trigger_store_save_limits(const char *name, const json_t *json, struct mm_error *err);
/* Returns it, to be released; JSON's null: it cannot be trusted or read; NULL: there is none. */
json_t *trigger_store_load_limits(const char *name);

/*
 * Removes the limits that are kept under names that begin with @prefix, if they were written more
 * than @age_s seconds ago.
 */
void trigger_store_forget_limits(const char *prefix, int64_t age_s);

/* Is there a file of that trigger? It may be one that is refused. */
bool trigger_store_has(const char *name);

/* Removes a trigger; one that is not there is not an error. Returns 0, or -1 with @err set. */
int trigger_store_remove(const char *name, struct mm_error *err);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_STORE_H */
