/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Events from an ftrace dump or from babeltrace2's text. Both have the same form, so that guest
 * tests can compare them.
 */
#ifndef LTTNG_MM_TESTS_KERNEL_TRACE_EVENTS_H
#define LTTNG_MM_TESTS_KERNEL_TRACE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TRACE_EVENT_FIELDS = 20 };

struct trace_field {
	char name[32];
	uint64_t value; /* signed values are sign-extended */
};

struct trace_event {
	char name[48];
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	unsigned int cpu;
	int tid;
	size_t sequence; /* reading order; sorts events with equal times */
	unsigned int fields;
	struct trace_field field[TRACE_EVENT_FIELDS];
};

/* Sorted by time after loading; events of one CPU keep their order. */
struct trace_events {
	struct trace_event *event;
	size_t count, room;
	uint64_t lost; /* events that the recorder reports as dropped */
};

/*
 * Loads DIR, which ftrace_save (lib.sh) wrote: formats/<event> and cpu<N>.raw, complete ring-buffer
 * pages. Returns 0, or -1 after a message on stderr. Call trace_events_free() in either case.
 */
int trace_events_load_ftrace(struct trace_events *events, const char *dir);

/*
 * Loads `babeltrace2 --clock-cycles --no-delta` text from PATH. Returns like
 * trace_events_load_ftrace(). Fields have the names of the trace, and enumerations are numbers.
 */
int trace_events_load_text(struct trace_events *events, const char *path);

void trace_events_free(struct trace_events *events);

/* Returns the value of a field, or 0 if the event has no such field. */
uint64_t trace_event_get(const struct trace_event *event, const char *field);
bool trace_event_has(const struct trace_event *event, const char *field);

/* Returns the device number as (major << 20) | minor. */
uint64_t trace_event_device(const struct trace_event *event);

#endif /* LTTNG_MM_TESTS_KERNEL_TRACE_EVENTS_H */
