// SPDX-License-Identifier: LGPL-2.1-only
/* Compiles the field classes of a stream class to loads and steps (plan.h). */
#include "reader/ctf/decode/plan.h"

#include <stdlib.h>
#include <string.h>

#include "reader/ctf/decode/plan-layout.h"
#include "reader/events/source-base.h"

/* Ids below this limit are looked up in a table. LTTng's ids are dense and start at 0. */
#define BY_ID_MAX 65536
/* A class with more loads is not padded, and does not affect the padding of other classes. */
#define PADDED_LOADS_MAX 16

/*
 * Finds a member of the payload or, if @context is true, of a context. Searches the event's own
 * context first, then the context that all events of the stream share.
 */
static const struct ctf_field *find_member(const struct ctf_event_class *class, bool context,
					   const char *name)
{
	const struct ctf_field *field;

	if (!context)
		return ctf_field_find(class->payload, name, NULL);
	field = ctf_field_find(class->specific_context, name, NULL);
	return field ? field : ctf_field_find(class->stream_class->common_context, name, NULL);
}

/*
 * Finds or adds the requests for fields inside @field, a member of a scope. Returns NULL when out
 * of memory.
 */
static struct ctf_pick *make_pick(struct ctf_class_plan *plan, const struct ctf_field *field)
{
	struct ctf_pick *grown;

	for (size_t i = 0; i < plan->pick_count; i++)
		if (plan->picks[i].field == field)
			return &plan->picks[i];
	grown = reallocarray(plan->picks, plan->pick_count + 1, sizeof(*grown));
	if (!grown)
		return NULL;
	plan->picks = grown;
	grown[plan->pick_count] = (struct ctf_pick){ .field = field, .slot = -1 };
	return &grown[plan->pick_count++];
}

/* Returns the kind of a requested field. An array needs the flag MM_FIELD_ARRAY. */
static enum mm_kind requested_kind(const struct ctf_field *field, unsigned int flags,
				   enum mm_kind *element)
{
	enum mm_kind kind = ctf_kind_of(field, element);

	if (kind != MM_KIND_ARRAY || (flags & MM_FIELD_ARRAY))
		return kind;
	*element = MM_KIND_NONE;
	return MM_KIND_COMPOUND;
}

/*
 * Finds the field of a requested path. Adds a scalar that is a member of a scope to @scalars, and
 * any other field to the picks of @plan.
 */
static int place_field(struct ctf_class_plan *plan, const struct mm_requested_field *requested,
		       unsigned int slot, const struct ctf_field **scalars)
{
	const struct ctf_field *member =
		find_member(plan->class, requested->context, requested->name);
	const struct mm_path_step *steps = requested->steps + 1;
	unsigned int count = member ? 0 : requested->step_count - 1;
	const struct ctf_field *field = member;
	enum mm_kind kind = MM_KIND_NONE;
	struct ctf_pick *pick;

	if (count) {
		member = find_member(plan->class, requested->context, requested->steps[0].member);
		field = member ? ctf_pick_find(member, steps, count) : NULL;
	}
	if (field)
		kind = requested_kind(field, requested->flags, &plan->element_kinds[slot]);
	plan->kinds[slot] = kind;
	if (kind == MM_KIND_NONE || kind == MM_KIND_COMPOUND)
		return 0;
	plan->fields[slot] = kind == MM_KIND_ARRAY ? field->element : field;
	if (!count && kind != MM_KIND_ARRAY) {
		scalars[slot] = field;
		return 0;
	}
	pick = make_pick(plan, member);
	return pick ? ctf_pick_add(pick, steps, count, (int)slot) : -1;
}

static void drop_picks(struct ctf_class_plan *plan)
{
	for (size_t i = 0; i < plan->pick_count; i++)
		ctf_pick_release(&plan->picks[i]);
	plan->pick_count = 0;
}

static unsigned int count_rest(const struct ctf_event_class *class,
			       const struct mm_request *request)
{
	const struct ctf_field *payload = class->payload;
	unsigned int count = 0, most = MM_REQUEST_FIELDS_MAX - request->field_count;

	for (size_t i = 0; payload && request->rest && i < payload->member_count; i++)
		count += mm_request_is_rest(request, payload->members[i].name) && count < most;
	return count;
}

static int place_rest(struct ctf_class_plan *plan, const struct mm_request *request,
		      const struct ctf_field **scalars)
{
	const struct ctf_field *payload = plan->class->payload;
	unsigned int slot = request->field_count;

	for (size_t i = 0; slot < plan->type.field_count; i++) {
		const struct ctf_field *field = payload->members[i].field;
		struct ctf_pick *pick;

		if (!mm_request_is_rest(request, payload->members[i].name))
			continue;
		plan->kinds[slot] =
			requested_kind(field, request->rest_flags, &plan->element_kinds[slot]);
		if (plan->kinds[slot] == MM_KIND_ARRAY) {
			plan->fields[slot] = field->element;
			pick = make_pick(plan, field);
			if (!pick || ctf_pick_add(pick, NULL, 0, (int)slot))
				return -1;
		} else if (plan->kinds[slot] != MM_KIND_COMPOUND) {
			plan->fields[slot] = scalars[slot] = field;
		}
		slot++;
	}
	return 0;
}

