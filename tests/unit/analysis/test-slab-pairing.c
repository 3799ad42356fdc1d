// SPDX-License-Identifier: LGPL-2.1-only
/* Tests the outcomes of objects with a table of scripts of events. */
#include <stdlib.h>
#include <string.h>

#include "analysis/slab/track/batches.h"
#include "tests/tap.h"

/*
 * One event, 100 ns after the previous one:
 *   K     kmalloc of 60 bytes in a slot of 64
 *   S     kmalloc of 100 bytes in a slot of 64
 *   k     kfree
 *   C, c  kmem_cache_alloc, kmem_cache_free of cache 7
 *   D, d  kmem_cache_alloc, kmem_cache_free of cache 8
 *   b     bulk free by address alone
 *   B     bulk free of cache 7
 *   m     kmem_cache_free of kmalloc's own cache
 *   r     kfree_rcu
 *   g, G  krealloc in place to 64, 65 bytes
 *   L     a loss that ends now
 *   W     a loss that ends three steps later
 *   P, p  allocates, frees one page
 *   Q, q  allocates, frees four pages
 *   U     allocates a page in bulk
 *   x     frees two pages
 */
struct slab_pairing_step {
	char what;
	uint16_t cpu;
	uint64_t address;
};

struct outcomes {
	uint64_t paired, live, untraced, inconsistent, unknown; /* expected outcomes of objects */
	uint64_t before_trace, undetermined_frees, double_frees, untraced_allocs, refreed;
};

struct slab_pairing_case {
	const char *name;
	struct slab_pairing_step steps[12];
	struct outcomes outcomes;
	int begin, end;	     /* range of steps that all streams cover; 0: all steps */
	bool late;	     /* the start of the streams is known only at the end */
	bool hidden, gone;   /* some allocating paths are not traced; cache 7 was destroyed */
	bool paths, unknown; /* no state dump of paths; no state dump of cache 7 */
	uint64_t by_rcu, legal, kfreed, partly_freed, sizes;
};

#define A 0x1000
#define B 0x2000
#define PFN (SLAB_ADDRESS_PAGE | 0x400)

