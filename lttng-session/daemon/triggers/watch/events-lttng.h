/* SPDX-License-Identifier: LGPL-2.1-only */
/* LTTng's side of watching for events: its triggers and notifications. */
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
 * A trigger as LTTng has it. The library registers an object once only, also if it was unregistered
 * in between ("Invalid parameter"): each registration has one of its own.
 */
struct events_lttng {
	char name[TRIGGER_NAME_MAX + 32];
	struct lttng_condition *condition;
	struct lttng_action *action;
	struct lttng_trigger *trigger; /* NULL unless it is registered */
	struct allow_list captures;    /* those whose values are written */
};

/*
 * What is captured may be a secret, such as names of files or arguments. By default, all numbers
 * are written, and texts that are names of threads; /etc/lttng-mm/captures replaces the list.
 */
#define EVENTS_CAPTURES "captures"
extern const char *const events_captures_defaults[];

/* A number as the event declares it: as a number, or as a text in hexadecimal. */
json_t *events_number_json(uint64_t value, bool is_signed, bool hex);
/* Is a number that was captured as @name written? */
bool events_number_is_listed(const struct allow_list *list, const char *name);
/* A text that was captured as @name, or what stands for one that is not written. */
json_t *events_text_json(const struct allow_list *strings, const char *name, const char *text);

/* Makes it, for the recorder daemon @daemon, unregistered. Returns 0, or -1 with @err set. */
int events_lttng_make(struct events_lttng *lttng, const struct trigger *trigger, pid_t daemon,
		      struct mm_error *err);
void events_lttng_release(struct events_lttng *lttng);

/*
 * From then on, events are matched, or no longer. Both return 0, or -1 with @err set. One that is
 * no longer there is not an error; if it cannot be unregistered, it may still be registered.
 */
int events_lttng_register(struct events_lttng *lttng, struct mm_error *err);
int events_lttng_unregister(struct events_lttng *lttng, struct mm_error *err);

/*
 * Is the notification one of this trigger? The session daemon sends those of a condition to all who
 * have subscribed to an equal one, whichever trigger matched.
 */
bool events_lttng_has_sent(const struct events_lttng *lttng,
			   struct lttng_notification *notification);

/*
 * Reads how many notifications of it were discarded since it was registered. Returns 0, 1 if it is
 * not registered any more, or -1 if that is not known.
 */
int events_lttng_discarded(const struct events_lttng *lttng, uint64_t *count);

/*
 * Does the session daemon list it? Returns 1, 0 if another program has removed it, or -1 with @err
 * set: it does not answer.
 */
int events_lttng_is_listed(const struct events_lttng *lttng, struct mm_error *err);
/* Another program has removed it: it can be registered anew. */
void events_lttng_forget(struct events_lttng *lttng);

/* Removes triggers of daemons other than @daemon, and one of the same name. */
void events_lttng_sweep(const char *name, pid_t daemon);

/*
 * Reads what a notification of @lttng has captured: the CPU, -1 if it is not known, and the fields
 * that @trigger names, as an object; NULL without any.
 */
void events_lttng_captured(const struct events_lttng *lttng, const struct trigger *trigger,
			   const struct lttng_notification *notification, int *cpu,
			   json_t **fields);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_WATCH_EVENTS_LTTNG_H */
