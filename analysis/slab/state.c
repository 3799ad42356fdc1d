// SPDX-License-Identifier: LGPL-2.1-only
/* Memory of the slab analysis, its series and its list of the worst. */
#include "analysis/slab/state.h"

#include <stdlib.h>
#include <string.h>

#define ROWS_MAX (1u << 20)
#define FLAGS_MAX 8192u
#define SAMPLE_FIRST_NS 1000000

struct slab_state *slab_state_create(void)
{
	struct slab_state *state = calloc(1, sizeof(*state));

	if (!state)
		return NULL;
	mm_hash_init(&state->far_by_number);
	mm_threads_init(&state->thread_names);
	mm_threads_init(&state->earlier_thread_names);
	state->sample_ns = SAMPLE_FIRST_NS;
	state->worst_least = 1;
	state->first_ns = state->next_sample_ns = INT64_MIN;
	state->unsized_until_ns = INT64_MIN;
	state->kinds = calloc(SLAB_KINDS + 1, sizeof(*state->kinds));
	if (!state->kinds || slab_work_init(state) || slab_pairing_init(&state->pairing) ||
	    mm_rows_init(&state->threads, sizeof(struct slab_tally), ROWS_MAX, 8) ||
	    mm_rows_init(&state->sections, sizeof(struct slab_tally), ROWS_MAX, 12) ||
	    mm_rows_init(&state->freers, sizeof(struct slab_count), ROWS_MAX, 8) ||
	    mm_rows_init(&state->matrix, sizeof(struct slab_count), ROWS_MAX, 12) ||
	    mm_rows_init(&state->cross_process, sizeof(struct slab_count), ROWS_MAX, 14) ||
	    mm_rows_init(&state->failed, sizeof(struct slab_failed), FLAGS_MAX, 8) ||
	    mm_rows_init(&state->page_flags, sizeof(struct slab_page_flags), FLAGS_MAX, 8)) {
		slab_state_destroy(state);
		return NULL;
	}
	return state;
}

void slab_state_destroy(struct slab_state *state)
{
	if (!state)
		return;
	slab_work_stop(state);
	slab_pairing_release(&state->pairing);
	mm_rows_release(&state->threads);
	mm_rows_release(&state->sections);
	mm_rows_release(&state->freers);
	mm_rows_release(&state->matrix);
	mm_rows_release(&state->cross_process);
	mm_rows_release(&state->failed);
	mm_threads_release(&state->thread_names);
	mm_threads_release(&state->earlier_thread_names);
	mm_rows_release(&state->page_flags);
	for (uint32_t i = 0; i < state->cache_count; i++) {
		free(state->caches[i].name);
		for (uint32_t j = 0; j < state->caches[i].alias_count; j++)
			free(state->caches[i].aliases[j]);
		free(state->caches[i].aliases);
	}
	free(state->caches);
	free(state->far_numbers);
	mm_hash_release(&state->far_by_number);
	slab_nodes_release(state);
	slab_recorder_release(state);
	free(state->kinds);
	mm_call_sites_release(&state->call_sites);
	free(state);
}

static bool is_number(const void *numbers, uint32_t at, const void *wanted)
{
	return ((const uint32_t *)numbers)[at] == *(const uint32_t *)wanted;
}

static uint32_t far_index(struct slab_state *state, uint32_t number)
{
	struct mm_hash *hash = &state->far_by_number;
	uint32_t key = mm_hash_of(hash, number, 0), at, *grown;

	at = mm_hash_find(hash, key, state->far_numbers, &number, is_number);
	if (at != MM_HASH_NONE)
		return SLAB_CACHES_NEAR + at;
	if (state->far_count == SLAB_CACHES_MAX - SLAB_CACHES_NEAR) {
		state->far_dropped = true;
		return 0;
	}
	grown = mm_array_grow(state->far_numbers, state->far_count, &state->far_room,
			      sizeof(*grown));
	if (grown)
		state->far_numbers = grown;
	if (!grown || mm_hash_add(hash, key, state->far_count)) {
		state->far_failed = true;
		return 0;
	}
	grown[state->far_count] = number;
	return SLAB_CACHES_NEAR + state->far_count++;
}

uint32_t slab_state_cache_index(struct slab_state *state, uint64_t number)
{
	if (number < SLAB_CACHES_NEAR)
		return (uint32_t)number;
	return number <= UINT32_MAX ? far_index(state, (uint32_t)number) : 0;
}

uint32_t slab_state_cache_number(const struct slab_state *state, uint32_t index)
{
	return index < SLAB_CACHES_NEAR ? index : state->far_numbers[index - SLAB_CACHES_NEAR];
}

