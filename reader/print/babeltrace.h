/* SPDX-License-Identifier: LGPL-2.1-only */
/* Prints events exactly as `babeltrace2 TRACE` of version 2.1 does. */
#ifndef LTTNG_MM_PRINT_BABELTRACE_H
#define LTTNG_MM_PRINT_BABELTRACE_H

#include "reader/events/source.h"

/*
 * Kinds of names: members of payloads, members of contexts, scopes (`stream.packet.context = `),
 * and header columns (`timestamp = `).
 */
enum mm_babeltrace_name {
	MM_BABELTRACE_NAME_PAYLOAD = 1 << 0,
	MM_BABELTRACE_NAME_CONTEXT = 1 << 1,
	MM_BABELTRACE_NAME_SCOPE = 1 << 2,
	MM_BABELTRACE_NAME_HEADER = 1 << 3,
};

/* Fields of the trace and event class to print before the event's name. */
enum mm_babeltrace_field {
	MM_BABELTRACE_FIELD_TRACE = 1 << 0,
	MM_BABELTRACE_FIELD_HOSTNAME = 1 << 1,
	MM_BABELTRACE_FIELD_DOMAIN = 1 << 2,
	MM_BABELTRACE_FIELD_PROCNAME = 1 << 3,
	MM_BABELTRACE_FIELD_VPID = 1 << 4,
	MM_BABELTRACE_FIELD_LOGLEVEL = 1 << 5,
	MM_BABELTRACE_FIELD_EMF = 1 << 6,
};

/* A selection of names or fields. @rest applies to values that the selection does not mention. */
struct mm_babeltrace_choice {
	unsigned int shown;
	enum { MM_BABELTRACE_DEFAULT, MM_BABELTRACE_SHOW, MM_BABELTRACE_HIDE } rest;
};

struct mm_babeltrace_options {
	struct mm_babeltrace_choice names;  /* MM_BABELTRACE_NAME_* */
	struct mm_babeltrace_choice fields; /* MM_BABELTRACE_FIELD_* */
	bool no_delta;
	bool clock_cycles;
	bool clock_date;
	bool clock_gmt;
	bool clock_seconds;
	const char *events; /* patterns for mm_glob_match(); other events are not printed */
	/* Offsets that are added to every clock. */
	int64_t offset_s, offset_ns;
}; /* all zeros: babeltrace2's defaults */

/* Return the set of MM_BABELTRACE_NAME_* or MM_BABELTRACE_FIELD_* that @options select. */
unsigned int mm_babeltrace_names(const struct mm_babeltrace_options *options);
unsigned int mm_babeltrace_fields(const struct mm_babeltrace_options *options);

/*
 * Set the arguments of --names and --fields, which are comma-separated lists. Repeated options
 * accumulate as in babeltrace2. Return 0, or -1 with @err set.
 */
int mm_babeltrace_set_names(struct mm_babeltrace_options *options, const char *list,
			    struct mm_error *err);
int mm_babeltrace_set_fields(struct mm_babeltrace_options *options, const char *list,
			     struct mm_error *err);

struct mm_babeltrace;

/*
 * @options must outlive the object. Returns NULL when out of memory. Release with
 * mm_babeltrace_destroy().
 */
struct mm_babeltrace *mm_babeltrace_create(const struct mm_babeltrace_options *options);
void mm_babeltrace_destroy(struct mm_babeltrace *printer);

/*
 * Implements mm_handler.render. Appends the event's line from the end of the timestamp on,
 * including the newline. Can be called from any thread. Returns -1 if the event is not from the
 * fast reader.
 */
int mm_babeltrace_render(struct mm_babeltrace *printer, const struct mm_event *event,
			 struct mm_text *text);

/*
 * Appends an event's complete line: timestamp, time since the previous event, and event->text from
 * mm_babeltrace_render(). Call it for all events in order, from one thread. Returns 0, or -1 when
 * out of memory.
 */
int mm_babeltrace_line(struct mm_babeltrace *printer, const struct mm_event *event,
		       struct mm_text *out);

/*
 * Implements mm_handler.lost. A loss changes the lines that follow, so call this and
 * mm_babeltrace_line() in the order of events.
 */
void mm_babeltrace_lost(struct mm_babeltrace *printer, int64_t begin_ns);

#endif /* LTTNG_MM_PRINT_BABELTRACE_H */
