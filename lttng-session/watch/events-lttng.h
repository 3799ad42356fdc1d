/* SPDX-License-Identifier: LGPL-2.1-only */
/* LTTng's side of watching for events: its triggers and notifications. */
#ifndef LTTNG_MM_SESSION_EVENTS_LTTNG_H
#define LTTNG_MM_SESSION_EVENTS_LTTNG_H

#include <jansson.h>
#include <lttng/lttng.h>
#include <stdbool.h>
#include <stdint.h>

#include "lttng-session/trigger/trigger.h"
#include "util/error.h"

/* A trigger as LTTng has it. */
struct events_lttng {
	char name[TRIGGER_NAME_MAX + 32];
	struct lttng_condition *condition;
	struct lttng_trigger *trigger;
	bool registered;
};

/* Makes it, for the recorder daemon @daemon, unregistered. Returns 0, or -1 with @err set. */
int events_lttng_make(struct events_lttng *lttng, const struct trigger *trigger, pid_t daemon,
		      struct mm_error *err);
void events_lttng_release(struct events_lttng *lttng);

/* From then on, events are matched, or no longer. Both return 0, or -1 with @err set. */
int events_lttng_register(struct events_lttng *lttng, struct mm_error *err);
int events_lttng_unregister(struct events_lttng *lttng, struct mm_error *err);

/*
 * Reads how many notifications of it were discarded since it was registered. Returns 0, or -1 if
 * that is not known.
 */
int events_lttng_discarded(const struct events_lttng *lttng, uint64_t *count);

/* Removes triggers of daemons other than @daemon, and one of the same name. */
void events_lttng_sweep(const char *name, pid_t daemon);

/*
 * Reads what a notification has captured: the CPU, -1 if it is not known, and the fields that
 * @trigger names, as an object; NULL without any.
 */
void events_lttng_captured(const struct trigger *trigger,
			   const struct lttng_notification *notification, int *cpu,
			   json_t **fields);

#endif /* LTTNG_MM_SESSION_EVENTS_LTTNG_H */