struct slab_cache *slab_state_cache(struct slab_state *state, uint32_t index)
{
	uint32_t count = state->cache_count ? state->cache_count : 64;
	struct slab_cache *grown;

	if (index < state->cache_count)
		return &state->caches[index];
	while (count <= index)
		count *= 2;
	grown = reallocarray(state->caches, count, sizeof(*grown));
	if (!grown)
		return NULL;
	memset(grown + state->cache_count, 0, (count - state->cache_count) * sizeof(*grown));
	state->caches = grown;
	state->cache_count = count;
	return &grown[index];
}

static int compare_worst(const void *a, const void *b)
{
	const struct slab_worst *x = a, *y = b;
	uint32_t left = x->bytes_alloc - x->bytes_req, right = y->bytes_alloc - y->bytes_req;

	if (left != right)
		return left < right ? 1 : -1;
	return (x->first_ns > y->first_ns) - (x->first_ns < y->first_ns);
}

static bool is_worst(const struct slab_worst *worst, const struct slab_op *op)
{
	return worst->code == op->key.code && worst->bytes_req == op->bytes_req &&
	       worst->bytes_alloc == op->bytes_alloc && worst->kind == op->key.kind && worst->count;
}

void slab_state_worst(struct slab_state *state, const struct slab_op *op, uint32_t *guess)
{
	struct slab_worst *last;

	if (is_worst(&state->worst[*guess], op)) {
		state->worst[*guess].count++;
		return;
	}
	for (uint32_t i = 0; i < state->worst_count; i++) {
		if (is_worst(&state->worst[i], op)) {
			state->worst[i].count++;
			*guess = i;
			return;
		}
	}
	if (state->worst_count == SLAB_WORST) {
		last = &state->worst[SLAB_WORST - 1];
		/* The first to come stays. */
		if (op->bytes_alloc - op->bytes_req <= last->bytes_alloc - last->bytes_req)
			return;
	} else {
		last = &state->worst[state->worst_count++];
	}
	*last = (struct slab_worst){ .code = op->key.code,
				     .kind = op->key.kind,
				     .bytes_req = op->bytes_req,
				     .bytes_alloc = op->bytes_alloc,
				     .count = 1,
				     .first_ns = op->time_ns,
				     .address = op->address,
				     .tid = op->key.tid };
	qsort(state->worst, state->worst_count, sizeof(state->worst[0]), compare_worst);
	last = &state->worst[SLAB_WORST - 1];
	if (state->worst_count == SLAB_WORST)
		state->worst_least = last->bytes_alloc - last->bytes_req;
}

/* The end of time is not passed, whatever a trace says that it is. */
static int64_t later(int64_t time_ns, int64_t by_ns)
{
	int64_t sum;

	return __builtin_add_overflow(time_ns, by_ns, &sum) ? INT64_MAX : sum;
}

/* Half as many, twice as far apart. */
static void thin_samples(struct slab_state *state)
{
	for (uint32_t i = 0; i < SLAB_SAMPLES / 2; i++)
		state->samples[i] = state->samples[2 * i + 1];
	state->sample_count = SLAB_SAMPLES / 2;
	state->sample_ns = later(state->sample_ns, state->sample_ns);
	state->next_sample_ns =
		later(state->samples[state->sample_count - 1].time_ns, state->sample_ns);
}

/* What is live of caches whose size is known. */
static struct slab_live live_caches(const struct slab_state *state)
{
	struct slab_live sum = { 0, 0 };

	for (uint32_t i = SLAB_KIND_CACHE; i < state->sized_kinds; i++) {
		sum.req += state->kinds[i].live * state->kinds[i].object_size;
		sum.alloc += state->kinds[i].live * state->kinds[i].size;
	}
	return sum;
}

void slab_state_sample(struct slab_state *state, int64_t now)
{
	struct slab_live caches;

	if (state->first_ns == INT64_MIN) {
		state->first_ns = now;
		state->next_sample_ns = later(now, state->sample_ns);
		return;
	}
	/* At the end of time there may be events without end. */
	if (state->next_sample_ns > now || state->next_sample_ns == INT64_MAX)
		return;
	caches = live_caches(state);
	while (state->next_sample_ns <= now && state->next_sample_ns < INT64_MAX) {
		state->samples[state->sample_count++] =
			(struct slab_sample){ state->next_sample_ns, state->now.req - caches.req,
					      state->now.alloc - caches.alloc, caches.req,
					      caches.alloc };
		state->next_sample_ns = later(state->next_sample_ns, state->sample_ns);
		if (state->sample_count == SLAB_SAMPLES)
			thin_samples(state);
	}
}
