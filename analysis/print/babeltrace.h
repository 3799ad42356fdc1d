/* SPDX-License-Identifier: LGPL-2.1-only */
/* Events as `babeltrace2 TRACE` of version 2.1 prints them, byte for byte. */
#ifndef LTTNG_MM_PRINT_BABELTRACE_H
#define LTTNG_MM_PRINT_BABELTRACE_H

#include "analysis/trace/source.h"

/*
 * Names that are printed: `timestamp = `, `stream.packet.context = `, members of contexts, of
 * payloads.
 */
enum mm_babeltrace_name {
	MM_BABELTRACE_NAME_PAYLOAD = 1 << 0,
	MM_BABELTRACE_NAME_CONTEXT = 1 << 1,
	MM_BABELTRACE_NAME_SCOPE = 1 << 2,
	MM_BABELTRACE_NAME_HEADER = 1 << 3,
};

/* What is printed of trace and event class in front of the event's name. */
enum mm_babeltrace_field {
	MM_BABELTRACE_FIELD_TRACE = 1 << 0,
	MM_BABELTRACE_FIELD_HOSTNAME = 1 << 1,
	MM_BABELTRACE_FIELD_DOMAIN = 1 << 2,
	MM_BABELTRACE_FIELD_PROCNAME = 1 << 3,
	MM_BABELTRACE_FIELD_VPID = 1 << 4,
	MM_BABELTRACE_FIELD_LOGLEVEL = 1 << 5,
	MM_BABELTRACE_FIELD_EMF = 1 << 6,
};

/* What is asked for by name, and what becomes of the rest. */
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
	const char *events; /* patterns as mm_glob_match() takes them: other events have no line */
	/* Added to every clock's offset. */
	int64_t offset_s, offset_ns;
}; /* all zeros: babeltrace2's defaults */

/* What a choice comes to: MM_BABELTRACE_NAME_* or MM_BABELTRACE_FIELD_*. */
unsigned int mm_babeltrace_names(const struct mm_babeltrace_options *options);
unsigned int mm_babeltrace_fields(const struct mm_babeltrace_options *options);

/*
 * The arguments of --names and --fields, lists with commas between; what is given several times
 * adds up as in babeltrace2. Return 0, or -1 with @err set.
 */
int mm_babeltrace_set_names(struct mm_babeltrace_options *options, const char *list,
			    struct mm_error *err);
int mm_babeltrace_set_fields(struct mm_babeltrace_options *options, const char *list,
			     struct mm_error *err);

struct mm_babeltrace;

/* @options outlive the object. NULL when memory is short. Release with mm_babeltrace_destroy(). */
struct mm_babeltrace *mm_babeltrace_create(const struct mm_babeltrace_options *options);
void mm_babeltrace_destroy(struct mm_babeltrace *printer);

/*
 * As mm_handler.render: everything of the event's line behind the timestamp, newline included.
 * Called from any thread. Only events of the fast reader can be rendered; -1 for others.
 */
int mm_babeltrace_render(struct mm_babeltrace *printer, const struct mm_event *event,
			 struct mm_text *text);

/*
 * The whole line of an event, in the trace's order: timestamp, time since the event before, and
 * what mm_babeltrace_render() left in event->text. To be called by one thread. Returns 0, or -1
 * when memory is short.
 */
int mm_babeltrace_line(struct mm_babeltrace *printer, const struct mm_event *event,
		       struct mm_text *out);

/* As mm_handler.lost, between mm_babeltrace_line(): what the loss changes in the lines after it. */
void mm_babeltrace_lost(struct mm_babeltrace *printer, int64_t begin_ns);

#endif /* LTTNG_MM_PRINT_BABELTRACE_H */
