// SPDX-License-Identifier: LGPL-2.1-only
/* Makes text plans: finds the fields at fixed positions, and collects the text between them. */
#include "reader/print/text-plan.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "reader/print/text-escape.h"
#include "reader/print/text-step.h"
#include "util/escape.h"

/* An array of at most this many integers gets one step per element. */
#define UNROLL_MAX 16
/* Maximum size of a run. No packet is larger. */
#define RUN_BITS_MAX (UINT64_C(1) << 40)
/* Alignment of a packet's start. No field has a larger alignment. */
#define ALIGN_MAX (UINT64_C(1) << 32)

/* Static strings of at most this size are copied from the packet directly. */
#define CHARS_MAX 256
/* Limit on the length of labels for MM_TEXT_SHOW_LABEL. */
#define LABEL_MAX 256

#define HOST_BIG_ENDIAN (__BYTE_ORDER == __BIG_ENDIAN)

struct mm_text_plan *mm_text_plan_create(enum mm_text_style style,
					 const struct ctf_trace_class *trace)
{
	struct mm_text_plan *plan = calloc(1, sizeof(*plan));

	if (!plan)
		return NULL;
	plan->style = style;
	plan->trace = trace;
	plan->known_align = 1;
	return plan;
}

void mm_text_plan_destroy(struct mm_text_plan *plan)
{
	if (!plan)
		return;
	for (size_t i = 0; i < plan->label_count; i++)
		mm_text_labels_destroy(plan->labels[i]);
	free(plan->labels);
	free(plan->literals);
	free(plan->steps);
	free(plan);
}

void mm_text_plan_at_begin(struct mm_text_plan *plan)
{
	plan->known_align = ALIGN_MAX;
}

void mm_text_plan_literal(struct mm_text_plan *plan, const char *text, size_t length)
{
	size_t needed = plan->literal_length + length + MM_LITERAL_PIECE;

	if (needed > plan->literal_room) {
		size_t room = needed * 2;
		char *grown = realloc(plan->literals, room);

		if (!grown) {
			plan->failed = true;
			return;
		}
		/*
		 * mm_text_plan_run() copies literals in pieces of fixed size, and may read beyond a
		 * literal's end. Clear the bytes there.
		 */
		memset(grown + plan->literal_room, 0, room - plan->literal_room);
		plan->literals = grown;
		plan->literal_room = room;
	}
	memcpy(plan->literals + plan->literal_length, text, length);
	plan->literal_length += length;
}

static void add_string(struct mm_text_plan *plan, const char *text)
{
	mm_text_plan_literal(plan, text, strlen(text));
}

/* Adds a step. Its literal is the text that was added since the previous step. */
static struct mm_text_step *add_step(struct mm_text_plan *plan, enum mm_text_code code,
				     const struct ctf_field *field)
{
	struct mm_text_step *step;

	if (plan->step_count == plan->step_room) {
		size_t room = plan->step_room ? plan->step_room * 2 : 16;

		step = realloc(plan->steps, room * sizeof(*step));
		if (!step) {
			plan->failed = true;
			return &plan->nowhere;
		}
		plan->steps = step;
		plan->step_room = room;
	}
	step = &plan->steps[plan->step_count++];
	*step = (struct mm_text_step){
		.literal_at = plan->literal_taken,
		.literal_length = (uint32_t)(plan->literal_length - plan->literal_taken),
		.code = (uint8_t)code,
		.field = field,
	};
	if (plan->literal_length > MM_TEXT_MAX)
		plan->failed = true;
	plan->literal_taken = plan->literal_length;
	return step;
}

static void close_run(struct mm_text_plan *plan)
{
	uint64_t align = plan->run_bits & -plan->run_bits;

	if (!plan->in_run)
		return;
	plan->in_run = false;
	plan->steps[plan->run].bits = plan->run_bits;
	if (align && align < plan->known_align)
		plan->known_align = align;
}

/*
 * Adds a step for a field without a fixed position: the step starts at the cursor, outside a run
 * (see MM_TEXT_RUN). @known: the cursor's alignment after the step.
 */
