// SPDX-License-Identifier: LGPL-2.1-only
// Checks field classes and sets their alignments and fixed sizes.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reader/ctf/model/finish.h"

#define ALIGN_MAX (UINT32_C(1) << 30)
/* Limit on the fields of size 0 in an array, including nested fields. */
#define EMPTY_MAX (UINT64_C(1) << 16)

static const uint32_t scope_roles[] = {
	[CTF_SCOPE_HEADER] =
		CTF_ROLE_MAGIC | CTF_ROLE_UUID | CTF_ROLE_STREAM_CLASS_ID | CTF_ROLE_STREAM_ID,
	[CTF_SCOPE_PACKET_CONTEXT] = CTF_ROLE_PACKET_SIZE | CTF_ROLE_CONTENT_SIZE | CTF_ROLE_TIME |
				     CTF_ROLE_PACKET_END_TIME | CTF_ROLE_DISCARDED |
				     CTF_ROLE_PACKET_SEQ | CTF_ROLE_CPU_ID,
	[CTF_SCOPE_EVENT_HEADER] = CTF_ROLE_EVENT_CLASS_ID | CTF_ROLE_TIME,
	[CTF_SCOPE_OTHER] = 0,
};

struct indexed_label {
	const char *s;
	size_t index;
};

static int compare_labels(const void *a, const void *b)
{
	const struct indexed_label *x = a, *y = b;
	int order = strcmp(x->s, y->s);

	return order ? order : (x->index > y->index) - (x->index < y->index);
}

static int move_ranges(struct ctf_mapping *to, struct ctf_mapping *from)
{
	struct ctf_range *ranges = to->ranges;

	if (from->range_count)
		ranges = reallocarray(ranges, to->range_count + from->range_count, sizeof(*ranges));
	if (from->range_count && !ranges)
		return -1;
	if (from->range_count)
		memcpy(ranges + to->range_count, from->ranges, from->range_count * sizeof(*ranges));
	to->ranges = ranges;
	to->range_count += from->range_count;
	free(from->ranges);
	free(from->label);
	*from = (struct ctf_mapping){ 0 };
	return 0;
}

static int join_labels(struct ctf_finish *f, struct ctf_field *field)
{
	struct indexed_label *labels = calloc(field->mapping_count, sizeof(*labels));
	size_t i, kept = 0, first = 0;

	if (!labels)
		return ctf_finish_no_memory(f);
	for (i = 0; i < field->mapping_count; i++)
		labels[i] = (struct indexed_label){ field->mappings[i].label, i };
	qsort(labels, field->mapping_count, sizeof(*labels), compare_labels);
	for (i = 1; i < field->mapping_count; i++) {
		if (strcmp(labels[i].s, labels[first].s)) {
			first = i;
		} else if (move_ranges(&field->mappings[labels[first].index],
				       &field->mappings[labels[i].index])) {
			free(labels);
			return ctf_finish_no_memory(f);
		}
	}
	free(labels);
	for (i = 0; i < field->mapping_count; i++)
		if (field->mappings[i].label)
			field->mappings[kept++] = field->mappings[i];
	field->mapping_count = kept;
	return 0;
}

/* Does each label stand for 0 or a single bit, and does at least one label stand for a bit? */
static bool are_flags(const struct ctf_field *field)
{
	bool any = false;

	for (size_t i = 0; i < field->mapping_count; i++)
		for (size_t j = 0; j < field->mappings[i].range_count; j++) {
			const struct ctf_range *range = &field->mappings[i].ranges[j];
			uint64_t value = range->lower.u;

			if (value != range->upper.u || value & (value - 1))
				return false;
			any |= value != 0;
		}
	return any;
}

static int finish_mappings(struct ctf_finish *f, struct ctf_field *field)
{
	size_t i;

	if (!field->mapping_count)
		return 0;
	for (i = 0; i < field->mapping_count; i++)
		if (!ctf_ranges_ordered(field->mappings[i].ranges, field->mappings[i].range_count,
					ctf_is_signed(field)))
			return ctf_finish_fail(f, "the range of `%.60s` ends before it starts",
					       field->mappings[i].label);
	field->is_flags = field->is_enum && are_flags(field);
	return join_labels(f, field) ? -1 : ctf_finish_labels(f, field);
}

static bool round_up(uint64_t *value, uint64_t align)
{
	if (__builtin_add_overflow(*value, align - 1, value))
		return false;
	*value &= ~(align - 1);
	return true;
}

static void set_fixed_struct(struct ctf_field *field)
{
	uint64_t bits = 0;
	size_t i;

	for (i = 0; i < field->member_count; i++) {
		const struct ctf_field *member = field->members[i].field;

		if (!member->fixed || !round_up(&bits, member->align) ||
		    __builtin_add_overflow(bits, member->fixed_bits, &bits))
			return;
	}
	field->fixed = true;
	field->fixed_bits = bits;
}

