// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Allocations and frees in blocks, pass by pass. Which of the two comes next nobody can guess, and what an
 * event needs is seldom in a cache: so each pass is a short loop that does the same for both, or for
 * one of them only, without decisions, and with memory that was asked for a block before. It does what
 * slab-act.c does one by one, for what is usual; the rest goes there in its turn.
 *
 * The idea is that of column stores: P. Boncz, M. Zukowski, N. Nes, "MonetDB/X100: Hyper-Pipelining Query
 * Execution", CIDR 2005.
 */
#include "analysis/slab/slab-act.h"

#define BLOCK 64

/* How far ahead of the events of a pass memory is asked for. */
#define AHEAD_SLOT   (2 * BLOCK)
#define AHEAD_OBJECT BLOCK

/* What the passes tell each other of the events of a block; by their place in it. */
struct block {
	const struct slab_op *ops;
	struct slab_hint *hints;
	unsigned int alloc_count, free_count, worst_count, stranger_count;
	uint32_t owner[BLOCK]; /* the actor that allocated */
	uint32_t bytes_req[BLOCK], bytes_alloc[BLOCK];
	int64_t since_ns[BLOCK]; /* when, of what is freed */
	uint16_t allocs[BLOCK], frees[BLOCK], worst[BLOCK], strangers[BLOCK]; /* places */
};

/* @a where @mask has bits, else @b. */
static inline uint32_t choose(uint32_t mask, uint32_t a, uint32_t b)
{
	return ((a ^ b) & mask) ^ b;
}

/* The object at the event's address, made for a new allocation; NULL: there is none, or no memory. */
static inline struct slab_object *
find_object(struct slab_pairing *pairing, const struct slab_op *op, const struct slab_hint *hint)
{
	struct slab_objects *objects = &pairing->objects;
	struct slab_object *object;

	if (hint->object && objects->all[hint->object - 1].key == op->key)
		return &objects->all[hint->object - 1];
	object = slab_objects_find(objects, op->key, hint->tag);
	return object || slab_op_is_free(op) ? object
					     : slab_objects_add(objects, op->key, hint->tag);
}

/*
 * Nothing has to be thought about: an allocation where nothing is live, or a free of what is, as it was
 * allocated, and seen since then.
 */
static inline bool is_usual(const struct slab_pairing *pairing, const struct slab_op *op,
			    const struct slab_object *object)
{
	uint32_t odd = object->mode ^ slab_mode(SLAB_OBJECT_LIVE, 0, op->order);
	bool frees = slab_op_is_free(op);
	bool may_alloc = !!(odd & slab_mode(UINT8_MAX, 0, 0)) & (op->bytes_req <= op->bytes_alloc);
	bool may_free = !(odd & slab_mode(UINT8_MAX, SLAB_OBJECT_PIECES, UINT8_MAX)) &
			(pairing->lost_until_ns <= object->time_ns);

	return (frees & may_free) | (!frees & may_alloc);
}

/*
 * The first pass: what is at each address now, and what was there. Returns how many events are done; the
 * next one, if any, is not usual.
 */
__attribute__((noinline)) static unsigned int pair(struct slab_pairing *pairing,
						   struct block *block, unsigned int count)
{
	unsigned int alloc_count = 0, free_count = 0, i;

	for (i = 0; i < count; i++) {
		const struct slab_op *op = &block->ops[i];
		const struct slab_hint *hint = &block->hints[i];
		bool frees = slab_op_is_free(op);
		uint32_t was = -(uint32_t)frees;
		struct slab_object *object =
			op->what < SLAB_DO_REALLOC ? find_object(pairing, op, hint) : NULL;

		if (!object || !is_usual(pairing, op, object))
			break;
		block->owner[i] = choose(was, object->actor, hint->actor);
		block->bytes_req[i] = choose(was, object->bytes_req, op->bytes_req);
		block->bytes_alloc[i] = choose(was, object->bytes_alloc, op->bytes_alloc);
		block->since_ns[i] = object->time_ns;
		block->allocs[alloc_count] = block->frees[free_count] = (uint16_t)i;
		alloc_count += !frees;
		free_count += frees;
		__builtin_prefetch(slab_pairing_actor(pairing, block->owner[i]));
		object->time_ns = op->time_ns;
		object->actor = hint->actor;
		object->bytes_req = block->bytes_req[i];
		object->bytes_alloc = block->bytes_alloc[i];
		object->mode = slab_mode(SLAB_OBJECT_LIVE + frees, op->flags, op->order);
		pairing->live_orders[op->order] += 1 - 2ull * frees;
	}
	block->alloc_count = alloc_count;
	block->free_count = free_count;
	return i;
}

/* The second: what is live at each moment, and when it is most. */
__attribute__((noinline)) static void follow(struct slab_state *state, const struct block *block,
					     unsigned int count)
{
	struct slab_pairing *pairing = &state->pairing;

	for (unsigned int i = 0; i < count; i++) {
		const struct slab_op *op = &block->ops[i];
		const struct slab_actor *owner = slab_pairing_actor(pairing, block->owner[i]);
		uint64_t sign = 1 - 2ull * slab_op_is_free(op);

		if (op->time_ns >= state->next_sample_ns)
			slab_state_sample(state, op->time_ns);
		slab_site_move(slab_pairing_site(pairing, owner->site), block->bytes_req[i],
			       block->bytes_alloc[i], sign);
		slab_state_move(state, owner->who.kind, block->bytes_req[i], block->bytes_alloc[i],
				sign);
		slab_state_see_peak(state, op->time_ns);
	}
}

