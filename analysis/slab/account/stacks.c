// SPDX-License-Identifier: LGPL-2.1-only
/* Finds distinct call stacks, and counts allocations by stack. */
#include "analysis/slab/account/stacks.h"

#include <stdlib.h>
#include <string.h>

#define USES_MAX (1u << 20)
#define OBJECTS_MAX (1u << 22)

void slab_stacks_release(struct slab_stacks *stacks)
{
	if (!stacks->used)
		return;
	free(stacks->all);
	free(stacks->frames);
	mm_hash_release(&stacks->by_frames);
	mm_rows_release(&stacks->uses);
	mm_rows_release(&stacks->objects);
}

static int start(struct slab_stacks *stacks)
{
	stacks->used = true;
	mm_hash_init(&stacks->by_frames);
	return mm_rows_init(&stacks->uses, sizeof(struct slab_stack_use), USES_MAX, 8) ||
			       mm_rows_init(&stacks->objects, sizeof(struct slab_stack_object),
					    OBJECTS_MAX, 8)
		       ? -1
		       : 0;
}

struct stack_query {
	const struct slab_stacks *stacks;
	const struct mm_span *span;
};

static bool is_stack(const void *all, uint32_t number, const void *user)
{
	const struct slab_stack *stack = (const struct slab_stack *)all + number;
	const struct stack_query *query = user;

	if (stack->count != query->span->count)
		return false;
	for (uint32_t i = 0; i < stack->count; i++)
		if (query->stacks->frames[stack->first + i] != query->span->values[i].u)
			return false;
	return true;
}

static uint32_t hash_of(const struct slab_stacks *stacks, const struct mm_span *span)
{
	uint32_t hash = 0;

	for (uint64_t i = 0; i < span->count; i++)
		hash = mm_hash_of(&stacks->by_frames, span->values[i].u, hash + i);
	return hash;
}

static int add_frames(struct slab_stacks *stacks, const struct mm_span *span)
{
	for (uint64_t i = 0; i < span->count; i++) {
		uint64_t *grown = mm_array_grow(stacks->frames, stacks->frame_count,
						&stacks->frame_room, sizeof(*grown));

		if (!grown)
			return -1;
		stacks->frames = grown;
		grown[stacks->frame_count++] = span->values[i].u;
	}
	return 0;
}

/*
 * Finds or adds a stack. *@number becomes MM_HASH_NONE if there is no room for another one. Returns
 * 0, or -1 when out of memory.
 */
static int find_stack(struct slab_stacks *stacks, const struct mm_span *span, uint32_t *number)
{
	const struct stack_query query = { stacks, span };
	uint32_t hash = hash_of(stacks, span);
	struct slab_stack *grown;

	*number = mm_hash_find(&stacks->by_frames, hash, stacks->all, &query, is_stack);
	if (*number != MM_HASH_NONE || stacks->count == SLAB_STACKS_MAX ||
	    stacks->frame_count + span->count > SLAB_STACK_FRAMES_MAX)
		return 0;
	grown = mm_array_grow(stacks->all, stacks->count, &stacks->room, sizeof(*grown));
	if (!grown)
		return -1;
	stacks->all = grown;
	grown[stacks->count] = (struct slab_stack){ .first = (uint32_t)stacks->frame_count,
						    .count = (uint32_t)span->count };
	*number = (uint32_t)stacks->count;
	if (add_frames(stacks, span) || mm_hash_add(&stacks->by_frames, hash, *number))
		return -1;
	stacks->count++;
	return 0;
}

int slab_stacks_add(struct slab_stacks *stacks, const struct slab_op *op,
		    const struct mm_span *span)
{
	struct mm_row key = { op->key.code, op->key.kind, op->key.tid, 0 };
	struct slab_stack_object *object;
	struct slab_stack_use *use;
	uint32_t number = 0, stack;

	if ((!stacks->used && start(stacks)) || find_stack(stacks, span, &stack))
		return -1;
	key.d = stack + 1;
	/* A stack without a number is counted in row 0. */
	if (stack != MM_HASH_NONE)
		number = mm_rows_number(&stacks->uses, &key);
	object = number == MM_HASH_NONE ? NULL
					: mm_rows_get(&stacks->objects, (uint32_t)op->address,
						      (uint32_t)(op->address >> 32));
	if (!object)
		return -1;
	stacks->dropped += !number;
	use = mm_rows_at(&stacks->uses, number);
	use->allocs++;
	use->bytes_alloc += op->bytes_alloc;
	use->last_ns = op->time_ns;
	object->use = number;
	return 0;
}

void slab_stacks_add_live(struct slab_stacks *stacks, uint64_t address, uint32_t bytes_alloc)
{
	const struct slab_stack_object *object;
	struct slab_stack_use *use;

	if (!stacks->used)
		return;
	object = mm_rows_lookup(&stacks->objects, (uint32_t)address, (uint32_t)(address >> 32));
	if (!object)
		return;
	use = mm_rows_at(&stacks->uses, object->use);
	use->live++;
	use->live_alloc += bytes_alloc;
}
