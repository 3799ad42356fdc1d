// SPDX-License-Identifier: LGPL-2.1-only
/* Finds the requested fields in libbabeltrace2's event classes and reads them from events. */
#include "reader/bt2/layout.h"

#include <stdlib.h>
#include <string.h>

#include "reader/bt2/text.h"

static const enum mm_kind kinds_of_reads[] = {
	[MM_BT2_READ_NOTHING] = MM_KIND_COMPOUND, [MM_BT2_READ_UNSIGNED] = MM_KIND_UNSIGNED,
	[MM_BT2_READ_SIGNED] = MM_KIND_SIGNED,	  [MM_BT2_READ_BOOL] = MM_KIND_UNSIGNED,
	[MM_BT2_READ_BITS] = MM_KIND_UNSIGNED,	  [MM_BT2_READ_DOUBLE] = MM_KIND_REAL,
	[MM_BT2_READ_SINGLE] = MM_KIND_REAL,	  [MM_BT2_READ_STRING] = MM_KIND_STRING,
	[MM_BT2_READ_ARRAY] = MM_KIND_ARRAY,
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

static bool is_array(const bt_field_class *class)
{
	return bt_field_class_type_is(bt_field_class_get_type(class), BT_FIELD_CLASS_TYPE_ARRAY);
}

static bool is_structure(const bt_field_class *class)
{
	return bt_field_class_get_type(class) == BT_FIELD_CLASS_TYPE_STRUCTURE;
}

static const bt_field_class *member_class(const bt_field_class *structure, uint64_t index)
{
	return bt_field_class_structure_member_borrow_field_class_const(
		bt_field_class_structure_borrow_member_by_index_const(structure, index));
}

/*
 * Follows the path from @class, and stores the path as indexes in @slot. Returns the class at the
 * path's end, or NULL.
 */
static const bt_field_class *follow(struct mm_bt2_slot *slot, const bt_field_class *class,
				    const struct mm_path_step *steps, unsigned int count)
{
	for (; class && count; count--, steps++) {
		uint64_t index = steps->index;

		if (!steps->member && is_array(class))
			class = bt_field_class_array_borrow_element_field_class_const(class);
		else if (steps->member && is_structure(class) &&
			 mm_bt2_member_find(class, steps->member, &index))
			class = member_class(class, index);
		else
			class = NULL;
		slot->path[slot->path_count++] = index;
	}
	return class;
}

static void find_read(struct mm_bt2_slot *slot, const bt_field_class *class, unsigned int flags)
{
	slot->class = class;
	slot->read = read_of(class);
	/* Elements are read only if the request has the flag MM_FIELD_ARRAY. */
	if (!is_array(class) || !(flags & MM_FIELD_ARRAY))
		return;
	class = bt_field_class_array_borrow_element_field_class_const(class);
	slot->element = read_of(class);
	if (slot->element == MM_BT2_READ_NOTHING)
		return;
	slot->class = class;
	slot->read = MM_BT2_READ_ARRAY;
}

/*
 * Finds the member for a requested field. A context field is looked up in the event's specific
 * context first, then in the common context.
 */
static int place_field(struct mm_bt2_layout *layout, unsigned int number,
		       const struct mm_requested_field *requested)
{
	const bt_event_class *class = layout->type.native;
	enum mm_bt2_place place = requested->context ? MM_BT2_SPECIFIC_CONTEXT : MM_BT2_PAYLOAD;
	enum mm_bt2_place end = requested->context ? MM_BT2_PLACES : MM_BT2_SPECIFIC_CONTEXT;
	struct mm_bt2_slot *slot = &layout->slots[number];
	const bt_field_class *found = NULL;
	const struct mm_path_step whole = { .member = requested->name };

	slot->path = calloc(requested->step_count, sizeof(*slot->path));
	if (!slot->path)
		return -1;
	/* First search for a member whose name is the whole path, then follow the path. */
	for (int way = 0; way < 2 && !found; way++)
		for (enum mm_bt2_place in = place; in < end && !found; in++) {
			const bt_field_class *structure = borrow_structure_class(class, in);
			const struct mm_path_step *first = way ? requested->steps : &whole;
			uint64_t index;

			slot->path_count = 0;
			if (!mm_bt2_member_find(structure, first->member, &index))
				continue;
			found = follow(slot, structure, first, way ? requested->step_count : 1);
			slot->place = in;
			/*
			 * A member of the specific context hides a member of the common context
			 * with this name, even if the path leads nowhere.
			 */
			if (!found)
				break;
		}
	if (!found)
		return 0;
	find_read(slot, found, requested->flags);
	layout->kinds[number] = kinds_of_reads[slot->read];
	if (slot->read == MM_BT2_READ_ARRAY)
		layout->kinds[layout->type.field_count + number] = kinds_of_reads[slot->element];
	if (slot->read != MM_BT2_READ_NOTHING)
		layout->uses[slot->place] = true;
	return 0;
}

static unsigned int count_rest(const struct mm_event_type *type, const struct mm_request *request)
{
	unsigned int count = 0, most = MM_REQUEST_FIELDS_MAX - request->field_count;
	const char *name;

	for (size_t i = 0; request->rest && (name = mm_bt2_member_at(type, i)); i++)
		count += mm_request_is_rest(request, name) && count < most;
	return count;
}

static int place_rest(struct mm_bt2_layout *layout, const struct mm_request *request)
{
	unsigned int slot = request->field_count;

	for (size_t i = 0; slot < layout->type.field_count; i++) {
		const char *name = mm_bt2_member_at(&layout->type, i);
		struct mm_path_step step = { .member = name };
		struct mm_requested_field field = {
			.name = name, .steps = &step, .step_count = 1, .flags = request->rest_flags
		};

		if (mm_request_is_rest(request, name) && place_field(layout, slot++, &field))
			return -1;
	}
	return 0;
}

static int place_fields(struct mm_bt2_layout *layout, const struct mm_request *request)
{
	unsigned int count = request->field_count + count_rest(&layout->type, request);

	layout->kinds = calloc(2 * (size_t)count + 1, sizeof(*layout->kinds));
	layout->slots = calloc((size_t)count + 1, sizeof(*layout->slots));
	if (!layout->kinds || !layout->slots)
		return -1;
	layout->type.field_count = count;
	layout->type.kinds = layout->kinds;
	layout->type.element_kinds = layout->kinds + count;
	for (unsigned int i = 0; i < request->field_count; i++)
		if (place_field(layout, i, &request->fields[i]))
			return -1;
	return place_rest(layout, request);
}

struct mm_bt2_layout *mm_bt2_layout_create(const bt_event_class *class,
					   const struct mm_requests *requests)
{
	struct mm_bt2_layout *layout = calloc(1, sizeof(*layout));
	const char *name = bt_event_class_get_name(class);

	if (!layout)
		return NULL;
	bt_event_class_get_ref(class);
	layout->type.native = class;
	layout->type.name = name ? name : "";
	layout->type.request = mm_requests_find(requests, layout->type.name);
	if (layout->type.request >= 0 &&
	    place_fields(layout, &requests->all[layout->type.request])) {
		mm_bt2_layout_destroy(layout);
		return NULL;
	}
	return layout;
}

void mm_bt2_layout_destroy(struct mm_bt2_layout *layout)
{
	if (!layout)
		return;
	for (unsigned int i = 0; i < layout->type.field_count && layout->slots; i++) {
		free(layout->slots[i].path);
		free(layout->slots[i].values);
	}
	bt_event_class_put_ref(layout->type.native);
	free(layout->slots);
	free(layout->kinds);
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

/*
 * Follows the slot's path. Returns the field at the path's end, or NULL if the event lacks an array
 * element on the path.
 */
static const bt_field *find_field(const struct mm_bt2_slot *slot, const bt_field *field)
{
	for (unsigned int i = 0; i < slot->path_count; i++) {
		uint64_t index = slot->path[i];

		if (bt_field_get_class_type(field) == BT_FIELD_CLASS_TYPE_STRUCTURE)
			field = bt_field_structure_borrow_member_field_by_index_const(field, index);
		else if (index < bt_field_array_get_length(field))
			field = bt_field_array_borrow_element_field_by_index_const(field, index);
		else
			return NULL;
	}
	return field;
}

static int read_array(struct mm_bt2_slot *slot, const bt_field *field)
{
	uint64_t length = field ? bt_field_array_get_length(field) : 0;
	uint64_t count = length < MM_SPAN_MAX ? length : MM_SPAN_MAX;

	if (count > slot->room) {
		union mm_scalar *grown = reallocarray(slot->values, count, sizeof(*grown));

		if (!grown)
			return -1;
		slot->values = grown;
		slot->room = count;
	}
	for (uint64_t i = 0; i < count; i++)
		read_field(slot->element,
			   bt_field_array_borrow_element_field_by_index_const(field, i),
			   &slot->values[i]);
	slot->span = (struct mm_span){ slot->values, count, length, kinds_of_reads[slot->element] };
	return 0;
}

static int read_inner(struct mm_bt2_slot *slot, const bt_field *structure, union mm_scalar *value)
{
	const bt_field *field = find_field(slot, structure);

	if (slot->read == MM_BT2_READ_ARRAY) {
		value->span = &slot->span;
		return read_array(slot, field);
	}
	if (field)
		read_field(slot->read, field, value);
	else if (slot->read == MM_BT2_READ_STRING)
		value->s = "";
	return 0;
}

int mm_bt2_layout_read(struct mm_bt2_layout *layout, const bt_event *event, union mm_scalar *fields)
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
		struct mm_bt2_slot *slot = &layout->slots[i];

		fields[i].u = 0;
		if (slot->read == MM_BT2_READ_NOTHING)
			continue;
		if (slot->path_count == 1 && slot->read != MM_BT2_READ_ARRAY)
			read_field(slot->read,
				   bt_field_structure_borrow_member_field_by_index_const(
					   structures[slot->place], slot->path[0]),
				   &fields[i]);
		else if (read_inner(slot, structures[slot->place], &fields[i]))
			return -1;
	}
	return 0;
}

