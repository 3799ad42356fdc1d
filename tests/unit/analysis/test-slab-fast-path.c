// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Processes random events in batches on the fast path, and one by one on the general path: the
 * results must be equal. Few addresses, threads and caches make all outcomes occur: pairs, double
 * frees, wrong caches, untraced frees, parts of blocks, losses. If some threads are omitted, the
 * figures must equal the figures of a trace without these threads.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/slab/track/tracker.h"
#include "tests/tap.h"

#define BATCHES 300

static uint64_t seed;

static uint32_t pick(uint32_t count)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)((seed >> 33) % count);
}

/*
 * A mix of operations. One in @odd operations is unusual: for example, it frees memory that is not
 * live. One in @losses batches ends with a loss. Allocations waste less than @waste bytes. With
 * @one_tag, all addresses have the same tag.
 */
struct mix {
	const char *name;
	uint32_t addresses, odd, losses, waste;
	bool one_tag, general_path; /* @general_path: most operations are odd */
};

/* Is an object or a page live? */
static bool live[2][10000];

/*
 * Decides whether an operation frees. Mostly, it frees live memory and allocates memory that is not
 * live.
 */
static bool to_free(const struct mix *mix, bool pages, uint32_t number)
{
	bool frees = pick(mix->odd) ? live[pages][number] : pick(2);

	live[pages][number] = !frees;
	return frees;
}

static void make_object(struct slab_op *op, const struct mix *mix)
{
	uint32_t number = pick(mix->addresses);
	bool frees = to_free(mix, false, number);
	/*
	 * Most operations on an address have the same kind: a size class, or a cache. One of the
	 * caches has no number.
	 */
	uint32_t kind = number & 1 ? 6 + (number >> 1 & 1) : SLAB_KIND_CACHE + (number >> 1) % 5;

	if (!pick(mix->odd))
		kind = pick(2) ? 6 : SLAB_KIND_CACHE + pick(5);
	op->address = 0x1000 + 64ull * number + ((uint64_t)(number & 3) << SLAB_SECTION_SHIFT);
	op->op_type = (struct slab_op_type){ frees ? SLAB_OPERATION_FREE : SLAB_OPERATION_ALLOC, 0,
					     0, SLAB_ORDER_NONE };
	op->key.kind = frees && pick(2) ? SLAB_KIND_NONE : kind;
	if (frees) {
		op->api = (uint8_t)pick(4);
	} else if (slab_kind_is_kmalloc(kind)) {
		op->bytes_alloc = 1u << kind;
		op->bytes_req = op->bytes_alloc - pick(mix->waste);
		op->bytes_req += pick(mix->odd) ? 0 : 40;
		op->flags = pick(8) ? 0 : SLAB_OBJECT_NOLOCK;
	}
}

static void make_pages(struct slab_op *op, const struct mix *mix)
{
	uint32_t order = pick(4), number = pick(mix->addresses);
	bool frees = to_free(mix, true, number);

	/* Most operations on a page number have the same order. */
	if (pick(mix->odd))
		order = number & 3;
	op->address = SLAB_ADDRESS_PAGE | ((uint64_t)number << (pick(mix->odd) ? 3 : order));
	op->key.kind = SLAB_KIND_PAGES + order;
	op->key.code = SLAB_NO_CODE;
	op->op_type = (struct slab_op_type){ frees ? SLAB_OPERATION_FREE_PAGES
						   : SLAB_OPERATION_ALLOC_PAGES,
					     SLAB_API_PAGES, 0, (uint8_t)order };
	op->bytes_req = op->bytes_alloc = SLAB_PAGE_UNIT << order;
}

static void make_op(struct slab_op *op, const struct mix *mix, int64_t now)
{
	uint32_t what = pick(100);

	*op = (struct slab_op){
		.time_ns = now, .key = { .code = 0x100 + pick(6), .tid = pick(5), .cpu = pick(2) }
	};
	if (!pick(mix->odd))
		op->key.cpu = 30 + pick(4);
	if (what < 70)
		make_object(op, mix);
	else
		make_pages(op, mix);
	if (!pick(2 * mix->odd)) {
		op->op_type = (struct slab_op_type){ pick(2) ? SLAB_OPERATION_REALLOC
							     : SLAB_OPERATION_RCU,
						     0, 0, SLAB_ORDER_NONE };
		op->bytes_req = pick(80);
	}
}

