/* SPDX-License-Identifier: LGPL-2.1-only */
/* The LTTng objects of a watcher: condition, trigger and notifications. */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_WATCH_EVENTS_LTTNG_H
#define LTTNG_MM_DAEMON_TRIGGERS_WATCH_EVENTS_LTTNG_H

#include <jansson.h>
#include <lttng/lttng.h>
#include <stdbool.h>
#include <stdint.h>

#include "lttng-session/daemon/triggers/definition/trigger.h"
#include "lttng-session/system/allow.h"
#include "util/error.h"

/*
 * A trigger of LTTng. After an lttng_trigger was unregistered, the library refuses to register it
 * again ("Invalid parameter"), so each registration creates a new lttng_trigger.
 */
struct events_lttng {
	char name[TRIGGER_NAME_MAX + 32];
	struct lttng_condition *condition;
	struct lttng_action *action;
	struct lttng_trigger *trigger; /* NULL if not registered */
	struct allow_list captures;    /* names of the captures whose values may be written */
};

/*
 * Captured values may be secrets, such as file names. By default, only numbers and thread names are
 * written to snapshots. The file /etc/lttng-mm/captures replaces this default list.
 */
#define EVENTS_CAPTURES "captures"
extern const char *const events_captures_defaults[];

/*
 * Returns a captured number as JSON: as an integer, or as a text if @hex or if it exceeds
 * INT64_MAX.
 */
json_t *events_number_json(uint64_t value, bool is_signed, bool hex);
/* May the number captured as @name be written to a snapshot? */
bool events_number_is_listed(const struct allow_list *list, const char *name);
/* Returns the text captured as @name, or a mask if @strings does not list @name. */
json_t *events_text_json(const struct allow_list *strings, const char *name, const char *text);

/*
 * Creates the objects for a trigger of the recorder daemon @daemon, but does not register the
 * trigger. Returns 0, or -1 with @err set.
 */
int events_lttng_make(struct events_lttng *lttng, const struct trigger *trigger, pid_t daemon,
		      struct mm_error *err);
void events_lttng_release(struct events_lttng *lttng);

/*
 * Registers or unregisters the trigger. Returns 0, or -1 with @err set. Unregistering succeeds even
 * if another program has already removed the trigger.
 */
int events_lttng_register(struct events_lttng *lttng, struct mm_error *err);
int events_lttng_unregister(struct events_lttng *lttng, struct mm_error *err);

/*
 * Is the notification from this trigger? The session daemon also sends notifications of other
 * triggers with an equal condition.
 */
bool events_lttng_has_sent(const struct events_lttng *lttng,
			   struct lttng_notification *notification);

/*
 * Reads how many notifications were discarded since the registration. Returns 0, 1 if the trigger
 * is no longer registered, or -1 if the number is unknown.
 */
int events_lttng_discarded(const struct events_lttng *lttng, uint64_t *count);

/*
 * Does the session daemon list the trigger? Returns 1 if it does, or 0 if another program has
 * removed the trigger. Returns -1 with @err set if the session daemon does not answer.
 */
int events_lttng_is_listed(const struct events_lttng *lttng, struct mm_error *err);
/* Frees the object of a registration that another program has removed. */
void events_lttng_forget(struct events_lttng *lttng);

/* Removes LTTng's trigger @name, and all LTTng triggers of recorder daemons other than @daemon. */
void events_lttng_sweep(const char *name, pid_t daemon);

/*
 * Reads the captured values of a notification: the CPU (-1: unknown), and an object with the fields
 * that @trigger captures (NULL: no fields).
 */
void events_lttng_captured(const struct events_lttng *lttng, const struct trigger *trigger,
			   const struct lttng_notification *notification, int *cpu,
			   json_t **fields);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_WATCH_EVENTS_LTTNG_H */
