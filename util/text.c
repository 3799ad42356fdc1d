// SPDX-License-Identifier: LGPL-2.1-only
/* A growing text buffer, and lists of words. */
#include "util/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int mm_strings_add(char ***list, size_t *count, const char *string)
{
	char **grown = realloc(*list, (*count + 1) * sizeof(**list));

	if (!grown)
		return -1;
	*list = grown;
	grown[*count] = strdup(string);
	if (!grown[*count])
		return -1;
	(*count)++;
	return 0;
}

void mm_strings_release(char **list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(list[i]);
	free(list);
}

void mm_words_add(char *text, size_t size, const char *word)
{
	size_t length = strlen(text);

	snprintf(text + length, size - length, "%s%s", length ? ", " : "", word);
}
