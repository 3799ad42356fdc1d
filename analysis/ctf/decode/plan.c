// SPDX-License-Identifier: LGPL-2.1-only
/* Compiles a stream class's field classes to loads and steps. */
#include "analysis/ctf/decode/plan.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/ctf/decode/plan-layout.h"

/* Ids up to here have a table of their own; LTTng's are dense and begin at 0. */
#define BY_ID_MAX 65536
/* Classes with more loads than this are not padded to, and do not pad others. */
#define PADDED_LOADS_MAX 16

static enum mm_kind kind_of(const struct ctf_field *field)
{
	switch (field->kind) {
	case CTF_UNSIGNED:
	case CTF_BOOL:
	case CTF_BITMAP:
	case CTF_LEB_UNSIGNED:
		return MM_KIND_UNSIGNED;
	case CTF_SIGNED:
	case CTF_LEB_SIGNED:
		return MM_KIND_SIGNED;
	case CTF_FLOAT:
		return MM_KIND_REAL;
	case CTF_STRING:
	case CTF_STATIC_STRING:
	case CTF_DYNAMIC_STRING:
		return MM_KIND_STRING;
	default:
		return MM_KIND_COMPOUND;
	}
}

/* Finds the class's field that a want names; an event's own context hides the stream's. */
static const struct ctf_field *find_wanted(const struct ctf_event_class *class, const char *name)
{
	const struct ctf_field *field;

	if (strncmp(name, "$ctx.", 5))
		return ctf_field_find(class->payload, name, NULL);
	field = ctf_field_find(class->specific_context, name + 5, NULL);
	return field ? field : ctf_field_find(class->stream_class->common_context, name + 5, NULL);
}

static void place_wants(struct ctf_class_plan *plan, const struct mm_want *want,
			struct ctf_wanted *wanted)
{
	for (unsigned int i = 0; want->fields && want->fields[i] && i < MM_WANT_FIELDS_MAX; i++) {
		const struct ctf_field *field = find_wanted(plan->class, want->fields[i]);

		plan->kinds[i] = field ? kind_of(field) : MM_KIND_NONE;
		wanted->fields[i] = plan->kinds[i] == MM_KIND_COMPOUND ? NULL : field;
		wanted->count = i + 1;
	}
	plan->type.field_count = wanted->count;
}

/* Does any field of the body refer to one of packet header, packet context or event header? */
static bool class_reaches_out(const struct ctf_event_class *class)
{
	const struct ctf_field *const scopes[] = { class->stream_class->common_context,
						   class->specific_context, class->payload };

	for (size_t i = 0; i < 3; i++)
		if (scopes[i] && ctf_field_reaches_out(scopes[i], class->stream_class->outer_slots))
			return true;
	return false;
}

static int plan_class(struct ctf_class_plan *plan, const struct ctf_event_class *class,
		      const struct mm_want *wants, bool big_endian, unsigned int *elements_left)
{
	struct ctf_wanted wanted = { .all = !wants,
				     .big_endian = big_endian,
				     .elements_left = elements_left };

	plan->class = class;
	plan->type.name = class->name;
	plan->type.want = wants ? mm_want_find(wants, class->name) : -1;
	plan->type.kinds = plan->kinds;
	plan->type.native = class;
	plan->wanted = !wants || plan->type.want >= 0;
	if (wants && plan->type.want >= 0)
		place_wants(plan, &wants[plan->type.want], &wanted);
	plan->outer = class_reaches_out(class);
	if (ctf_plan_steps(plan, &wanted))
		return -1;
	return ctf_plan_layouts(plan, &wanted);
}

/* A member of a header that is read at a fixed place: unsigned, little-endian, in 8 bytes. */
static bool is_simple(const struct ctf_field *field, uint64_t bit)
{
	return field->kind == CTF_UNSIGNED && !field->reversed_bits &&
	       (!field->big_endian || (field->size == 8 && !(bit & 7))) &&
	       field->size + (bit & 7) <= 64;
}

