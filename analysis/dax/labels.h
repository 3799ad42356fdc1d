/* SPDX-License-Identifier: LGPL-2.1-only */
/* Numbers of DAX events as text, by the labels that the trace's metadata have. */
#ifndef LTTNG_MM_DAX_LABELS_H
#define LTTNG_MM_DAX_LABELS_H

#include "analysis/trace/source.h"

/* The fields of which labels are kept. */
enum dax_label_field {
	DAX_LABEL_FLAGS,
	DAX_LABEL_RESULT,
	DAX_LABEL_VM_FLAGS,
	DAX_LABEL_EXTENT_TYPE, /* the labels are of values, not of bits */
	DAX_LABEL_FIELDS,
};

#define DAX_LABEL_BYTES 24
#define DAX_LABELS_TEXT 512

/* What the kernel's metadata call the bits of a field, or its values up to 63. "": no label. */
struct dax_labels {
	char zero[DAX_LABEL_BYTES]; /* no bit is set */
	char name[64][DAX_LABEL_BYTES];
};

/* Adds the labels of requested field @field of an event class; the first one of a bit stays. */
void dax_labels_read(struct dax_labels *labels, enum dax_label_field kind,
		     const struct mm_event_type *type, unsigned int field);
/* Adds those that @labels does not have. */
void dax_labels_merge(struct dax_labels *labels, const struct dax_labels *later);
/* The labels of @value, joined by `|`; bits without one, and what is not known, as a number. */
void dax_labels_text(const struct dax_labels *labels, enum dax_label_field kind, uint64_t value,
		     char *text, size_t size);

#endif /* LTTNG_MM_DAX_LABELS_H */