/*
 * Counts @field, whose size is 0, and the fields in it. A limit on this number limits the time that
 * hostile metadata can cost.
 */
static uint64_t count_empty(const struct ctf_field *field)
{
	uint64_t count = 0, times;
	size_t i;

	for (i = 0; i < ctf_child_count(field) && count <= EMPTY_MAX; i++) {
		times = field->kind == CTF_STATIC_ARRAY ? field->length : 1;
		if (__builtin_mul_overflow(count_empty(ctf_child(field, i)), times, &times) ||
		    times > EMPTY_MAX)
			times = EMPTY_MAX;
		count += times;
	}
	return count + 1;
}

static int check_empty(struct ctf_finish *f, const struct ctf_field *array)
{
	const struct ctf_field *element = array->element;
	uint64_t times = array->kind == CTF_STATIC_ARRAY ? array->length : EMPTY_MAX / 16;

	if (element->fixed && !element->fixed_bits && times &&
	    count_empty(element) > EMPTY_MAX / times)
		return ctf_finish_fail(f, "an array with too many elements of size 0");
	return 0;
}

static int set_fixed_array(struct ctf_finish *f, struct ctf_field *field)
{
	uint64_t bits = field->element->fixed_bits, stride = bits;

	if (check_empty(f, field))
		return -1;
	if (!field->element->fixed)
		return 0;
	/*
	 * If the size overflows, no packet can hold the field. Reading a packet reports the error.
	 */
	if (!field->length)
		bits = 0;
	else if (!round_up(&stride, field->element->align) ||
		 __builtin_mul_overflow(stride, field->length - 1, &stride) ||
		 __builtin_add_overflow(bits, stride, &bits))
		return 0;
	field->fixed = true;
	field->fixed_bits = bits;
	return 0;
}

static int set_fixed(struct ctf_finish *f, struct ctf_field *field)
{
	switch (field->kind) {
	case CTF_UNSIGNED:
	case CTF_SIGNED:
	case CTF_BOOL:
	case CTF_BITMAP:
	case CTF_FLOAT:
		field->fixed = true;
		field->fixed_bits = field->size;
		return 0;
	case CTF_STATIC_STRING:
	case CTF_STATIC_BLOB:
		field->fixed = !__builtin_mul_overflow(field->length, 8, &field->fixed_bits);
		return 0;
	case CTF_STATIC_ARRAY:
		return set_fixed_array(f, field);
	case CTF_DYNAMIC_ARRAY:
		return check_empty(f, field);
	case CTF_STRUCT:
		set_fixed_struct(field);
		return 0;
	default:
		return 0;
	}
}

static uint64_t add_min(uint64_t a, uint64_t b)
{
	return __builtin_add_overflow(a, b, &a) ? UINT64_MAX : a;
}

/* Returns the size of a variant's smallest option, or the sum of a structure's members. */
static uint64_t min_of_members(const struct ctf_field *field)
{
	uint64_t bits = field->kind == CTF_VARIANT ? UINT64_MAX : 0, member;
	size_t i;

	for (i = 0; i < field->member_count; i++) {
		member = field->members[i].field->min_bits;
		if (field->kind == CTF_STRUCT)
			bits = add_min(bits, member);
		else if (member < bits)
			bits = member;
	}
	return bits;
}

static void set_min(struct ctf_field *field)
{
	switch (field->kind) {
	case CTF_LEB_UNSIGNED:
	case CTF_LEB_SIGNED:
	case CTF_STRING:
		field->min_bits = 8;
		break;
	case CTF_STATIC_ARRAY:
		if (__builtin_mul_overflow(field->element->min_bits, field->length,
					   &field->min_bits))
			field->min_bits = UINT64_MAX;
		break;
	case CTF_STRUCT:
	case CTF_VARIANT:
		field->min_bits = min_of_members(field);
		break;
	default:
		break;
	}
	if (field->fixed)
		field->min_bits = field->fixed_bits;
}

bool ctf_kind_is_bytes(enum ctf_kind kind)
{
	switch (kind) {
	case CTF_LEB_UNSIGNED:
	case CTF_LEB_SIGNED:
	case CTF_STRING:
	case CTF_STATIC_STRING:
	case CTF_DYNAMIC_STRING:
	case CTF_STATIC_BLOB:
	case CTF_DYNAMIC_BLOB:
		return true;
	default:
		return false;
	}
}

