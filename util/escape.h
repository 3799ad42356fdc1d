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

/* Escapes a C string. Returns the result, or NULL when out of memory. Release with free(). */
char *mm_escape_terminal_copy(const char *src);

/* Escapes a C string and writes it to @out. Returns 0, or -1 if writing failed. */
int mm_escape_print(FILE *out, const char *src);

/*
 * Variants for messages, and for texts that become part of messages: these variants keep
 * backslashes. A message that quotes another message is escaped again, which would double its
 * backslashes each time.
 */
size_t mm_escape_message(char *dst, size_t size, const char *src, size_t len);
char *mm_escape_message_copy(const char *src);
int mm_escape_message_print(FILE *out, const char *src);

/*
 * Returns a copy of @src as valid UTF-8, in which U+FFFD replaces invalid bytes. JSON libraries
 * require UTF-8 and do the escaping themselves. Release with free(). Returns NULL when out of
 * memory.
 */
char *mm_escape_to_utf8(const char *src, size_t len);

/*
 * Writes @src as the content of a JSON string in ASCII, without the quotes. Quotes, backslashes,
 * controls, DEL and all non-ASCII characters are escaped; U+FFFD replaces invalid bytes. Returns
 * the length of the complete result, like mm_escape_terminal().
 */
size_t mm_escape_json(char *dst, size_t size, const char *src, size_t len);

/* Prints @before, then @text in single quotes, as one shell word. */
void mm_escape_print_word(FILE *out, const char *before, const char *text);
/* Like mm_escape_print_word(), but omits the quotes if the shell does not need them. */
void mm_escape_print_argument(FILE *out, const char *before, const char *text);

#endif /* LTTNG_MM_UTIL_ESCAPE_H */
