/* SPDX-License-Identifier: LGPL-2.1-only */
/* Makes hostile strings safe for a terminal and for JSON. */
#ifndef LTTNG_MM_UTIL_ESCAPE_H
#define LTTNG_MM_UTIL_ESCAPE_H

#include <stddef.h>
#include <stdio.h>

/*
 * Writes @len bytes of @src to @dst (of @size bytes, always terminated) so that a terminal shows
 * them and obeys none: C0 controls, DEL and bytes that are no UTF-8 as `\xNN` (tab, newline and
 * return as `\t`, `\n`, `\r`), C1 controls, bidirectional overrides, line separators and invisible
 * characters as `\uNNNN`, the backslash as `\\`. An escape is never cut in half.
 * Returns the length that the whole result has, as snprintf does.
 */
size_t mm_escape_terminal(char *dst, size_t size, const char *src, size_t len);

/* The same for a whole C string to a stream. Returns 0, or -1 when the stream failed. */
int mm_escape_print(FILE *out, const char *src);

/*
 * A copy of @src that is valid UTF-8 (invalid bytes become U+FFFD), as JSON libraries want it;
 * the JSON writer does the escaping. Free it with free(). NULL when memory is short.
 */
char *mm_escape_to_utf8(const char *src, size_t len);

/*
 * Writes the inside of a JSON string (no quotes) in plain ASCII: quote, backslash, controls, DEL
 * and everything beyond ASCII as escapes; invalid bytes as U+FFFD. Returns as
 * mm_escape_terminal() does.
 */
size_t mm_escape_json(char *dst, size_t size, const char *src, size_t len);

#endif /* LTTNG_MM_UTIL_ESCAPE_H */
