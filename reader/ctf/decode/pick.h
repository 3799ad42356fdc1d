/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reads requested values inside fields: members, elements, and whole arrays. */
#ifndef LTTNG_MM_CTF_DECODE_PICK_H
#define LTTNG_MM_CTF_DECODE_PICK_H

#include "reader/ctf/model/model.h"
#include "reader/ctf/packet/read.h"
#include "reader/events/source.h"

/* A node in the tree of requested paths: a requested field, or a field that contains one. */
struct ctf_pick {
	const struct ctf_field *field;
	uint64_t index;
	int slot;		/* slot for the field's value; -1: not requested */
	struct ctf_pick *parts; /* sorted by index */
	size_t part_count;
};

struct ctf_arena;

/* Returns the kind of a requested field's value. *@element: the kind of an array's elements. */
enum mm_kind ctf_kind_of(const struct ctf_field *field, enum mm_kind *element);

/* Follows the path from @field. Returns the field at its end, or NULL. */
const struct ctf_field *ctf_pick_find(const struct ctf_field *field,
				      const struct mm_path_step *steps, unsigned int count);

/*
 * Requests the field at the end of the path. Its value is then read into @slot. The path starts at
 * the field of @pick; ctf_pick_find() must have found it. Returns 0, or -1 when out of memory.
 */
int ctf_pick_add(struct ctf_pick *pick, const struct mm_path_step *steps, unsigned int count,
		 int slot);
/* Releases the children of @pick, but not @pick itself. */
void ctf_pick_release(struct ctf_pick *pick);

/* Makes strings and arrays empty, for an event that lacks the requested elements. */
void ctf_pick_clear(const enum mm_kind *kinds, unsigned int count, union mm_scalar *values);

/*
 * Moves @cursor past the field, like ctf_skip(), and reads the requested values in it to @values.
 * Allocates arrays and strings from @arena.
 */
enum ctf_status ctf_pick_read(struct ctf_cursor *cursor, const struct ctf_pick *pick,
			      union mm_scalar *values, struct ctf_arena *arena);

#endif /* LTTNG_MM_CTF_DECODE_PICK_H */
