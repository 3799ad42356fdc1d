/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The kernel's call stacks of allocations, where a trace has LTTng's context callstack-kernel:
 * which allocations have which stack, and the live objects of each. Memory is bounded: beyond a
 * number of different stacks, further ones are only counted.
 */
#ifndef LTTNG_MM_SLAB_ACCOUNT_STACKS_H
#define LTTNG_MM_SLAB_ACCOUNT_STACKS_H

#include "analysis/slab/decode/op.h"
#include "reader/events/source.h"
#include "util/hash.h"
#include "util/rows.h"

/* LTTng ends a call stack with this address if it had no room for all of it. */
#define SLAB_STACK_CUT UINT64_MAX

#define SLAB_STACKS_MAX 65536u
#define SLAB_STACK_FRAMES_MAX (1u << 21) /* of all stacks */

/* Return addresses, innermost first: elements of slab_stacks.frames. */
struct slab_stack {
	uint32_t first, count;
};

/* Allocations by stack: the key is code, kind, thread, number of the stack plus 1. */
struct slab_stack_use {
	struct mm_row row;
	uint64_t allocs, bytes_alloc;
	uint64_t live, live_alloc; /* at the end */
	int64_t last_ns;	   /* the last allocation */
};

/* The latest allocation at an address: the key is the low and the high half. */
struct slab_stack_object {
	struct mm_row row;
	uint32_t use;
};

/* All zeros before the first allocation with a stack. */
struct slab_stacks {
	bool used;
	struct slab_stack *all;
	size_t count, room;
	uint64_t *frames;
	size_t frame_count, frame_room;
	struct mm_hash by_frames;
	struct mm_rows uses, objects;
	uint64_t dropped; /* allocations whose stack exceeds the number that is kept */
};

void slab_stacks_release(struct slab_stacks *stacks);

/* Counts the allocation @op with its stack. Returns 0, or -1: out of memory. */
int slab_stacks_add(struct slab_stacks *stacks, const struct slab_op *op,
		    const struct mm_span *span);

/* At the end: the object, which is live, at @address. */
void slab_stacks_add_live(struct slab_stacks *stacks, uint64_t address, uint32_t bytes_alloc);

#endif /* LTTNG_MM_SLAB_ACCOUNT_STACKS_H */
