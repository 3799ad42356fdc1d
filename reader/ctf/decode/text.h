/* SPDX-License-Identifier: LGPL-2.1-only */
/* Gets fields by position, and as text, for callers that print events of any class. */
#ifndef LTTNG_MM_CTF_DECODE_TEXT_H
#define LTTNG_MM_CTF_DECODE_TEXT_H

#include "reader/events/source.h"

/* Implementations of mm_source_ops.field_at, .context_at and .field_text for the fast reader. */
int ctf_text_field_at(const struct mm_event *event, size_t index, const char **name,
		      struct mm_value *value);
int ctf_text_context_at(const struct mm_event *event, size_t index, const char **name,
			struct mm_value *value);
int ctf_text_field(const struct mm_event *event, const struct mm_value *value, char *dst,
		   size_t size);

#endif /* LTTNG_MM_CTF_DECODE_TEXT_H */
