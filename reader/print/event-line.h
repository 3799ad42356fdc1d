/* SPDX-License-Identifier: LGPL-2.1-only */
/* Prints an event as one line, like ftrace. */
#ifndef LTTNG_MM_PRINT_EVENT_LINE_H
#define LTTNG_MM_PRINT_EVENT_LINE_H

#include "reader/events/event-text.h"
#include "reader/events/source.h"
#include "reader/print/names.h"
#include "reader/sysinfo/selection.h"

enum mm_line_clock { MM_LINE_CLOCK_BOOT, MM_LINE_CLOCK_WALL };

struct mm_event_line;

/*
 * @events: comma-separated patterns for mm_glob_match(); other events are not printed. With @names
 * NULL, prints only numbers. Both must outlive the object. @find_text looks up text formats of
 * events. Returns NULL when out of memory. Release with mm_event_line_destroy().
 */
struct mm_event_line *mm_event_line_create(struct mm_names *names, enum mm_line_clock clock,
					   const char *events, mm_event_text_fn *find_text);
void mm_event_line_destroy(struct mm_event_line *line);
/*
 * Prints only events of threads in @selection. Does not print events without a thread id.
 * @selection must outlive the object.
 */
void mm_event_line_select(struct mm_event_line *line, const struct mm_selection *selection);
/*
 * Prints only events about files that match @pattern (see mm_file_matches()). The event's fields
 * dev_major, dev_minor and ino identify the file. @sysinfo must outlive the object.
 */
void mm_event_line_select_files(struct mm_event_line *line, const char *pattern,
				const struct mm_sysinfo *sysinfo);

/*
 * Implements mm_handler.render: appends the event's line, including the newline. Can be called from
 * any thread. Sample:
 *   big-1441 [005] 32.582776: dax_pmd_fault: dev 259:0 ino 0x1003 shared WRITE|USER address ...
 * @event must have the fields of mm_names_request(). Returns 0, or -1 when out of memory.
 */
int mm_event_line_render(struct mm_event_line *line, const struct mm_event *event,
			 struct mm_text *text);

/*
 * Appends event->text, a non-empty result of mm_event_line_render(). Adds the thread's name if
 * mm_names_see() has found it by now. Call it in the order of events. Returns 0, or -1 when out of
 * memory.
 */
int mm_event_line_put(struct mm_event_line *line, const struct mm_event *event,
		      struct mm_text *text);

#endif /* LTTNG_MM_PRINT_EVENT_LINE_H */
