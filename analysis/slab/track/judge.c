// SPDX-License-Identifier: LGPL-2.1-only
/* How objects and frees ended, once the whole trace is known. */
#include "analysis/slab/track/pairing.h"

/* What an allocation may explain that is missing, or that may be. */
static enum slab_ending judge_missing(const struct slab_coverage *coverage)
{
	if (coverage->hidden_allocs || coverage->partial)
		return SLAB_UNTRACED;
	return coverage->paths_unknown ? SLAB_UNKNOWN : SLAB_INCONSISTENT;
}

static void judge_double(struct slab_pairing *pairing, struct slab_doubt *doubt,
			 const struct slab_coverage *coverage)
{
	if (doubt->second_ns > coverage->end_ns)
		doubt->verdict = SLAB_UNKNOWN;
	else if (doubt->first_ns < coverage->begin_ns)
		doubt->verdict = SLAB_OLDER;
	else
		doubt->verdict = (uint8_t)judge_missing(coverage);
	pairing->double_frees -= doubt->verdict != SLAB_INCONSISTENT;
	pairing->older += doubt->verdict == SLAB_OLDER;
	pairing->unknown_frees += doubt->verdict == SLAB_UNKNOWN;
	pairing->untraced_allocs += doubt->verdict == SLAB_UNTRACED;
}

/* @times objects more of the actor's ended so: of its own, and of its call site's. */
static void end_as(struct slab_pairing *pairing, uint32_t actor, enum slab_ending ending,
		   uint64_t times)
{
	struct slab_site *site =
		slab_pairing_site(pairing, slab_pairing_actor(pairing, actor)->site);

	*slab_pairing_ended(pairing, actor, ending) += times;
	site->endings[ending] += times;
}

static void judge_doubt(struct slab_pairing *pairing, struct slab_doubt *doubt,
			const struct slab_coverage *coverage)
{
	struct slab_site *site = slab_pairing_site(pairing, doubt->site);
	bool covered =
		doubt->first_ns >= coverage->begin_ns && doubt->second_ns <= coverage->end_ns;
	enum slab_ending missing = judge_missing(coverage);

	if (doubt->kind == SLAB_KMALLOC_BY_CACHE &&
	    coverage->is_kmalloc_cache(coverage->user, doubt->second.kind, doubt->bytes_alloc)) {
		doubt->verdict = SLAB_PAIRED;
		pairing->legal_kmalloc_by_cache++;
		return;
	}
	/*
	 * What is wrong with an allocation's own numbers no missing event explains. What krealloc()
	 * finds too small may be another object, where those that came before may be missing.
	 */
	if (doubt->kind == SLAB_SIZE) {
		if (doubt->first_ns != doubt->second_ns &&
		    (!covered || missing != SLAB_INCONSISTENT))
			doubt->verdict = SLAB_UNKNOWN;
		return;
	}
	if (doubt->kind == SLAB_DOUBLE_FREE) {
		judge_double(pairing, doubt, coverage);
		return;
	}
	/* A cache of which nothing is known may be kmalloc()'s own. */
	if (!covered || coverage->partial ||
	    (doubt->kind == SLAB_KMALLOC_BY_CACHE &&
	     coverage->is_unknown(coverage->user, doubt->second.kind)))
		doubt->verdict = SLAB_UNKNOWN;
	else
		doubt->verdict = (uint8_t)missing;
	site->endings[SLAB_PAIRED]--;
	end_as(pairing, doubt->actor, doubt->verdict, 1);
}

static void judge_object(struct slab_pairing *pairing, struct slab_object *object,
			 const struct slab_coverage *coverage)
{
	struct slab_site *site = slab_pairing_site(pairing, slab_object_site(pairing, object));
	enum slab_ending ending = SLAB_LIVE;

	if (coverage->is_gone(coverage->user, site->row.b))
		ending = SLAB_UNTRACED;
	else if (pairing->lost_until_ns > object->time_ns || object->time_ns < coverage->begin_ns ||
		 object->time_ns > coverage->end_ns)
		ending = SLAB_UNKNOWN;
	if (ending == SLAB_LIVE) {
		site->endings[SLAB_LIVE]++;
		return;
	}
	end_as(pairing, object->actor, ending, 1);
	object->flags |= SLAB_OBJECT_LOSS;
	site->live--;
	site->live_req -= object->bytes_req;
	site->live_alloc -= object->bytes_alloc;
}