const char *mm_bt2_member_at(const struct mm_event_type *type, size_t index)
{
	const bt_field_class *payload =
		bt_event_class_borrow_payload_field_class_const(type->native);

	if (!payload || index >= bt_field_class_structure_get_member_count(payload))
		return NULL;
	return bt_field_class_structure_member_get_name(
		bt_field_class_structure_borrow_member_by_index_const(payload, index));
}

/* Each gets one range and its label. @index counts the ranges of all labels together. */
static int label_unsigned(const bt_field_class *class, uint64_t index, struct mm_enum_label *label)
{
	for (uint64_t i = 0; i < bt_field_class_enumeration_get_mapping_count(class); i++) {
		const bt_field_class_enumeration_unsigned_mapping *mapping =
			bt_field_class_enumeration_unsigned_borrow_mapping_by_index_const(class, i);
		const bt_integer_range_set_unsigned *ranges =
			bt_field_class_enumeration_unsigned_mapping_borrow_ranges_const(mapping);
		uint64_t count = bt_integer_range_set_get_range_count(
			bt_integer_range_set_unsigned_as_range_set_const(ranges));

		if (index < count) {
			const bt_integer_range_unsigned *range =
				bt_integer_range_set_unsigned_borrow_range_by_index_const(ranges,
											  index);

			label->name = bt_field_class_enumeration_mapping_get_label(
				bt_field_class_enumeration_unsigned_mapping_as_mapping_const(
					mapping));
			label->lower.u = bt_integer_range_unsigned_get_lower(range);
			label->upper.u = bt_integer_range_unsigned_get_upper(range);
			return 0;
		}
		index -= count;
	}
	return -1;
}

