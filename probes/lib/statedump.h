/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * State dumps: data that a reader needs in addition to the events.
 *
 * LTTng has no hook for state dumps of other modules. It ends its own dump with a tracepoint,
 * LTTNG_MM_STATEDUMP_TRACEPOINT. State-dump events are attached to this tracepoint. LTTng calls
 * each callback once per dumped session, and the callback writes the complete state.
 */
#ifndef LTTNG_MM_PROBES_LIB_STATEDUMP_H
#define LTTNG_MM_PROBES_LIB_STATEDUMP_H

#include <lttng/events.h>

#define LTTNG_MM_STATEDUMP_TRACEPOINT "lttng_statedump_end"

/* Does the event belong to the session that is being dumped? */
static inline bool lttng_mm_statedump_concerns(struct lttng_kernel_event_common *event,
					       struct lttng_kernel_session *session)
{
	return event->type == LTTNG_KERNEL_EVENT_TYPE_RECORDER &&
	       container_of(event, struct lttng_kernel_event_recorder, parent)
			       ->chan->parent.session == session;
}

/* The following declarations are private to the library. */

/* process-events.c: registers the provider "process". Returns 0 or a negative errno. */
int lttng_mm_process_events_init(void);
void lttng_mm_process_events_exit(void);

#endif /* LTTNG_MM_PROBES_LIB_STATEDUMP_H */
