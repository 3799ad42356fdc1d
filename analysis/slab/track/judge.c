// SPDX-License-Identifier: LGPL-2.1-only
/* Decides the outcomes of objects and frees after the whole trace. */
#include "analysis/slab/track/pairing.h"

/* Returns the outcome of a contradiction that a missing allocation could explain. */
static enum slab_outcome judge_missing(const struct slab_coverage *coverage)
{
	if (coverage->hidden_allocs || coverage->partial)
		return SLAB_FREED_UNTRACED;
	return coverage->paths_unknown ? SLAB_UNDETERMINED : SLAB_ANOMALOUS;
}

/*
 * Do all streams cover the time between the two events, and was recording certainly not paused in
 * this time? If not, a missing event may explain an error.
 */
static bool is_covered(const struct slab_coverage *coverage, int64_t first_ns, int64_t second_ns)
{
	return first_ns >= coverage->begin_ns && second_ns <= coverage->end_ns &&
	       !slab_coverage_has_gap(coverage, first_ns, second_ns);
}

static void judge_double(struct slab_pairing *pairing, struct slab_anomaly *anomaly,
			 const struct slab_coverage *coverage)
{
	if (anomaly->second_ns > coverage->end_ns)
		anomaly->verdict = SLAB_UNDETERMINED;
	else if (anomaly->first_ns < coverage->begin_ns)
		anomaly->verdict = SLAB_BEFORE_TRACE;
	else if (!is_covered(coverage, anomaly->first_ns, anomaly->second_ns))
		anomaly->verdict = SLAB_UNDETERMINED;
	else
		anomaly->verdict = (uint8_t)judge_missing(coverage);
	pairing->double_frees -= anomaly->verdict != SLAB_ANOMALOUS;
	pairing->before_trace[SLAB_MEMORY_OBJECTS].count += anomaly->verdict == SLAB_BEFORE_TRACE;
	pairing->undetermined_frees[SLAB_MEMORY_OBJECTS] += anomaly->verdict == SLAB_UNDETERMINED;
	pairing->untraced_allocs += anomaly->verdict == SLAB_FREED_UNTRACED;
}

/* Adds @times objects with @outcome to the counts of the account and of its call site. */
static void end_as(struct slab_pairing *pairing, uint32_t account, enum slab_outcome outcome,
		   uint64_t times)
{
	struct slab_site *site = slab_site_at(&pairing->accounts,
					      slab_account_at(&pairing->accounts, account)->site);

	*slab_account_ended(&pairing->accounts, account, outcome) += times;
	site->outcomes[outcome] += times;
}

static void judge_anomaly(struct slab_pairing *pairing, struct slab_anomaly *anomaly,
			  const struct slab_coverage *coverage)
{
	struct slab_site *site = slab_site_at(&pairing->accounts, anomaly->site);
	bool covered = is_covered(coverage, anomaly->first_ns, anomaly->second_ns);
	enum slab_outcome missing = judge_missing(coverage);

	if (anomaly->kind == SLAB_KMALLOC_BY_CACHE &&
	    coverage->is_kmalloc_cache(coverage->user, anomaly->second.kind,
				       anomaly->bytes_alloc)) {
		anomaly->verdict = SLAB_PAIRED;
		pairing->legal_kmalloc_by_cache++;
		return;
	}
	/*
	 * If the error is within one event, no missing event can explain it. If the second event is
	 * a krealloc() and events may be missing, the two events may belong to different objects.
	 */
	if (anomaly->kind == SLAB_SIZE) {
		if (anomaly->first_ns != anomaly->second_ns &&
		    (!covered || missing != SLAB_ANOMALOUS))
			anomaly->verdict = SLAB_UNDETERMINED;
		return;
	}
	if (anomaly->kind == SLAB_DOUBLE_FREE) {
		judge_double(pairing, anomaly, coverage);
		return;
	}
	/* A cache that is not in the state dump may be a cache of kmalloc(). */
	if (!covered || coverage->partial ||
	    (anomaly->kind == SLAB_KMALLOC_BY_CACHE &&
	     coverage->is_unknown(coverage->user, anomaly->second.kind)))
		anomaly->verdict = SLAB_UNDETERMINED;
	else
		anomaly->verdict = (uint8_t)missing;
	site->outcomes[SLAB_PAIRED]--;
	end_as(pairing, anomaly->account, anomaly->verdict, 1);
}

