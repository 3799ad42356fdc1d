// SPDX-License-Identifier: LGPL-2.1-only
/* Labels of flags, results and extent types. */
#include "analysis/dax/labels.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Where the label of @value is kept; NULL: nowhere. */
static char *place_of(struct dax_labels *labels, enum dax_label_field kind, uint64_t value)
{
	if (kind == DAX_LABEL_EXTENT_TYPE)
		return value < 64 ? labels->name[value] : NULL;
	if (!value)
		return labels->zero;
	return value & (value - 1) ? NULL : labels->name[__builtin_ctzll(value)];
}

static void set(char *to, const char *name)
{
	if (to && !to[0])
		snprintf(to, DAX_LABEL_BYTES, "%s", name);
}

void dax_labels_read(struct dax_labels *labels, enum dax_label_field kind,
		     const struct mm_event_type *type, unsigned int field)
{
	struct mm_enum_label label;

	for (size_t i = 0; !mm_event_type_label_at(type, field, i, &label); i++)
		if (label.lower.u == label.upper.u && label.name)
			set(place_of(labels, kind, label.lower.u), label.name);
}

void dax_labels_merge(struct dax_labels *labels, const struct dax_labels *later)
{
	set(labels->zero, later->zero);
	for (size_t i = 0; i < 64; i++)
		set(labels->name[i], later->name[i]);
}

static bool is_unknown(enum dax_label_field kind, uint64_t value)
{
	return value == UINT64_MAX || (kind != DAX_LABEL_VM_FLAGS && value == UINT32_MAX);
}

void dax_labels_text(const struct dax_labels *labels, enum dax_label_field kind, uint64_t value,
		     char *text, size_t size)
{
	uint64_t unnamed = 0;
	size_t at = 0;

	snprintf(text, size, kind == DAX_LABEL_EXTENT_TYPE ? "%" PRIu64 : "0x%" PRIx64, value);
	if (is_unknown(kind, value))
		return;
	if (kind == DAX_LABEL_EXTENT_TYPE) {
		if (value < 64 && labels->name[value][0])
			snprintf(text, size, "%s", labels->name[value]);
		return;
	}
	if (!value && labels->zero[0])
		snprintf(text, size, "%s", labels->zero);
	for (unsigned int bit = 0; bit < 64; bit++) {
		if (!(value >> bit & 1))
			continue;
		if (!labels->name[bit][0]) {
			unnamed |= 1ull << bit;
			continue;
		}
		if (at < size)
			at += (size_t)snprintf(text + at, size - at, "%s%s", at ? "|" : "",
					       labels->name[bit]);
	}
	if (at && unnamed && at < size)
		snprintf(text + at, size - at, "|0x%" PRIx64, unnamed);
}
