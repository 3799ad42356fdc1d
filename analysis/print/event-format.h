/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Formats the fields of an event's line: by a table for this project's events, as name=value for
 * others.
 */
#ifndef LTTNG_MM_PRINT_EVENT_FORMAT_H
#define LTTNG_MM_PRINT_EVENT_FORMAT_H

#include "analysis/print/text-plan.h"
#include "analysis/trace/source.h"

/* Returns the format of the event of that name, or NULL if there is none. */
const char *mm_event_format_find(const char *event);

/*
 * Makes a plan for the fields of events of @class from the fast reader; it skips all contexts.
 * @names: names of call sites; NULL: prints numbers. Returns NULL when out of memory, or if @format
 * requires fields without a fixed place; mm_event_format_append() can be used then.
 */
struct mm_text_plan *mm_event_format_plan(const char *format, const struct ctf_event_class *class,
					  struct mm_names *names);

/*
 * Appends an event of any source, formatted by @format (NULL: as name=value). Returns 0, or -1 when
 * out of memory.
 */
int mm_event_format_append(const char *format, const struct mm_event *event, struct mm_names *names,
			   struct mm_text *text);

#endif /* LTTNG_MM_PRINT_EVENT_FORMAT_H */
