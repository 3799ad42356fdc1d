/* SPDX-License-Identifier: LGPL-2.1-only */
/* Checks filters and captures against the fields of an event. */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_EVENT_CHECK_H
#define LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_EVENT_CHECK_H

#include "lttng-session/daemon/triggers/definition/trigger.h"
#include "reader/ctf/model/model.h"
#include "util/error.h"

/*
 * Checks the filter and the captures of a trigger against @event, as trigger_check_event() does,
 * replaces labels in the filter, and sets @trigger->tracer_filter. Returns 0, or -1 with @err set.
 */
int event_check(struct trigger *trigger, const struct ctf_event_class *event, struct mm_error *err);

/*
 * The same for a system call, whose condition must fit the event at its @entry or at its @exit,
 * which @trigger->at_exit selects; if it fits both, the entry. At most one of them may be NULL, as
 * @exit is for other events. The error is that of @entry.
 */
int event_check_call(struct trigger *trigger, const struct ctf_event_class *entry,
		     const struct ctf_event_class *exit, struct mm_error *err);

/* Sets copies of both forms of the trigger's filter. Returns 0, or -1 with @err set. */
int trigger_set_filter(struct trigger *trigger, const char *resolved, const char *rewritten,
		       struct mm_error *err);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_EVENT_CHECK_H */