/* The third: allocations, by who and where. */
__attribute__((noinline)) static int tally_allocs(struct slab_state *state, struct block *block)
{
	unsigned int worst_count = 0;

	for (unsigned int n = 0; n < block->alloc_count; n++) {
		unsigned int place = block->allocs[n];
		const struct slab_op *op = &block->ops[place];
		struct slab_actor *actor =
			slab_pairing_actor(&state->pairing, block->hints[place].actor);

		actor->allocs++;
		actor->bytes_req += op->bytes_req;
		actor->bytes_alloc += op->bytes_alloc;
		block->worst[worst_count] = (uint16_t)place;
		worst_count += op->bytes_alloc - op->bytes_req >= state->worst_least;
		if (slab_state_tally_section(state, op) ||
		    (state->places && slab_nodes_tally(state, op, &op->who)))
			return -1;
	}
	block->worst_count = worst_count;
	return 0;
}

/* The fourth: those that waste most. */
static void tally_worst(struct slab_state *state, const struct block *block)
{
	for (unsigned int n = 0; n < block->worst_count; n++) {
		unsigned int place = block->worst[n];

		slab_state_worst(state, &block->ops[place],
				 &slab_pairing_actor(&state->pairing, block->hints[place].actor)
					  ->guess_worst);
	}
}

/* Freed through what it was not allocated from. */
static void note_mixture(struct slab_state *state, const struct block *block, unsigned int place)
{
	const struct slab_object was = { .key = block->ops[place].key,
					 .time_ns = block->since_ns[place],
					 .actor = block->owner[place],
					 .bytes_req = block->bytes_req[place],
					 .bytes_alloc = block->bytes_alloc[place] };

	slab_pairing_mixture(&state->pairing, &was, &block->ops[place]);
}

/* The fifth: frees, by who and by whose. */
__attribute__((noinline)) static int tally_frees(struct slab_state *state, struct block *block)
{
	struct slab_pairing *pairing = &state->pairing;
	unsigned int stranger_count = 0;

	for (unsigned int n = 0; n < block->free_count; n++) {
		unsigned int place = block->frees[n];
		const struct slab_op *op = &block->ops[place];
		const struct slab_actor *owner = slab_pairing_actor(pairing, block->owner[place]);

		slab_pairing_actor(pairing, block->hints[place].actor)->frees++;
		slab_site_pair(slab_pairing_site(pairing, owner->site), &owner->who, op,
			       block->since_ns[place]);
		if (slab_is_mixture(owner->who.kind, op->who.kind))
			note_mixture(state, block, place);
		block->strangers[stranger_count] = (uint16_t)place;
		stranger_count += owner->who.tid != op->who.tid;
		if (slab_state_tally_cpus(state, owner->who.cpu, op->who.cpu) ||
		    (state->places && slab_nodes_tally(state, op, &owner->who)))
			return -1;
	}
	block->stranger_count = stranger_count;
	return 0;
}

/* The last: whose objects others freed. */
__attribute__((noinline)) static int tally_strangers(struct slab_state *state,
						     const struct block *block)
{
	for (unsigned int n = 0; n < block->stranger_count; n++) {
		unsigned int place = block->strangers[n];
		const struct slab_actor *owner =
			slab_pairing_actor(&state->pairing, block->owner[place]);

		if (slab_count(&state->strangers, owner->who.tid, block->ops[place].who.tid))
			return -1;
	}
	return 0;
}

/* So many events from the block's first on; what is not usual among them, one by one. */
static int act_on(struct slab_state *state, struct block *block, unsigned int count)
{
	while (count) {
		unsigned int done = pair(&state->pairing, block, count);

		follow(state, block, done);
		if (tally_allocs(state, block))
			return -1;
		tally_worst(state, block);
		if (tally_frees(state, block) || tally_strangers(state, block))
			return -1;
		if (done < count) {
			if (slab_act_one(state, &block->ops[done], &block->hints[done]))
				return -1;
			done++;
		}
		block->ops += done;
		block->hints += done;
		count -= done;
	}
	return 0;
}

/* The actors, made when new. */
__attribute__((noinline)) static int find_actors(struct slab_pairing *pairing,
						 const struct block *block, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		if (block->ops[i].what < SLAB_DO_REALLOC &&
		    slab_pairing_find_actor(pairing, &block->ops[i], &block->hints[i],
					    !slab_op_is_free(&block->ops[i])))
			return -1;
	return 0;
}

static inline unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

int slab_act(struct slab_state *state, struct slab_batch *batch)
{
	struct slab_pairing *pairing = &state->pairing;
	const struct slab_op *ops = batch->ops;
	unsigned int count = batch->count, slots = 0, objects = 0;
	struct slab_hint hints[SLAB_BATCH];
	struct block block;
	int ret = 0;

	for (unsigned int at = 0; !ret && at < count; at += BLOCK) {
		unsigned int now = least(BLOCK, count - at);
		unsigned int slots_end = least(at + BLOCK + AHEAD_SLOT, count);
		unsigned int objects_end = least(at + BLOCK + AHEAD_OBJECT, count);

		for (; slots < slots_end; slots++)
			slab_pairing_expect(pairing, &ops[slots], &hints[slots]);
		for (; objects < objects_end; objects++)
			slab_pairing_expect_object(pairing, &ops[objects], &hints[objects]);
		block.ops = &ops[at];
		block.hints = &hints[at];
		ret = find_actors(pairing, &block, now) || act_on(state, &block, now);
	}
	if (count)
		state->last_ns = ops[count - 1].time_ns;
	batch->count = 0;
	return ret ? -1 : 0;
}