static int place_fields(struct ctf_class_plan *plan, const struct mm_request *request,
			const struct ctf_field **scalars)
{
	unsigned int count = request->field_count + count_rest(plan->class, request);

	plan->kinds = calloc(2 * (size_t)count + 1, sizeof(*plan->kinds));
	plan->fields = calloc((size_t)count + 1, sizeof(*plan->fields));
	if (!plan->kinds || !plan->fields)
		return -1;
	plan->element_kinds = plan->kinds + count;
	plan->type.kinds = plan->kinds;
	plan->type.element_kinds = plan->element_kinds;
	plan->type.field_count = count;
	for (unsigned int i = 0; i < request->field_count; i++)
		if (place_field(plan, &request->fields[i], i, scalars))
			return -1;
	return place_rest(plan, request, scalars);
}

static int request_class(struct ctf_class_plan *plan, const struct mm_requests *requests,
			 const struct ctf_consumer *consumer, const struct ctf_field **scalars)
{
	plan->matched = plan->type.request = mm_requests_find(requests, plan->type.name);
	if (plan->matched < 0)
		return 0;
	if (place_fields(plan, &requests->all[plan->matched], scalars))
		return -1;
	if (consumer && mm_source_bind(consumer->source, requests, consumer->handler, &plan->type,
				       consumer->err))
		return -1;
	if (plan->type.request >= 0)
		return 0;
	plan->type.field_count = 0;
	drop_picks(plan);
	return 0;
}

/*
 * Does a field of the body depend on a field of the packet header, packet context or event header?
 */
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
		      const struct mm_requests *requests, const struct ctf_consumer *consumer,
		      struct ctf_requested *requested)
{
	plan->class = class;
	plan->matched = plan->type.request = -1;
	plan->type.name = class->name;
	plan->type.native = class;
	requested->count = 0;
	if (requests && request_class(plan, requests, consumer, requested->fields))
		return -1;
	plan->requested = !requests || plan->type.request >= 0;
	requested->count = plan->type.field_count;
	plan->outer = class_reaches_out(class);
	if (ctf_plan_steps(plan, requested))
		return -1;
	return ctf_plan_layouts(plan, requested);
}

/*
 * Can this header member be read at a fixed position? It must be unsigned, little-endian (or a
 * single byte), and fit in 8 bytes.
 */
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

/*
 * Plans the short form of a header. @option starts at @bit from the start of the header, and its
 * only member is the timestamp.
 */
static bool plan_short(struct ctf_header_plan *plan, const struct ctf_member *option, uint64_t bit)
{
	const struct ctf_field *field = option->field, *time;

	/* With a larger alignment, the field's position would depend on the header's position. */
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

/* Plans LTTng's headers: an id of a few bits selects { timestamp } or { id, timestamp }. */
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
		/*
		 * Without an event header, there is only one event class, and all events belong to
		 * it.
		 */
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

static unsigned int most_fields(const struct mm_requests *requests)
{
	unsigned int most = 0;

	for (unsigned int i = 0; requests && i < requests->count; i++)
		if (requests->all[i].rest)
			most = MM_REQUEST_FIELDS_MAX;
		else if (requests->all[i].field_count > most)
			most = requests->all[i].field_count;
	return most;
}

static int plan_classes(struct ctf_plan *plan, const struct mm_requests *requests,
			const struct ctf_consumer *consumer, unsigned int *padded)
{
	const struct ctf_stream_class *class = plan->stream_class;
	unsigned int elements_left = CTF_ELEMENTS_MAX, most = most_fields(requests);
	const struct ctf_field **fields = calloc((size_t)most + 1, sizeof(*fields));
	struct ctf_requested requested = { .fields = fields,
					   .all = !requests,
					   .big_endian = plan->big_endian,
					   .elements_left = &elements_left };
	int ret = fields ? 0 : -1;

	for (size_t i = 0; i < class->event_count && !ret; i++) {
		struct ctf_class_plan *each = &plan->classes[i];

		memset(fields, 0, most * sizeof(*fields));
		ret = plan_class(each, class->events[i], requests, consumer, &requested);
		if (each->load_count <= PADDED_LOADS_MAX && each->load_count > *padded)
			*padded = each->load_count;
	}
	free(fields);
	return ret;
}

struct ctf_plan *ctf_plan_create(const struct ctf_stream_class *class,
				 const struct mm_requests *requests,
				 const struct ctf_consumer *consumer)
{
	struct ctf_plan *plan = calloc(1, sizeof(*plan));
	unsigned int padded = 0;

	if (!plan)
		return NULL;
	plan->stream_class = class;
	plan->big_endian = ctf_plan_byte_order(class);
	plan->classes = calloc(class->event_count ? class->event_count : 1, sizeof(*plan->classes));
	if (!plan->classes || plan_classes(plan, requests, consumer, &padded))
		goto error;
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
