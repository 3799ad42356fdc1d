// SPDX-License-Identifier: LGPL-2.1-only
// Assigns slots to lengths and selectors: dependent fields find the values in these slots.

#include <stdlib.h>

#include "reader/ctf/model/finish.h"

static int32_t root_of(struct ctf_finish *f, int32_t slot)
{
	while (f->parent[slot] != slot) {
		f->parent[slot] = f->parent[f->parent[slot]];
		slot = f->parent[slot];
	}
	return slot;
}

static int make_slot(struct ctf_finish *f, struct ctf_field *target)
{
	int32_t *parent;

	if (target->keep_slot >= 0)
		return 0;
	if (f->slot_count >= INT32_MAX / 2)
		return ctf_finish_fail(f, "more than %d lengths and selectors", INT32_MAX / 2);
	if (!(f->slot_count & (f->slot_count - 1))) {
		parent = reallocarray(f->parent, f->slot_count ? f->slot_count * 2 : 1,
				      sizeof(*parent));
		if (!parent)
			return ctf_finish_no_memory(f);
		f->parent = parent;
	}
	target->keep_slot = f->slot_count;
	f->parent[f->slot_count] = f->slot_count;
	f->slot_count++;
	return 0;
}

static int join_slots(struct ctf_finish *f, struct ctf_field *dependent)
{
	size_t i;

	for (i = 0; i < dependent->ref_count; i++) {
		if (make_slot(f, dependent->refs[i]))
			return -1;
		f->parent[root_of(f, dependent->refs[i]->keep_slot)] =
			root_of(f, dependent->refs[0]->keep_slot);
	}
	dependent->ref_slot = dependent->refs[0]->keep_slot;
	return 0;
}

static int finish_dependent(struct ctf_finish *f, struct ctf_field *field)
{
	const char *what = ctf_has_length_ref(field) ? "length" : "selector";
	const struct ctf_field *target;
	bool flag = false, number = false, minus = false;
	size_t i;

	if (!field->ref_count)
		return ctf_finish_fail(f, "no field with its %s", what);
	for (i = 0; i < field->ref_count; i++) {
		target = field->refs[i];
		flag = flag || target->kind == CTF_BOOL;
		number = number || ctf_is_unsigned(target);
		minus = minus || ctf_is_signed(target);
		if (!(ctf_is_unsigned(target) ||
		      (ctf_has_selector(field) && ctf_is_signed(target)) ||
		      (field->kind == CTF_OPTION && target->kind == CTF_BOOL)))
			return ctf_finish_fail(f, "its %s is of an unsuitable field class", what);
	}
	if (flag + number + minus != 1)
		return ctf_finish_fail(f, "its %s has several incompatible field classes", what);
	field->ref_signed = minus;
	if (field->kind == CTF_OPTION && flag != !field->range_count)
		return ctf_finish_fail(f, flag ? "a Boolean selector needs no ranges"
					       : "an integer selector needs ranges");
	if (!ctf_ranges_ordered(field->ranges, field->range_count, minus))
		return ctf_finish_fail(f, "a selector range ends before it starts");
	for (i = 0; i < field->member_count; i++)
		if (!ctf_ranges_ordered(field->members[i].ranges, field->members[i].range_count,
					minus))
			return ctf_finish_fail(f, "a selector range ends before it starts");
	return ctf_finish_choices(f, field) ? -1 : join_slots(f, field);
}

int ctf_finish_refs(struct ctf_finish *f, struct ctf_field *field)
{
	const char *member = f->member;
	size_t i;

	if ((ctf_has_length_ref(field) || ctf_has_selector(field)) && finish_dependent(f, field))
		return -1;
	for (i = 0; i < ctf_child_count(field); i++) {
		if (i < field->member_count && field->members[i].name)
			f->member = field->members[i].name;
		if (ctf_finish_refs(f, ctf_child(field, i)))
			return -1;
		f->member = member;
	}
	return 0;
}

static int32_t final_slot(struct ctf_finish *f, int32_t slot)
{
	int32_t root = root_of(f, slot);

	if (f->number[root] < 0)
		f->number[root] = f->next++;
	return f->number[root];
}

int ctf_finish_slots(struct ctf_finish *f, struct ctf_field *field)
{
	size_t i;

	if (field->keep_slot >= 0)
		field->keep_slot = final_slot(f, field->keep_slot);
	if (field->ref_slot >= 0)
		field->ref_slot = final_slot(f, field->ref_slot);
	field->keeps = field->keep_slot >= 0;
	for (i = 0; i < ctf_child_count(field); i++) {
		ctf_finish_slots(f, ctf_child(field, i));
		field->keeps = field->keeps || ctf_child(field, i)->keeps;
	}
	return 0;
}