static const struct slab_pairing_case tests[] = {
	{ "a pair", { { 'K', 0, A }, { 'k', 0, A } }, .outcomes = { .paired = 1 } },
	{ "freed on another CPU", { { 'K', 0, A }, { 'k', 1, A } }, .outcomes = { .paired = 1 } },
	{ "live at the end", { { 'K', 0, A } }, .outcomes = { .live = 1 } },
	{ "allocated before the trace", { { 'k', 0, A } }, .outcomes = { .before_trace = 1 } },
	{ "an address used again, on three CPUs",
	  { { 'K', 0, A },
	    { 'k', 1, A },
	    { 'K', 2, A },
	    { 'k', 0, A },
	    { 'C', 1, A },
	    { 'c', 1, A } },
	  .outcomes = { .paired = 3 } },
	{ "two addresses do not mix",
	  { { 'K', 0, A }, { 'K', 0, B }, { 'k', 0, B } },
	  .outcomes = { .paired = 1, .live = 1 } },
	{ "a live address is allocated again: freed by an untraced path",
	  { { 'K', 0, A }, { 'K', 0, A }, { 'k', 0, A } },
	  .outcomes = { .paired = 1, .untraced = 1 } },
	{ "... after kfree_rcu, which is stated",
	  { { 'K', 0, A }, { 'r', 0, A }, { 'K', 0, A } },
	  .outcomes = { .live = 1, .untraced = 1 },
	  .by_rcu = 1 },
	{ "... after the first stream ended: undetermined",
	  { { 'K', 0, A }, { 'C', 0, B }, { 'c', 0, B }, { 'K', 0, A } },
	  .outcomes = { .paired = 1, .unknown = 2 },
	  .end = 2 },
	{ "... before all streams started: undetermined",
	  { { 'K', 0, A }, { 'K', 0, A }, { 'k', 0, A } },
	  .outcomes = { .paired = 1, .unknown = 1 },
	  .begin = 3 },
	{ "passed to kfree_rcu and freed",
	  { { 'K', 0, A }, { 'r', 0, A }, { 'k', 0, A } },
	  .outcomes = { .paired = 1 } },
	{ "... in bulk",
	  { { 'K', 0, A }, { 'r', 0, A }, { 'b', 0, A } },
	  .outcomes = { .paired = 1 } },
	{ "kfree_rcu of an object allocated before the trace",
	  { { 'r', 0, A }, { 'k', 0, A } },
	  .outcomes = { .before_trace = 1 } },
	{ "double free",
	  { { 'K', 0, A }, { 'k', 0, A }, { 'k', 1, A } },
	  .outcomes = { .paired = 1, .double_frees = 1 } },
	{ "double free of an object allocated before the trace",
	  { { 'k', 0, A }, { 'k', 0, A } },
	  .outcomes = { .before_trace = 1, .double_frees = 1 } },
	{ "... the first before all streams started",
	  { { 'k', 0, A }, { 'k', 0, A } },
	  .outcomes = { .before_trace = 2 },
	  .begin = 2 },
	{ "... the second after a stream ended",
	  { { 'k', 0, A }, { 'k', 0, A } },
	  .outcomes = { .before_trace = 1, .undetermined_frees = 1 },
	  .end = 1 },
	{ "... a path that is not traced may have allocated in between",
	  { { 'k', 0, A }, { 'k', 0, A } },
	  .outcomes = { .before_trace = 1, .untraced_allocs = 1 },
	  .hidden = true },
	{ "... there is no state dump of paths that allocate",
	  { { 'k', 0, A }, { 'k', 0, A } },
	  .outcomes = { .before_trace = 1, .undetermined_frees = 1 },
	  .paths = true },
	{ "freed through another cache; there is no state dump of paths",
	  { { 'C', 0, A }, { 'd', 0, A } },
	  .outcomes = { .unknown = 1 },
	  .paths = true },
	{ "freed through another cache",
	  { { 'C', 0, A }, { 'd', 0, A } },
	  .outcomes = { .inconsistent = 1 } },
	{ "... which loss explains",
	  { { 'C', 0, A }, { 'L', 0, 0 }, { 'd', 0, A } },
	  .outcomes = { .unknown = 1 } },
	{ "... which a stream that started later explains",
	  { { 'C', 0, A }, { 'd', 0, A } },
	  .outcomes = { .unknown = 1 },
	  .begin = 2 },
	{ "kfree of a cache's object is legal",
	  { { 'C', 0, A }, { 'k', 0, A } },
	  .outcomes = { .paired = 1 },
	  .kfreed = 1 },
	{ "bulk free without a cache too",
	  { { 'C', 0, A }, { 'b', 0, A } },
	  .outcomes = { .paired = 1 },
	  .kfreed = 1 },
	{ "bulk free of the cache", { { 'C', 0, A }, { 'B', 0, A } }, .outcomes = { .paired = 1 } },
	{ "bulk free of another cache",
	  { { 'D', 0, A }, { 'B', 0, A } },
	  .outcomes = { .inconsistent = 1 } },
	{ "kmalloc memory through its own cache is legal",
	  { { 'K', 0, A }, { 'm', 0, A } },
	  .outcomes = { .paired = 1 },
	  .legal = 1 },
	{ "kmalloc memory through another cache",
	  { { 'K', 0, A }, { 'c', 0, A } },
	  .outcomes = { .inconsistent = 1 } },
	{ "... without a state dump of that cache: it may be kmalloc's own",
	  { { 'K', 0, A }, { 'c', 0, A } },
	  .outcomes = { .unknown = 1 },
	  .unknown = true },
	{ "fewer bytes allocated than requested",
	  { { 'S', 0, A }, { 'k', 0, A } },
	  .outcomes = { .paired = 1 },
	  .sizes = 1 },
	{ "krealloc in place that fits",
	  { { 'K', 0, A }, { 'g', 0, A }, { 'k', 0, A } },
	  .outcomes = { .paired = 1 } },
	{ "krealloc in place that does not",
	  { { 'K', 0, A }, { 'G', 0, A }, { 'k', 0, A } },
	  .outcomes = { .paired = 1 },
	  .sizes = 1 },
	{ "krealloc of an object allocated before the trace",
	  { { 'G', 0, A }, { 'k', 0, A } },
	  .outcomes = { .before_trace = 1 } },
	{ "a loss while it is live: undetermined, freed or not",
	  { { 'K', 0, A }, { 'K', 0, B }, { 'L', 0, 0 }, { 'k', 0, B } },
	  .outcomes = { .unknown = 2 } },
	{ "a loss before the allocation does not matter",
	  { { 'L', 0, 0 }, { 'K', 0, A }, { 'k', 0, A } },
	  .outcomes = { .paired = 1 } },
	{ "a loss after the free does not matter",
	  { { 'K', 0, A }, { 'k', 0, A }, { 'L', 0, 0 }, { 'K', 0, A } },
	  .outcomes = { .paired = 1, .live = 1 } },
	{ "a loss that continues does",
	  { { 'W', 0, 0 }, { 'K', 0, A }, { 'k', 0, A } },
	  .outcomes = { .unknown = 1 } },
	{ "a live address is allocated again after a loss",
	  { { 'K', 0, A }, { 'L', 0, 0 }, { 'K', 0, A } },
	  .outcomes = { .live = 1, .unknown = 1 } },
	{ "a free without an allocation, after a loss",
	  { { 'L', 0, 0 }, { 'k', 0, A } },
	  .outcomes = { .undetermined_frees = 1 } },
	{ "freed twice with a loss in between",
	  { { 'K', 0, A }, { 'k', 0, A }, { 'L', 0, 0 }, { 'k', 0, A } },
	  .outcomes = { .paired = 1, .undetermined_frees = 1 } },
	{ "allocated after a stream ended",
	  { { 'K', 0, A }, { 'K', 0, B } },
	  .outcomes = { .live = 1, .unknown = 1 },
	  .end = 1 },
	{ "live in a cache that was destroyed",
	  { { 'C', 0, A }, { 'K', 0, B } },
	  .outcomes = { .live = 1, .untraced = 1 },
	  .gone = true },
	{ "a page", { { 'P', 0, PFN }, { 'p', 0, PFN } }, .outcomes = { .paired = 1 } },
	{ "pages split and partly freed",
	  { { 'Q', 0, PFN }, { 'p', 0, PFN | 1 }, { 'p', 0, PFN }, { 'x', 1, PFN | 2 } },
	  .outcomes = { .paired = 1 },
	  .partly_freed = 1 },
	{ "... not all of them",
	  { { 'Q', 0, PFN }, { 'p', 0, PFN | 1 } },
	  .outcomes = { .live = 1 } },
	{ "a page that is not in the block",
	  { { 'Q', 0, PFN }, { 'p', 0, PFN | 4 } },
	  .outcomes = { .live = 1, .before_trace = 1 } },
	{ "a page and an object of the same number",
	  { { 'P', 0, PFN }, { 'k', 0, 0x400 } },
	  .outcomes = { .live = 1, .before_trace = 1 } },
	{ "a free without an allocation, after a stream ended",
	  { { 'K', 0, B }, { 'k', 0, A } },
	  .outcomes = { .live = 1, .undetermined_frees = 1 },
	  .end = 1 },
	{ "a free of a page without an allocation",
	  { { 'p', 0, PFN } },
	  .outcomes = { .before_trace = 1 } },
	{ "... after a stream ended",
	  { { 'K', 0, B }, { 'p', 0, PFN } },
	  .outcomes = { .live = 1, .undetermined_frees = 1 },
	  .end = 1 },
	{ "freed twice, the first before all streams started, the second after one ended",
	  { { 'k', 0, A }, { 'K', 0, B }, { 'k', 0, A } },
	  .outcomes = { .unknown = 1, .undetermined_frees = 1, .before_trace = 1 },
	  .begin = 3,
	  .end = 2 },
	{ "a page freed twice",
	  { { 'P', 0, PFN }, { 'p', 0, PFN }, { 'p', 0, PFN } },
	  .outcomes = { .paired = 1, .refreed = 1 } },
	{ "... the second after a stream ended",
	  { { 'P', 0, PFN }, { 'p', 0, PFN }, { 'p', 0, PFN } },
	  .outcomes = { .paired = 1, .undetermined_frees = 1 },
	  .end = 2 },
	{ "... the first before all streams started",
	  { { 'p', 0, PFN }, { 'p', 0, PFN } },
	  .outcomes = { .before_trace = 2 },
	  .begin = 2 },
	{ "... which is known only at the end",
	  { { 'p', 0, PFN }, { 'p', 0, PFN } },
	  .outcomes = { .before_trace = 2 },
	  .begin = 2,
	  .late = true },
	{ "... after a loss",
	  { { 'P', 0, PFN }, { 'p', 0, PFN }, { 'L', 0, 0 }, { 'p', 0, PFN } },
	  .outcomes = { .paired = 1, .undetermined_frees = 1 } },
	{ "a page is allocated again",
	  { { 'P', 0, PFN }, { 'P', 0, PFN } },
	  .outcomes = { .live = 1, .untraced = 1 } },
};

