// SPDX-License-Identifier: LGPL-2.1-only
/* Reads the labels of enumerations and flags from BTF. */
#include "lttng-session/fn/describe/labels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Minimum number of single-bit values in an enumeration of flags. */
#define FLAGS_MIN 3

struct enumerator {
	int64_t value;
	uint32_t order; /* position in the enumeration */
	const char *name;
};

struct enumerators {
	size_t count;
	struct enumerator *entries;
};

static bool fits(int64_t value, bool is_wide, unsigned int bits, bool is_signed)
{
	/* Labels are signed, so an unsigned value of 2^63 or more does not fit. */
	if (is_wide)
		return false;
	if (is_signed)
		return bits == 64 ||
		       (value >= -(INT64_C(1) << (bits - 1)) && value < INT64_C(1) << (bits - 1));
	return value >= 0 && (bits >= 63 || value < INT64_C(1) << bits);
}

/* Converts the name of a bit number (___GFP_IO_BIT) to the name of its flag (__GFP_IO). */
static const char *gfp_name(const char *name, char *text, size_t size)
{
	snprintf(text, size, "%.*s", (int)strlen(name) - 5, name + 1);
	return text;
}

static void add(struct enumerators *entries, int64_t value, const char *name)
{
	entries->entries[entries->count] = (struct enumerator){
		.value = value,
		.order = (uint32_t)entries->count,
		.name = name,
	};
	entries->count++;
}

/* Adds the enumerators whose values fit in @bits, as labels. */
static void collect(const struct fn_btf *btf, const struct btf_type *type, unsigned int bits,
		    bool is_signed, struct enumerators *entries)
{
	for (uint32_t i = 0; i < btf_vlen(type); i++) {
		bool is_wide = false;
		uint32_t offset;
		int64_t value;

		if (btf_is_enum64(type)) {
			value = (int64_t)btf_enum64_value(&btf_enum64(type)[i]);
			is_wide = value < 0 && !btf_kflag(type);
			offset = btf_enum64(type)[i].name_off;
		} else {
			value = btf_enum(type)[i].val;
			if (!btf_kflag(type))
				value = (uint32_t)value;
			offset = btf_enum(type)[i].name_off;
		}
		if (fits(value, is_wide, bits, is_signed) && *fn_btf_string(btf, offset))
			add(entries, value, fn_btf_string(btf, offset));
	}
}

/* Adds the flags of gfp_t as labels. BTF has an enumeration of their bit numbers. */
static void collect_gfp(const struct fn_btf *btf, const struct btf_type *type, unsigned int bits,
			bool is_signed, struct enumerators *entries)
{
	for (uint32_t i = 0; i < btf_vlen(type); i++) {
		const char *name = fn_btf_string(btf, btf_enum(type)[i].name_off);
		uint32_t bit = (uint32_t)btf_enum(type)[i].val;
		size_t length = strlen(name);

		if (strncmp(name, "___GFP_", 7) != 0 || length < 12 ||
		    strcmp(name + length - 4, "_BIT") != 0 || !strcmp(name, "___GFP_LAST_BIT") ||
		    !strncmp(name, "___GFP_UNUSED", 13) || bit > 62)
			continue;
		if (fits(INT64_C(1) << bit, false, bits, is_signed))
			add(entries, INT64_C(1) << bit, name);
	}
}