static struct mm_text_step *add_moving(struct mm_text_plan *plan, enum mm_text_code code,
				       const struct ctf_field *field, uint64_t known)
{
	close_run(plan);
	plan->known_align = known;
	return add_step(plan, code, field);
}

static bool open_run(struct mm_text_plan *plan, uint64_t align)
{
	struct mm_text_step *step;

	close_run(plan);
	if (align < 8 && plan->known_align < 8)
		return false;
	step = add_step(plan, MM_TEXT_RUN, NULL);
	if (plan->failed)
		return false;
	if (align > plan->known_align)
		plan->known_align = align;
	step->align = (uint32_t)(align > 1 ? align : 1);
	plan->run = plan->step_count - 1;
	plan->in_run = true;
	plan->run_bits = 0;
	return true;
}

/*
 * Extends the run by @bits, aligned to @align. Sets *@place to the place of these bits, from the
 * start of the run. If the run's alignment does not determine the place, opens a new run. Returns
 * false if the place depends on the data.
 */
static bool take_place(struct mm_text_plan *plan, uint64_t align, uint64_t bits, uint64_t *place)
{
	uint64_t end;

	if ((!plan->in_run || align > plan->known_align) && !open_run(plan, align))
		return false;
	*place = (plan->run_bits + align - 1) & ~(align - 1);
	if (__builtin_add_overflow(*place, bits, &end) || end > RUN_BITS_MAX)
		return false;
	plan->run_bits = end;
	return true;
}

static bool is_integer(const struct ctf_field *field)
{
	return field->kind == CTF_UNSIGNED || field->kind == CTF_SIGNED ||
	       field->kind == CTF_BOOL || field->kind == CTF_BITMAP;
}

/*
 * Like babeltrace2's reader, hides numbers with a clock or a role (except the CPU id), and arrays
 * of such numbers.
 */
bool mm_text_is_hidden(const struct ctf_field *field)
{
	while (field->kind == CTF_STATIC_ARRAY || field->kind == CTF_DYNAMIC_ARRAY)
		field = field->element;
	return field->kind <= CTF_LEB_SIGNED && (field->clock || field->roles & ~CTF_ROLE_CPU_ID);
}

static int compare_places(const void *a, const void *b)
{
	const struct mm_text_labels *const *left = a, *const *right = b;

	return ((*left)->field > (*right)->field) - ((*left)->field < (*right)->field);
}

const struct mm_text_labels *mm_text_plan_labels(const struct mm_text_plan *plan,
						 const struct ctf_field *field)
{
	struct mm_text_labels wanted = { .field = field };
	const struct mm_text_labels *key = &wanted;
	struct mm_text_labels **found;

	if (!plan->label_count)
		return NULL;
	found = bsearch(&key, plan->labels, plan->label_count, sizeof(*plan->labels),
			compare_places);
	return found ? *found : NULL;
}

static bool has_labels(const struct ctf_field *field)
{
	return field->is_enum || (field->kind == CTF_BITMAP && field->mapping_count);
}

static void collect_labels(struct mm_text_plan *plan, const struct ctf_field *field)
{
	struct mm_text_labels **grown;

	for (size_t i = 0; i < field->member_count; i++)
		collect_labels(plan, field->members[i].field);
	if (field->element)
		collect_labels(plan, field->element);
	if (!has_labels(field) || plan->failed)
		return;
	/* Elements of an array share one field, whose labels exist already. */
	if (plan->label_count && plan->labels[plan->label_count - 1]->field == field)
		return;
	grown = realloc(plan->labels, (plan->label_count + 1) * sizeof(*grown));
	if (!grown) {
		plan->failed = true;
		return;
	}
	plan->labels = grown;
	grown[plan->label_count] =
		mm_text_labels_create(field, plan->trace->major, plan->style == MM_TEXT_BABELTRACE);
	if (grown[plan->label_count])
		plan->label_count++;
	else
		plan->failed = true;
}

