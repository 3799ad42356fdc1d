// SPDX-License-Identifier: LGPL-2.1-only
/* Finds wanted fields in libbabeltrace2's event classes and reads them from events. */
#include "analysis/bt2/layout.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/bt2/text.h"

static const enum mm_kind kinds_of_reads[] = {
	[MM_BT2_READ_NOTHING] = MM_KIND_COMPOUND, [MM_BT2_READ_UNSIGNED] = MM_KIND_UNSIGNED,
	[MM_BT2_READ_SIGNED] = MM_KIND_SIGNED,	  [MM_BT2_READ_BOOL] = MM_KIND_UNSIGNED,
	[MM_BT2_READ_BITS] = MM_KIND_UNSIGNED,	  [MM_BT2_READ_DOUBLE] = MM_KIND_REAL,
	[MM_BT2_READ_SINGLE] = MM_KIND_REAL,	  [MM_BT2_READ_STRING] = MM_KIND_STRING,
};

bool mm_bt2_member_find(const bt_field_class *structure, const char *name, uint64_t *index)
{
	uint64_t count = structure ? bt_field_class_structure_get_member_count(structure) : 0;

	for (uint64_t i = 0; i < count; i++) {
		if (!strcmp(name, bt_field_class_structure_member_get_name(
					  bt_field_class_structure_borrow_member_by_index_const(
						  structure, i)))) {
			*index = i;
			return true;
		}
	}
	return false;
}

static enum mm_bt2_read read_of(const bt_field_class *class)
{
	bt_field_class_type type = bt_field_class_get_type(class);

	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER))
		return MM_BT2_READ_UNSIGNED;
	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER))
		return MM_BT2_READ_SIGNED;
	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_STRING))
		return MM_BT2_READ_STRING;
	switch (type) {
	case BT_FIELD_CLASS_TYPE_BOOL:
		return MM_BT2_READ_BOOL;
	case BT_FIELD_CLASS_TYPE_BIT_ARRAY:
		return MM_BT2_READ_BITS;
	case BT_FIELD_CLASS_TYPE_DOUBLE_PRECISION_REAL:
		return MM_BT2_READ_DOUBLE;
	case BT_FIELD_CLASS_TYPE_SINGLE_PRECISION_REAL:
		return MM_BT2_READ_SINGLE;
	default:
		return MM_BT2_READ_NOTHING;
	}
}

static const bt_field_class *borrow_structure_class(const bt_event_class *class,
						    enum mm_bt2_place place)
{
	switch (place) {
	case MM_BT2_PAYLOAD:
		return bt_event_class_borrow_payload_field_class_const(class);
	case MM_BT2_SPECIFIC_CONTEXT:
		return bt_event_class_borrow_specific_context_field_class_const(class);
	default:
		return bt_stream_class_borrow_event_common_context_field_class_const(
			bt_event_class_borrow_stream_class_const(class));
	}
}

/* A context field is the event class's own, or else its stream class's. */
static void place_field(struct mm_bt2_layout *layout, unsigned int slot_index, const char *name)
{
	static const char context[] = "$ctx.";
	const bt_event_class *class = layout->type.native;
	bool is_context = !strncmp(name, context, sizeof(context) - 1);
	enum mm_bt2_place place = is_context ? MM_BT2_SPECIFIC_CONTEXT : MM_BT2_PAYLOAD;
	enum mm_bt2_place end = is_context ? MM_BT2_PLACES : MM_BT2_SPECIFIC_CONTEXT;
	struct mm_bt2_slot *slot = &layout->slots[slot_index];

	if (is_context)
		name += sizeof(context) - 1;
	for (; place < end; place++) {
		const bt_field_class *structure = borrow_structure_class(class, place);

		if (!mm_bt2_member_find(structure, name, &slot->index))
			continue;
		slot->place = place;
		slot->read = read_of(bt_field_class_structure_member_borrow_field_class_const(
			bt_field_class_structure_borrow_member_by_index_const(structure,
									      slot->index)));
		layout->kinds[slot_index] = kinds_of_reads[slot->read];
		if (slot->read != MM_BT2_READ_NOTHING)
			layout->uses[place] = true;
		return;
	}
}

struct mm_bt2_layout *mm_bt2_layout_create(const bt_event_class *class, const struct mm_want *wants)
{
	struct mm_bt2_layout *layout = calloc(1, sizeof(*layout));
	const char *name = bt_event_class_get_name(class);

	if (!layout)
		return NULL;
	bt_event_class_get_ref(class);
	layout->type.native = class;
	layout->type.name = name ? name : "";
	layout->type.kinds = layout->kinds;
	layout->type.want = mm_want_find(wants, layout->type.name);
	if (layout->type.want >= 0 && wants[layout->type.want].fields) {
		const char *const *field = wants[layout->type.want].fields;

		while (*field && layout->type.field_count < MM_WANT_FIELDS_MAX)
			place_field(layout, layout->type.field_count++, *field++);
	}
	return layout;
}

void mm_bt2_layout_destroy(struct mm_bt2_layout *layout)
{
	if (!layout)
		return;
	bt_event_class_put_ref(layout->type.native);
	free(layout);
}

static void read_field(enum mm_bt2_read read, const bt_field *field, union mm_scalar *value)
{
	switch (read) {
	case MM_BT2_READ_UNSIGNED:
		value->u = bt_field_integer_unsigned_get_value(field);
		return;
	case MM_BT2_READ_SIGNED:
		value->i = bt_field_integer_signed_get_value(field);
		return;
	case MM_BT2_READ_BOOL:
		value->u = bt_field_bool_get_value(field);
		return;
	case MM_BT2_READ_BITS:
		value->u = bt_field_bit_array_get_value_as_integer(field);
		return;
	case MM_BT2_READ_DOUBLE:
		value->r = bt_field_real_double_precision_get_value(field);
		return;
	case MM_BT2_READ_SINGLE:
		value->r = bt_field_real_single_precision_get_value(field);
		return;
	case MM_BT2_READ_STRING:
		value->s = mm_bt2_string(field);
		return;
	default:
		return;
	}
}

void mm_bt2_layout_read(const struct mm_bt2_layout *layout, const bt_event *event,
			union mm_scalar *fields)
{
	const bt_field *structures[MM_BT2_PLACES];

	if (layout->uses[MM_BT2_PAYLOAD])
		structures[MM_BT2_PAYLOAD] = bt_event_borrow_payload_field_const(event);
	if (layout->uses[MM_BT2_SPECIFIC_CONTEXT])
		structures[MM_BT2_SPECIFIC_CONTEXT] =
			bt_event_borrow_specific_context_field_const(event);
	if (layout->uses[MM_BT2_COMMON_CONTEXT])
		structures[MM_BT2_COMMON_CONTEXT] =
			bt_event_borrow_common_context_field_const(event);
	for (unsigned int i = 0; i < layout->type.field_count; i++) {
		const struct mm_bt2_slot *slot = &layout->slots[i];

		fields[i].u = 0;
		if (slot->read == MM_BT2_READ_NOTHING)
			continue;
		read_field(slot->read,
			   bt_field_structure_borrow_member_field_by_index_const(
				   structures[slot->place], slot->index),
			   &fields[i]);
	}
}
