/* SPDX-License-Identifier: LGPL-2.1-only */
/* Formats the fields of an event's line, either by the event's text format or as name=value. */
#ifndef LTTNG_MM_PRINT_EVENT_FORMAT_H
#define LTTNG_MM_PRINT_EVENT_FORMAT_H

#include "reader/events/argument-order.h"
#include "reader/events/event-text.h"
#include "reader/events/source.h"
#include "reader/print/text-plan.h"

struct mm_event_format {
	const struct mm_event_text *text; /* NULL: name=value for each field */
	struct mm_names *names;		  /* names of call sites; NULL: numbers */
	/* contexts shown at the start of the line; other contexts precede the fields, in braces */
	bool has_procname, has_tid, has_vtid;
	struct mm_argument_order order; /* order of the fields in name=value form */
};

/*
 * Makes a plan to print the contexts and fields of @class, for events of the fast reader. Returns
 * NULL when out of memory, or if the format needs a field that has no fixed place. In this case,
 * use mm_event_format_append().
 */
struct mm_text_plan *mm_event_format_plan(const struct mm_event_format *format,
					  const struct ctf_event_class *class);

/* Appends the contexts and fields of an event of any source. Returns 0, or -1: out of memory. */
int mm_event_format_append(const struct mm_event_format *format, const struct mm_event *event,
			   struct mm_text *text);

#endif /* LTTNG_MM_PRINT_EVENT_FORMAT_H */
