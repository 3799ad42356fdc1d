/* SPDX-License-Identifier: LGPL-2.1-only */
/* Checks a trigger's filter and captures against the fields of its event. */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_EVENT_CHECK_H
#define LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_EVENT_CHECK_H

#include "lttng-session/daemon/triggers/definition/trigger.h"
#include "reader/ctf/model/model.h"
#include "util/error.h"

/*
 * Checks the filter and the captures of a trigger against the fields of @event, replaces labels in
 * the filter by numbers, and sets @trigger->tracer_filter. Returns 0, or -1 with @err set.
 */
int event_check(struct trigger *trigger, const struct ctf_event_class *event, struct mm_error *err);

/*
 * Like event_check(), but for a system call with the events @entry and @exit. One event may be
 * NULL. The condition must fit at least one event. If it fits only @exit, sets @trigger->at_exit.
 * For an event that is not a system call, pass NULL as @exit. @err states why the condition does
 * not fit @entry.
 */
int event_check_call(struct trigger *trigger, const struct ctf_event_class *entry,
		     const struct ctf_event_class *exit, struct mm_error *err);

/*
 * Stores copies of both forms of the filter in the trigger: @resolved with labels replaced by
 * numbers, and @rewritten for LTTng. Returns 0, or -1 with @err set.
 */
int trigger_set_filter(struct trigger *trigger, const char *resolved, const char *rewritten,
		       struct mm_error *err);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_EVENT_CHECK_H */
