// SPDX-License-Identifier: LGPL-2.1-only
/* Reads requested values inside fields. */
#include "reader/ctf/decode/pick.h"

#include <stdlib.h>
#include <string.h>

#include "reader/ctf/decode/arena.h"

static enum mm_kind scalar_kind(const struct ctf_field *field)
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

static bool is_array(const struct ctf_field *field)
{
	return field->kind == CTF_STATIC_ARRAY || field->kind == CTF_DYNAMIC_ARRAY;
}

enum mm_kind ctf_kind_of(const struct ctf_field *field, enum mm_kind *element)
{
	*element = MM_KIND_NONE;
	if (!is_array(field))
		return scalar_kind(field);
	*element = scalar_kind(field->element);
	if (*element != MM_KIND_COMPOUND)
		return MM_KIND_ARRAY;
	*element = MM_KIND_NONE;
	return MM_KIND_COMPOUND;
}

static struct ctf_pick *find_part(struct ctf_pick *pick, const struct ctf_field *field,
				  uint64_t index)
{
	size_t at = 0;
	struct ctf_pick *grown;

	while (at < pick->part_count && pick->parts[at].index < index)
		at++;
	if (at < pick->part_count && pick->parts[at].index == index)
		return &pick->parts[at];
	grown = reallocarray(pick->parts, pick->part_count + 1, sizeof(*grown));
	if (!grown)
		return NULL;
	pick->parts = grown;
	memmove(&grown[at + 1], &grown[at], (pick->part_count - at) * sizeof(*grown));
	pick->part_count++;
	grown[at] = (struct ctf_pick){ .field = field, .index = index, .slot = -1 };
	return &grown[at];
}

static const struct ctf_field *follow(const struct ctf_field *field,
				      const struct mm_path_step *step, size_t *index)
{
	*index = step->index;
	if (step->member)
		return field->kind == CTF_STRUCT ? ctf_field_find(field, step->member, index)
						 : NULL;
	return is_array(field) ? field->element : NULL;
}

const struct ctf_field *ctf_pick_find(const struct ctf_field *field,
				      const struct mm_path_step *steps, unsigned int count)
{
	size_t index;

	for (; field && count; count--, steps++)
		field = follow(field, steps, &index);
	return field;
}

int ctf_pick_add(struct ctf_pick *pick, const struct mm_path_step *steps, unsigned int count,
		 int slot)
{
	size_t index;

	for (; count; count--, steps++) {
		const struct ctf_field *field = follow(pick->field, steps, &index);

		if (!field)
			return -1;
		pick = find_part(pick, field, index);
		if (!pick)
			return -1;
	}
	pick->slot = slot;
	return 0;
}

void ctf_pick_release(struct ctf_pick *pick)
{
	for (size_t i = 0; i < pick->part_count; i++)
		ctf_pick_release(&pick->parts[i]);
	free(pick->parts);
}

void ctf_pick_clear(const enum mm_kind *kinds, unsigned int count, union mm_scalar *values)
{
	static const struct mm_span none;

	for (unsigned int i = 0; i < count; i++) {
		if (kinds[i] == MM_KIND_STRING)
			values[i].s = "";
		else if (kinds[i] == MM_KIND_ARRAY)
			values[i].span = &none;
	}
}

static enum ctf_status out_of_memory(struct ctf_cursor *cursor)
{
	cursor->problem = "out of memory";
	return CTF_NO_MEMORY;
}

static enum ctf_status read_scalar(struct ctf_cursor *cursor, const struct ctf_field *field,
				   union mm_scalar *value, struct ctf_arena *arena)
{
	struct ctf_scalar scalar;
	enum ctf_status status = ctf_read_scalar(cursor, field, &scalar);

