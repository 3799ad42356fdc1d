/* SPDX-License-Identifier: LGPL-2.1-only */
/* What acting on one event and on a block of them share. */
#ifndef LTTNG_MM_SLAB_TRACK_GENERAL_PATH_H
#define LTTNG_MM_SLAB_TRACK_GENERAL_PATH_H

#include "analysis/slab/state.h"

/* One by one, whatever it is, when the series is up to its time. -1: memory is short. */
int slab_operate_general(struct slab_state *state, const struct slab_op *op,
			 struct slab_hint *hint);

static inline void slab_state_see_time(struct slab_state *state, int64_t now)
{
	if (now >= state->next_sample_ns)
		slab_state_sample(state, now);
}

static inline bool slab_op_is_free(const struct slab_op *op)
{
	return op->what & SLAB_OPERATION_FREE;
}

static inline bool slab_op_is_pages(const struct slab_op *op)
{
	return op->what & SLAB_OPERATION_ALLOC_PAGES;
}

/*
 * The sums that are of the moment: one object of @kind more or, with @sign -1, one fewer. An object
 * of a cache has no bytes of its own, one of kmalloc() no cache with a size; pages, and what is of
 * no kind, go where nobody looks: so nothing has to be decided.
 */
static inline void slab_state_move(struct slab_state *state, uint32_t kind, uint64_t req,
				   uint64_t alloc, uint64_t sign)
{
	bool counts = kind < SLAB_KINDS;
	struct slab_kind_live *of = &state->kinds[counts ? kind : SLAB_KINDS];
	uint64_t bytes_sign = sign & -(uint64_t)counts;

	of->live += sign;
	of->peak = of->live > of->peak ? of->live : of->peak;
	state->now.req += bytes_sign * (req + of->object_size);
	state->now.alloc += bytes_sign * (alloc + of->size);
}

static inline void slab_state_see_peak(struct slab_state *state, int64_t now)
{
	if (state->now.alloc <= state->peak.alloc)
		return;
	state->peak = state->now;
	state->peak_ns = now;
}

/* An allocation, in which section of memory. */
static inline int slab_state_tally_section(struct slab_state *state, const struct slab_op *op)
{
	uint64_t section = slab_op_is_pages(op)
				   ? (op->address & ~SLAB_ADDRESS_PAGE) >> SLAB_SECTION_PAGES_SHIFT
				   : op->address >> SLAB_SECTION_SHIFT;
	struct slab_tally *in =
		mm_rows_get(&state->sections, section < UINT32_MAX ? (uint32_t)section : UINT32_MAX,
			    op->key.kind);

	if (!in)
		return -1;
	in->allocs++;
	in->bytes_req += op->bytes_req;
	in->bytes_alloc += op->bytes_alloc;
	return 0;
}

static inline int slab_count(struct mm_rows *rows, uint32_t a, uint32_t b)
{
	struct slab_count *row = mm_rows_get(rows, a, b);

	if (!row)
		return -1;
	row->count++;
	return 0;
}

/* A pair: from which CPU to which. */
static inline int slab_state_tally_cpus(struct slab_state *state, uint32_t from, uint32_t to)
{
	if ((from | to) >= SLAB_FEW_CPUS)
		return slab_count(&state->matrix, from, to);
	state->few[from][to]++;
	return 0;
}

/* A pair: whose that was who freed it. Pages count when the last of their block is free. */
static inline int slab_state_tally_pair(struct slab_state *state, const struct slab_op *op,
					const union slab_accounting_key *owner)
{
	if ((state->places && slab_nodes_tally(state, op, owner)) ||
	    slab_state_tally_cpus(state, owner->cpu, op->key.cpu))
		return -1;
	return owner->tid != op->key.tid
		       ? slab_count(&state->cross_process, owner->tid, op->key.tid)
		       : 0;
}

#endif /* LTTNG_MM_SLAB_TRACK_GENERAL_PATH_H */