static bool same_rows(const struct mm_rows *a, const struct mm_rows *b)
{
	return a->count == b->count && !memcmp(a->all, b->all, a->count * a->size);
}

static bool same_array(const void *a, size_t a_count, const void *b, size_t b_count, size_t size)
{
	return a_count == b_count && (!a_count || !memcmp(a, b, a_count * size));
}

/* Compares members, because the padding is undefined. */
static bool same_anomalies(const struct slab_pairing *a, const struct slab_pairing *b)
{
	if (a->anomaly_count != b->anomaly_count)
		return false;
	for (size_t i = 0; i < a->anomaly_count; i++) {
		const struct slab_anomaly *x = &a->anomalies[i], *y = &b->anomalies[i];

		if (x->kind != y->kind || x->site != y->site || x->address != y->address ||
		    x->account != y->account || x->first_ns != y->first_ns ||
		    x->second_ns != y->second_ns ||
		    memcmp(&x->first, &y->first, sizeof(x->first)) ||
		    memcmp(&x->second, &y->second, sizeof(x->second)) ||
		    x->bytes_req != y->bytes_req || x->bytes_alloc != y->bytes_alloc ||
		    x->api != y->api || x->verdict != y->verdict)
			return false;
	}
	return true;
}

static bool same_untraced(const struct slab_pairing *a, const struct slab_pairing *b)
{
	if (a->untraced_count != b->untraced_count)
		return false;
	for (size_t i = 0; i < a->untraced_count; i++) {
		const struct slab_untraced *x = &a->untraced[i], *y = &b->untraced[i];

		if (x->since_ns != y->since_ns || x->time_ns != y->time_ns ||
		    x->account != y->account || x->by_rcu != y->by_rcu)
			return false;
	}
	return true;
}

/* Returns a description of the first difference, or NULL. */
static const char *difference(const struct slab_tracker *a, const struct slab_tracker *b)
{
	const struct slab_pairing *p = &a->pairing, *q = &b->pairing;

#define COUNTERS(x)                                                                                \
	{                                                                                          \
		(x)->anomalies_dropped, (x)->before_trace[0].count, (x)->before_trace[1].count,    \
			(x)->undetermined_frees[0], (x)->undetermined_frees[1], (x)->double_frees, \
			(x)->untraced_allocs, (x)->page_refreed, (x)->merged_pages, (x)->in_place, \
			(x)->rcu_call_count, (x)->doubles_dropped                                  \
	}
	const uint64_t counters[2][12] = { COUNTERS(p), COUNTERS(q) };
#undef COUNTERS

	if (!same_array(p->objects.all, p->objects.count, q->objects.all, q->objects.count,
			sizeof(*p->objects.all)))
		return "objects";
	if (!same_rows(&p->accounts.rows, &q->accounts.rows))
		return "actors";
	if (!same_rows(&p->accounts.sites, &q->accounts.sites))
		return "call sites";
	if (!same_rows(&p->rcu_calls, &q->rcu_calls))
		return "passed to kfree_rcu()";
	if (!same_array(p->accounts.pairs, p->accounts.pairs_count, q->accounts.pairs,
			q->accounts.pairs_count, sizeof(*p->accounts.pairs)))
		return "pairs";
	if (!same_array(p->accounts.first_ns, p->accounts.rows.count, q->accounts.first_ns,
			q->accounts.rows.count, sizeof(*p->accounts.first_ns)))
		return "first events";
	if (!same_array(p->accounts.unmatched, p->accounts.rows.count, q->accounts.unmatched,
			q->accounts.rows.count, sizeof(*p->accounts.unmatched)))
		return "frees without an allocation";
	if (memcmp(counters[0], counters[1], sizeof(counters[0])))
		return "counters";
	for (int of = 0; of < SLAB_MEMORY_COUNT; of++)
		if (!same_array(p->before_trace[of].times_ns, p->before_trace[of].count,
				q->before_trace[of].times_ns, q->before_trace[of].count,
				sizeof(int64_t)))
			return false;
	if (!same_array(p->refreed, p->page_refreed, q->refreed, q->page_refreed,
			sizeof(*p->refreed)))
		return "times of frees";
	if (memcmp(p->live_orders, q->live_orders, sizeof(p->live_orders)) ||
	    memcmp(p->peak_orders, q->peak_orders, sizeof(p->peak_orders)))
		return "blocks of an order";
	if (!same_anomalies(p, q))
		return "anomalies";
	if (!same_untraced(p, q))
		return "unseen frees";
	if (!same_rows(&a->tallies.sections, &b->tallies.sections))
		return "sections";
	if (!same_rows(&a->remote.matrix, &b->remote.matrix) ||
	    memcmp(a->remote.few, b->remote.few, sizeof(a->remote.few)))
		return "CPUs";
	if (!same_rows(&a->remote.cross_process, &b->remote.cross_process))
		return "cross-process frees";
	if (!same_rows(&a->cross_node.rows, &b->cross_node.rows) ||
	    memcmp(a->cross_node.counts, b->cross_node.counts, sizeof(a->cross_node.counts)))
		return "nodes";
	if (memcmp(a->live.kinds, b->live.kinds, (SLAB_KINDS + 1) * sizeof(*a->live.kinds)))
		return "kinds";
	if (memcmp(&a->live.now, &b->live.now, sizeof(a->live.now)) ||
	    memcmp(&a->live.peak, &b->live.peak, sizeof(a->live.peak)) ||
	    a->live.peak_ns != b->live.peak_ns)
		return "live objects";
	if (!same_array(a->live.samples, a->live.sample_count, b->live.samples,
			b->live.sample_count, sizeof(a->live.samples[0])))
		return "the series";
	if (!same_rows(&a->waste.rows, &b->waste.rows))
		return "the internal fragmentation";
	return NULL;
}

