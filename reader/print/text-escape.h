/* SPDX-License-Identifier: LGPL-2.1-only */
/* Quoted strings as in babeltrace2's sink.text.pretty. */
#ifndef LTTNG_MM_PRINT_TEXT_ESCAPE_H
#define LTTNG_MM_PRINT_TEXT_ESCAPE_H

#include <stddef.h>

/* Maximum length of a quoted string of @length bytes. */
#define MM_QUOTED_ROOM(length) ((length)*4 + 2)

/*
 * Writes @string in double quotes, with C's escape sequences for backslashes, quotes, question
 * marks, and control characters such as `\n`. Control characters without such a sequence become
 * `\xNN`. Non-ASCII bytes stay unchanged. Returns the end of the text.
 */
char *mm_put_quoted(char *out, const char *string, size_t length);

#endif /* LTTNG_MM_PRINT_TEXT_ESCAPE_H */