static int compare(const void *a, const void *b)
{
	const struct enumerator *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

static int compare_names(const void *a, const void *b)
{
	const struct enumerator *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : x->order < y->order ? -1 : 1;
}

/*
 * Removes duplicates. Of several names with the same value, keeps the first name. Of several values
 * with the same name, keeps the first value.
 */
static void make_unique(struct enumerators *entries)
{
	struct enumerator *list = entries->entries;
	size_t kept = 0;

	qsort(list, entries->count, sizeof(*list), compare_names);
	for (size_t i = 0; i < entries->count; i++)
		if (!kept || strcmp(list[kept - 1].name, list[i].name) != 0)
			list[kept++] = list[i];
	entries->count = kept;
	kept = 0;
	qsort(list, entries->count, sizeof(*list), compare);
	for (size_t i = 0; i < entries->count; i++)
		if (!kept || list[kept - 1].value != list[i].value)
			list[kept++] = list[i];
	entries->count = kept;
}

static bool is_single_bit(int64_t value)
{
	return value > 0 && !(value & (value - 1));
}

/*
 * Are the values flags? At least FLAGS_MIN values must be single bits. There must be fewer masks of
 * several bits than single bits. The largest value must be at least twice the number of values,
 * because the values of a plain enumeration are usually consecutive.
 */
static bool are_flags(const struct enumerators *entries)
{
	size_t bits = 0, masks = 0;
	int64_t most = 0;

	for (size_t i = 0; i < entries->count; i++) {
		int64_t value = entries->entries[i].value;

		if (value < 0)
			return false;
		bits += is_single_bit(value);
		masks += value && !is_single_bit(value);
		most = value > most ? value : most;
	}
	return bits >= FLAGS_MIN && masks < bits && (uint64_t)most / 2 >= entries->count;
}

static int add_label(struct fn_enum_labels *labels, int64_t value, const char *name)
{
	char *copy;

	if (labels->count == LTTNG_MM_FN_LABELS)
		return 0;
	copy = strdup(name);
	if (!copy)
		return -1;
	labels->labels[labels->count++] = (struct fn_enum_label){ .value = value, .name = copy };
	return 0;
}

/*
 * Adds a label for 0 if it has a name, and a label for each bit. The label of a bit without a name
 * is `bitN`.
 */
static int add_flags(const struct enumerators *entries, unsigned int bits,
		     struct fn_enum_labels *labels)
{
	const struct enumerator *next = entries->entries, *end = next + entries->count;
	char name[16];

	if (next->value == 0 && add_label(labels, 0, next->name))
		return -1;
	for (unsigned int bit = 0; bit < bits && bit < 63; bit++) {
		int64_t value = INT64_C(1) << bit;

		while (next < end && next->value < value)
			next++;
		snprintf(name, sizeof(name), "bit%u", bit);
		if (add_label(labels, value,
			      next < end && next->value == value ? next->name : name))
			return -1;
	}
	return 0;
}

static int add_numbers(const struct enumerators *entries, struct fn_enum_labels *labels)
{
	for (size_t i = 0; i < entries->count; i++)
		if (add_label(labels, entries->entries[i].value, entries->entries[i].name))
			return -1;
	return 0;
}

static int add_gfp(const struct enumerators *entries, struct fn_enum_labels *labels)
{
	char name[FN_WORD_MAX];

	for (size_t i = 0; i < entries->count; i++)
		if (add_label(labels, entries->entries[i].value,
			      gfp_name(entries->entries[i].name, name, sizeof(name))))
			return -1;
	return 0;
}

int fn_labels_read(const struct fn_btf *btf, uint32_t id, unsigned int bits, bool is_signed,
		   struct fn_enum_labels *labels)
{
	const struct btf_type *type = btf__type_by_id(btf->btf, id);
	bool is_gfp = id == btf->gfp_bits;
	struct enumerators entries = { .count = 0 };
	int ret;

	labels->count = 0;
	if (!id || !type || !btf_is_any_enum(type) || !btf_vlen(type))
		return 0;
	entries.entries = calloc(btf_vlen(type), sizeof(*entries.entries));
	if (!entries.entries)
		return -1;
	if (is_gfp)
		collect_gfp(btf, type, bits, is_signed, &entries);
	else
		collect(btf, type, bits, is_signed, &entries);
	make_unique(&entries);
	if (is_gfp)
		ret = add_gfp(&entries, labels);
	else if (are_flags(&entries))
		ret = add_flags(&entries, is_signed ? bits - 1 : bits, labels);
	else
		ret = add_numbers(&entries, labels);
	free(entries.entries);
	if (ret)
		fn_labels_release(labels);
	return ret;
}

void fn_labels_release(struct fn_enum_labels *labels)
{
	for (size_t i = 0; i < labels->count; i++)
		free(labels->labels[i].name);
	labels->count = 0;
}

uint64_t fn_labels_fault_errors(const struct fn_btf *btf)
{
	/* The bits in the kernel's macro VM_FAULT_ERROR. */
	static const char *const errors[] = {
		"VM_FAULT_OOM",	     "VM_FAULT_SIGBUS",		"VM_FAULT_SIGSEGV",
		"VM_FAULT_HWPOISON", "VM_FAULT_HWPOISON_LARGE", "VM_FAULT_FALLBACK"
	};
	const struct btf_type *type = btf__type_by_id(btf->btf, btf->fault_reasons);
	uint64_t mask = 0;

	if (!btf->fault_reasons || !type || !btf_is_enum(type))
		return 0;
	for (uint32_t i = 0; i < btf_vlen(type); i++)
		for (size_t k = 0; k < sizeof(errors) / sizeof(errors[0]); k++)
			if (!strcmp(fn_btf_string(btf, btf_enum(type)[i].name_off), errors[k]))
				mask |= (uint32_t)btf_enum(type)[i].val;
	return mask;
}