static bool plan_flat(struct ctf_header_plan *plan, const struct ctf_field *header)
{
	uint64_t bit = 0;

	for (size_t i = 0; i < header->member_count; i++) {
		const struct ctf_field *field = header->members[i].field;

		bit = (bit + field->align - 1) & ~(uint64_t)(field->align - 1);
		if (field->kind != CTF_UNSIGNED ||
		    (field->roles && (!is_simple(field, bit) || (bit & 7))))
			return false;
		if (field->roles & CTF_ROLE_EVENT_CLASS_ID) {
			if (plan->id_bits)
				return false;
			plan->id_byte = (uint32_t)(bit / 8);
			plan->id_bits = field->size;
		}
		if (field->roles & CTF_ROLE_TIME) {
			if (plan->time_bits)
				return false;
			plan->time_byte = (uint32_t)(bit / 8);
			plan->time_bits = field->size;
		}
		bit += field->size;
	}
	if (bit & 7)
		return false;
	plan->size = (uint32_t)(bit / 8);
	return true;
}

/* The option's one member with the time, at @bit from the header's begin. */
static bool plan_short(struct ctf_header_plan *plan, const struct ctf_member *option, uint64_t bit)
{
	const struct ctf_field *field = option->field, *time;

	/* Of a larger alignment than the header's, the place depends on where the header begins. */
	if (field->kind != CTF_STRUCT || field->member_count != 1 || field->align > 8)
		return false;
	time = field->members[0].field;
	bit = (bit + field->align - 1) & ~(uint64_t)(field->align - 1);
	if (!(time->roles & CTF_ROLE_TIME) || !is_simple(time, bit) || bit + time->size > 64 ||
	    ((bit + time->size) & 7))
		return false;
	plan->time_shift = (uint32_t)bit;
	plan->time_bits = time->size;
	plan->size = (uint32_t)((bit + time->size) / 8);
	return option->range_count == 1 && option->ranges[0].lower.u == 0 &&
	       option->ranges[0].upper.u == plan->escape - 1;
}

static bool plan_long(struct ctf_header_plan *plan, const struct ctf_member *option, uint64_t bit)
{
	const struct ctf_field *field = option->field, *id, *time;

	if (field->kind != CTF_STRUCT || field->member_count != 2)
		return false;
	id = field->members[0].field;
	time = field->members[1].field;
	bit = (bit + field->align - 1) & ~(uint64_t)(field->align - 1);
	if ((bit & 7) || !(id->roles & CTF_ROLE_EVENT_CLASS_ID) || !is_simple(id, bit) ||
	    (id->size & 7) || field->align > 8)
		return false;
	plan->long_id_byte = (uint32_t)(bit / 8);
	plan->long_id_bits = id->size;
	bit += id->size;
	if (!(time->roles & CTF_ROLE_TIME) || !is_simple(time, bit) || (time->size & 7))
		return false;
	plan->long_time_byte = (uint32_t)(bit / 8);
	plan->long_time_bits = time->size;
	plan->long_size = (uint32_t)((bit + time->size) / 8);
	return option->range_count == 1 && option->ranges[0].lower.u == plan->escape &&
	       option->ranges[0].upper.u == plan->escape;
}

/* LTTng's headers: an id of a few bits, then by its value { time } or { id, time }. */
static bool plan_split(struct ctf_header_plan *plan, const struct ctf_field *header)
{
	const struct ctf_field *id, *variant;

	if (header->member_count != 2 || header->align != 8)
		return false;
	id = header->members[0].field;
	variant = header->members[1].field;
	if (!(id->roles & CTF_ROLE_EVENT_CLASS_ID) || !is_simple(id, 0) || id->size > 32 ||
	    variant->kind != CTF_VARIANT || variant->member_count != 2 || variant->ref_count != 1 ||
	    variant->refs[0] != id)
		return false;
	plan->id_bits = id->size;
	plan->escape = (UINT64_C(1) << id->size) - 1;
	return plan_short(plan, &variant->members[0], id->size) &&
	       plan_long(plan, &variant->members[1], id->size);
}

