/* SPDX-License-Identifier: LGPL-2.1-only */
/* Values and texts of libbabeltrace2's fields. */
#ifndef LTTNG_MM_BT2_BT2_TEXT_H
#define LTTNG_MM_BT2_BT2_TEXT_H

#include <babeltrace2/babeltrace.h>

#include "analysis/core/source.h"

/* Reads a scalar; anything else becomes MM_KIND_COMPOUND. @field may be NULL: MM_KIND_NONE. */
void mm_bt2_value(const bt_field *field, struct mm_value *value);

/* The field as mm_event_field_text() describes it. */
void mm_bt2_text(const bt_field *field, char *dst, size_t size);

#endif /* LTTNG_MM_BT2_BT2_TEXT_H */
