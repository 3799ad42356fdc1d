// SPDX-License-Identifier: LGPL-2.1-only
/* Converts libbabeltrace2's fields to values and to text. */
#include "reader/bt2/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "reader/events/field-text.h"

#define NESTING_MAX 64

static unsigned int display_base(const bt_field *field)
{
	switch (bt_field_class_integer_get_preferred_display_base(
		bt_field_borrow_class_const(field))) {
	case BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_BINARY:
		return 2;
	case BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_OCTAL:
		return 8;
	case BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_HEXADECIMAL:
		return 16;
	default:
		return 10;
	}
}

void mm_bt2_value(const bt_field *field, struct mm_value *value)
{
	bt_field_class_type type;

	memset(value, 0, sizeof(*value));
	if (!field)
		return;
	value->native = field;
	type = bt_field_get_class_type(field);
	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER)) {
		value->kind = MM_KIND_UNSIGNED;
		value->u = bt_field_integer_unsigned_get_value(field);
		value->base = display_base(field);
	} else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER)) {
		value->kind = MM_KIND_SIGNED;
		value->i = bt_field_integer_signed_get_value(field);
		value->base = display_base(field);
	} else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_STRING)) {
		value->kind = MM_KIND_STRING;
		value->s = mm_bt2_string(field);
		value->length = strlen(value->s);
	} else if (type == BT_FIELD_CLASS_TYPE_DOUBLE_PRECISION_REAL) {
		value->kind = MM_KIND_REAL;
		value->r = bt_field_real_double_precision_get_value(field);
	} else if (type == BT_FIELD_CLASS_TYPE_SINGLE_PRECISION_REAL) {
		value->kind = MM_KIND_REAL;
		value->r = bt_field_real_single_precision_get_value(field);
	} else if (type == BT_FIELD_CLASS_TYPE_BOOL) {
		value->kind = MM_KIND_UNSIGNED;
		value->base = 10;
		value->u = bt_field_bool_get_value(field);
	} else if (type == BT_FIELD_CLASS_TYPE_BIT_ARRAY) {
		value->kind = MM_KIND_UNSIGNED;
		value->base = 16;
		value->u = bt_field_bit_array_get_value_as_integer(field);
	} else {
		value->kind = MM_KIND_COMPOUND;
	}
}

/* Returns the label of one value of an enumeration, or NULL. */
static const char *label_of(const bt_field_class *class, bool is_signed, uint64_t value)
{
	bt_field_class_enumeration_mapping_label_array labels;
	uint64_t count = 0;
	int status;

	if (is_signed)
		status = bt_field_class_enumeration_signed_get_mapping_labels_for_value(
			class, (int64_t)value, &labels, &count);
	else
		status = bt_field_class_enumeration_unsigned_get_mapping_labels_for_value(
			class, value, &labels, &count);
	return !status && count ? labels[0] : NULL;
}

/* Does the range consist of only 0 or only one power of two? Sets *any if @lower is not 0. */
static bool is_flag(uint64_t lower, uint64_t upper, bool *any)
{
	*any |= lower != 0;
	return lower == upper && !(lower & (lower - 1));
}

/* Does label @number stand only for single bits or 0? */
static bool is_label_of_flags(const bt_field_class *class, bool is_signed, uint64_t number,
			      bool *any)
{
	const bt_integer_range_set_signed *s = NULL;
	const bt_integer_range_set_unsigned *u = NULL;
	bool flags = true;
	uint64_t count;

	if (is_signed)
		s = bt_field_class_enumeration_signed_mapping_borrow_ranges_const(
			bt_field_class_enumeration_signed_borrow_mapping_by_index_const(class,
											number));
	else
		u = bt_field_class_enumeration_unsigned_mapping_borrow_ranges_const(
			bt_field_class_enumeration_unsigned_borrow_mapping_by_index_const(class,
											  number));
	count = bt_integer_range_set_get_range_count(
		s ? bt_integer_range_set_signed_as_range_set_const(s)
		  : bt_integer_range_set_unsigned_as_range_set_const(u));
	for (uint64_t i = 0; i < count && flags; i++) {
		const bt_integer_range_signed *of_signed =
			s ? bt_integer_range_set_signed_borrow_range_by_index_const(s, i) : NULL;
		const bt_integer_range_unsigned *of_unsigned =
			s ? NULL : bt_integer_range_set_unsigned_borrow_range_by_index_const(u, i);

		flags = s ? is_flag((uint64_t)bt_integer_range_signed_get_lower(of_signed),
				    (uint64_t)bt_integer_range_signed_get_upper(of_signed), any)
			  : is_flag(bt_integer_range_unsigned_get_lower(of_unsigned),
				    bt_integer_range_unsigned_get_upper(of_unsigned), any);
	}
	return flags;
}

/*
 * Does each label stand for 0 or for a single bit, and does at least one label stand for a bit
 * (ctf_field.is_flags)?
 */
static bool are_flags(const bt_field_class *class, bool is_signed)
{
	uint64_t count = bt_field_class_enumeration_get_mapping_count(class);
	bool any = false, flags = true;

	for (uint64_t i = 0; i < count && flags; i++)
		flags = is_label_of_flags(class, is_signed, i, &any);
	return any && flags;
}

/*
 * Appends the label of the value. If the value has no label, appends the joined labels of its bits,
 * or else the number.
 */
