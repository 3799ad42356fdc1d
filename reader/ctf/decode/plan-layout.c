// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Lays out the body of an event class: as loads if all fields have fixed places, otherwise as
 * steps.
 */
#include "reader/ctf/decode/plan-layout.h"

#include <stdlib.h>
#include <string.h>

struct layout_scopes {
	const struct ctf_field *fields[3];
};

static struct layout_scopes scopes_of(const struct ctf_event_class *class)
{
	return (struct layout_scopes){ { class->stream_class->common_context,
					 class->specific_context, class->payload } };
}

static bool order_of(const struct ctf_field *field, bool *big_endian)
{
	if (!field)
		return false;
	if (field->kind <= CTF_FLOAT && field->size > 8) {
		*big_endian = field->big_endian;
		return true;
	}
	for (size_t i = 0; i < field->member_count; i++)
		if (order_of(field->members[i].field, big_endian))
			return true;
	return order_of(field->element, big_endian);
}

bool ctf_plan_byte_order(const struct ctf_stream_class *class)
{
	bool big_endian = class->trace && class->trace->big_endian;

	for (size_t i = 0; i < class->event_count; i++) {
		struct layout_scopes scopes = scopes_of(class->events[i]);

		for (size_t j = 0; j < 3; j++)
			if (order_of(scopes.fields[j], &big_endian))
				return big_endian;
	}
	return big_endian;
}

bool ctf_field_reaches_out(const struct ctf_field *field, size_t outer_slots)
{
	if (field->ref_slot >= 0 && (size_t)field->ref_slot < outer_slots)
		return true;
	for (size_t i = 0; i < field->member_count; i++)
		if (ctf_field_reaches_out(field->members[i].field, outer_slots))
			return true;
	return field->element && ctf_field_reaches_out(field->element, outer_slots);
}

static int requested_slot(const struct ctf_requested *requested, const struct ctf_field *field)
{
	for (unsigned int i = 0; i < requested->count; i++)
		if (requested->fields[i] == field)
			return (int)i;
	return -1;
}

static struct ctf_step *add_step(struct ctf_class_plan *plan)
{
	struct ctf_step *grown;

	/* The room doubles when the count is a power of two. */
	if (!plan->steps || !(plan->step_count & (plan->step_count - 1))) {
		size_t room = plan->step_count ? 2 * plan->step_count : 1;

		grown = realloc(plan->steps, room * sizeof(*grown));
		if (!grown)
			return NULL;
		plan->steps = grown;
	}
	grown = &plan->steps[plan->step_count++];
	*grown = (struct ctf_step){ .align = 1, .slot = -1 };
	return grown;
}

static int add_skip(struct ctf_class_plan *plan, uint32_t align, uint64_t bits)
{
	struct ctf_step *last = plan->step_count ? &plan->steps[plan->step_count - 1] : NULL;
	struct ctf_step *step;

	/*
	 * The previous skip ends at a byte boundary, so a field with byte alignment follows without
	 * padding. Extend the skip instead of adding a step.
	 */
	if (last && last->kind == CTF_STEP_SKIP && last->align >= 8 && align <= 8 &&
	    !(last->bits & 7)) {
		last->bits += bits;
		return 0;
	}
	step = add_step(plan);
	if (!step)
		return -1;
	step->kind = CTF_STEP_SKIP;
	step->align = align;
	step->bits = bits;
	return 0;
}

static bool is_scalar(const struct ctf_field *field)
{
	return field->kind < CTF_STATIC_ARRAY;
}

static const struct ctf_pick *find_pick(const struct ctf_class_plan *plan,
					const struct ctf_field *field)
{
	for (size_t i = 0; i < plan->pick_count; i++)
		if (plan->picks[i].field == field)
			return &plan->picks[i];
	return NULL;
}

static int add_field(struct ctf_class_plan *plan, const struct ctf_requested *requested,
		     const struct ctf_field *field)
{
	const struct ctf_pick *pick = find_pick(plan, field);
	int slot = requested_slot(requested, field);
	struct ctf_step *step;

	if (slot < 0 && !pick && !requested->all && field->fixed && !field->keeps)
		return add_skip(plan, field->align, field->fixed_bits);
	step = add_step(plan);
	if (!step)
		return -1;
	step->kind = pick ? CTF_STEP_PICK : is_scalar(field) ? CTF_STEP_SCALAR : CTF_STEP_FIELD;
	step->pick = pick;
	step->field = field;
	step->slot = slot;
	return 0;
}