static void judge_object(struct slab_pairing *pairing, struct slab_object *object,
			 const struct slab_coverage *coverage)
{
	struct slab_site *site =
		slab_site_at(&pairing->accounts, slab_object_site(pairing, object));
	enum slab_outcome outcome = SLAB_LIVE;

	if (coverage->is_gone(coverage->user, site->row.b))
		outcome = SLAB_FREED_UNTRACED;
	else if (pairing->lost_until_ns > object->time_ns || object->time_ns < coverage->begin_ns ||
		 object->time_ns > coverage->end_ns)
		outcome = SLAB_UNDETERMINED;
	if (outcome == SLAB_LIVE) {
		site->outcomes[SLAB_LIVE]++;
		return;
	}
	end_as(pairing, object->account, outcome, 1);
	object->flags |= SLAB_OBJECT_LOSS;
	site->maybe_live += outcome == SLAB_UNDETERMINED;
	site->live--;
	site->live_req -= object->bytes_req;
	site->live_alloc -= object->bytes_alloc;
}

/*
 * Decides frees without an object. If a stream had ended before the free, the free is undetermined:
 * the allocation may have been on the CPU of that stream.
 */
static void judge_frees(struct slab_pairing *pairing, const struct slab_coverage *coverage)
{
	size_t refreed = 0;

	for (int of = 0; of < SLAB_MEMORY_COUNT; of++) {
		struct slab_before_trace *before = &pairing->before_trace[of];
		size_t count = 0;

		for (size_t i = 0; i < before->count; i++)
			count += before->times_ns[i] <= coverage->end_ns;
		pairing->undetermined_frees[of] += before->count - count;
		before->count = count;
	}
	for (size_t i = 0; i < pairing->page_refreed; i++) {
		const struct slab_refreed *pages = &pairing->refreed[i];

		if (pages->time_ns > coverage->end_ns)
			pairing->undetermined_frees[SLAB_MEMORY_PAGES]++;
		else if (pages->since_ns < coverage->begin_ns)
			pairing->before_trace[SLAB_MEMORY_PAGES].count++;
		else if (slab_coverage_has_gap(coverage, pages->since_ns, pages->time_ns))
			pairing->undetermined_frees[SLAB_MEMORY_PAGES]++;
		else
			refreed++;
	}
	pairing->page_refreed = refreed;
	/*
	 * Double frees beyond the maximum are only counted, with the times of the first and the
	 * last one. They share one verdict.
	 */
	if (!is_covered(coverage, pairing->dropped_first_ns, pairing->dropped_last_ns) ||
	    judge_missing(coverage) != SLAB_ANOMALOUS) {
		pairing->double_frees -= pairing->doubles_dropped;
		pairing->undetermined_frees[SLAB_MEMORY_OBJECTS] += pairing->doubles_dropped;
	}
}

void slab_pairing_judge(struct slab_pairing *pairing, const struct slab_coverage *coverage)
{
	slab_accounts_sum_up(&pairing->accounts);
	judge_frees(pairing, coverage);
	for (size_t i = 0; i < pairing->anomaly_count; i++)
		judge_anomaly(pairing, &pairing->anomalies[i], coverage);
	for (size_t i = 0; i < pairing->untraced_count; i++) {
		const struct slab_untraced *untraced = &pairing->untraced[i];
		uint32_t site = slab_account_at(&pairing->accounts, untraced->account)->site;

		if (is_covered(coverage, untraced->since_ns, untraced->time_ns))
			continue;
		end_as(pairing, untraced->account, SLAB_FREED_UNTRACED, -1ull);
		end_as(pairing, untraced->account, SLAB_UNDETERMINED, 1);
		slab_site_at(&pairing->accounts, site)->by_rcu -= untraced->by_rcu;
	}
	for (uint32_t i = 0; i < pairing->objects.count; i++)
		if (pairing->objects.all[i].state == SLAB_OBJECT_LIVE)
			judge_object(pairing, &pairing->objects.all[i], coverage);
}
