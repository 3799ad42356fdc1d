/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What an event's line says of its fields: formats of our own events in a table, name=value for
 * others.
 */
#ifndef LTTNG_MM_PRINT_EVENT_FORMAT_H
#define LTTNG_MM_PRINT_EVENT_FORMAT_H

#include "analysis/print/text-plan.h"
#include "analysis/trace/source.h"

/* The format of the event of that name; NULL: it has none of its own. */
const char *mm_event_format_find(const char *event);

/*
 * A plan for the fields of events of @class, of the fast reader: all contexts are passed over. NULL
 * when memory is short or @format cannot be had from places in the packet: then
 * mm_event_format_append() is left. @names: for fields that are call sites; NULL: as numbers.
 */
struct mm_text_plan *mm_event_format_plan(const char *format, const struct ctf_event_class *class,
					  struct mm_names *names);

/*
 * Appends what @format (NULL: none) makes of an event of any source. Returns 0, or -1 when memory
 * is short.
 */
int mm_event_format_append(const char *format, const struct mm_event *event, struct mm_names *names,
			   struct mm_text *text);

#endif /* LTTNG_MM_PRINT_EVENT_FORMAT_H */