static int label_signed(const bt_field_class *class, uint64_t index, struct mm_enum_label *label)
{
	label->is_signed = true;
	for (uint64_t i = 0; i < bt_field_class_enumeration_get_mapping_count(class); i++) {
		const bt_field_class_enumeration_signed_mapping *mapping =
			bt_field_class_enumeration_signed_borrow_mapping_by_index_const(class, i);
		const bt_integer_range_set_signed *ranges =
			bt_field_class_enumeration_signed_mapping_borrow_ranges_const(mapping);
		uint64_t count = bt_integer_range_set_get_range_count(
			bt_integer_range_set_signed_as_range_set_const(ranges));

		if (index < count) {
			const bt_integer_range_signed *range =
				bt_integer_range_set_signed_borrow_range_by_index_const(ranges,
											index);

			label->name = bt_field_class_enumeration_mapping_get_label(
				bt_field_class_enumeration_signed_mapping_as_mapping_const(
					mapping));
			label->lower.i = bt_integer_range_signed_get_lower(range);
			label->upper.i = bt_integer_range_signed_get_upper(range);
			return 0;
		}
		index -= count;
	}
	return -1;
}

int mm_bt2_label_at(const struct mm_event_type *type, unsigned int field, size_t index,
		    struct mm_enum_label *label)
{
	/* @type is the first member of struct mm_bt2_layout. */
	const struct mm_bt2_layout *layout = (const struct mm_bt2_layout *)type;
	const bt_field_class *class = field < type->field_count ? layout->slots[field].class : NULL;

	if (!class)
		return -1;
	*label = (struct mm_enum_label){ .name = NULL };
	switch (bt_field_class_get_type(class)) {
	case BT_FIELD_CLASS_TYPE_UNSIGNED_ENUMERATION:
		return label_unsigned(class, index, label);
	case BT_FIELD_CLASS_TYPE_SIGNED_ENUMERATION:
		return label_signed(class, index, label);
	default:
		return -1;
	}
}
