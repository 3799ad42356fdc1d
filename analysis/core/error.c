// SPDX-License-Identifier: LGPL-2.1-only
// Errors as values: what failed, on what, why, and the remedy.

#include "analysis/core/error.h"

#include <stdio.h>
#include <string.h>

#include "analysis/core/escape.h"

int mm_error_vset(struct mm_error *err, int code, const char *fmt, va_list args)
{
	char raw[sizeof(err->message)];

	if (!err || err->code != MM_EXIT_OK)
		return -1;
	err->code = code;
	if (vsnprintf(raw, sizeof(raw), fmt, args) < 0)
		strcpy(raw, "message could not be formatted");
	/* Paths and names in a message are as hostile as any other string. */
	mm_escape_terminal(err->message, sizeof(err->message), raw, strlen(raw));
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
