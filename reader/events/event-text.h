/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * How `lttng-mm print` writes the fields of events. The code that knows the events declares it;
 * whoever prints a line is given a function that finds the declaration.
 */
#ifndef LTTNG_MM_EVENTS_EVENT_TEXT_H
#define LTTNG_MM_EVENTS_EVENT_TEXT_H

#include <stdbool.h>

/* Arrays of these end with a NULL @events. */
struct mm_event_text {
	/*
	 * Names or shell patterns, separated by commas. An exact name includes the event's wide
	 * variant, NAME_wide, which has the same fields.
	 */
	const char *events;
	/*
	 * The text, with fields in braces; NULL: name=value for each field. Sample:
	 *   ino {ino} {vm_flags&8?shared:private} {write?write:read} addr {extent_addr~52}
	 * {FIELD} is the field's value, and nothing for the enumeration label NONE;
	 * {FIELD?SET:CLEAR} is the first word if the field is not 0, else the second one;
	 * {FIELD&MASK?SET:CLEAR} is the same for the bits of MASK;
	 * {FIELD~BITS} is `?` if all BITS bits (1 to 64) of the field, or all 64, are set.
	 */
	const char *format;
	/* Without a format, each optional: the field that has the number of a call site, */
	const char *call_site;
	/* the field that has the result of a function: errors are written by name, */
	const char *result;
	/* and whether fields are in the order of mm_argument_order_find(). */
	bool in_argument_order;
};

/* Finds the declaration for the event of that name; NULL: the event has none. */
typedef const struct mm_event_text *mm_event_text_fn(const char *event);

/* The same in one array; @texts may be NULL. */
const struct mm_event_text *mm_event_text_search(const struct mm_event_text *texts,
						 const char *event);

#endif /* LTTNG_MM_EVENTS_EVENT_TEXT_H */
