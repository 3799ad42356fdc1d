/* SPDX-License-Identifier: LGPL-2.1-only */
/* A growing text buffer, and lists of words. */
#ifndef LTTNG_MM_UTIL_TEXT_H
#define LTTNG_MM_UTIL_TEXT_H

#include <stddef.h>

/* Release @data with free(). */
struct mm_text {
	char *data;
	size_t length, room;
	size_t start; /* start of the current event's text, if the buffer holds several */
	size_t max;   /* limit on the length of one event's text; 0: the renderer's own */
	/* why rendering failed, if not out of memory; a constant string */
	const char *problem;
};

/* Makes room for @length more bytes. Returns their address, or NULL when out of memory. */
char *mm_text_reserve(struct mm_text *text, size_t length);

/*
 * Appends a copy of @string to @list, which has *@count strings. Returns 0, or -1 when out of
 * memory.
 */
int mm_strings_add(char ***list, size_t *count, const char *string);

/* Frees the @count strings of @list, and the list. */
void mm_strings_release(char **list, size_t count);

/*
 * Appends @word to the enumeration @text in a buffer of @size bytes, after a comma if it is not the
 * first; what does not fit is left out.
 */
void mm_words_add(char *text, size_t size, const char *word);

#endif /* LTTNG_MM_UTIL_TEXT_H */