/* Maps letters to operations. */
static const struct operation {
	uint32_t kind, req, alloc;
	char what;
	uint8_t api;
} operations[] = {
	{ 6, 60, 64, 'K', 0 },
	{ 6, 100, 64, 'S', 0 },
	{ SLAB_KIND_CACHE + 7, 0, 0, 'C', 0 },
	{ SLAB_KIND_CACHE + 8, 0, 0, 'D', 0 },
	{ SLAB_KIND_PAGES, 4096, 4096, 'P', 0 },
	{ SLAB_KIND_PAGES, 4096, 4096, 'U', 0 },
	{ SLAB_KIND_PAGES + 2, 16384, 16384, 'Q', 0 },
	{ SLAB_KIND_NONE, 0, 0, 'k', SLAB_API_KFREE },
	{ SLAB_KIND_NONE, 0, 0, 'b', SLAB_API_BULK },
	{ SLAB_KIND_CACHE + 7, 0, 0, 'B', SLAB_API_BULK },
	{ SLAB_KIND_CACHE + 7, 0, 0, 'c', SLAB_API_CACHE_FREE },
	{ SLAB_KIND_CACHE + 8, 0, 0, 'd', SLAB_API_CACHE_FREE },
	{ SLAB_KIND_CACHE + 64, 0, 0, 'm', SLAB_API_CACHE_FREE },
	{ SLAB_KIND_PAGES, 4096, 0, 'p', SLAB_API_PAGES },
	{ SLAB_KIND_PAGES + 2, 16384, 0, 'q', SLAB_API_PAGES },
	{ SLAB_KIND_PAGES + 1, 8192, 0, 'x', SLAB_API_PAGES },
	{ 0, 64, 0, 'g', 0 },
	{ 0, 65, 0, 'G', 0 },
	{ 0, 0, 0, 'r', 0 },
};

