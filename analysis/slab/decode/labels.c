// SPDX-License-Identifier: LGPL-2.1-only
/* Labels of numbers. */
#include "analysis/slab/decode/labels.h"

#include <string.h>

void slab_label(const struct mm_event *event, const char *name, char *text, size_t size)
{
	struct mm_value value;
	const char *found;

	text[0] = '\0';
	for (size_t i = 0; !mm_event_field_at(event, i, &found, &value); i++)
		if (found && !strcmp(found, name)) {
			mm_event_field_text(event, &value, text, size);
			return;
		}
}
