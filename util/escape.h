/* SPDX-License-Identifier: LGPL-2.1-only */
/* Makes untrusted strings safe for a terminal and for JSON. */
#ifndef LTTNG_MM_UTIL_ESCAPE_H
#define LTTNG_MM_UTIL_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Writes @len bytes of @src to @dst (of @size bytes, always terminated) in a form that a terminal
 * displays without interpreting it: C0 controls, DEL and bytes that are not UTF-8 as `\xNN` (tab,
 * newline and return as `\t`, `\n`, `\r`), C1 controls, bidirectional overrides, line separators
 * and invisible characters as `\uNNNN`, the backslash as `\\`. Does not truncate an escape
 * sequence. Returns the length of the complete result, as snprintf().
 */
size_t mm_escape_terminal(char *dst, size_t size, const char *src, size_t len);

/* The same for a C string: returns the result, or NULL when out of memory. Release with free(). */
char *mm_escape_terminal_copy(const char *src);

/* The same for a C string, written to a stream. Returns 0, or -1 if writing failed. */
int mm_escape_print(FILE *out, const char *src);

/*
 * The same three for messages, and for texts that become part of messages: a backslash stays as it
 * is. So a message that quotes another one, and is escaped again, shows what the user gave, not a
 * growing number of backslashes.
 */
size_t mm_escape_message(char *dst, size_t size, const char *src, size_t len);
char *mm_escape_message_copy(const char *src);
int mm_escape_message_print(FILE *out, const char *src);

/*
 * Returns a copy of @src in valid UTF-8 (invalid bytes become U+FFFD), as JSON libraries require;
 * they do the escaping. Release with free(). Returns NULL when out of memory.
 */
char *mm_escape_to_utf8(const char *src, size_t len);

/*
 * Writes the content of a JSON string, without quotes, in ASCII: quote, backslash, controls, DEL
 * and all non-ASCII characters as escapes, invalid bytes as U+FFFD. Returns the length as
 * mm_escape_terminal().
 */
size_t mm_escape_json(char *dst, size_t size, const char *src, size_t len);

/* Is @text one word that a shell takes as it is? */
bool mm_escape_is_word(const char *text);
/* Prints @before, and @text in single quotation marks, as one word of a shell. */
void mm_escape_print_word(FILE *out, const char *before, const char *text);

#endif /* LTTNG_MM_UTIL_ESCAPE_H */
