/* SPDX-License-Identifier: LGPL-2.1-only */
/* Writes the parts of a field's text, as described at mm_event_field_text(), for sources. */
#ifndef LTTNG_MM_EVENTS_FIELD_TEXT_H
#define LTTNG_MM_EVENTS_FIELD_TEXT_H

#include "reader/events/source.h"

/* What does not fit in @dst, of @size bytes, is omitted; @dst is always terminated. */
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
/* Appends @length bytes of @string, which is hostile, escaped for a terminal. */
void mm_field_append_escaped(struct mm_field_text *text, const char *string, size_t length);
/* Appends an integer in its preferred base. */
void mm_field_append_integer(struct mm_field_text *text, const struct mm_value *value);

#endif /* LTTNG_MM_EVENTS_FIELD_TEXT_H */
