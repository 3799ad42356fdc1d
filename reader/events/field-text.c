// SPDX-License-Identifier: LGPL-2.1-only
/* Appends escaped strings and integers to a field's text. */
#include "reader/events/field-text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "util/escape.h"

/*
 * Adds the length of a part that was written. If the part did not fit, the text is full, and later
 * parts are dropped.
 */
static void advance(struct mm_field_text *text, size_t length)
{
	text->length += length;
	if (text->length >= text->size)
		text->length = text->size - 1;
}

void mm_field_append(struct mm_field_text *text, const char *fmt, ...)
{
	va_list args;
	int n;

	if (mm_field_text_is_full(text))
		return;
	va_start(args, fmt);
	n = vsnprintf(text->dst + text->length, text->size - text->length, fmt, args);
	va_end(args);
	if (n > 0)
		advance(text, (size_t)n);
}

void mm_field_append_escaped(struct mm_field_text *text, const char *string, size_t length)
{
	if (!mm_field_text_is_full(text))
		advance(text, mm_escape_terminal(text->dst + text->length,
						 text->size - text->length, string, length));
}

void mm_field_append_integer(struct mm_field_text *text, const struct mm_value *value)
{
	switch (value->base) {
	case 16:
		mm_field_append(text, "0x%" PRIx64, value->u);
		break;
	case 8:
		mm_field_append(text, "0%" PRIo64, value->u);
		break;
	case 2:
		mm_field_append(text, "0b");
		for (int bit = value->u ? 63 - __builtin_clzll(value->u) : 0; bit >= 0; bit--)
			mm_field_append(text, "%d", (int)(value->u >> bit & 1));
		break;
	default:
		if (value->kind == MM_KIND_SIGNED)
			mm_field_append(text, "%" PRId64, value->i);
		else
			mm_field_append(text, "%" PRIu64, value->u);
	}
}
