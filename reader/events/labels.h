/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Labels of enumerations and flags that the metadata declare. A consumer fills a table in bind()
 * and can convert numbers to text afterwards, without an event of the class.
 */
#ifndef LTTNG_MM_EVENTS_LABELS_H
#define LTTNG_MM_EVENTS_LABELS_H

#include "reader/events/source.h"

enum mm_labels_of {
	MM_LABELS_OF_BITS,
	MM_LABELS_OF_VALUES, /* values 0 to 63 */
};

/* The labels of one field, from all event classes with this field. NULL: no label. */
struct mm_labels {
	enum mm_labels_of of;
	unsigned int base; /* 10 or 16: base of numbers without a label */
	char *zero;	   /* label of 0 */
	char *name[64];
};

/* Creates an empty table. Call mm_labels_release() even if filling it failed. */
void mm_labels_init(struct mm_labels *labels, enum mm_labels_of of, unsigned int base);
void mm_labels_release(struct mm_labels *labels);
/*
 * Adds the labels of requested field @field of an event class. Does not replace existing labels.
 * Returns 0, or -1 when out of memory.
 */
int mm_labels_read(struct mm_labels *labels, const struct mm_event_type *type, unsigned int field);
/* Copies labels from @later if they are missing in @labels. Returns 0, or -1 when out of memory. */
int mm_labels_merge(struct mm_labels *labels, const struct mm_labels *later);
/*
 * Writes the label of @value, or the labels of its bits joined by `|`. Bits without a label are
 * written as one number. The labels are untrusted and not escaped. @text is always terminated.
 */
void mm_labels_text(const struct mm_labels *labels, uint64_t value, char *text, size_t size);

#endif /* LTTNG_MM_EVENTS_LABELS_H */
