// SPDX-License-Identifier: LGPL-2.1-only
/* Looks up the text format of an event. */
#include "reader/events/event-text.h"

#include <string.h>

#include "util/glob.h"

static bool is_wide_variant(const char *event, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(event, name, length) && !strcmp(event + length, "_wide");
}

const struct mm_event_text *mm_event_text_search(const struct mm_event_text *texts,
						 const char *event)
{
	for (; texts && texts->events; texts++)
		if (mm_glob_match(texts->events, event) || is_wide_variant(event, texts->events))
			return texts;
	return NULL;
}
