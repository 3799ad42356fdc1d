/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Text formats of events for `lttng-mm print`. Subsystems declare the formats. The printer receives
 * a function that looks them up.
 */
#ifndef LTTNG_MM_EVENTS_EVENT_TEXT_H
#define LTTNG_MM_EVENTS_EVENT_TEXT_H

#include <stdbool.h>

/*
 * Fields of an event that names an address range or contains an address. When an event with an
 * address is printed, its line ends with the name of the latest range that contains the address.
 */
struct mm_range_fields {
	const char *space; /* number of the address space */
	const char *start; /* first address of the range; without @end, the address */
	/* first address after the range; NULL: the event has an address, not a range */
	const char *end;
	const char *name;    /* with @end: name of the range */
	const char *unnamed; /* with @end: text for a range with an empty name */
};

/*
 * Fields of an event that names a file or is about a file. When an event about a file is printed,
 * its line ends with the last path that an earlier event gave this file.
 */
struct mm_file_fields {
	/* major and minor number of the file's device; inode number of the file */
	const char *major, *minor, *inode;
	const char *path; /* NULL: the event does not name the file */
};

/* The text format of one or several events. Arrays end with a NULL @events. */
struct mm_event_text {
	/*
	 * Names or shell patterns, separated by commas. An exact name also matches NAME_wide, the
	 * wide variant of the event.
	 */
	const char *events;
	/*
	 * The text, with fields in braces. If it is NULL, each field is printed as name=value.
	 * Sample:
	 *   ino {ino} {vm_flags&8?shared:private} {write?write:read} addr {extent_addr~52}
	 * {FIELD} is the field's value, and nothing for the enumeration label NONE;
	 * {FIELD?SET:CLEAR} is the first word if the field is not 0, else the second one;
	 * {FIELD&MASK?SET:CLEAR} tests only the bits of MASK;
	 * {FIELD~BITS} is `?` if exactly the lowest BITS bits (1 to 64) of the field are set, or
	 * all 64 bits; otherwise the field's value.
	 */
	const char *format;
	/*
	 * Optional, if there is no @format: field with a call-site number, which is printed as a
	 * symbol.
	 */
	const char *call_site;
	/*
	 * Optional, if there is no @format: field with a function's result. Errors are printed by
	 * name.
	 */
	const char *result;
	/* If there is no @format: print fields in the order of mm_argument_order_find(). */
	bool in_argument_order;
	const struct mm_range_fields *range; /* NULL: none */
	const struct mm_file_fields *file;   /* NULL: none; not together with @range */
};

/* Returns the text format of the event @event, or NULL. */
typedef const struct mm_event_text *mm_event_text_fn(const char *event);

/* Searches the array @texts, which may be NULL. */
const struct mm_event_text *mm_event_text_search(const struct mm_event_text *texts,
						 const char *event);

#endif /* LTTNG_MM_EVENTS_EVENT_TEXT_H */
