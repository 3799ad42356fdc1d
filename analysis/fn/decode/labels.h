/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Labels of arguments and results. A label belongs to a value, to a range of an enumeration, or to
 * a single flag.
 */
#ifndef LTTNG_MM_FN_DECODE_LABELS_H
#define LTTNG_MM_FN_DECODE_LABELS_H

#include "reader/events/source.h"

/* Maximum number of labels of a field. Only hostile traces have more. */
#define FN_LABELS_MAX 1024u

struct fn_value_label {
	char *name; /* untrusted */
	uint64_t lower, upper;
};

struct fn_value_labels {
	struct fn_value_label *all;
	size_t count, room;
	bool is_signed;
	/* the labels name flags: all values are 0 or single bits, and at least one exceeds 2 */
	bool is_flags;
};

/*
 * Reads the labels of a requested field into the empty @labels. Returns 0, or -1 when out of
 * memory.
 */
int fn_value_labels_read(struct fn_value_labels *labels, const struct mm_event_type *type,
			 unsigned int field);
void fn_value_labels_release(struct fn_value_labels *labels);

/* Finds the value or bit that has exactly this label. Returns false if there is none. */
bool fn_value_labels_find(const struct fn_value_labels *labels, const char *name, uint64_t *value);

/*
 * Writes the label of @value, or the labels of its flags: `WRITE|USER|0x800`. Bits without a label
 * are written as a hexadecimal number. Returns the length like snprintf(), or 0 if no part of
 * @value has a label.
 */
size_t fn_value_labels_text(const struct fn_value_labels *labels, uint64_t value, char *text,
			    size_t size);

#endif /* LTTNG_MM_FN_DECODE_LABELS_H */
