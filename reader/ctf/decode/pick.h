/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reads requested values that are inside of fields: members, elements, and whole arrays. */
#ifndef LTTNG_MM_CTF_DECODE_PICK_H
#define LTTNG_MM_CTF_DECODE_PICK_H

#include "reader/ctf/model/model.h"
#include "reader/ctf/packet/read.h"
#include "reader/events/source.h"

/* What is requested of a field, and of what is in it: a tree along the requested paths. */
struct ctf_pick {
	const struct ctf_field *field;
	uint64_t index; /* in the field around it: of the member, or of the element */
	int slot; /* of the field itself, a scalar or an array of scalars; -1: not requested */
	struct ctf_pick *parts; /* by index */
	size_t part_count;
};

struct ctf_arena;

/* What a field's value is, once it is requested. Of arrays *@element is that of the elements. */
enum mm_kind ctf_kind_of(const struct ctf_field *field, enum mm_kind *element);

/* The field that the path leads to from @field; NULL: there is none. */
const struct ctf_field *ctf_pick_find(const struct ctf_field *field,
				      const struct mm_path_step *steps, unsigned int count);

/*
 * Adds what the path leads to from @pick's field, to be read to @slot; ctf_pick_find() must have
 * found it. Returns 0, or -1: out of memory.
 */
int ctf_pick_add(struct ctf_pick *pick, const struct mm_path_step *steps, unsigned int count,
		 int slot);
/* Frees what is in it. */
void ctf_pick_release(struct ctf_pick *pick);

/* For an event that may have no such element: what its values are then. */
void ctf_pick_clear(const enum mm_kind *kinds, unsigned int count, union mm_scalar *values);

/*
 * Reads the field, as ctf_skip() passes over it, and what is requested of it to @values. Memory for
 * arrays and strings comes from @arena.
 */
enum ctf_status ctf_pick_read(struct ctf_cursor *cursor, const struct ctf_pick *pick,
			      union mm_scalar *values, struct ctf_arena *arena);

#endif /* LTTNG_MM_CTF_DECODE_PICK_H */