static void append_enumeration(struct mm_field_text *text, const bt_field *field,
			       const struct mm_value *value)
{
	const bt_field_class *class = bt_field_borrow_class_const(field);
	bool is_signed = value->kind == MM_KIND_SIGNED;
	const char *label = label_of(class, is_signed, value->u), *separator = "";

	if (label) {
		mm_field_append_escaped(text, label, strlen(label));
		return;
	}
	if (!value->u || (is_signed && value->i < 0) || !are_flags(class, is_signed)) {
		mm_field_append_integer(text, value);
		return;
	}
	for (uint64_t rest = value->u; rest; rest &= rest - 1) {
		uint64_t bit = rest & -rest;

		label = label_of(class, is_signed, bit);
		if (label) {
			mm_field_append(text, "%s", separator);
			mm_field_append_escaped(text, label, strlen(label));
		} else {
			mm_field_append(text, "%s0x%" PRIx64, separator, bit);
		}
		separator = "|";
	}
}

#ifdef LTTNG_MM_BABELTRACE_2_1
/* Appends the labels of the set flags, or the number if no flag has a label. */
static void append_bits(struct mm_field_text *text, const bt_field *field,
			const struct mm_value *value)
{
	bt_field_class_bit_array_flag_label_array labels;
	uint64_t count = 0;

	if (bt_field_bit_array_get_active_flag_labels(field, &labels, &count))
		count = 0;
	for (uint64_t i = 0; i < count; i++) {
		mm_field_append(text, "%s", i ? "|" : "");
		mm_field_append_escaped(text, labels[i], strlen(labels[i]));
	}
	if (!count)
		mm_field_append_integer(text, value);
}

static void append_blob(struct mm_field_text *text, const bt_field *field)
{
	uint64_t length = bt_field_blob_get_length(field);
	const uint8_t *data = length ? bt_field_blob_get_data_const(field) : NULL;

	mm_field_append(text, "[");
	for (uint64_t i = 0; i < length && !mm_field_text_is_full(text); i++)
		mm_field_append(text, "%s0x%" PRIx8, i ? ", " : " ", data[i]);
	mm_field_append(text, " ]");
}
#endif

static void append_field(struct mm_field_text *text, const bt_field *field, int depth);

static void append_structure(struct mm_field_text *text, const bt_field *field, int depth)
{
	const bt_field_class *class = bt_field_borrow_class_const(field);
	uint64_t count = bt_field_class_structure_get_member_count(class);

	mm_field_append(text, "{");
	for (uint64_t i = 0; i < count; i++) {
		const char *name = bt_field_class_structure_member_get_name(
			bt_field_class_structure_borrow_member_by_index_const(class, i));

		mm_field_append(text, "%s", i ? ", " : " ");
		mm_field_append_escaped(text, name, strlen(name));
		mm_field_append(text, " = ");
		append_field(text, bt_field_structure_borrow_member_field_by_index_const(field, i),
			     depth + 1);
	}
	mm_field_append(text, " }");
}

static void append_array(struct mm_field_text *text, const bt_field *field, int depth)
{
	uint64_t count = bt_field_array_get_length(field);

	mm_field_append(text, "[");
	for (uint64_t i = 0; i < count && !mm_field_text_is_full(text); i++) {
		mm_field_append(text, "%s", i ? ", " : " ");
		append_field(text, bt_field_array_borrow_element_field_by_index_const(field, i),
			     depth + 1);
	}
	mm_field_append(text, " ]");
}

static void append_field(struct mm_field_text *text, const bt_field *field, int depth)
{
	bt_field_class_type type = bt_field_get_class_type(field);
	struct mm_value value;

	mm_bt2_value(field, &value);
	if (depth > NESTING_MAX) {
		mm_field_append(text, "...");
	} else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_ENUMERATION)) {
		append_enumeration(text, field, &value);
#ifdef LTTNG_MM_BABELTRACE_2_1
	} else if (type == BT_FIELD_CLASS_TYPE_BIT_ARRAY) {
		append_bits(text, field, &value);
	} else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_BLOB)) {
		append_blob(text, field);
#endif
	} else if (value.kind == MM_KIND_UNSIGNED || value.kind == MM_KIND_SIGNED) {
		mm_field_append_integer(text, &value);
	} else if (value.kind == MM_KIND_REAL) {
		mm_field_append(text, "%g", value.r);
	} else if (value.kind == MM_KIND_STRING) {
		mm_field_append(text, "%s", depth ? "\"" : "");
		mm_field_append_escaped(text, value.s, strlen(value.s));
		mm_field_append(text, "%s", depth ? "\"" : "");
	} else if (type == BT_FIELD_CLASS_TYPE_STRUCTURE) {
		append_structure(text, field, depth);
	} else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_ARRAY)) {
		append_array(text, field, depth);
	} else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_OPTION)) {
		field = bt_field_option_borrow_field_const(field);
		if (field)
			append_field(text, field, depth + 1);
		else
			mm_field_append(text, "none");
	} else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_VARIANT)) {
		append_field(text, bt_field_variant_borrow_selected_option_field_const(field),
			     depth + 1);
	} else {
		mm_field_append(text, "?");
	}
}

void mm_bt2_text(const bt_field *field, char *dst, size_t size)
{
	struct mm_field_text text = { dst, size, 0 };

	if (!size)
		return;
	dst[0] = '\0';
	append_field(&text, field, 0);
}