static int play(struct slab_pairing *pairing, const struct slab_pairing_step *step, int64_t now)
{
	struct slab_op op = { .address = step->address,
			      .time_ns = now,
			      .key = { .code = (uint32_t)step->what, .tid = 1, .cpu = step->cpu } };
	struct slab_hint hint = { 0 };
	struct slab_freed freed;
	int64_t grown;

	if (step->what == 'L' || step->what == 'W') {
		slab_pairing_lost(pairing, step->what == 'L' ? now : now + 300);
		return 0;
	}
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
		if (operations[i].what != step->what)
			continue;
		op.key.kind = operations[i].kind;
		op.bytes_req = operations[i].req;
		op.bytes_alloc = operations[i].alloc;
		op.api = operations[i].api;
		op.order = op.address & SLAB_ADDRESS_PAGE ? (uint8_t)(op.key.kind - SLAB_KIND_PAGES)
							  : SLAB_ORDER_NONE;
	}
	slab_op_locate(pairing, &op);
	if (strchr("KSCDPQU", step->what))
		return slab_pairing_alloc(pairing, &op, &hint, &freed) != 0;
	if (strchr("pqx", step->what))
		return slab_pairing_free_pages(pairing, &op, &hint, &freed) != 0;
	if (strchr("gG", step->what))
		return slab_pairing_realloc(pairing, &op, &hint, &grown);
	if (step->what != 'r')
		return slab_pairing_free(pairing, &op, &hint, &freed) != 0;
	return slab_pairing_rcu(pairing, &op, &hint);
}

