/* SPDX-License-Identifier: LGPL-2.1-only */
/* One event as one line, as ftrace prints it. */
#ifndef LTTNG_MM_RENDER_EVENT_LINE_H
#define LTTNG_MM_RENDER_EVENT_LINE_H

#include <stdio.h>

#include "analysis/core/context.h"
#include "analysis/core/source.h"

/* The want that an event needs for its line: command name and thread id, from where they are. */
extern const char *const mm_event_line_fields[];

enum mm_line_clock { MM_LINE_CLOCK_BOOT, MM_LINE_CLOCK_WALL };

/*
 * Writes the event to @out, newline included. Sample:
 *   big-1441 [005] 32.582776: dax_pmd_fault: dev 259:0 ino 0x1003 shared WRITE|USER address ...
 * @event's fields are those of mm_event_line_fields. Returns 0, or -1 when @out failed.
 */
int mm_event_line_print(FILE *out, const struct mm_event *event,
			const struct mm_context *context, enum mm_line_clock clock);

#endif /* LTTNG_MM_RENDER_EVENT_LINE_H */