static void aim(const struct slab_tracker *tracker, const struct mix *mix, struct slab_batch *batch)
{
	for (unsigned int i = 0; i < batch->count; i++) {
		slab_op_locate(&tracker->pairing, &batch->ops[i]);
		if (mix->one_tag)
			batch->ops[i].tag = 7;
	}
}

static int act_one(struct slab_tracker *tracker, const struct slab_op *op, struct slab_hint *hint)
{
	slab_live_see_time(&tracker->live, op->time_ns);
	return slab_tracker_process_any(tracker, op, hint);
}

static int act_one_by_one(struct slab_tracker *tracker, const struct slab_batch *batch)
{
	for (unsigned int i = 0; i < batch->count; i++) {
		struct slab_hint hint = { 0, 0 };

		if (act_one(tracker, &batch->ops[i], &hint))
			return -1;
	}
	return 0;
}

/* Adds two nodes of 256 MiB, with CPU 1 on the second node, as a state dump does. */
static int set_nodes(struct slab_nodes *nodes)
{
	for (uint64_t i = 0; i < 2; i++) {
		const union mm_scalar node[] = {
			{ .u = i }, { .u = i << 16 }, { .u = (i + 1) << 16 }, { .u = 4096 }
		};
		const union mm_scalar cpu[] = { { .u = i }, { .u = i } };
		const struct mm_event node_event = { .fields = node },
				      cpu_event = { .fields = cpu };

		if (slab_nodes_dump(nodes, &node_event) || slab_nodes_dump_cpu(nodes, &cpu_event))
			return -1;
	}
	return nodes->map ? 0 : -1;
}

static void set_sizes(struct slab_tracker *tracker)
{
	for (uint32_t i = 1; i < 4; i++) {
		tracker->live.kinds[SLAB_KIND_CACHE + i].object_size = 90 * i;
		tracker->live.kinds[SLAB_KIND_CACHE + i].size = 100 * i;
	}
	tracker->live.sized_kinds = SLAB_KIND_CACHE + 4;
	tracker->pairing.begin_ns = 20000;
}

static void destroy(struct slab_tracker *tracker)
{
	if (tracker)
		slab_tracker_release(tracker);
	free(tracker);
}

static struct slab_tracker *create(const struct slab_nodes *nodes)
{
	struct slab_tracker *tracker = calloc(1, sizeof(*tracker));

	if (!tracker)
		return NULL;
	if (slab_tracker_init(tracker) || slab_cross_node_start(&tracker->cross_node, nodes)) {
		destroy(tracker);
		return NULL;
	}
	return tracker;
}

