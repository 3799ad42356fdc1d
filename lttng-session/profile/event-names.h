/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Which events exist. LTTng accepts a misspelt event name and never records anything for it, so
 * names are checked before they reach it.
 */
#ifndef LTTNG_MM_SESSION_EVENT_NAMES_H
#define LTTNG_MM_SESSION_EVENT_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

/* A set of names, of which system calls start with PROFILE_SYSCALL. */
struct event_names {
	char **names;
	size_t count;
};

/* The events of this project's probes, generated from instrumentation/events/ (tools.mk). */
extern const struct event_names event_names_own;

/* Is @pattern a name or pattern of this project's events, by its first part? */
bool event_name_is_own(const char *pattern);

/* Is @pattern a name or pattern of events of functions that were added, by its first part? */
bool event_name_is_function(const char *pattern);

/*
 * Is the event or each event of the pattern @pattern free of kernel addresses? True for this
 * project's, and for those that name threads. Whether functions were added with --raw is for the
 * caller to know.
 */
bool event_name_is_safe(const char *pattern);

/* The same of the name of one event, as it is recorded: of this project's, those that exist. */
bool event_name_is_known_safe(const char *name);

/*
 * Asks the session daemon for the events of the kernel, those of loaded probes and system calls
 * included. Returns 0, or -1 with @err set. Release with event_names_release().
 */
int event_names_list(struct event_names *known, struct mm_error *err);
void event_names_release(struct event_names *known);

/* Is the name known, or does the pattern match a known one? */
bool event_names_have(const struct event_names *known, const char *pattern);

/*
 * Writes up to three known names that are most similar to @pattern to @text, separated by commas.
 */
void event_names_nearest(const struct event_names *known, const char *pattern, char *text,
			 size_t size);
/* The same for events of the kernel: those of probes that are not loaded are known, too. */
void event_names_nearest_event(const struct event_names *known, const char *pattern, char *text,
			       size_t size);

#endif /* LTTNG_MM_SESSION_EVENT_NAMES_H */
