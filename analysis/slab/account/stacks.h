/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Call stacks of allocations, from LTTng's context callstack-kernel. Counts allocations and live
 * objects by stack. At most SLAB_STACKS_MAX different stacks are stored. Allocations whose stack is
 * not stored are only counted.
 */
#ifndef LTTNG_MM_SLAB_ACCOUNT_STACKS_H
#define LTTNG_MM_SLAB_ACCOUNT_STACKS_H

#include "analysis/slab/decode/op.h"
#include "reader/events/source.h"
#include "util/hash.h"
#include "util/rows.h"

/* LTTng appends this address if a stack was too deep to record. */
#define SLAB_STACK_CUT UINT64_MAX

#define SLAB_STACKS_MAX 65536u
#define SLAB_STACK_FRAMES_MAX (1u << 21) /* maximum number of frames in all stacks together */

/* Return addresses, innermost first: @count elements of slab_stacks.frames from @first on. */
struct slab_stack {
	uint32_t first, count;
};

/* Allocations with the same stack. The key is code, kind, thread, and the stack's number plus 1. */
struct slab_stack_use {
	struct mm_row row;
	uint64_t allocs, bytes_alloc;
	uint64_t live, live_alloc; /* live at the end */
	int64_t last_ns;	   /* time of the last allocation */
};

/*
 * The latest allocation at an address. The key has the two halves of the address, low half first.
 */
struct slab_stack_object {
	struct mm_row row;
	uint32_t use;
};

/* all zeros until the first allocation with a stack */
struct slab_stacks {
	bool used;
	struct slab_stack *all;
	size_t count, room;
	uint64_t *frames;
	size_t frame_count, frame_room;
	struct mm_hash by_frames;
	struct mm_rows uses, objects;
	uint64_t dropped; /* allocations whose stack was not stored */
};

void slab_stacks_release(struct slab_stacks *stacks);

/* Counts the allocation @op with its stack. Returns 0, or -1 when out of memory. */
int slab_stacks_add(struct slab_stacks *stacks, const struct slab_op *op,
		    const struct mm_span *span);

/* Counts the object at @address, which is live at the end. */
void slab_stacks_add_live(struct slab_stacks *stacks, uint64_t address, uint32_t bytes_alloc);

#endif /* LTTNG_MM_SLAB_ACCOUNT_STACKS_H */
