/* SPDX-License-Identifier: LGPL-2.1-only */
/* Names that events give to address ranges. Later events with an address show them. */
#ifndef LTTNG_MM_PRINT_RANGE_NAMES_H
#define LTTNG_MM_PRINT_RANGE_NAMES_H

#include "reader/events/event-text.h"
#include "reader/events/source.h"

struct mm_range_names;

/* Returns NULL when out of memory; destroy accepts NULL. */
struct mm_range_names *mm_range_names_create(void);
void mm_range_names_destroy(struct mm_range_names *names);

/*
 * If @fields has an end, reads the range that @event names. Otherwise appends the name of the range
 * with the event's address to @text, before the final newline. @text: NULL if the event is not
 * printed. Call it in the order of events. Returns 0, or -1 when out of memory.
 */
int mm_range_names_see(struct mm_range_names *names, const struct mm_range_fields *fields,
		       const struct mm_event *event, struct mm_text *text);

#endif /* LTTNG_MM_PRINT_RANGE_NAMES_H */
