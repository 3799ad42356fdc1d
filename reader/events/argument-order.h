/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The order in which the arguments of recorded functions are shown. A record has its numbers first
 * and its strings and bytes last, but the field `unread' numbers the arguments as they were added:
 *
 *   _tid _flags _unread { "NONE" = 0, "filename" = 1, "flags" = 2 } _filename
 *
 * The bit of `filename' is the lower one, so it is shown before `flags'.
 */
#ifndef LTTNG_MM_EVENTS_ARGUMENT_ORDER_H
#define LTTNG_MM_EVENTS_ARGUMENT_ORDER_H

#include "reader/events/source.h"

/* Records of more members are shown in the order of the payload. */
#define MM_ARGUMENT_ORDER_MAX 40

struct mm_argument_order {
	unsigned int count;			 /* of all members; 0: the order of the payload */
	unsigned char at[MM_ARGUMENT_ORDER_MAX]; /* their numbers in the payload */
};

/*
 * Sets @order for the events of @type, which are entries or calls of functions: tid and caller
 * first, then the arguments, then all other members. @unread is the number of the requested field
 * of that name. Sets the count to 0 if this is the order of the payload.
 */
void mm_argument_order_find(const struct mm_event_type *type, unsigned int unread,
			    struct mm_argument_order *order);

#endif /* LTTNG_MM_EVENTS_ARGUMENT_ORDER_H */
