// SPDX-License-Identifier: LGPL-2.1-only
// Errors as values: what failed, on what, why, and the remedy.

#include "analysis/core/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/core/escape.h"

/* Stands for the middle of a message that is too long: what it is about stays, and so does the remedy. */
#define GAP " [...] "

/* Escapes as much of @raw's end as fits into @size bytes. */
static void escape_end(char *text, size_t size, const char *raw)
{
	size_t length = strlen(raw);
	const char *from = length < size ? raw : raw + length - size + 1;

	/* Not from within a character, and an escape is longer than what it stands for. */
	while (((unsigned char)*from & 0xc0) == 0x80 ||
	       mm_escape_terminal(text, size, from, strlen(from)) >= size)
		from++;
}

int mm_error_vset(struct mm_error *err, int code, const char *fmt, va_list args)
{
	const size_t size = sizeof(err->message), half = size / 2;
	char *raw;

	if (!err || err->code != MM_EXIT_OK)
		return -1;
	err->code = code;
	if (vasprintf(&raw, fmt, args) < 0) {
		strcpy(err->message, "out of memory");
		return -1;
	}
	/* Paths and names in a message are as hostile as any other string. */
	if (mm_escape_terminal(err->message, size, raw, strlen(raw)) >= size) {
		mm_escape_terminal(err->message, half, raw, strlen(raw));
		strcat(err->message, GAP);
		escape_end(err->message + strlen(err->message), size - strlen(err->message), raw);
	}
	free(raw);
	return -1;
}

int mm_error_set(struct mm_error *err, int code, const char *fmt, ...)
{
	va_list args;
	int ret;

	va_start(args, fmt);
	ret = mm_error_vset(err, code, fmt, args);
	va_end(args);
	return ret;
}

void mm_error_clear(struct mm_error *err)
{
	err->code = MM_EXIT_OK;
	err->message[0] = '\0';
}
