/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Names that events give to ranges of addresses and to files. Later events about a range or a file
 * are printed with its name.
 */
#ifndef LTTNG_MM_PRINT_RANGE_NAMES_H
#define LTTNG_MM_PRINT_RANGE_NAMES_H

#include "reader/events/event-text.h"
#include "reader/events/source.h"

struct mm_range_names;

/* Returns NULL when out of memory; destroy accepts NULL. */
struct mm_range_names *mm_range_names_create(void);
void mm_range_names_destroy(struct mm_range_names *names);

/*
 * Handles one event. Call it for all events, in their order. If @format says that the event names a
 * range of addresses or a file, stores the name. Otherwise, if the event is about an address or a
 * file with a stored name, inserts this name into the line @text before the newline. @text is NULL
 * if the event is not printed. Returns 0, or -1 when out of memory.
 */
int mm_range_names_see(struct mm_range_names *names, const struct mm_event_text *format,
		       const struct mm_event *event, struct mm_text *text);

/*
 * Reads the names that events give before the requested time range of @trace. @find_text finds the
 * fields of these events. If the trace cannot be read, there are no names. Returns 0, or -1 with
 * @err set when out of memory.
 */
int mm_range_names_read(struct mm_range_names *names, mm_event_text_fn *find_text,
			struct mm_source *trace, struct mm_error *err);

#endif /* LTTNG_MM_PRINT_RANGE_NAMES_H */
