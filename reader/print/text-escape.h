/* SPDX-License-Identifier: LGPL-2.1-only */
/* Quoted strings as in babeltrace2's sink.text.pretty. */
#ifndef LTTNG_MM_PRINT_TEXT_ESCAPE_H
#define LTTNG_MM_PRINT_TEXT_ESCAPE_H

#include <stddef.h>

/* Maximum length of a quoted string of @length bytes. */
#define MM_QUOTED_ROOM(length) ((length)*4 + 2)

/*
 * Writes @string in double quotes. Escapes backslash, quotes, question mark and the control
 * characters that C has names for as in C. Writes other control characters as `\xNN`, and non-ASCII
 * bytes unchanged. Returns the end of the text.
 */
char *mm_put_quoted(char *out, const char *string, size_t length);

#endif /* LTTNG_MM_PRINT_TEXT_ESCAPE_H */
