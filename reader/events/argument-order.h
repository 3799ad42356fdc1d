/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The order in which the arguments of recorded functions are shown. A record stores numbers first,
 * strings and bytes last. The bits of its field `unread` follow the signature of the function:
 *
 *   _tid _flags _unread { "NONE" = 0, "filename" = 1, "flags" = 2 } _filename
 *
 * `filename` has the lower bit, so it is shown before `flags`.
 */
#ifndef LTTNG_MM_EVENTS_ARGUMENT_ORDER_H
#define LTTNG_MM_EVENTS_ARGUMENT_ORDER_H

#include "reader/events/source.h"

/* Records with more members are shown in the order of the payload. */
#define MM_ARGUMENT_ORDER_MAX 40

struct mm_argument_order {
	unsigned int count; /* number of members; 0: use the order of the payload */
	unsigned char at[MM_ARGUMENT_ORDER_MAX]; /* indexes in the payload, in display order */
};

/*
 * Sets @order for @type, an event class of function entries or calls. tid and caller come first,
 * then the arguments, then all other members. @unread is the index of the requested field `unread`.
 * Sets the count to 0 if the payload already has this order.
 */
void mm_argument_order_find(const struct mm_event_type *type, unsigned int unread,
			    struct mm_argument_order *order);

#endif /* LTTNG_MM_EVENTS_ARGUMENT_ORDER_H */