/* Does decoding @field use slots, for a length or a selector? */
static bool uses_slots(const struct ctf_field *field)
{
	if (field->keeps || field->ref_slot >= 0)
		return true;
	for (size_t i = 0; i < field->member_count; i++)
		if (uses_slots(field->members[i].field))
			return true;
	return field->element && uses_slots(field->element);
}

static uint64_t low_bits(unsigned int count)
{
	return count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
}

/*
 * Returns the mask that sink.text.pretty applies to the sign-extended value. The mask limits the
 * number of digits to the size of the field.
 */
static uint64_t pretty_mask(const struct ctf_field *field, unsigned int size)
{
	bool is_signed = field->kind == CTF_SIGNED || field->kind == CTF_LEB_SIGNED;

	if (field->kind == CTF_BITMAP || size >= 64)
		return UINT64_MAX;
	/*
	 * sink.text.pretty computes the mask as (1 << N) - 1, where N is the number of bits in the
	 * digits. From 61 bits on, N is 64. A shift by 64 has no effect, so the mask is 0. Do the
	 * same.
	 */
	if (field->base == 16)
		return size > 60 ? 0 : low_bits((size + 3) & ~3u);
	return is_signed && field->base == 8 ? low_bits((size + 2) / 3 * 3) : UINT64_MAX;
}

struct mm_text_number mm_text_number_of(const struct mm_text_plan *plan,
					const struct ctf_field *field)
{
	bool pretty = plan->style == MM_TEXT_BABELTRACE;
	unsigned int size = field->size ? field->size : 64;
	struct mm_text_number number = {
		.show = (uint8_t)mm_text_base_show(field),
		.shift = field->kind == CTF_SIGNED ? (uint8_t)(64 - size) : 0,
		.digits = pretty ? (uint8_t)size : 0,
		.letter = pretty ? 'A' : 'a',
		.mask = pretty ? pretty_mask(field, size) : UINT64_MAX,
	};

	if (field->is_enum)
		number.show = MM_TEXT_SHOW_LABELS;
	else if (field->kind == CTF_BOOL)
		number.show = pretty ? MM_TEXT_SHOW_BOOL : MM_TEXT_SHOW_BIT;
	else if (field->kind == CTF_BITMAP)
		number.show = has_labels(field) ? MM_TEXT_SHOW_FLAGS : MM_TEXT_SHOW_HEX;
	return number;
}

static enum mm_text_code load_of(const struct ctf_field *field)
{
	bool swapped = field->big_endian != HOST_BIG_ENDIAN;

	if (!is_integer(field) || field->reversed_bits || field->keep_slot >= 0)
		return MM_TEXT_END;
	switch (field->size) {
	case 8:
		return MM_TEXT_LOAD_8;
	case 16:
		return swapped ? MM_TEXT_LOAD_16_SWAPPED : MM_TEXT_LOAD_16;
	case 32:
		return swapped ? MM_TEXT_LOAD_32_SWAPPED : MM_TEXT_LOAD_32;
	case 64:
		return swapped ? MM_TEXT_LOAD_64_SWAPPED : MM_TEXT_LOAD_64;
	default:
		return MM_TEXT_END;
	}
}

/* Is @field a UTF-8 string of limited static size, at a byte boundary? */
static bool is_chars(const struct mm_text_plan *plan, const struct ctf_field *field, uint64_t place)
{
	return plan->style == MM_TEXT_BABELTRACE && field->kind == CTF_STATIC_STRING &&
	       field->encoding == CTF_UTF8 && field->length <= CHARS_MAX && place % 8 == 0;
}

