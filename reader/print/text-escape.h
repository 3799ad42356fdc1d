/* SPDX-License-Identifier: LGPL-2.1-only */
/* Quoted strings as in babeltrace2's sink.text.pretty. */
#ifndef LTTNG_MM_PRINT_TEXT_ESCAPE_H
#define LTTNG_MM_PRINT_TEXT_ESCAPE_H

#include <stddef.h>

/* Room needed at most for a string of @length bytes. */
#define MM_QUOTED_ROOM(length) ((length)*4 + 2)

/*
 * Writes @string in double quotes: C's escapes for controls, backslash, quotes and question mark,
 * `\xNN` for other controls; non-ASCII bytes unchanged. Returns the end.
 */
char *mm_put_quoted(char *out, const char *string, size_t length);

#endif /* LTTNG_MM_PRINT_TEXT_ESCAPE_H */