static void plan_header(struct ctf_plan *plan)
{
	const struct ctf_field *header = plan->stream_class->event_header;
	struct ctf_header_plan made = { .form = CTF_HEADER_FLAT, .align = 8 };
	bool outer = false;

	for (size_t i = 0; i < plan->stream_class->event_count; i++)
		outer |= plan->classes[i].outer;
	if (!header && plan->stream_class->event_count) {
		/* No header at all: the events are of the one class there is. */
		made.escape = plan->stream_class->events[0]->id;
		made.align = 1;
		plan->header = made;
		return;
	}
	if (!outer && header && plan_split(&made, header)) {
		made.form = CTF_HEADER_SPLIT;
		plan->header = made;
		return;
	}
	made = (struct ctf_header_plan){ .form = CTF_HEADER_FLAT };
	made.align = header ? header->align : 1;
	if (!outer && header && plan_flat(&made, header) && made.align >= 8) {
		if (plan->stream_class->event_count)
			made.escape = plan->stream_class->events[0]->id;
		plan->header = made;
		return;
	}
	plan->header = (struct ctf_header_plan){ .form = CTF_HEADER_FIELDS, .align = 1 };
}

static int index_ids(struct ctf_plan *plan)
{
	const struct ctf_stream_class *class = plan->stream_class;

	for (size_t i = 0; i < class->event_count; i++)
		if (class->events[i]->id < BY_ID_MAX && class->events[i]->id >= plan->by_id_count)
			plan->by_id_count = class->events[i]->id + 1;
	if (!plan->by_id_count)
		return 0;
	plan->by_id = calloc(plan->by_id_count, sizeof(*plan->by_id));
	if (!plan->by_id)
		return -1;
	for (size_t i = 0; i < class->event_count; i++) {
		uint64_t id = class->events[i]->id;

		if (id < plan->by_id_count && !plan->by_id[id])
			plan->by_id[id] = &plan->classes[i];
	}
	return 0;
}

static void set_clock(struct ctf_plan *plan)
{
	const struct ctf_clock *clock = plan->stream_class->clock;
	int64_t ns;

	if (!clock || clock->frequency != 1000000000)
		return;
	if (__builtin_mul_overflow(clock->offset_s, INT64_C(1000000000), &ns) ||
	    __builtin_add_overflow(ns, (int64_t)clock->offset_cycles, &ns))
		return;
	plan->nanoseconds = true;
	plan->offset_ns = ns;
}

struct ctf_plan *ctf_plan_create(const struct ctf_stream_class *class, const struct mm_want *wants)
{
	struct ctf_plan *plan = calloc(1, sizeof(*plan));
	unsigned int padded = 0, elements_left = CTF_ELEMENTS_MAX;

	if (!plan)
		return NULL;
	plan->stream_class = class;
	plan->big_endian = ctf_plan_byte_order(class);
	plan->classes = calloc(class->event_count ? class->event_count : 1, sizeof(*plan->classes));
	if (!plan->classes)
		goto error;
	for (size_t i = 0; i < class->event_count; i++) {
		struct ctf_class_plan *each = &plan->classes[i];

		if (plan_class(each, class->events[i], wants, plan->big_endian, &elements_left))
			goto error;
		if (each->load_count <= PADDED_LOADS_MAX && each->load_count > padded)
			padded = each->load_count;
	}
	for (size_t i = 0; i < class->event_count; i++) {
		struct ctf_class_plan *each = &plan->classes[i];

		if (ctf_plan_pad(each, padded))
			goto error;
		if (each->load_count > plan->value_count)
			plan->value_count = each->load_count;
		if (each->type.field_count > plan->value_count)
			plan->value_count = each->type.field_count;
	}
	plan_header(plan);
	set_clock(plan);
	if (index_ids(plan) || ctf_plan_quick(plan, padded))
		goto error;
	return plan;
error:
	ctf_plan_destroy(plan);
	return NULL;
}

void ctf_plan_destroy(struct ctf_plan *plan)
{
	if (!plan)
		return;
	for (size_t i = 0; plan->classes && i < plan->stream_class->event_count; i++)
		ctf_plan_release(&plan->classes[i]);
	free(plan->classes);
	free(plan->by_id);
	free(plan->quick.classes);
	free(plan->quick.signs);
	free(plan->quick.texts);
	free(plan);
}
