/* SPDX-License-Identifier: LGPL-2.1-only */
/* Helpers for sources: build the text that mm_event_field_text() returns. */
#ifndef LTTNG_MM_EVENTS_FIELD_TEXT_H
#define LTTNG_MM_EVENTS_FIELD_TEXT_H

#include "reader/events/source.h"

/* A text buffer of @size bytes: always terminated, and truncated if it is too small. */
struct mm_field_text {
	char *dst;
	size_t size, length;
};

static inline bool mm_field_text_is_full(const struct mm_field_text *text)
{
	return text->length + 1 >= text->size;
}

__attribute__((format(printf, 2, 3))) void mm_field_append(struct mm_field_text *text,
							   const char *fmt, ...);
/* Appends @length bytes of the untrusted @string, escaped for a terminal. */
void mm_field_append_escaped(struct mm_field_text *text, const char *string, size_t length);
/* Appends an integer in its preferred base. */
void mm_field_append_integer(struct mm_field_text *text, const struct mm_value *value);

#endif /* LTTNG_MM_EVENTS_FIELD_TEXT_H */