static bool is_kmalloc_cache(const void *user, uint32_t kind, uint32_t bytes_alloc)
{
	(void)user;
	return kind == SLAB_KIND_CACHE + 64 && bytes_alloc == 64;
}

static bool is_gone(const void *user, uint32_t kind)
{
	return ((const struct slab_pairing_case *)user)->gone && kind == SLAB_KIND_CACHE + 7;
}

static bool is_unknown(const void *user, uint32_t kind)
{
	return ((const struct slab_pairing_case *)user)->unknown && kind == SLAB_KIND_CACHE + 7;
}

static bool check(const struct slab_pairing *pairing, const struct slab_pairing_case *test)
{
	const struct slab_before_trace *before = pairing->before_trace;
	struct outcomes found = { .before_trace = before[0].count + before[1].count,
				  .undetermined_frees = pairing->undetermined_frees[0] +
							pairing->undetermined_frees[1],
				  .double_frees = pairing->double_frees,
				  .untraced_allocs = pairing->untraced_allocs,
				  .refreed = pairing->page_refreed };
	uint64_t allocs = 0, by_rcu = 0, kfreed = 0, pieces = 0, sizes = 0, live = 0;

	for (uint32_t i = 0; i < slab_sites_count(&pairing->accounts); i++) {
		const struct slab_site *site = slab_site_at(&pairing->accounts, i);

		found.paired += site->outcomes[SLAB_PAIRED];
		found.live += site->outcomes[SLAB_LIVE];
		found.untraced += site->outcomes[SLAB_FREED_UNTRACED];
		found.inconsistent += site->outcomes[SLAB_ANOMALOUS];
		found.unknown += site->outcomes[SLAB_UNDETERMINED];
		allocs += site->allocs;
		by_rcu += site->by_rcu;
		kfreed += site->pairs.kfreed;
		pieces += site->partly_freed;
		live += site->live;
	}
	for (size_t i = 0; i < pairing->anomaly_count; i++)
		sizes += pairing->anomalies[i].kind == SLAB_SIZE;
	for (uint32_t i = 0; i < pairing->objects.count; i++)
		live -= slab_object_lives(&pairing->objects.all[i]);
	/* Each object must have exactly one outcome. */
	return !live &&
	       allocs == found.paired + found.live + found.untraced + found.inconsistent +
				 found.unknown &&
	       !memcmp(&found, &test->outcomes, sizeof(found)) && by_rcu == test->by_rcu &&
	       pairing->legal_kmalloc_by_cache == test->legal && kfreed == test->kfreed &&
	       pieces == test->partly_freed && sizes == test->sizes;
}

/*
 * Runs a case. Steps are at 100 ns, 200 ns, and so on. Time ranges start before a step and end
 * after a step.
 */
static bool run(const struct slab_pairing_case *test)
{
	struct slab_coverage coverage = {
		.begin_ns = test->begin ? 100 * test->begin - 50 : INT64_MIN,
		.end_ns = test->end ? 100 * test->end + 50 : INT64_MAX,
		.hidden_allocs = test->hidden,
		.is_kmalloc_cache = is_kmalloc_cache,
		.paths_unknown = test->paths,
		.is_gone = is_gone,
		.is_unknown = is_unknown,
		.user = test,
	};
	struct slab_pairing pairing;
	bool ok = !slab_pairing_init(&pairing);

	if (!test->late)
		pairing.begin_ns = coverage.begin_ns;
	for (int64_t i = 0; i < 12 && test->steps[i].what; i++)
		ok &= !play(&pairing, &test->steps[i], 100 * (i + 1));
	slab_pairing_judge(&pairing, &coverage);
	ok &= check(&pairing, test);
	slab_pairing_release(&pairing);
	return ok;
}

/* Tests pages of several call sites: the total peak is not the sum of the sites' peaks. */
static bool peak_of_pages(void)
{
	static const struct slab_pairing_step steps[] = { { 'U', 0, PFN }, { 'U', 0, PFN + 1 },
							  { 'p', 0, PFN }, { 'p', 1, PFN + 1 },
							  { 'P', 0, PFN }, { 'P', 0, PFN } };
	struct slab_pairing pairing;
	bool ok = !slab_pairing_init(&pairing);
	uint64_t sum = 0;

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		ok &= !play(&pairing, &steps[i], 100 * (int64_t)i);
	for (uint32_t i = 0; i < slab_sites_count(&pairing.accounts); i++)
		sum += slab_site_at(&pairing.accounts, i)->peak;
	ok &= sum == 3 && slab_pairing_peak(&pairing, 0) == 2 && pairing.live_orders[0] == 1;
	slab_pairing_release(&pairing);
	return ok;
}

