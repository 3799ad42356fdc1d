/* SPDX-License-Identifier: LGPL-2.1-only */
/* Values and texts of libbabeltrace2's fields. */
#ifndef LTTNG_MM_BT2_TEXT_H
#define LTTNG_MM_BT2_TEXT_H

#include <babeltrace2/babeltrace.h>

#include "analysis/trace/source.h"

/*
 * A string field's value, valid as long as the field. An empty one keeps the text of the event that
 * used the field before in libbabeltrace2 up to 2.1 at least; only its length tells.
 */
static inline const char *mm_bt2_string(const bt_field *field)
{
	return bt_field_string_get_length(field) ? bt_field_string_get_value(field) : "";
}

/* Reads a scalar; anything else becomes MM_KIND_COMPOUND. @field may be NULL: MM_KIND_NONE. */
void mm_bt2_value(const bt_field *field, struct mm_value *value);

/* The field as mm_event_field_text() describes it. */
void mm_bt2_text(const bt_field *field, char *dst, size_t size);

#endif /* LTTNG_MM_BT2_TEXT_H */