static struct mm_text_step *add_value_at(struct mm_text_plan *plan, const struct ctf_field *field,
					 uint64_t place, bool names)
{
	enum mm_text_code code = place % 8 ? MM_TEXT_END : load_of(field);
	struct mm_text_step *step;

	collect_labels(plan, field);
	if (is_chars(plan, field, place)) {
		step = add_step(plan, MM_TEXT_CHARS, field);
		step->place = place / 8;
		step->bits = field->length;
		return step;
	}
	if (code == MM_TEXT_END) {
		step = add_step(plan, MM_TEXT_VALUE_AT, field);
		step->place = place;
		step->names = names;
		plan->needs_slots |= uses_slots(field);
		return step;
	}
	step = add_step(plan, code, field);
	step->place = place / 8;
	step->number = mm_text_number_of(plan, field);
	return step;
}

/* Returns the cursor's alignment after a field of unknown size. */
static uint64_t align_behind(const struct ctf_field *field)
{
	return ctf_kind_is_bytes(field->kind) ? 8 : 1;
}

static void add_field(struct mm_text_plan *plan, const struct ctf_field *field, bool names);

static void add_element_name(struct mm_text_plan *plan, uint64_t index, bool names)
{
	char text[32], *end = text;

	add_string(plan, index ? ", " : " ");
	if (!names || plan->style == MM_TEXT_LINE)
		return;
	*end++ = '[';
	end = mm_put_unsigned(end, index);
	mm_text_plan_literal(plan, text, (size_t)(end - text));
	add_string(plan, "] = ");
}

static void add_member_name(struct mm_text_plan *plan, const char *name)
{
	char escaped[1024];

	if (plan->style == MM_TEXT_LINE) {
		mm_escape_terminal(escaped, sizeof(escaped), name, strlen(name));
		name = escaped;
	}
	add_string(plan, name);
	add_string(plan, " = ");
}

void mm_text_plan_enter(struct mm_text_plan *plan, const struct ctf_field *structure)
{
	uint64_t place;

	if (!take_place(plan, structure->align, 0, &place) && structure->align > plan->known_align)
		add_moving(plan, MM_TEXT_ALIGN, NULL, structure->align)->align = structure->align;
}

static void add_structure(struct mm_text_plan *plan, const struct ctf_field *field, bool names)
{
	bool any = false;

	mm_text_plan_enter(plan, field);
	add_string(plan, "{");
	for (size_t i = 0; i < field->member_count; i++) {
		const struct ctf_member *member = &field->members[i];

		if (mm_text_is_hidden(member->field)) {
			mm_text_plan_skip(plan, member->field);
			continue;
		}
		add_string(plan, any ? ", " : " ");
		any = true;
		if (names || plan->style == MM_TEXT_LINE)
			add_member_name(plan, member->name ? member->name : "");
		add_field(plan, member->field, names);
	}
	add_string(plan, " }");
}

static void add_array(struct mm_text_plan *plan, const struct ctf_field *field, bool names)
{
	uint64_t place;

	take_place(plan, field->align, 0, &place);
	add_string(plan, "[");
	for (uint64_t i = 0; i < field->length; i++) {
		add_element_name(plan, i, names);
		add_field(plan, field->element, names);
	}
	add_string(plan, " ]");
}

static void add_field(struct mm_text_plan *plan, const struct ctf_field *field, bool names)
{
	struct mm_text_step *step;
	uint64_t place;

	if (plan->failed)
		return;
	if (field->kind == CTF_STRUCT) {
		add_structure(plan, field, names);
	} else if (field->kind == CTF_STATIC_ARRAY && field->length <= UNROLL_MAX && field->fixed &&
		   is_integer(field->element) && take_place(plan, field->align, 0, &place)) {
		add_array(plan, field, names);
	} else if (field->fixed && take_place(plan, field->align, field->fixed_bits, &place)) {
		add_value_at(plan, field, place, names);
	} else {
		collect_labels(plan, field);
		step = add_moving(plan, MM_TEXT_VALUE, field, align_behind(field));
		step->names = names;
		plan->needs_slots |= uses_slots(field);
	}
}

void mm_text_plan_field(struct mm_text_plan *plan, const struct ctf_field *field, bool names)
{
	add_field(plan, field, names);
}