static void check(const struct mix *mix, const struct slab_nodes *nodes)
{
	struct slab_tracker *batched = create(nodes), *one = create(nodes);
	struct slab_batch *batch = calloc(1, sizeof(*batch));
	unsigned int batches = 0;
	uint64_t events = 0;
	const char *differs = NULL;
	int64_t now = 0;
	int failed = !batched || !one || !batch;

	if (!failed) {
		set_sizes(batched);
		set_sizes(one);
	}
	for (; !failed && !differs && batches < BATCHES; batches++) {
		batch->count = 1 + pick(pick(2) ? 150 : SLAB_BATCH);
		for (unsigned int i = 0; i < batch->count; i++)
			make_op(&batch->ops[i], mix, now += 1 + pick(1000));
		events += batch->count;
		aim(one, mix, batch);
		failed = act_one_by_one(one, batch);
		aim(batched, mix, batch);
		failed = failed || slab_tracker_process(batched, batch) || batched->last_ns != now;
		if (mix->losses && !pick(mix->losses)) {
			slab_pairing_lost(&one->pairing, now);
			slab_pairing_lost(&batched->pairing, now);
		}
		differs = difference(one, batched);
	}
	tap(!failed && !differs, "%s: %u batches are as one by one: %s", mix->name, batches,
	    differs ? differs : "all the same");
	tap(!failed && one->pairing.objects.count > mix->addresses &&
		    slab_sites_count(&one->pairing.accounts) > 20 && one->pairing.anomaly_count &&
		    one->pairing.double_frees && one->pairing.merged_pages &&
		    one->remote.cross_process.count > 4 && one->remote.matrix.count > 4 &&
		    slab_waste_count(&one->waste) > 1 && one->live.sample_count &&
		    one->live.peak.alloc,
	    "%s: all outcomes occurred", mix->name);
	tap(!failed && (batched->general_path * 2 < events) == !mix->general_path,
	    "%s: %" PRIu64 " of %" PRIu64 " operations took the general path", mix->name,
	    batched->general_path, events);
	free(batch);
	destroy(batched);
	destroy(one);
}

/* Threads with this or a higher ID are omitted. They use separate addresses. */
#define OTHER_TID 10u

static enum slab_omission is_other(void *user, uint32_t number, const struct slab_op *op)
{
	(void)user;
	(void)number;
	return op->key.tid >= OTHER_TID ? SLAB_OMITTED_RECORDER : SLAB_COUNTED;
}

static void make_mixed_op(struct slab_op *op, const struct mix *mix, int64_t now)
{
	make_op(op, mix, now);
	if (pick(3))
		return;
	op->key.tid += OTHER_TID;
	/* Omitted threads use addresses far from those of other threads. */
	op->address += op->address & SLAB_ADDRESS_PAGE ? 1ull << 30 : 1ull << 40;
}

/* Compares call sites, but not the sums of their accounts, which are set at the end. */
static bool same_site(const struct slab_accounts *accounts, const struct slab_site *site)
{
	const struct slab_site *other = mm_rows_lookup(&accounts->sites, site->row.a, site->row.b);

	return other && other->live == site->live && other->live_req == site->live_req &&
	       other->live_alloc == site->live_alloc && other->peak == site->peak &&
	       other->peak_alloc == site->peak_alloc && other->by_rcu == site->by_rcu &&
	       other->partly_freed == site->partly_freed;
}

/*
 * Returns the first difference between the figures of two trackers, or NULL. @all has omitted some
 * threads, and @rest has never seen their operations.
 */
