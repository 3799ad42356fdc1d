/* SPDX-License-Identifier: LGPL-2.1-only */
/* Values and texts of libbabeltrace2's fields. */
#ifndef LTTNG_MM_BT2_TEXT_H
#define LTTNG_MM_BT2_TEXT_H

#include <babeltrace2/babeltrace.h>

#include "reader/events/source.h"

/*
 * Returns the value of a string field. The value is valid as long as the field. In libbabeltrace2
 * up to at least 2.1, an empty string field still holds the text of a previous event, and only its
 * length is 0.
 */
static inline const char *mm_bt2_string(const bt_field *field)
{
	return bt_field_string_get_length(field) ? bt_field_string_get_value(field) : "";
}

/* Reads a scalar. Any other field becomes MM_KIND_COMPOUND, and NULL becomes MM_KIND_NONE. */
void mm_bt2_value(const bt_field *field, struct mm_value *value);

/* Writes the field as text, as described at mm_event_field_text(). */
void mm_bt2_text(const bt_field *field, char *dst, size_t size);

#endif /* LTTNG_MM_BT2_TEXT_H */