void slab_pairing_add_to_site(const struct slab_pairing *pairing, uint32_t number,
			      struct slab_site *site)
{
	const struct slab_actor *actor = slab_pairing_actor(pairing, number);
	const struct slab_pairs *pairs = &pairing->pairs[actor->pairs];

	site->allocs += actor->allocs;
	site->bytes_req += actor->bytes_req;
	site->bytes_alloc += actor->bytes_alloc;
	/* An actor that only frees has no pairs. */
	if (number && !actor->pairs)
		return;
	site->pairs.other_cpu += pairs->other_cpu;
	site->pairs.other_thread += pairs->other_thread;
	site->pairs.kfreed += pairs->kfreed;
	for (int ending = SLAB_UNTRACED; ending < SLAB_ENDINGS; ending++)
		site->endings[ending] += pairs->ended[ending - SLAB_UNTRACED];
	for (int bin = 0; bin < SLAB_LIFETIME_BINS; bin++) {
		site->pairs.lifetimes[bin] += pairs->lifetimes[bin];
		site->endings[SLAB_PAIRED] += pairs->lifetimes[bin];
	}
}

static void sum_up(struct slab_pairing *pairing)
{
	for (uint32_t i = 0; i < pairing->actors.count; i++)
		slab_pairing_add_to_site(
			pairing, i,
			slab_pairing_site(pairing, slab_pairing_actor(pairing, i)->site));
}

/* After a stream has ended whoever allocated what is freed may have been on its CPU. */
static void judge_frees(struct slab_pairing *pairing, const struct slab_coverage *coverage)
{
	size_t older = 0, refreed = 0;

	for (size_t i = 0; i < pairing->older; i++)
		older += pairing->older_ns[i] <= coverage->end_ns;
	pairing->unknown_frees += pairing->older - older;
	for (size_t i = 0; i < pairing->page_refreed; i++) {
		const struct slab_refreed *pages = &pairing->refreed[i];

		if (pages->time_ns > coverage->end_ns)
			pairing->unknown_frees++;
		else if (pages->since_ns < coverage->begin_ns)
			older++;
		else
			refreed++;
	}
	pairing->older = older;
	pairing->page_refreed = refreed;
	/* Of double frees that were not kept only those times are known. */
	if (pairing->dropped_last_ns > coverage->end_ns ||
	    pairing->dropped_first_ns < coverage->begin_ns ||
	    judge_missing(coverage) != SLAB_INCONSISTENT) {
		pairing->double_frees -= pairing->doubles_dropped;
		pairing->unknown_frees += pairing->doubles_dropped;
	}
}

void slab_pairing_judge(struct slab_pairing *pairing, const struct slab_coverage *coverage)
{
	sum_up(pairing);
	judge_frees(pairing, coverage);
	for (size_t i = 0; i < pairing->doubt_count; i++)
		judge_doubt(pairing, &pairing->doubts[i], coverage);
	for (size_t i = 0; i < pairing->untraced_count; i++) {
		const struct slab_untraced *untraced = &pairing->untraced[i];
		uint32_t site = slab_pairing_actor(pairing, untraced->actor)->site;

		if (untraced->since_ns >= coverage->begin_ns &&
		    untraced->time_ns <= coverage->end_ns)
			continue;
		end_as(pairing, untraced->actor, SLAB_UNTRACED, -1ull);
		end_as(pairing, untraced->actor, SLAB_UNKNOWN, 1);
		slab_pairing_site(pairing, site)->by_rcu -= untraced->by_rcu;
	}
	for (uint32_t i = 0; i < pairing->objects.count; i++)
		if (pairing->objects.all[i].state == SLAB_OBJECT_LIVE)
			judge_object(pairing, &pairing->objects.all[i], coverage);
}
