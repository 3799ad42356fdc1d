/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Finds existing events by name. If LTTng gets a misspelt event name, it accepts it and never
 * records the event. Names are therefore checked first.
 */
#ifndef LTTNG_MM_SESSION_EVENT_NAMES_H
#define LTTNG_MM_SESSION_EVENT_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

/* A set of names. System calls start with PROFILE_SYSCALL. */
struct event_names {
	char **names;
	size_t count;
};

/* Events of this project's probes, generated from instrumentation/events/ (tools.mk). */
extern const struct event_names event_names_own;

/* Does @pattern start like a name or pattern of this project's events? */
bool event_name_is_own(const char *pattern);

/* Does @pattern start like a name or pattern of the events of added functions? */
bool event_name_is_function(const char *pattern);

#define FUNCTION_EVENT_ENTRY "_entry"
#define FUNCTION_EVENT_EXIT "_exit"
#define FUNCTION_EVENT_CALL "_call"

/* The name of a function's event: fn_NAME_entry, fn_NAME_exit or fn_NAME_call. */
struct function_event {
	const char *name; /* NAME, within the parsed text */
	size_t length;
	const char *form; /* FUNCTION_EVENT_ENTRY, ..._EXIT or ..._CALL */
};

/* Returns false if @event is not the name of a function's event. */
bool function_event_parse(const char *event, struct function_event *parsed);
/* Writes the name of function @name's event that ends with @form to @text. */
void function_event_name(const char *name, const char *form, char *text, size_t size);

/*
 * Can the events that match @pattern contain no kernel addresses? True for this project's events,
 * and for events that only describe threads. The caller must know whether functions were added with
 * --raw.
 */
bool event_name_is_safe(const char *pattern);

/*
 * Can the recorded event @name (not a pattern) contain no kernel addresses? False for an unknown
 * event of this project.
 */
bool event_name_is_known_safe(const char *name);

/*
 * Lists the kernel's events, including system calls and events of loaded probes, by asking the
 * session daemon. Returns 0, or -1 with @err set. Release with event_names_release().
 */
int event_names_list(struct event_names *known, struct mm_error *err);
void event_names_release(struct event_names *known);

/* Is the name known, or does the pattern match a known name? */
bool event_names_have(const struct event_names *known, const char *pattern);

/* Writes up to three known names, the most similar to @pattern, to @text. Commas separate them. */
void event_names_nearest(const struct event_names *known, const char *pattern, char *text,
			 size_t size);
/* Like event_names_nearest(), with events of probes that are not loaded. */
void event_names_nearest_event(const struct event_names *known, const char *pattern, char *text,
			       size_t size);

#endif /* LTTNG_MM_SESSION_EVENT_NAMES_H */
