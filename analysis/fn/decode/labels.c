// SPDX-License-Identifier: LGPL-2.1-only
/* Labels of arguments and results. */
#include "analysis/fn/decode/labels.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add(struct fn_value_labels *labels, const struct mm_enum_label *label)
{
	struct fn_value_label *grown =
		mm_array_grow(labels->all, labels->count, &labels->room, sizeof(*grown));

	if (!grown)
		return -1;
	labels->all = grown;
	grown += labels->count;
	*grown = (struct fn_value_label){ strdup(label->name ? label->name : ""), label->lower.u,
					  label->upper.u };
	if (!grown->name)
		return -1;
	labels->count++;
	return 0;
}

int fn_value_labels_read(struct fn_value_labels *labels, const struct mm_event_type *type,
			 unsigned int field)
{
	struct mm_enum_label label;
	bool bits = true, high = false;

	for (size_t i = 0; i < FN_LABELS_MAX && !mm_event_type_label_at(type, field, i, &label);
	     i++) {
		if (add(labels, &label))
			return -1;
		labels->is_signed = label.is_signed;
		bits &= label.lower.u == label.upper.u && !(label.lower.u & (label.lower.u - 1));
		high |= label.lower.u > 2;
	}
	/* If only 0, 1 and 2 have labels, the type is probably an enumeration, not flags. */
	labels->is_flags = bits && high;
	return 0;
}

void fn_value_labels_release(struct fn_value_labels *labels)
{
	for (size_t i = 0; i < labels->count; i++)
		free(labels->all[i].name);
	free(labels->all);
	*labels = (struct fn_value_labels){ 0 };
}

bool fn_value_labels_find(const struct fn_value_labels *labels, const char *name, uint64_t *value)
{
	for (size_t i = 0; i < labels->count; i++)
		if (!strcmp(labels->all[i].name, name)) {
			*value = labels->all[i].lower;
			return true;
		}
	return false;
}

static bool is_in(const struct fn_value_labels *labels, const struct fn_value_label *label,
		  uint64_t value)
{
	if (labels->is_signed)
		return (int64_t)value >= (int64_t)label->lower &&
		       (int64_t)value <= (int64_t)label->upper;
	return value >= label->lower && value <= label->upper;
}

static const char *name_of(const struct fn_value_labels *labels, uint64_t value)
{
	for (size_t i = 0; i < labels->count; i++)
		if (is_in(labels, &labels->all[i], value))
			return labels->all[i].name;
	return NULL;
}

static size_t put_bits(const struct fn_value_labels *labels, uint64_t value, char *text,
		       size_t size)
{
	uint64_t unnamed = 0;
	size_t at = 0;

	for (uint64_t rest = value; rest; rest &= rest - 1) {
		const char *name = name_of(labels, rest & -rest);

		if (name)
			at += (size_t)snprintf(text + (at < size ? at : size),
					       at < size ? size - at : 0, "%s%s", at ? "|" : "",
					       name);
		else
			unnamed |= rest & -rest;
	}
	if (at && unnamed)
		at += (size_t)snprintf(text + (at < size ? at : size), at < size ? size - at : 0,
				       "|0x%" PRIx64, unnamed);
	return at;
}

size_t fn_value_labels_text(const struct fn_value_labels *labels, uint64_t value, char *text,
			    size_t size)
{
	const char *name = labels->count ? name_of(labels, value) : NULL;

	if (size)
		*text = '\0';
	if (name)
		return (size_t)snprintf(text, size, "%s", name);
	return labels->is_flags ? put_bits(labels, value, text, size) : 0;
}
