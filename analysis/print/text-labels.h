/* SPDX-License-Identifier: LGPL-2.1-only */
/* Labels of enumerations and bit maps, ready to be printed. */
#ifndef LTTNG_MM_PRINT_TEXT_LABELS_H
#define LTTNG_MM_PRINT_TEXT_LABELS_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/ctf/model/model.h"

struct mm_label_range {
	uint64_t lower, upper; /* of signed values: with the sign bit turned over */
	uint32_t label;
};

struct mm_label {
	char *text; /* quoted and escaped as the style wants it */
	uint32_t length;
};

struct mm_text_labels {
	const struct ctf_field *field;
	uint64_t bias; /* turns a value to what the ranges hold */
	struct mm_label *labels;
	size_t label_count;
	/*
	 * Either by their values, when no two ranges overlap, or those of one label following each
	 * other, when a value may have several labels.
	 */
	struct mm_label_range *ranges;
	size_t range_count;
	bool overlap;
	/* The labels' numbers + 1, or 0, of values below 64 and of those that are a single bit. */
	uint32_t small[64], bits[64];
	bool in_tables;	  /* no other value has a label, and none several */
	uint32_t longest; /* of all labels */
};

/*
 * @babeltrace: quoted, in the order in which babeltrace2 2.1 lists several labels of one value;
 * else escaped for a terminal, in the metadata's order. NULL when memory is short.
 */
struct mm_text_labels *mm_text_labels_create(const struct ctf_field *field, int metadata_major,
					     bool babeltrace);
void mm_text_labels_destroy(struct mm_text_labels *labels);

/*
 * The next label that @value has from range *@at on (0 at first); *@at is moved on. NULL when there
 * is none.
 */
const struct mm_label *mm_text_labels_next(const struct mm_text_labels *labels, uint64_t value,
					   size_t *at);
/* The first label of the value of which only bit @bit is set, NULL. */
static inline const struct mm_label *mm_text_labels_bit(const struct mm_text_labels *labels,
							unsigned int bit)
{
	return labels->bits[bit] ? &labels->labels[labels->bits[bit] - 1] : NULL;
}

/* The only label of @value; for labels that do not overlap. */
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

/* As mm_text_labels_next() for a bit map's flags: labels of which a bit is set. */
const struct mm_label *mm_text_flags_next(const struct mm_text_labels *labels, uint64_t value,
					  size_t *at);

#endif /* LTTNG_MM_PRINT_TEXT_LABELS_H */
