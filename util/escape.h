/* SPDX-License-Identifier: LGPL-2.1-only */
/* Makes untrusted strings safe for a terminal and for JSON. */
#ifndef LTTNG_MM_UTIL_ESCAPE_H
#define LTTNG_MM_UTIL_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Writes @len bytes of @src to @dst in a form that a terminal does not interpret. @size is the size
 * of @dst. The result is always terminated.
 *
 * Tab, newline and return become `\t`, `\n`, `\r`. Other C0 controls, DEL and invalid UTF-8 become
 * `\xNN`. C1 controls, bidirectional overrides, line separators and invisible characters become
 * `\uNNNN`, or `\UNNNNNNNN` above U+FFFF. A backslash becomes `\\`.
 *
 * An escape sequence is never truncated. Returns the length of the complete result, like
 * snprintf().
 */
size_t mm_escape_terminal(char *dst, size_t size, const char *src, size_t len);

/* Escapes a C string. Returns the result, or NULL when out of memory. Release with free(). */
char *mm_escape_terminal_copy(const char *src);

/* Escapes a C string and writes it to @out. Returns 0, or -1 if writing failed. */
int mm_escape_print(FILE *out, const char *src);

/*
 * Like the functions above, but for messages, which may contain messages that are already escaped.
 * Backslashes are not escaped, because their number would double each time.
 */
size_t mm_escape_message(char *dst, size_t size, const char *src, size_t len);
char *mm_escape_message_copy(const char *src);
int mm_escape_message_print(FILE *out, const char *src);

/*
 * Returns a copy of @src as valid UTF-8, in which U+FFFD replaces invalid bytes. Use it for JSON
 * libraries, because they require UTF-8 and do the escaping. Release with free(). Returns NULL when
 * out of memory.
 */
char *mm_escape_to_utf8(const char *src, size_t len);

/*
 * Writes @src as the content of a JSON string in ASCII, without the quotes. Escapes quotes,
 * backslashes, controls, DEL and all non-ASCII characters. U+FFFD replaces invalid bytes. Returns
 * the length of the complete result, like mm_escape_terminal().
 */
size_t mm_escape_json(char *dst, size_t size, const char *src, size_t len);

/* Prints @before, then @text in single quotes, as one shell word. */
void mm_escape_print_word(FILE *out, const char *before, const char *text);
/* Like mm_escape_print_word(), but omits the quotes if the shell does not need them. */
void mm_escape_print_argument(FILE *out, const char *before, const char *text);

#endif /* LTTNG_MM_UTIL_ESCAPE_H */
