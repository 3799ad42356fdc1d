// SPDX-License-Identifier: LGPL-2.1-only
/* What the whole trace tells of each object, and sums that are made once. */
#include <string.h>

#include "analysis/slab/state.h"
#include "analysis/trace/coverage.h"
#include "analysis/trace/missing.h"
#include "instrumentation/wire/slab.h"

static bool is_kmalloc_cache(const void *user, uint32_t kind, uint32_t bytes_alloc)
{
	const struct slab_state *state = user;
	uint32_t number = kind - SLAB_KIND_CACHE;
	const struct slab_cache *cache;

	if (!slab_kind_is_cache(kind) || number >= state->cache_count ||
	    !state->caches[number].known)
		return false;
	cache = &state->caches[number];
	return cache->object_size == bytes_alloc && strstr(cache->name, "kmalloc-");
}

static bool is_unknown(const void *user, uint32_t kind)
{
	return slab_kind_is_unsized(user, kind);
}

static bool is_gone(const void *user, uint32_t kind)
{
	const struct slab_state *state = user;
	uint32_t number = kind - SLAB_KIND_CACHE;

	return slab_kind_is_cache(kind) && number < state->cache_count &&
	       state->caches[number].known && !state->caches[number].alive;
}

/* Are there paths that allocate and that nobody has seen? */
static bool hides_allocs(const struct slab_state *state)
{
	for (uint32_t i = 0; i < state->path_count; i++) {
		const struct slab_path_state *path = &state->paths[i];

		if ((path->path == LTTNG_MM_PATH_ALLOC_BULK ||
		     path->path == LTTNG_MM_PATH_KMALLOC_NOLOCK) &&
		    ((!path->hooked && path->function[0]) || path->missed))
			return true;
	}
	return false;
}

/* Has the state dump said of both whether they are traced? */
static bool knows_paths(const struct slab_state *state)
{
	bool bulk = false, nolock = false;

	for (uint32_t i = 0; i < state->path_count; i++) {
		bulk |= state->paths[i].path == LTTNG_MM_PATH_ALLOC_BULK;
		nolock |= state->paths[i].path == LTTNG_MM_PATH_KMALLOC_NOLOCK;
	}
	return bulk && nolock;
}

/* The recorder says so in the context; a plain LTTng session's tracker leaves no trace. */
static bool is_partial(const struct slab_state *state)
{
	const char *selection = mm_context_system(state->context, "selection");

	return selection && !strcmp(selection, "part");
}

static void find_coverage(struct slab_state *state, const struct mm_source *source)
{
	struct slab_coverage *coverage = &state->coverage;

	*coverage = (struct slab_coverage){ .hidden_allocs = hides_allocs(state),
					    .paths_unknown = !knows_paths(state),
					    .partial = is_partial(state),
					    .is_kmalloc_cache = is_kmalloc_cache,
					    .is_gone = is_gone,
					    .is_unknown = is_unknown,
					    .user = state };
	mm_coverage(source, &coverage->begin_ns, &coverage->end_ns);
	state->dump_absent = source->missing && source->missing->no_state_folder;
	for (size_t i = 0; i < source->loss_count; i++) {
		const struct mm_loss *loss = &source->losses[i];
		bool lossy = mm_loss_any(loss) || loss->damaged_since_ns != INT64_MAX;

		state->dump_lossy |= loss->dumps && lossy;
		state->lossy |= loss->wanted && lossy;
		/* What lives at the end may have been freed in what cannot be read. */
		if (loss->wanted && loss->damaged_since_ns != INT64_MAX)
			slab_pairing_lost(&state->pairing, INT64_MAX);
	}
}

/* What each thread did on each CPU, and what each place freed. */
static int tally_accounts(struct slab_state *state)
{
	for (uint32_t i = 0; i < state->pairing.accounts.count; i++) {
		const struct slab_account *account = slab_pairing_account(&state->pairing, i);
		const union slab_accounting_key *who = &account->key;
		bool frees = account->frees && who->code != SLAB_NO_CODE;
		struct slab_count *freer;
		struct slab_tally *tally;
		bool ours;

		if (!account->allocs && !account->frees)
			continue;
		ours = slab_recorder_is_account(state, i);
		tally = mm_rows_get3(&state->threads, who->tid,
				     SLAB_ON_CPU(SLAB_KIND_OF(who->kind), who->cpu), ours);
		freer = frees ? mm_rows_get3(&state->freers, who->code, 0, ours) : NULL;
		if (!tally || (frees && !freer))
			return -1;
		tally->allocs += account->allocs;
		tally->frees += account->frees;
		tally->bytes_req += account->bytes_req;
		tally->bytes_alloc += account->bytes_alloc;
		if (freer)
			freer->count += account->frees;
	}
	return 0;
}

/* Who holds what is live at the end. */
static int tally_live(struct slab_state *state)
{
	const struct slab_objects *objects = &state->pairing.objects;

	for (uint32_t i = 0; i < objects->count; i++) {
		const struct slab_object *object = &objects->all[i];
		const union slab_accounting_key *owner;
		uint64_t section = object->address >> SLAB_SECTION_SHIFT;

		if (!slab_object_lives(object))
			continue;
		owner = &slab_pairing_account(&state->pairing, object->account)->key;
		if (object->address & SLAB_ADDRESS_PAGE)
			section =
				(object->address & ~SLAB_ADDRESS_PAGE) >> SLAB_SECTION_PAGES_SHIFT;
		section = section < UINT32_MAX ? section : UINT32_MAX;
		for (int who = 0; who < 2; who++) {
			struct slab_tally *tally =
				who ? mm_rows_get(&state->sections, (uint32_t)section, owner->kind)
				    : mm_rows_get3(
					      &state->threads, owner->tid,
					      SLAB_ON_CPU(SLAB_KIND_OF(owner->kind), owner->cpu),
					      slab_recorder_is_account(state, object->account));

			if (!tally)
				return -1;
			tally->live++;
			tally->live_alloc += object->bytes_alloc;
		}
	}
	return 0;
}

static int move_few(struct slab_state *state)
{
	for (uint32_t from = 0; from < SLAB_FEW_CPUS; from++) {
		for (uint32_t to = 0; to < SLAB_FEW_CPUS; to++) {
			struct slab_count *row =
				state->few[from][to] ? mm_rows_get(&state->matrix, from, to) : NULL;

			if (state->few[from][to] && !row)
				return -1;
			if (row)
				row->count += state->few[from][to];
		}
	}
	return 0;
}

int slab_state_finish(struct slab_state *state, const struct mm_source *source)
{
	state->source = source;
	if (state->pairing.failed ||
	    mm_threads_precede(&state->thread_names, &state->earlier_thread_names))
		return -1;
	/* Without a state dump of nodes the snapshot knows the size of pages. */
	if (!state->page_shift)
		slab_set_page_size(
			state, (uint64_t)mm_context_system_number(state->context, "page_size", 0));
	if (mm_call_sites_load(&state->call_sites, mm_context_folder(state->context)))
		return -1;
	if (slab_aliases_finish(state))
		return -1;
	for (uint32_t kind = SLAB_KIND_CACHE; kind < SLAB_KINDS; kind++)
		state->unsized_caches +=
			state->kinds[kind].peak && slab_kind_is_unsized(state, kind);
	if (state->unsized_caches)
		state->unsized_until_ns = INT64_MAX;
	find_coverage(state, source);
	slab_pairing_judge(&state->pairing, &state->coverage);
	return slab_recorder_finish(state) || move_few(state) || tally_accounts(state) ||
			       tally_live(state)
		       ? -1
		       : 0;
}