static void set_align(struct ctf_field *field)
{
	size_t i;

	if (ctf_kind_is_bytes(field->kind) && field->align < 8)
		field->align = 8;
	switch (field->kind) {
	case CTF_VARIANT:
	case CTF_OPTION:
		field->align = 1;
		break;
	case CTF_STRUCT:
	case CTF_STATIC_ARRAY:
	case CTF_DYNAMIC_ARRAY:
		for (i = 0; i < ctf_child_count(field); i++)
			if (ctf_child(field, i)->align > field->align)
				field->align = ctf_child(field, i)->align;
		break;
	default:
		break;
	}
}

static int check_size(struct ctf_finish *f, const struct ctf_field *field)
{
	switch (field->kind) {
	case CTF_UNSIGNED:
	case CTF_SIGNED:
	case CTF_BOOL:
	case CTF_BITMAP:
		if (!field->size || field->size > 64)
			return ctf_finish_fail(f, "%" PRIu32 " bits; only 1 to 64 can be read",
					       field->size);
		return 0;
	case CTF_FLOAT:
		if (field->size != 16 && field->size != 32 && field->size != 64)
			return ctf_finish_fail(f,
					       "a floating-point number of %" PRIu32
					       " bits; only 16, 32 and 64 can be read",
					       field->size);
		return 0;
	default:
		return 0;
	}
}

static int check_children(struct ctf_finish *f, const struct ctf_field *field)
{
	bool takes_members = field->kind == CTF_STRUCT || field->kind == CTF_VARIANT;
	bool takes_element = field->kind == CTF_STATIC_ARRAY || field->kind == CTF_DYNAMIC_ARRAY ||
			     field->kind == CTF_OPTION;
	size_t i;

	if ((field->member_count && !takes_members) || takes_element != (field->element != NULL))
		return ctf_finish_fail(f, "a field class without its members or element");
	if (field->kind == CTF_VARIANT && !field->member_count)
		return ctf_finish_fail(f, "a variant without options");
	for (i = 0; i < field->member_count; i++) {
		if (!field->members[i].field)
			return ctf_finish_fail(f, "a member without a class");
		if (field->kind == CTF_STRUCT && !field->members[i].name)
			return ctf_finish_fail(f, "a member without a name");
	}
	return 0;
}

static int check_roles(struct ctf_finish *f, struct ctf_field *field)
{
	/* Ignore roles that are not valid in this scope, and timestamps if there is no clock. */
	field->roles &= scope_roles[f->scope];
	if (f->stream && !f->stream->clock)
		field->roles &= ~(CTF_ROLE_TIME | CTF_ROLE_PACKET_END_TIME);
	if (field->roles & CTF_ROLE_UUID && (field->kind != CTF_STATIC_BLOB || field->length != 16))
		return ctf_finish_fail(f, "a UUID must be 16 bytes");
	if (field->roles & ~CTF_ROLE_UUID && !ctf_is_unsigned(field))
		return ctf_finish_fail(f, "its role requires an unsigned integer");
	if (field->roles & CTF_ROLE_MAGIC && field->size != 32)
		return ctf_finish_fail(f, "a magic number must have 32 bits");
	return 0;
}

/*
 * Completes a tree of fields, children first. Does not complete refs, because they need the whole
 * model. @depth starts at 1.
 */
static int finish_tree(struct ctf_finish *f, struct ctf_field *field, uint32_t depth,
		       uint32_t *roles)
{
	const char *member = f->member;
	size_t i;

	if (depth > CTF_DEPTH_MAX)
		return ctf_finish_fail(f, "nested deeper than %d levels", CTF_DEPTH_MAX);
	if (!field->align || field->align & (field->align - 1) || field->align > ALIGN_MAX)
		return ctf_finish_fail(
			f, "an alignment of %" PRIu32 " bits, which is not a power of two",
			field->align);
	if (check_size(f, field) || check_children(f, field))
		return -1;
	field->depth = 1;
	for (i = 0; i < ctf_child_count(field); i++) {
		struct ctf_field *below = ctf_child(field, i);

		if (i < field->member_count && field->members[i].name)
			f->member = field->members[i].name;
		if (finish_tree(f, below, depth + 1, roles))
			return -1;
		f->member = member;
		if (below->depth >= field->depth)
			field->depth = below->depth + 1;
		field->has_roles |= below->has_roles;
	}
	set_align(field);
	if (finish_mappings(f, field) || check_roles(f, field))
		return -1;
	*roles |= field->roles;
	field->has_roles |= field->roles != 0;
	if (set_fixed(f, field))
		return -1;
	set_min(field);
	return 0;
}

int ctf_finish_field(struct ctf_finish *f, struct ctf_field *root, uint32_t *roles)
{
	if (root->kind != CTF_STRUCT)
		return ctf_finish_fail(f, "not a structure");
	return finish_tree(f, root, 1, roles);
}
