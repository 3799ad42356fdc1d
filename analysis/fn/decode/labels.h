/* SPDX-License-Identifier: LGPL-2.1-only */
/* Labels of arguments and results: of any values, or of the bits of flags. */
#ifndef LTTNG_MM_FN_DECODE_LABELS_H
#define LTTNG_MM_FN_DECODE_LABELS_H

#include "reader/events/source.h"

/* More of one field are ignored, those of hostile traces. */
#define FN_LABELS_MAX 1024u

struct fn_value_label {
	char *name; /* hostile */
	uint64_t lower, upper;
};

struct fn_value_labels {
	struct fn_value_label *all;
	size_t count, room;
	bool is_signed;
	bool is_flags; /* each is 0 or a single bit, and one is a bit above the lowest two */
};

/* Reads those of requested field @field into an empty object. Returns 0, or -1: out of memory. */
int fn_value_labels_read(struct fn_value_labels *labels, const struct mm_event_type *type,
			 unsigned int field);
void fn_value_labels_release(struct fn_value_labels *labels);

/* The value or bit that has exactly this name. Returns false if there is none. */
bool fn_value_labels_find(const struct fn_value_labels *labels, const char *name, uint64_t *value);

/*
 * Writes the label of @value, or those of its bits, joined by `|`; bits without one are a
 * hexadecimal number. Returns the length as snprintf(), 0 if nothing of @value has a label.
 */
size_t fn_value_labels_text(const struct fn_value_labels *labels, uint64_t value, char *text,
			    size_t size);

#endif /* LTTNG_MM_FN_DECODE_LABELS_H */