void mm_text_plan_top_field(struct mm_text_plan *plan, const struct ctf_field *field)
{
	size_t first = plan->step_count;

	add_field(plan, field, true);
	/* Mark scalar fields only. Inside a compound field, strings have quotes. */
	if (field->kind < CTF_STATIC_ARRAY)
		for (size_t i = first; i < plan->step_count; i++)
			plan->steps[i].top = true;
}

/* Adds a step for a value that may be printed by name. */
static struct mm_text_step *add_named(struct mm_text_plan *plan, const struct ctf_field *field)
{
	struct mm_text_step *step;
	uint64_t place;

	collect_labels(plan, field);
	if (field->fixed && take_place(plan, field->align, field->fixed_bits, &place)) {
		step = add_step(plan, MM_TEXT_VALUE_AT, field);
		step->place = place;
	} else {
		step = add_moving(plan, MM_TEXT_VALUE, field, align_behind(field));
	}
	step->top = true;
	plan->needs_slots |= uses_slots(field);
	return step;
}

void mm_text_plan_call_site(struct mm_text_plan *plan, const struct ctf_field *field,
			    struct mm_names *names)
{
	if (plan->failed)
		return;
	plan->call_sites = names;
	add_named(plan, field)->call_site = true;
}

void mm_text_plan_result(struct mm_text_plan *plan, const struct ctf_field *field)
{
	if (!plan->failed)
		add_named(plan, field)->result = true;
}

void mm_text_plan_skip(struct mm_text_plan *plan, const struct ctf_field *field)
{
	uint64_t place;

	if (!field)
		return;
	if (field->fixed && !field->keeps &&
	    take_place(plan, field->align, field->fixed_bits, &place))
		return;
	add_moving(plan, MM_TEXT_SKIP, field, align_behind(field));
	plan->needs_slots |= uses_slots(field);
}

static uint64_t member_place(const struct ctf_field *structure, size_t index)
{
	uint64_t at = 0;

	for (size_t i = 0;; i++) {
		const struct ctf_field *field = structure->members[i].field;

		at = (at + field->align - 1) & ~((uint64_t)field->align - 1);
		if (i == index)
			return at;
		at += field->fixed_bits;
	}
}

bool mm_text_plan_open_first(struct mm_text_plan *plan, const struct ctf_field *structure,
			     size_t count)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < count; i++)
		if (!structure->members[i].field->fixed || structure->members[i].field->keeps)
			return false;
	if (count)
		bits = member_place(structure, count - 1) +
		       structure->members[count - 1].field->fixed_bits;
	return take_place(plan, structure->align, bits, &plan->open_place);
}

bool mm_text_plan_open(struct mm_text_plan *plan, const struct ctf_field *structure)
{
	return mm_text_plan_open_first(plan, structure, structure->member_count);
}

void mm_text_plan_moving(struct mm_text_plan *plan, const struct ctf_field *field)
{
	struct mm_text_step *step;

	if (plan->failed)
		return;
	collect_labels(plan, field);
	step = add_moving(plan, MM_TEXT_VALUE, field, align_behind(field));
	step->names = true;
	step->top = field->kind < CTF_STATIC_ARRAY;
	plan->needs_slots |= uses_slots(field);
}

void mm_text_plan_opened(struct mm_text_plan *plan, const struct ctf_field *structure, size_t index,
			 bool result)
{
	const uint64_t place = plan->open_place + member_place(structure, index);
	const struct ctf_field *field = structure->members[index].field;
	struct mm_text_step *step;

	if (result) {
		collect_labels(plan, field);
		step = add_step(plan, MM_TEXT_VALUE_AT, field);
		step->place = place;
		step->result = true;
	} else {
		step = add_value_at(plan, field, place, true);
	}
	step->top = true;
}

void mm_text_plan_member(struct mm_text_plan *plan, const struct ctf_field *structure, size_t index)
{
	struct mm_text_step *step;

	step = add_value_at(plan, structure->members[index].field,
			    plan->open_place + member_place(structure, index), true);
	step->top = true;
	step->hush = true;
}

