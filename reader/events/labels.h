/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Labels of enumerations and flags, as a trace's metadata declare them. A consumer fills a table
 * when an event class is bound, and can convert numbers to text at any time, without an event of
 * the class.
 */
#ifndef LTTNG_MM_EVENTS_LABELS_H
#define LTTNG_MM_EVENTS_LABELS_H

#include "reader/events/source.h"

enum mm_labels_of {
	MM_LABELS_OF_BITS,
	MM_LABELS_OF_VALUES, /* up to 63 */
};

/* The labels of one field, whichever event classes have it. NULL: no label. */
struct mm_labels {
	enum mm_labels_of of;
	unsigned int base; /* 10 or 16: of numbers that have no label at all */
	char *zero;	   /* no bit is set */
	char *name[64];
};

/* An empty table; it is released even if filling it failed. */
void mm_labels_init(struct mm_labels *labels, enum mm_labels_of of, unsigned int base);
void mm_labels_release(struct mm_labels *labels);
/*
 * Adds the labels of requested field @field of an event class; the first one of a bit or value
 * stays. Returns 0, or -1: out of memory.
 */
int mm_labels_read(struct mm_labels *labels, const struct mm_event_type *type, unsigned int field);
/* Adds those that @labels does not have. Returns as above. */
int mm_labels_merge(struct mm_labels *labels, const struct mm_labels *later);
/*
 * The label of @value, or those of its bits, joined by `|`; bits without one, and a value of which
 * nothing has one, as a number. As recorded: hostile. Always terminated.
 */
void mm_labels_text(const struct mm_labels *labels, uint64_t value, char *text, size_t size);

#endif /* LTTNG_MM_EVENTS_LABELS_H */