	if (status)
		return status;
	switch (scalar_kind(field)) {
	case MM_KIND_STRING:
		value->s = ctf_arena_string(arena, field, &scalar);
		return value->s ? CTF_OK : out_of_memory(cursor);
	case MM_KIND_REAL:
		value->r = scalar.r;
		return CTF_OK;
	default:
		value->u = scalar.u;
		return CTF_OK;
	}
}

static enum ctf_status skip_elements(struct ctf_cursor *cursor, const struct ctf_field *element,
				     uint64_t count)
{
	enum ctf_status status = CTF_OK;

	if (element->fixed && !element->keeps)
		return ctf_skip_elements(cursor, element, count);
	while (count-- && !status)
		status = ctf_skip(cursor, element, NULL, NULL);
	return status;
}

static enum ctf_status read_parts(struct ctf_cursor *cursor, const struct ctf_pick *pick,
				  uint64_t length, union mm_scalar *values, struct ctf_arena *arena)
{
	const struct ctf_field *element = pick->field->element;
	enum ctf_status status = CTF_OK;
	uint64_t at = 0;

	for (size_t i = 0; i < pick->part_count && !status; i++) {
		const struct ctf_pick *part = &pick->parts[i];

		if (part->index >= length)
			break;
		status = skip_elements(cursor, element, part->index - at);
		if (!status)
			status = ctf_pick_read(cursor, part, values, arena);
		at = part->index + 1;
	}
	return status ? status : skip_elements(cursor, element, length - at);
}

/* Reads an array of scalars, and its requested elements. */
static enum ctf_status read_span(struct ctf_cursor *cursor, const struct ctf_pick *pick,
				 uint64_t length, union mm_scalar *values, struct ctf_arena *arena)
{
	const struct ctf_field *element = pick->field->element;
	uint64_t count = length < MM_SPAN_MAX ? length : MM_SPAN_MAX;
	union mm_scalar *all = ctf_arena_take_words(arena, count);
	struct mm_span *span = ctf_arena_take_words(arena, sizeof(*span) / sizeof(uint64_t));
	enum ctf_status status = CTF_OK;

	if (!all || !span)
		return out_of_memory(cursor);
	for (uint64_t i = 0; i < count && !status; i++)
		status = read_scalar(cursor, element, &all[i], arena);
	if (!status)
		status = skip_elements(cursor, element, length - count);
	for (size_t i = 0; i < pick->part_count && !status; i++)
		if (pick->parts[i].index < count)
			values[pick->parts[i].slot] = all[pick->parts[i].index];
	*span = (struct mm_span){ all, count, length, scalar_kind(element) };
	values[pick->slot].span = span;
	return status;
}

static enum ctf_status read_structure(struct ctf_cursor *cursor, const struct ctf_pick *pick,
				      union mm_scalar *values, struct ctf_arena *arena)
{
	enum ctf_status status = ctf_align(cursor, pick->field);
	size_t part = 0;

	for (size_t i = 0; i < pick->field->member_count && !status; i++) {
		if (part < pick->part_count && pick->parts[part].index == i)
			status = ctf_pick_read(cursor, &pick->parts[part++], values, arena);
		else
			status = ctf_skip(cursor, pick->field->members[i].field, NULL, NULL);
	}
	return status;
}

enum ctf_status ctf_pick_read(struct ctf_cursor *cursor, const struct ctf_pick *pick,
			      union mm_scalar *values, struct ctf_arena *arena)
{
	enum ctf_status status;
	uint64_t length;

	if (pick->field->kind == CTF_STRUCT)
		return read_structure(cursor, pick, values, arena);
	if (!is_array(pick->field))
		return pick->slot < 0
			       ? ctf_skip(cursor, pick->field, NULL, NULL)
			       : read_scalar(cursor, pick->field, &values[pick->slot], arena);
	status = ctf_read_length(cursor, pick->field, &length);
	if (status)
		return status;
	return pick->slot < 0 ? read_parts(cursor, pick, length, values, arena)
			      : read_span(cursor, pick, length, values, arena);
}
