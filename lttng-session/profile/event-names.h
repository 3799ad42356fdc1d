/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Finds existing events by name. LTTng accepts a misspelt name and then records nothing, so names
 * are checked before LTTng gets them.
 */
#ifndef LTTNG_MM_SESSION_EVENT_NAMES_H
#define LTTNG_MM_SESSION_EVENT_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

/* A set of names of events. Names of system calls start with PROFILE_SYSCALL. */
struct event_names {
	char **names;
	size_t count;
};

/* The events of this project's probes, generated from instrumentation/events/ (tools.mk). */
extern const struct event_names event_names_own;

/* Does @pattern, a name or pattern, start like an event of this project? */
bool event_name_is_own(const char *pattern);

/* Does @pattern, a name or pattern, start like an event of an added function? */
bool event_name_is_function(const char *pattern);

#define FUNCTION_EVENT_ENTRY "_entry"
#define FUNCTION_EVENT_EXIT "_exit"
#define FUNCTION_EVENT_CALL "_call"

/* A function's event name, parsed: fn_NAME_entry, fn_NAME_exit or fn_NAME_call. */
struct function_event {
	const char *name; /* NAME, as a part of the parsed text */
	size_t length;
	/* one of FUNCTION_EVENT_ENTRY, FUNCTION_EVENT_EXIT and FUNCTION_EVENT_CALL */
	const char *form;
};

/* Parses @event. Returns false if it is not the name of a function's event. */
bool function_event_parse(const char *event, struct function_event *parsed);
/*
 * Writes the name of an event of the function @name to @text. @form is its ending, such as
 * FUNCTION_EVENT_ENTRY.
 */
void function_event_name(const char *name, const char *form, char *text, size_t size);

/*
 * Are the events that match @pattern free of kernel addresses? True for this project's events, and
 * for events that only describe threads or interrupts. For events of functions, the caller must
 * check whether the functions were added with --raw.
 */
bool event_name_is_safe(const char *pattern);

/*
 * Is the recorded event @name (not a pattern) free of kernel addresses? Unlike
 * event_name_is_safe(), returns false for an event of this project that this version does not know.
 */
bool event_name_is_known_safe(const char *name);

/*
 * Lists the kernel's events, including system calls and events of loaded probes. Asks the session
 * daemon. Returns 0, or -1 with @err set. Release @known with event_names_release().
 */
int event_names_list(struct event_names *known, struct mm_error *err);
void event_names_release(struct event_names *known);

/* Is @pattern a known name, or a pattern that matches a known name? */
bool event_names_have(const struct event_names *known, const char *pattern);

/*
 * Writes up to three of the known names to @text, separated by commas. Chooses the names most
 * similar to @pattern.
 */
void event_names_nearest(const struct event_names *known, const char *pattern, char *text,
			 size_t size);
/* Like event_names_nearest(), but also considers events of probes that are not loaded. */
void event_names_nearest_event(const struct event_names *known, const char *pattern, char *text,
			       size_t size);

#endif /* LTTNG_MM_SESSION_EVENT_NAMES_H */