int ctf_plan_steps(struct ctf_class_plan *plan, const struct ctf_requested *requested)
{
	struct layout_scopes scopes = scopes_of(plan->class);

	plan->form = CTF_FORM_STEPS;
	for (size_t i = 0; i < 3; i++) {
		const struct ctf_field *scope = scopes.fields[i];

		if (!scope)
			continue;
		if (add_skip(plan, scope->align, 0))
			return -1;
		for (size_t j = 0; j < scope->member_count; j++)
			if (add_field(plan, requested, scope->members[j].field))
				return -1;
	}
	return 0;
}

struct layout_builder {
	const struct ctf_requested *requested;
	uint64_t phase, bit; /* in bits: start of the body modulo 8 bytes; position in the body */
	struct ctf_load loads[CTF_LOADS_MAX];
	struct ctf_text_load texts[MM_REQUEST_FIELDS_MAX];
	unsigned int load_count, text_count, arrays; /* @arrays: current nesting depth of arrays */
	uint32_t align_max;
};

static bool lay_load(struct layout_builder *b, const struct ctf_field *field, int slot)
{
	uint64_t shift = b->bit & 7;
	bool whole_byte = field->size == 8 && !shift;
	struct ctf_load load = { .byte = (uint32_t)(b->bit / 8) };

	if (field->reversed_bits || shift + field->size > 64 ||
	    (field->big_endian != b->requested->big_endian && !whole_byte))
		return false;
	if (field->kind == CTF_FLOAT && field->size != 64 && !b->requested->all)
		return false;
	load.shift = (uint32_t)(b->requested->big_endian ? 64 - shift - field->size : shift);
	load.mask = field->size == 64 ? UINT64_MAX : (UINT64_C(1) << field->size) - 1;
	if (field->kind == CTF_SIGNED)
		load.sign = UINT64_C(1) << (field->size - 1);
	if (b->requested->all) {
		if (b->load_count == CTF_LOADS_MAX)
			return false;
		slot = (int)b->load_count++;
	}
	b->loads[slot] = load;
	return true;
}

static bool lay(struct layout_builder *b, const struct ctf_field *field);

static bool lay_array(struct layout_builder *b, const struct ctf_field *field)
{
	bool done = field->length <= CTF_LOADS_MAX;

	b->arrays++;
	for (uint64_t i = 0; i < field->length && done; i++)
		done = lay(b, field->element);
	b->arrays--;
	return done;
}

static bool lay_align(struct layout_builder *b, const struct ctf_field *field)
{
	if (field->align > 64)
		return false;
	if (field->align > b->align_max)
		b->align_max = field->align;
	b->bit =
		((b->phase + b->bit + field->align - 1) & ~(uint64_t)(field->align - 1)) - b->phase;
	return b->bit <= UINT32_MAX;
}

static bool lay_structure(struct layout_builder *b, const struct ctf_field *field)
{
	if (!lay_align(b, field))
		return false;
	for (size_t i = 0; i < field->member_count; i++)
		if (!lay(b, field->members[i].field))
			return false;
	return true;
}

static bool lay(struct layout_builder *b, const struct ctf_field *field)
{
	int slot = requested_slot(b->requested, field);

	if (b->arrays && !(*b->requested->elements_left && (*b->requested->elements_left)--))
		return false;
	if (!lay_align(b, field))
		return false;
	/*
	 * Only direct members of a scope can be requested. For all other fields, only the size
	 * matters.
	 */
	if (slot < 0 && !b->requested->all && field->fixed) {
		if (field->fixed_bits > UINT32_MAX)
			return false;
		b->bit += field->fixed_bits;
		return true;
	}
	switch (field->kind) {
	case CTF_UNSIGNED:
	case CTF_SIGNED:
	case CTF_BOOL:
	case CTF_BITMAP:
	case CTF_FLOAT:
		if ((slot >= 0 || b->requested->all) && !lay_load(b, field, slot))
			return false;
		b->bit += field->size;
		return true;
	case CTF_STATIC_STRING:
		if ((b->bit & 7) || field->length > UINT32_MAX)
			return false;
		if (slot >= 0 && field->encoding != CTF_UTF8)
			return false;
		if (slot >= 0)
			b->texts[b->text_count++] = (struct ctf_text_load){ (uint32_t)(b->bit / 8),
									    (uint32_t)field->length,
									    (unsigned int)slot };
		b->bit += field->length * 8;
		return true;
	case CTF_STATIC_BLOB:
		if (field->length > UINT32_MAX)
			return false;
		b->bit += field->length * 8;
		return true;
	case CTF_STATIC_ARRAY:
		return lay_array(b, field);
	case CTF_STRUCT:
		return lay_structure(b, field);
	default:
		return false;
	}
}

