/* SPDX-License-Identifier: LGPL-2.1-only */
/* One event as one line, as ftrace prints it. */
#ifndef LTTNG_MM_PRINT_EVENT_LINE_H
#define LTTNG_MM_PRINT_EVENT_LINE_H

#include "analysis/print/names.h"
#include "analysis/trace/source.h"

enum mm_line_clock { MM_LINE_CLOCK_BOOT, MM_LINE_CLOCK_WALL };

struct mm_event_line;

/*
 * @events: patterns with commas between, as mm_glob_match() takes them: other events have no line.
 * NULL when memory is short. @names, NULL for numbers only, and @events outlive the object; release
 * it with mm_event_line_destroy().
 */
struct mm_event_line *mm_event_line_create(struct mm_names *names, enum mm_line_clock clock,
					   const char *events);
void mm_event_line_destroy(struct mm_event_line *line);

/*
 * As mm_handler.render: appends the event's line, newline included. Called from any thread. Sample:
 *   big-1441 [005] 32.582776: dax_pmd_fault: dev 259:0 ino 0x1003 shared WRITE|USER address ...
 * @event's fields are those of mm_names_request(). Returns 0, or -1 when memory is short.
 */
int mm_event_line_render(struct mm_event_line *line, const struct mm_event *event,
			 struct mm_text *text);

/*
 * Appends event->text, which comes from there and is not empty, with the thread's name if
 * mm_names_see() has met it by now. In the order of events.
 */
int mm_event_line_put(struct mm_event_line *line, const struct mm_event *event,
		      struct mm_text *text);

#endif /* LTTNG_MM_PRINT_EVENT_LINE_H */
