// SPDX-License-Identifier: LGPL-2.1-only
/* Text that grows. */
#include "analysis/core/text.h"

#include <stdlib.h>

char *mm_text_reserve(struct mm_text *text, size_t length)
{
	size_t room = text->room ? text->room : 256;
	char *grown;

	if (text->room - text->length >= length)
		return text->data + text->length;
	while (room - text->length < length)
		room *= 2;
	grown = realloc(text->data, room);
	if (!grown)
		return NULL;
	text->data = grown;
	text->room = room;
	return grown + text->length;
}
