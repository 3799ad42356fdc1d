/* SPDX-License-Identifier: LGPL-2.1-only */
/* A growing text buffer, and lists of words. */
#ifndef LTTNG_MM_UTIL_TEXT_H
#define LTTNG_MM_UTIL_TEXT_H

#include <stddef.h>

/* A text buffer. Release @data with free(). */
struct mm_text {
	char *data;
	size_t length, room;
	size_t start; /* if the buffer has the texts of several events: offset of the current one */
	size_t max;   /* maximum length of one event's text; 0: the renderer's default */
	/*
	 * A constant string that says why rendering failed. NULL after success, or when out of
	 * memory.
	 */
	const char *problem;
};

/*
 * Makes room for @length more bytes. Returns the address of the new bytes, or NULL when out of
 * memory.
 */
char *mm_text_reserve(struct mm_text *text, size_t length);

/*
 * Appends a copy of @string to the array @list of *@count strings. Returns 0, or -1 when out of
 * memory.
 */
int mm_strings_add(char ***list, size_t *count, const char *string);

/* Frees @list and its @count strings. */
void mm_strings_release(char **list, size_t count);

/*
 * Adds @word to @text, a comma-separated list in a buffer of @size bytes. If the list does not fit,
 * its end is truncated.
 */
void mm_words_add(char *text, size_t size, const char *word);

#endif /* LTTNG_MM_UTIL_TEXT_H */
