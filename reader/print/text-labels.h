/* SPDX-License-Identifier: LGPL-2.1-only */
/* Labels of enumerations and bit maps, prepared for printing. */
#ifndef LTTNG_MM_PRINT_TEXT_LABELS_H
#define LTTNG_MM_PRINT_TEXT_LABELS_H

#include <stdbool.h>
#include <stdint.h>

#include "reader/ctf/model/model.h"

struct mm_label_range {
	uint64_t lower, upper; /* bounds; if values are signed, with the sign bit inverted */
	uint32_t label;
};

struct mm_label {
	char *text; /* quoted and escaped in the plan's style */
	uint32_t length;
};

struct mm_text_labels {
	const struct ctf_field *field;
	uint64_t bias; /* XORed with a value before comparing it with ranges */
	struct mm_label *labels;
	size_t label_count;
	/*
	 * sorted by value; if some ranges overlap, grouped by label, because a value may have
	 * several labels
	 */
	struct mm_label_range *ranges;
	size_t range_count;
	bool overlap;
	/* for values below 64 and for single bits: index + 1 of the label, or 0 */
	uint32_t small[64], bits[64];
	bool in_tables;	  /* only values in @small and @bits have labels, and no value has two */
	uint32_t longest; /* length of the longest label */
};

/*
 * Creates labels. With @babeltrace, quotes the labels, and sorts several labels of one value like
 * babeltrace2 2.1. Otherwise, escapes the labels for a terminal, and keeps the metadata's order.
 * Returns NULL when out of memory.
 */
struct mm_text_labels *mm_text_labels_create(const struct ctf_field *field, int metadata_major,
					     bool babeltrace);
void mm_text_labels_destroy(struct mm_text_labels *labels);

/*
 * Returns the next label of @value from range *@at on (initially 0), and advances *@at. Returns
 * NULL if no label matches.
 */
const struct mm_label *mm_text_labels_next(const struct mm_text_labels *labels, uint64_t value,
					   size_t *at);
/* Returns the first label of the value 1 << @bit, or NULL. */
static inline const struct mm_label *mm_text_labels_bit(const struct mm_text_labels *labels,
							unsigned int bit)
{
	return labels->bits[bit] ? &labels->labels[labels->bits[bit] - 1] : NULL;
}

/* Returns the label of @value, or NULL. The ranges of @labels must not overlap. */
static inline const struct mm_label *mm_text_labels_only(const struct mm_text_labels *labels,
							 uint64_t value)
{
	uint32_t number = 0;
	size_t at = 0;

	if (!labels->in_tables)
		return mm_text_labels_next(labels, value, &at);
	if (value < 64)
		number = labels->small[value];
	else if (!(value & (value - 1)))
		number = labels->bits[__builtin_ctzll(value)];
	return number ? &labels->labels[number - 1] : NULL;
}

/* Like mm_text_labels_next(), for the flags of a bit map that are set in @value. */
const struct mm_label *mm_text_flags_next(const struct mm_text_labels *labels, uint64_t value,
					  size_t *at);

#endif /* LTTNG_MM_PRINT_TEXT_LABELS_H */