void mm_text_plan_optional(struct mm_text_plan *plan, const struct ctf_field *structure,
			   size_t index)
{
	const struct ctf_field *field = structure->members[index].field;
	struct mm_text_step *step;

	if (!is_integer(field)) {
		mm_text_plan_member(plan, structure, index);
		return;
	}
	step = add_step(plan, MM_TEXT_VALUE_AT, field);
	step->place = plan->open_place + member_place(structure, index);
	step->names = step->top = step->missing = true;
}

/* Appends a word of a choice to the literals, but not to the literal of the next step. */
static void add_word(struct mm_text_plan *plan, struct mm_text_step *step, size_t which,
		     const char *word)
{
	step->words[which] = plan->literal_length;
	step->word_lengths[which] = (uint32_t)strlen(word);
	add_string(plan, word);
	plan->literal_taken = plan->literal_length;
}

void mm_text_plan_choice(struct mm_text_plan *plan, const struct ctf_field *structure, size_t index,
			 uint64_t mask, const char *set, const char *clear)
{
	struct mm_text_step *step;

	step = add_value_at(plan, structure->members[index].field,
			    plan->open_place + member_place(structure, index), true);
	step->number.show = MM_TEXT_SHOW_CHOICE;
	step->number.mask = mask;
	add_word(plan, step, 0, clear);
	add_word(plan, step, 1, set);
}

/* Returns the number of bytes that @step may write after its literal. */
static uint32_t value_room(const struct mm_text_step *step)
{
	if (step->code == MM_TEXT_CHARS)
		return (uint32_t)MM_QUOTED_ROOM(step->bits);
	if (step->code < MM_TEXT_LOAD_8)
		return 0;
	if (step->number.show == MM_TEXT_SHOW_LABEL)
		return step->labels->longest + 2 * MM_LITERAL_PIECE + MM_TEXT_NUMBER_ROOM;
	if (step->number.show != MM_TEXT_SHOW_CHOICE)
		return MM_TEXT_NUMBER_ROOM;
	return step->word_lengths[0] + step->word_lengths[1] + MM_LITERAL_PIECE;
}

/* Does the step call functions that reserve room for themselves? */
static bool makes_room(const struct mm_text_step *step)
{
	return step->code == MM_TEXT_VALUE || step->code == MM_TEXT_VALUE_AT ||
	       (step->code >= MM_TEXT_LOAD_8 && (step->number.show == MM_TEXT_SHOW_LABELS ||
						 step->number.show == MM_TEXT_SHOW_FLAGS));
}

static void find_labels(const struct mm_text_plan *plan, struct mm_text_step *step)
{
	if (!step->field || step->code < MM_TEXT_LOAD_8 || step->number.show == MM_TEXT_SHOW_CHOICE)
		return;
	step->labels = mm_text_plan_labels(plan, step->field);
	if (plan->style == MM_TEXT_BABELTRACE && step->number.show == MM_TEXT_SHOW_LABELS &&
	    !step->labels->overlap && step->labels->longest <= LABEL_MAX)
		step->number.show = MM_TEXT_SHOW_LABEL;
}

int mm_text_plan_finish(struct mm_text_plan *plan)
{
	uint64_t room = 0;

	add_moving(plan, MM_TEXT_END, NULL, 1);
	mm_text_plan_literal(plan, "", 0);
	if (plan->failed)
		return -1;
	if (plan->label_count)
		qsort(plan->labels, plan->label_count, sizeof(*plan->labels), compare_places);
	for (size_t i = plan->step_count; i--;) {
		struct mm_text_step *step = &plan->steps[i];

		find_labels(plan, step);
		step->rest = (uint32_t)room;
		if (makes_room(step))
			room = 0;
		room += value_room(step) + step->literal_length + MM_LITERAL_PIECE;
		if (room > MM_TEXT_MAX)
			return -1;
		step->literal = plan->literals + step->literal_at;
	}
	plan->room = (uint32_t)room;
	return 0;
}

bool mm_text_plan_needs_slots(const struct mm_text_plan *plan)
{
	return plan->needs_slots;
}
