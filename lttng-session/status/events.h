/* SPDX-License-Identifier: LGPL-2.1-only */
/* How large events are: LTTng's ring buffers count bytes, not events. */
#ifndef LTTNG_MM_SESSION_STATUS_EVENTS_H
#define LTTNG_MM_SESSION_STATUS_EVENTS_H

#include "lttng-session/freeze/positions.h"

/*
 * The average bytes of an event of a channel, in the start of one of its last packets; 0:
 * not known. Requires root.
 */
double status_event_bytes(const struct positions *positions, unsigned int channel);

#endif /* LTTNG_MM_SESSION_STATUS_EVENTS_H */
