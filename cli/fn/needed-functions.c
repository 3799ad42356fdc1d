// SPDX-License-Identifier: LGPL-2.1-only
/* Prints a note about each trigger that still needs a removed function. */
#include "cli/fn/needed-functions.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lttng-session/daemon/triggers/definition/functions.h"

struct name_list {
	const char *const *names; /* NULL: every name */
	size_t count;
};

static bool is_asked(const struct name_list *needed, const char *function)
{
	for (size_t i = 0; i < needed->count && needed->names; i++)
		if (!strcmp(needed->names[i], function))
			return true;
	return !needed->names;
}

static void note(void *user, const struct trigger *trigger, const char *function)
{
	if (!is_asked(user, function))
		return;
	/* The recorder daemon adds functions again only for root's triggers. */
	if (trigger->uid)
		fprintf(stderr,
			"lttng-mm: note: the trigger %s of user %lu still needs the function %s; `lttng-mm trigger remove %s` removes the trigger\n",
			trigger->name, (unsigned long)trigger->uid, function, trigger->name);
	else
		fprintf(stderr,
			"lttng-mm: note: the trigger %s still needs the function %s: the recorder daemon adds it again when it starts; `lttng-mm trigger remove %s` removes the trigger\n",
			trigger->name, function, trigger->name);
}

void needed_functions_note(const char *const *names, size_t count)
{
	struct name_list needed = { names, count };

	trigger_each_function(note, &needed);
}