static const char *figures_differ(const struct slab_tracker *all, const struct slab_tracker *rest)
{
	const struct slab_pairing *p = &all->pairing, *q = &rest->pairing;
	const struct slab_accounts *accounts = &p->accounts;
	uint32_t sites = 0;

	for (uint32_t i = 0; i < slab_sites_count(accounts); i++) {
		const struct slab_site *site = slab_site_at(accounts, i);

		if (i && !slab_site_is_omitted(site) && !same_site(&q->accounts, site))
			return "call sites";
		sites += !slab_site_is_omitted(site);
	}
	if (sites != slab_sites_count(&q->accounts) || sites == slab_sites_count(accounts))
		return "the number of call sites";
	if (p->before_trace[0].count != q->before_trace[0].count ||
	    p->before_trace[1].count != q->before_trace[1].count ||
	    p->undetermined_frees[0] != q->undetermined_frees[0] ||
	    p->undetermined_frees[1] != q->undetermined_frees[1] ||
	    p->double_frees != q->double_frees || p->page_refreed != q->page_refreed ||
	    p->merged_pages != q->merged_pages || p->in_place != q->in_place ||
	    p->rcu_call_count != q->rcu_call_count)
		return "counters";
	if (p->anomaly_count != q->anomaly_count || p->anomalies_dropped != q->anomalies_dropped)
		return "anomalies";
	if (memcmp(p->peak_orders, q->peak_orders, sizeof(p->peak_orders)) ||
	    memcmp(p->live_orders, q->live_orders, sizeof(p->live_orders)))
		return "blocks of an order";
	if (!same_rows(&all->tallies.sections, &rest->tallies.sections))
		return "sections";
	if (!same_rows(&all->remote.matrix, &rest->remote.matrix) ||
	    memcmp(all->remote.few, rest->remote.few, sizeof(all->remote.few)))
		return "CPUs";
	if (!same_rows(&all->remote.cross_process, &rest->remote.cross_process))
		return "cross-process frees";
	if (!same_rows(&all->cross_node.rows, &rest->cross_node.rows) ||
	    memcmp(all->cross_node.counts, rest->cross_node.counts, sizeof(all->cross_node.counts)))
		return "nodes";
	/* Do not compare the last row, which is never read. */
	if (memcmp(all->live.kinds, rest->live.kinds, SLAB_KINDS * sizeof(*all->live.kinds)) ||
	    memcmp(&all->live.now, &rest->live.now, sizeof(all->live.now)) ||
	    memcmp(&all->live.peak, &rest->live.peak, sizeof(all->live.peak)) ||
	    all->live.peak_ns != rest->live.peak_ns)
		return "live objects";
	if (!same_array(all->live.samples, all->live.sample_count, rest->live.samples,
			rest->live.sample_count, sizeof(all->live.samples[0])))
		return "the series";
	if (slab_waste_count(&all->waste) != slab_waste_count(&rest->waste))
		return "the internal fragmentation";
	return NULL;
}

static void check_left_out(const struct mix *mix, const struct slab_nodes *nodes)
{
	struct slab_tracker *all = create(nodes), *rest = create(nodes);
	struct slab_batch *batch = calloc(1, sizeof(*batch));
	const char *differs = NULL;
	unsigned int batches = 0;
	int64_t now = 0;
	int failed = !all || !rest || !batch;

	if (!failed) {
		set_sizes(all);
		set_sizes(rest);
		all->pairing.accounts.omit = is_other;
		all->remote.counted_only = true;
	}
	for (; !failed && !differs && batches < BATCHES; batches++) {
		batch->count = 1 + pick(pick(2) ? 150 : SLAB_BATCH);
		for (unsigned int i = 0; i < batch->count; i++)
			make_mixed_op(&batch->ops[i], mix, now += 1 + pick(1000));
		aim(rest, mix, batch);
		for (unsigned int i = 0; i < batch->count && !failed; i++) {
			struct slab_hint hint = { 0, 0 };

			slab_live_see_time(&rest->live, batch->ops[i].time_ns);
			if (batch->ops[i].key.tid < OTHER_TID)
				failed = act_one(rest, &batch->ops[i], &hint);
		}
		aim(all, mix, batch);
		failed = failed || slab_tracker_process(all, batch);
		if (mix->losses && !pick(mix->losses)) {
			slab_pairing_lost(&all->pairing, now);
			slab_pairing_lost(&rest->pairing, now);
		}
		differs = figures_differ(all, rest);
		/* The first batches may lack some outcomes. */
		if (batches < 20)
			differs = NULL;
	}
	tap(!failed && !differs, "%s: figures without the threads that are left out: %s", mix->name,
	    differs ? differs : "all the same");
	free(batch);
	destroy(all);
	destroy(rest);
}

int main(void)
{
	static const struct mix mixes[] = {
		{ "few addresses", 12, 10, 0, 30, false, false },
		{ "nearly all on the fast path", 3000, 200, 0, 30, false, false },
		{ "many odd ones", 100, 2, 0, 30, false, true },
		{ "losses", 200, 30, 4, 30, false, false },
		{ "many addresses", 10000, 20, 100, 30, false, false },
		{ "hardly any waste", 100, 20, 0, 2, false, false },
		{ "addresses of one tag", 100, 20, 0, 30, true, true },
	};

	struct slab_nodes *nodes = calloc(1, sizeof(*nodes));

	if (!nodes || set_nodes(nodes))
		return 1;
	for (size_t i = 0; i < sizeof(mixes) / sizeof(mixes[0]); i++) {
		seed = i + 1;
		memset(live, 0, sizeof(live));
		check(&mixes[i], nodes);
		memset(live, 0, sizeof(live));
		check_left_out(&mixes[i], nodes);
	}
	slab_nodes_release(nodes);
	free(nodes);
	return tap_status();
}