/*
 * Adds many addresses, so that the table grows repeatedly. The table must find and count them all.
 */
static bool many(uint64_t count)
{
	struct slab_pairing pairing;
	bool ok = !slab_pairing_init(&pairing);
	uint64_t live = 0;

	for (uint64_t i = 0; i < count; i++)
		ok &= !play(&pairing, &(struct slab_pairing_step){ 'K', 0, i * 64 }, (int64_t)i);
	for (uint64_t i = 0; i < count; i += 2)
		ok &= !play(&pairing, &(struct slab_pairing_step){ 'k', 0, i * 64 },
			    (int64_t)(count + i));
	for (uint32_t i = 0; i < slab_sites_count(&pairing.accounts); i++)
		live += slab_site_at(&pairing.accounts, i)->live;
	ok &= pairing.objects.count == count && live == count / 2 &&
	      !pairing.before_trace[SLAB_MEMORY_OBJECTS].count;
	slab_pairing_release(&pairing);
	return ok;
}

/*
 * Causes more double frees than the pairing stores. The time range decides whether those that are
 * not stored count as double frees or as undetermined frees.
 */
static bool dropped(int64_t end_ns, uint64_t doubles, uint64_t unknown)
{
	const struct slab_coverage coverage = { .begin_ns = 0,
						.end_ns = end_ns,
						.is_kmalloc_cache = is_kmalloc_cache,
						.is_gone = is_gone,
						.is_unknown = is_unknown,
						.user = &tests[0] };
	struct slab_pairing pairing;
	bool ok = !slab_pairing_init(&pairing);

	for (int64_t i = 0; i <= SLAB_ANOMALIES_MAX + 10; i++)
		ok &= !play(&pairing, &(struct slab_pairing_step){ 'k', 0, A }, i);
	slab_pairing_judge(&pairing, &coverage);
	ok &= pairing.double_frees == doubles &&
	      pairing.undetermined_frees[SLAB_MEMORY_OBJECTS] == unknown &&
	      pairing.anomalies_dropped == 10 &&
	      pairing.before_trace[SLAB_MEMORY_OBJECTS].count == 1;
	slab_pairing_release(&pairing);
	return ok;
}

/* After memory has run out, each call must report it, even if there is nothing left to do. */
static bool short_once(bool thread)
{
	struct slab_tracker *tracker = calloc(1, sizeof(*tracker));
	struct slab_batches batches = { 0 };
	bool ok = tracker && !slab_tracker_init(tracker) && !slab_batches_init(&batches, tracker) &&
		  !slab_batches_start(&batches, NULL, thread);

	if (!tracker)
		return false;
	if (ok) {
		tracker->pairing.objects.count = UINT32_MAX / 2;
		*batches.next++ = (struct slab_op){ .address = A, .what = SLAB_OPERATION_ALLOC };
		ok &= slab_batches_drain(&batches) != 0;
		tracker->pairing.objects.count = 0;
		ok &= slab_batches_drain(&batches) != 0;
	}
	slab_batches_stop(&batches);
	slab_tracker_release(tracker);
	free(tracker);
	return ok;
}

int main(void)
{
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		tap(run(&tests[i]), "pairing: %s", tests[i].name);
	tap(peak_of_pages(), "pairing: the peak of pages of several call sites");
	tap(many(100000), "pairing: a hundred thousand addresses");
	tap(dropped(INT64_MAX, SLAB_ANOMALIES_MAX + 10, 0), "more double frees than are kept");
	tap(dropped(SLAB_ANOMALIES_MAX + 9, SLAB_ANOMALIES_MAX, 10),
	    "... and a stream ended before the last: those that are not kept are not certain");
	tap(short_once(false), "out of memory is reported again");
	tap(short_once(true), "out of memory is reported again, with a thread");
	return tap_status();
}
