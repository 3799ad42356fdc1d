// SPDX-License-Identifier: LGPL-2.1-only
/* What allocations and frees do to the sums that are of the moment, or of two parties. */
#include "analysis/slab/slab-state.h"

/* Events that each step is taken for in a row. */
#define STEP 16

/*
 * The sums that are of the moment: one object of @kind more or, with @sign -1, one fewer. An object
 * of a cache has no bytes of its own, one of kmalloc() no cache with a size: so nothing has to be
 * decided.
 */
static inline void move_live(struct slab_state *state, uint32_t kind, uint64_t req, uint64_t alloc,
			     uint64_t sign)
{
	struct slab_kind_live *of = &state->kinds[kind];
	struct slab_live *live = &state->now[slab_kind_is_cache(kind)];

	of->live += sign;
	of->peak = of->live > of->peak ? of->live : of->peak;
	live->req += sign * (req + of->object_size);
	live->alloc += sign * (alloc + of->size);
}

static inline void see_peak(struct slab_state *state, int64_t now)
{
	uint64_t alloc = state->now[0].alloc + state->now[1].alloc;

	if (alloc <= state->peak.alloc)
		return;
	state->peak.alloc = alloc;
	state->peak.req = state->now[0].req + state->now[1].req;
	state->peak_ns = now;
}

static inline void ended(struct slab_state *state, const struct slab_freed *freed)
{
	uint32_t kind;

	if (!freed->objects)
		return;
	kind = slab_pairing_actor(&state->pairing, freed->actor)->who.kind;
	if (kind < SLAB_KINDS)
		move_live(state, kind, freed->bytes_req, freed->bytes_alloc, -1ull);
}

/* In which section of memory. */
static inline int tally_section(struct slab_state *state, const struct slab_op *op,
				uint64_t section)
{
	struct slab_tally *in = slab_rows_get(
		&state->sections, section < UINT32_MAX ? (uint32_t)section : UINT32_MAX,
		op->who.kind);

	if (!in)
		return -1;
	in->allocs++;
	in->bytes_req += op->bytes_req;
	in->bytes_alloc += op->bytes_alloc;
	return 0;
}

static inline int allocate(struct slab_state *state, const struct slab_op *op)
{
	struct slab_freed before;
	uint32_t actor = slab_pairing_alloc(&state->pairing, op, &before);

	if (actor == MM_HASH_NONE || tally_section(state, op, op->key >> SLAB_SECTION_SHIFT))
		return -1;
	ended(state, &before);
	if (state->places && slab_nodes_tally(state, op, &op->who))
		return -1;
	if (actor)
		move_live(state, op->who.kind, op->bytes_req, op->bytes_alloc, 1);
	see_peak(state, op->time_ns);
	if ((int64_t)op->bytes_alloc - (int64_t)op->bytes_req >= (int64_t)state->worst_least)
		slab_state_worst(state, op,
				 &slab_pairing_actor(&state->pairing, actor)->guess_worst);
	return 0;
}

static int count(struct slab_rows *rows, uint32_t a, uint32_t b)
{
	struct slab_count *row = slab_rows_get(rows, a, b);

	if (!row)
		return -1;
	row->count++;
	return 0;
}

/* From which CPU to which, and whose that was who freed it. */
static inline int tally_pair(struct slab_state *state, const struct slab_op *op,
			     const struct slab_freed *freed)
{
	const union slab_who *owner = &slab_pairing_actor(&state->pairing, freed->actor)->who;

	/* Pages count when the last of their block is free. */
	if (state->places && slab_nodes_tally(state, op, owner))
		return -1;
	if ((owner->cpu | op->who.cpu) < SLAB_FEW_CPUS)
		state->few[owner->cpu][op->who.cpu]++;
	else if (count(&state->matrix, owner->cpu, op->who.cpu))
		return -1;
	return owner->tid != op->who.tid ? count(&state->strangers, owner->tid, op->who.tid) : 0;
}

static inline int release(struct slab_state *state, const struct slab_op *op)
{
	struct slab_freed freed;

	if (slab_pairing_free(&state->pairing, op, &freed) == MM_HASH_NONE ||
	    (freed.paired && tally_pair(state, op, &freed)))
		return -1;
	ended(state, &freed);
	return 0;
}

static int allocate_pages(struct slab_state *state, const struct slab_op *op)
{
	struct slab_freed before;

	return slab_pairing_alloc(&state->pairing, op, &before) == MM_HASH_NONE ||
	       tally_section(state, op, (op->key & ~SLAB_KEY_PAGE) >> SLAB_SECTION_PAGES_SHIFT) ||
	       (state->places && slab_nodes_tally(state, op, &op->who));
}

static int release_pages(struct slab_state *state, const struct slab_op *op)
{
	struct slab_freed freed;

	return slab_pairing_free_pages(&state->pairing, op, &freed) == MM_HASH_NONE ||
	       (freed.paired && tally_pair(state, op, &freed));
}

static int act_rarely(struct slab_state *state, const struct slab_op *op)
{
	int64_t grown;

	switch (op->what) {
	case SLAB_DO_ALLOC_PAGES:
		return allocate_pages(state, op);
	case SLAB_DO_FREE_PAGES:
		return release_pages(state, op);
	case SLAB_DO_REALLOC:
		if (slab_pairing_realloc(&state->pairing, op, &grown))
			return -1;
		state->now[0].req += (uint64_t)grown;
		return 0;
	default:
		slab_pairing_rcu(&state->pairing, op);
		return 0;
	}
}

/* What is ahead of the @step events at @at, each step one more. */
static inline void look_ahead(struct slab_state *state, struct slab_op *ops, int count, int at)
{
	struct slab_pairing *pairing = &state->pairing;

#define EACH(i, ahead)                                                                            \
	for (int i = at + (ahead) * STEP < 0 ? 0 : at + (ahead) * STEP,                           \
		 end_##i = at + ((ahead) + 1) * STEP < count ? at + ((ahead) + 1) * STEP : count; \
	     i < end_##i; i++)
	EACH(i, 4)
		slab_pairing_expect(pairing, &ops[i]);
	EACH(i, 3)
		slab_pairing_expect_object(pairing, &ops[i]);
	/* Before the first object there is nothing to expect of any. */
	if (!pairing->objects.count)
		return;
	EACH(i, 2)
		slab_pairing_expect_owner(pairing, &ops[i]);
	EACH(i, 1)
		slab_pairing_expect_site(pairing, &ops[i], ops[i].what == SLAB_DO_ALLOC);
#undef EACH
}

static inline int act(struct slab_state *state, const struct slab_op *op)
{
	if (op->time_ns >= state->next_sample_ns)
		slab_state_sample(state, op->time_ns);
	if (op->what == SLAB_DO_ALLOC)
		return allocate(state, op);
	if (op->what == SLAB_DO_FREE)
		return release(state, op);
	return act_rarely(state, op);
}

int slab_act(struct slab_state *state, struct slab_batch *batch)
{
	struct slab_op *ops = batch->ops;
	int count = (int)batch->count, ret = 0;

	for (int at = -4 * STEP; !ret && at < count; at += STEP) {
		int end = at + STEP < count ? at + STEP : count;

		look_ahead(state, ops, count, at);
		for (int i = at < 0 ? 0 : at; !ret && i < end; i++)
			ret = act(state, &ops[i]);
	}
	if (count)
		state->last_ns = ops[count - 1].time_ns;
	batch->count = 0;
	return ret;
}
