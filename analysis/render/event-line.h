/* SPDX-License-Identifier: LGPL-2.1-only */
/* One event as one line, as ftrace prints it. */
#ifndef LTTNG_MM_RENDER_EVENT_LINE_H
#define LTTNG_MM_RENDER_EVENT_LINE_H

#include "analysis/core/context.h"
#include "analysis/core/source.h"

/* The want that an event needs for its line: command name and thread id, from where they are. */
extern const char *const mm_event_line_fields[];

enum mm_line_clock { MM_LINE_CLOCK_BOOT, MM_LINE_CLOCK_WALL };

struct mm_event_line;

/*
 * @events: patterns with commas between, as mm_glob_match() takes them: other events have no line. NULL
 * when memory is short. @context and @events outlive the object; release it with
 * mm_event_line_destroy().
 */
struct mm_event_line *mm_event_line_create(const struct mm_context *context,
					   enum mm_line_clock clock, const char *events);
void mm_event_line_destroy(struct mm_event_line *line);

/*
 * As mm_handler.render: appends the event's line, newline included. Called from any thread. Sample:
 *   big-1441 [005] 32.582776: dax_pmd_fault: dev 259:0 ino 0x1003 shared WRITE|USER address ...
 * @event's fields are those of mm_event_line_fields. Returns 0, or -1 when memory is short.
 */
int mm_event_line_render(struct mm_event_line *line, const struct mm_event *event,
			 struct mm_text *text);

#endif /* LTTNG_MM_RENDER_EVENT_LINE_H */
