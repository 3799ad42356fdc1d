// SPDX-License-Identifier: LGPL-2.1-only
/* Function events in profiles: fn_NAME_entry, fn_NAME_exit and fn_NAME_call. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lttng-session/profile/event-names.h"
#include "lttng-session/profile/profile.h"

#define PREFIX "fn_"

bool event_name_is_function(const char *pattern)
{
	return !strncmp(pattern, PREFIX, strlen(PREFIX));
}

static bool has_function(const struct profile_list *events)
{
	for (size_t i = 0; i < events->count; i++)
		if (event_name_is_function(events->names[i]))
			return true;
	return false;
}

bool profile_has_functions(const struct profile *profile)
{
	for (size_t c = 0; c < profile->channel_count; c++)
		if (has_function(&profile->channels[c].events))
			return true;
	return false;
}

/*
 * Returns the length of a function event's name without its ending _entry or _exit; 0: it has
 * neither ending.
 */
static size_t length_before(const char *name)
{
	static const char *const forms[] = { "_entry", "_exit" };
	size_t length = strlen(name);

	for (size_t i = 0; i < 2 && event_name_is_function(name); i++) {
		size_t form = strlen(forms[i]);

		if (length > strlen(PREFIX) + form && !strcmp(name + length - form, forms[i]))
			return length - form;
	}
	return 0;
}

static bool has(const struct profile_list *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(list->names[i], name))
			return true;
	return false;
}

static int use_calls(struct profile_list *list, struct mm_error *err)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		size_t length = length_before(list->names[i]);
		char *name = list->names[i];

		if (length && asprintf(&name, "%.*s_call", (int)length, name) < 0)
			return mm_error_set(err, MM_EXIT_ENVIRONMENT, "profile: out of memory");
		if (name != list->names[i])
			free(list->names[i]);
		list->names[i] = NULL;
		if (has(list, kept, name)) {
			free(name);
			continue;
		}
		list->names[kept] = name;
		list->lines[kept++] = list->lines[i];
	}
	list->names[kept] = NULL;
	list->count = kept;
	return 0;
}

int profile_use_calls(struct profile *profile, struct mm_error *err)
{
	for (size_t c = 0; c < profile->channel_count; c++)
		if (use_calls(&profile->channels[c].events, err))
			return -1;
	return 0;
}
