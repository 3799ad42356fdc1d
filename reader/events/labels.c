// SPDX-License-Identifier: LGPL-2.1-only
/* Labels of enumerations and flags. */
#include "reader/events/labels.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void mm_labels_init(struct mm_labels *labels, enum mm_labels_of of, unsigned int base)
{
	memset(labels, 0, sizeof(*labels));
	labels->of = of;
	labels->base = base;
}

void mm_labels_release(struct mm_labels *labels)
{
	free(labels->zero);
	for (size_t i = 0; i < 64; i++)
		free(labels->name[i]);
}

/* Returns the slot for the label of @value, or NULL if the table has none. */
static char **place_of(struct mm_labels *labels, uint64_t value)
{
	if (labels->of == MM_LABELS_OF_VALUES)
		return value < 64 ? &labels->name[value] : NULL;
	if (!value)
		return &labels->zero;
	return value & (value - 1) ? NULL : &labels->name[__builtin_ctzll(value)];
}

static int set(char **to, const char *name)
{
	if (!to || *to || !name)
		return 0;
	*to = strdup(name);
	return *to ? 0 : -1;
}

int mm_labels_read(struct mm_labels *labels, const struct mm_event_type *type, unsigned int field)
{
	struct mm_enum_label label;

	for (size_t i = 0; !mm_event_type_label_at(type, field, i, &label); i++)
		if (label.lower.u == label.upper.u &&
		    set(place_of(labels, label.lower.u), label.name))
			return -1;
	return 0;
}

int mm_labels_merge(struct mm_labels *labels, const struct mm_labels *later)
{
	int ret = set(&labels->zero, later->zero);

	for (size_t i = 0; i < 64 && !ret; i++)
		ret = set(&labels->name[i], later->name[i]);
	return ret;
}

static void put_bits(const struct mm_labels *labels, uint64_t value, char *text, size_t size)
{
	uint64_t unnamed = 0;
	size_t at = 0;

	for (uint64_t rest = value; rest && at < size; rest &= rest - 1) {
		const char *name = labels->name[__builtin_ctzll(rest)];

		if (name)
			at += (size_t)snprintf(text + at, size - at, "%s%s", at ? "|" : "", name);
		else
			unnamed |= rest & -rest;
	}
	if (at && unnamed && at < size)
		snprintf(text + at, size - at, "|0x%" PRIx64, unnamed);
}

void mm_labels_text(const struct mm_labels *labels, uint64_t value, char *text, size_t size)
{
	const char *name = NULL;

	snprintf(text, size, labels->base == 16 ? "0x%" PRIx64 : "%" PRIu64, value);
	if (labels->of == MM_LABELS_OF_BITS && value) {
		put_bits(labels, value, text, size);
		return;
	}
	if (labels->of == MM_LABELS_OF_BITS)
		name = labels->zero;
	else if (value < 64)
		name = labels->name[value];
	if (name)
		snprintf(text, size, "%s", name);
}
