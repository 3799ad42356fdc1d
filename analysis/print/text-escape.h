/* SPDX-License-Identifier: LGPL-2.1-only */
/* Strings in quotes, as babeltrace2's sink.text.pretty writes them. */
#ifndef LTTNG_MM_PRINT_TEXT_ESCAPE_H
#define LTTNG_MM_PRINT_TEXT_ESCAPE_H

#include <stddef.h>

/* A string of @length bytes takes at most that much room. */
#define MM_QUOTED_ROOM(length) ((length)*4 + 2)

/*
 * Writes @string in double quotes: C's escapes for controls, backslash, quotes and question mark,
 * `\xNN` for controls without one; everything beyond ASCII as it is. Returns the end.
 */
char *mm_put_quoted(char *out, const char *string, size_t length);

#endif /* LTTNG_MM_PRINT_TEXT_ESCAPE_H */
