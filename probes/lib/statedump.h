/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * State dumps: what a reader needs in addition to the events.
 *
 * LTTng has no hook for an out-of-tree state dump: such events are attached to the tracepoint with
 * which LTTng ends its own (LTTNG_MM_STATEDUMP_TRACEPOINT). Each callback is called once for the
 * dumped session, and writes everything.
 */
#ifndef LTTNG_MM_PROBES_LIB_STATEDUMP_H
#define LTTNG_MM_PROBES_LIB_STATEDUMP_H

#include <lttng/events.h>

#define LTTNG_MM_STATEDUMP_TRACEPOINT "lttng_statedump_end"

/* Returns whether this event belongs to the session that is being dumped. */
static inline bool lttng_mm_statedump_concerns(struct lttng_kernel_event_common *event,
					       struct lttng_kernel_session *session)
{
	return event->type == LTTNG_KERNEL_EVENT_TYPE_RECORDER &&
	       container_of(event, struct lttng_kernel_event_recorder, parent)
			       ->chan->parent.session == session;
}

/* The rest is private to the library. */

/* process-events.c: registers the provider "process". Negative errno. */
int lttng_mm_process_events_init(void);
void lttng_mm_process_events_exit(void);

#endif /* LTTNG_MM_PROBES_LIB_STATEDUMP_H */
