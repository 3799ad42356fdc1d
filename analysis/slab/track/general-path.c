// SPDX-License-Identifier: LGPL-2.1-only
/*
 * What allocations and frees do to the sums that are of the moment, or of two parties; one by one.
 */
#include "analysis/slab/track/general-path.h"

static void ended(struct slab_state *state, const struct slab_freed *freed)
{
	if (freed->objects)
		slab_state_move(state,
				slab_pairing_account(&state->pairing, freed->account)->key.kind,
				freed->bytes_req, freed->bytes_alloc, -1ull);
}

static int allocate(struct slab_state *state, const struct slab_op *op, struct slab_hint *hint)
{
	struct slab_freed before;

	if (slab_pairing_alloc(&state->pairing, op, hint, &before) ||
	    slab_state_tally_section(state, op) ||
	    (state->places && slab_nodes_tally(state, op, &op->key)))
		return -1;
	ended(state, &before);
	if (hint->account)
		slab_state_move(state, op->key.kind, op->bytes_req, op->bytes_alloc, 1);
	slab_state_see_peak(state, op->time_ns);
	if ((int64_t)op->bytes_alloc - (int64_t)op->bytes_req >= (int64_t)state->worst_least)
		slab_state_worst(
			state, op,
			&slab_pairing_account(&state->pairing, hint->account)->guess_worst);
	return 0;
}

static int release(struct slab_state *state, const struct slab_op *op, struct slab_hint *hint)
{
	struct slab_freed freed;

	if (slab_op_is_pages(op) ? slab_pairing_free_pages(&state->pairing, op, hint, &freed)
				 : slab_pairing_free(&state->pairing, op, hint, &freed))
		return -1;
	ended(state, &freed);
	return freed.paired ? slab_state_tally_pair(
				      state, op,
				      &slab_pairing_account(&state->pairing, freed.account)->key)
			    : 0;
}

static int reallocate(struct slab_state *state, const struct slab_op *op)
{
	int64_t grown;

	if (slab_pairing_realloc(&state->pairing, op, &grown))
		return -1;
	state->now.req += (uint64_t)grown;
	return 0;
}

int slab_operate_general(struct slab_state *state, const struct slab_op *op, struct slab_hint *hint)
{
	switch (op->what) {
	case SLAB_OPERATION_ALLOC:
	case SLAB_OPERATION_ALLOC_PAGES:
		return allocate(state, op, hint);
	case SLAB_OPERATION_FREE:
	case SLAB_OPERATION_FREE_PAGES:
		return release(state, op, hint);
	case SLAB_OPERATION_REALLOC:
		return reallocate(state, op);
	default:
		return slab_pairing_rcu(&state->pairing, op);
	}
}