static bool lay_body(struct layout_builder *b, const struct ctf_requested *requested,
		     const struct ctf_event_class *class, unsigned int phase)
{
	struct layout_scopes scopes = scopes_of(class);

	b->requested = requested;
	b->phase = (uint64_t)phase * 8;
	b->bit = 0;
	b->load_count = requested->all ? 0 : requested->count;
	b->text_count = b->arrays = 0;
	b->align_max = 1;
	memset(b->loads, 0, b->load_count * sizeof(b->loads[0]));
	for (size_t i = 0; i < 3; i++)
		if (scopes.fields[i] && !lay_structure(b, scopes.fields[i]))
			return false;
	return b->bit <= UINT32_MAX;
}

static void *copy(const void *from, size_t size)
{
	void *made = malloc(size ? size : 1);

	if (made && size)
		memcpy(made, from, size);
	return made;
}

int ctf_plan_layouts(struct ctf_class_plan *plan, const struct ctf_requested *requested)
{
	struct layout_builder *b;
	int ret = -1;

	if (plan->pick_count)
		return 0;
	b = malloc(sizeof(*b));
	if (!b)
		return -1;
	if (!lay_body(b, requested, plan->class, 0)) {
		ret = 0;
		goto end;
	}
	plan->phase_mask = b->align_max > 8 ? 7 : 0;
	plan->layouts = calloc(plan->phase_mask + 1, sizeof(*plan->layouts));
	if (!plan->layouts)
		goto end;
	for (unsigned int phase = 0; phase <= plan->phase_mask; phase++) {
		struct ctf_layout *layout = &plan->layouts[phase];

		/* With this alignment of the body, a field does not fit in 8 bytes: not plain. */
		if (!lay_body(b, requested, plan->class, phase)) {
			ret = 0;
			goto end;
		}
		layout->bits = b->bit;
		layout->loads = copy(b->loads, b->load_count * sizeof(b->loads[0]));
		layout->texts = copy(b->texts, b->text_count * sizeof(b->texts[0]));
		if (!layout->loads || !layout->texts)
			goto end;
	}
	plan->load_count = b->load_count;
	plan->text_count = b->text_count;
	plan->form = CTF_FORM_PLAIN;
	ret = 0;
end:
	free(b);
	return ret;
}

int ctf_plan_pad(struct ctf_class_plan *plan, unsigned int count)
{
	if (plan->form != CTF_FORM_PLAIN || !plan->requested || plan->load_count >= count)
		return 0;
	for (unsigned int phase = 0; phase <= plan->phase_mask; phase++) {
		struct ctf_load *grown =
			realloc(plan->layouts[phase].loads, count * sizeof(*grown));

		if (!grown)
			return -1;
		memset(&grown[plan->load_count], 0, (count - plan->load_count) * sizeof(*grown));
		plan->layouts[phase].loads = grown;
	}
	plan->load_count = count;
	return 0;
}

void ctf_plan_release(struct ctf_class_plan *plan)
{
	for (unsigned int phase = 0; plan->layouts && phase <= plan->phase_mask; phase++) {
		free(plan->layouts[phase].loads);
		free(plan->layouts[phase].texts);
	}
	free(plan->layouts);
	free(plan->steps);
	for (size_t i = 0; i < plan->pick_count; i++)
		ctf_pick_release(&plan->picks[i]);
	free(plan->picks);
	free(plan->kinds);
	free(plan->fields);
}
