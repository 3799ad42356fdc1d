// SPDX-License-Identifier: LGPL-2.1-only
/* Parses names of function events in profiles: fn_NAME_entry, fn_NAME_exit and fn_NAME_call. */
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

bool function_event_parse(const char *event, struct function_event *parsed)
{
	static const char *const forms[] = { FUNCTION_EVENT_ENTRY, FUNCTION_EVENT_EXIT,
					     FUNCTION_EVENT_CALL };
	const size_t length = strlen(event);

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]) && event_name_is_function(event);
	     i++) {
		const size_t around = strlen(PREFIX) + strlen(forms[i]);

		if (length <= around || strcmp(event + length - strlen(forms[i]), forms[i]) != 0)
			continue;
		*parsed = (struct function_event){ event + strlen(PREFIX), length - around,
						   forms[i] };
		return true;
	}
	return false;
}

void function_event_name(const char *name, const char *form, char *text, size_t size)
{
	snprintf(text, size, PREFIX "%s%s", name, form);
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
		struct function_event event;
		char *name = list->names[i];

		if (function_event_parse(name, &event) &&
		    asprintf(&name, PREFIX "%.*s" FUNCTION_EVENT_CALL, (int)event.length,
			     event.name) < 0)
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
