// SPDX-License-Identifier: LGPL-2.1-only
/* Adds up allocated, freed and live bytes by kind. Splits each kind by process and by call site. */
#include "analysis/slab/report/consumers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/slab/decode/sysinfo.h"
#include "analysis/slab/report/select.h"
#include "reader/report/kworkers.h"

/* The bytes of a kind of memory are divided among processes, and again among call sites. */
enum part_of { OF_PROCESS, OF_SITE };

struct kind_part {
	struct mm_row row; /* kind, process or call site, enum part_of */
	uint64_t bytes, live_bytes;
};

struct kind_sums {
	struct mm_row row; /* kind */
	struct slab_consumer sums;
};

/* The process of a thread. All kworkers of a pool count as its first kworker. */
struct thread_process {
	struct mm_row row; /* thread */
	uint32_t id;
	bool known;
};

struct kworker_pool {
	char name[SLAB_THREAD_BYTES];
	uint32_t id;
};

struct consumers_ctx {
	const struct slab_results *results;
	const struct slab_options *options;
	struct mm_rows kinds, parts, processes;
	uint64_t *live; /* bytes, indexed by account */
	struct kworker_pool *pools;
	size_t pool_count, pool_room;
	struct mm_hash by_name;
};

static bool is_pool(const void *pools, uint32_t number, const void *name)
{
	return !strcmp(((const struct kworker_pool *)pools)[number].name, name);
}

/*
 * Replaces the kworker *@id with the first kworker of its pool. Returns 0, or -1 when out of
 * memory.
 */
static int find_pool(struct consumers_ctx *ctx, const char *name, uint32_t *id)
{
	uint32_t key = mm_hash_of_string(&ctx->by_name, name);
	uint32_t number = mm_hash_find(&ctx->by_name, key, ctx->pools, name, is_pool);
	struct kworker_pool *grown;

	if (number != MM_HASH_NONE) {
		*id = ctx->pools[number].id;
		return 0;
	}
	grown = mm_array_grow(ctx->pools, ctx->pool_count, &ctx->pool_room, sizeof(*grown));
	if (!grown)
		return -1;
	ctx->pools = grown;
	if (mm_hash_add(&ctx->by_name, key, (uint32_t)ctx->pool_count))
		return -1;
	grown += ctx->pool_count++;
	grown->id = *id;
	snprintf(grown->name, sizeof(grown->name), "%s", name);
	return 0;
}

/* Sets *@id to the process of the thread. Returns 0, or -1 when out of memory. */
static int find_process(struct consumers_ctx *ctx, uint32_t thread, uint32_t *id)
{
	const struct slab_threads *threads = ctx->results->threads;
	struct thread_process *process = mm_rows_get(&ctx->processes, thread, 0);
	char name[SLAB_THREAD_BYTES], pool[SLAB_THREAD_BYTES];

	if (!process)
		return -1;
	if (!process->known) {
		process->id = slab_thread_leader(threads, thread, slab_thread_pid(threads, thread));
		slab_thread_name(threads, process->id, name, sizeof(name));
		if (mm_kworker_pool(name, pool, sizeof(pool)) && find_pool(ctx, pool, &process->id))
			return -1;
		process->known = true;
	}
	*id = process->id;
	return 0;
}

static int add_part(struct consumers_ctx *ctx, uint32_t kind, uint32_t id, enum part_of of,
		    uint64_t bytes, uint64_t live_bytes)
{
	struct kind_part *part = mm_rows_get3(&ctx->parts, kind, id, (uint32_t)of);

	if (!part)
		return -1;
	part->bytes += bytes;
	part->live_bytes += live_bytes;
	return 0;
}

/* Returns the bytes of frees without an allocation in the trace. */
static uint64_t unmatched_bytes(const struct slab_results *results, uint32_t kind, uint64_t count)
{
	if (!slab_kind_is_pages(kind))
		return count * slab_kind_size(results->caches, kind);
	return (count * SLAB_PAGE_UNIT << (kind - SLAB_KIND_PAGES))
	       << slab_page_scale(results->nodes);
}

/*
 * Adds the account's frees without an allocation to the uncertain frees, if the filters may select
 * the freed objects.
 */
static void add_unsure(const struct consumers_ctx *ctx, uint32_t number,
		       struct slab_consumers *consumers)
{
	const struct slab_accounts *accounts = ctx->results->accounts;
	bool pages = slab_kind_is_pages(slab_account_at(accounts, number)->key.kind);

	if (slab_may_free_selected(ctx->results, ctx->options, number))
		*(pages ? &consumers->page_frees_unsure : &consumers->frees_unsized) +=
			accounts->unmatched[number];
}

static int add_account(struct consumers_ctx *ctx, uint32_t number, uint64_t *frees_unsized)
{
	const struct slab_results *results = ctx->results;
	const struct slab_account *account = slab_account_at(results->accounts, number);
	const struct slab_pairs *pairs = &results->accounts->pairs[account->pairs];
	/*
	 * With --call-site, frees of objects from before the trace do not count: the call site of
	 * the allocation is unknown.
	 */
	uint64_t unmatched = ctx->options->call_site ? 0 : results->accounts->unmatched[number];
	uint32_t kind = account->key.kind, process;
	uint64_t size = slab_kind_size(results->caches, kind);
	unsigned int scale = slab_kind_is_pages(kind) ? slab_page_scale(results->nodes) : 0;
	uint64_t bytes = size ? account->allocs * size : account->bytes_alloc << scale;
	uint64_t live = ctx->live[number];
	struct kind_sums *of;

	if (kind == SLAB_KIND_NONE) {
		*frees_unsized += unmatched;
		return 0;
	}
	if (!account->allocs && !unmatched)
		return 0;
	of = mm_rows_get(&ctx->kinds, kind, 0);
	if (!of || find_process(ctx, account->key.tid, &process))
		return -1;
	of->sums.kind = kind;
	of->sums.allocs += account->allocs;
	of->sums.bytes += bytes;
	of->sums.live_bytes += live;
	of->sums.freed_bytes += unmatched_bytes(results, kind, unmatched);
	if (slab_kind_is_unsized(results->caches, kind)) {
		of->sums.unsized += account->allocs;
		*frees_unsized += unmatched;
	}
	/* An account without allocations has no element in @pairs. */
	if (account->pairs)
		of->sums.freed_bytes +=
			size ? pairs->earlier * size : pairs->earlier_bytes << scale;
	return add_part(ctx, kind, process, OF_PROCESS, bytes, live) ||
			       add_part(ctx, kind, account->key.code, OF_SITE, bytes, live)
		       ? -1
		       : 0;
}

static void see_larger(struct slab_largest *largest, uint32_t id, uint64_t bytes)
{
	if (bytes > largest->bytes)
		*largest = (struct slab_largest){ id, bytes };
}

/*
 * Drops the largest call site if more bytes have no call site. Among page allocations, only bulk
 * allocations have a call site, so even the largest call site may have a small share.
 */
static void drop_smaller(struct slab_largest *site, uint64_t unknown)
{
	if (site->bytes < unknown)
		site->bytes = 0;
}

static void find_largest(struct consumers_ctx *ctx)
{
	for (uint32_t i = 1; i < ctx->parts.count; i++) {
		const struct kind_part *part = mm_rows_at(&ctx->parts, i);
		struct kind_sums *of = mm_rows_get(&ctx->kinds, part->row.a, 0);
		bool site = part->row.c == OF_SITE;

		if (!of || (site && part->row.b == SLAB_NO_CODE))
			continue;
		see_larger(site ? &of->sums.site : &of->sums.process, part->row.b, part->bytes);
		see_larger(site ? &of->sums.live_site : &of->sums.live_process, part->row.b,
			   part->live_bytes);
	}
	for (uint32_t i = 1; i < ctx->parts.count; i++) {
		const struct kind_part *part = mm_rows_at(&ctx->parts, i);
		struct kind_sums *of = mm_rows_get(&ctx->kinds, part->row.a, 0);

		if (!of || part->row.c != OF_SITE || part->row.b != SLAB_NO_CODE)
			continue;
		drop_smaller(&of->sums.site, part->bytes);
		drop_smaller(&of->sums.live_site, part->live_bytes);
	}
}

static int compare_consumers(const void *a, const void *b)
{
	const struct slab_consumer *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	if (x->allocs != y->allocs)
		return x->allocs < y->allocs ? 1 : -1;
	return (x->kind > y->kind) - (x->kind < y->kind);
}

static void add_live(struct consumers_ctx *ctx)
{
	const struct slab_results *results = ctx->results;
	const struct slab_object *object;
	uint32_t at = 0;

	while ((object = slab_pairing_next_live(results->pairing, &at))) {
		uint32_t kind = slab_account_at(results->accounts, object->account)->key.kind;
		uint32_t size = slab_kind_size(results->caches, kind);
		unsigned int scale = slab_kind_is_pages(kind) ? slab_page_scale(results->nodes) : 0;

		ctx->live[object->account] += size ? size : (uint64_t)object->bytes_alloc << scale;
	}
}

static int gather(struct consumers_ctx *ctx, struct slab_consumers *consumers)
{
	const struct slab_results *results = ctx->results;
	uint32_t count = slab_accounts_count(results->accounts);

	ctx->live = calloc(count, sizeof(*ctx->live));
	mm_hash_init(&ctx->by_name);
	if (!ctx->live || mm_rows_init(&ctx->kinds, sizeof(struct kind_sums), UINT32_MAX - 1, 8) ||
	    mm_rows_init(&ctx->parts, sizeof(struct kind_part), UINT32_MAX - 1, 10) ||
	    mm_rows_init(&ctx->processes, sizeof(struct thread_process), UINT32_MAX - 1, 8))
		return -1;
	add_live(ctx);
	/* Account 0 belongs to no process. */
	for (uint32_t i = 1; i < count; i++) {
		add_unsure(ctx, i, consumers);
		if (slab_account_is_counted(results->accounts, i) &&
		    add_account(ctx, i, &consumers->frees_unsized))
			return -1;
	}
	find_largest(ctx);
	consumers->count = ctx->kinds.count - 1;
	consumers->all = calloc(consumers->count + 1, sizeof(*consumers->all));
	if (!consumers->all)
		return -1;
	for (uint32_t i = 0; i < consumers->count; i++)
		consumers->all[i] =
			((const struct kind_sums *)mm_rows_at(&ctx->kinds, i + 1))->sums;
	qsort(consumers->all, consumers->count, sizeof(*consumers->all), compare_consumers);
	return 0;
}

int slab_consumers_find(const struct slab_results *results, const struct slab_options *options,
			struct slab_consumers *consumers)
{
	struct consumers_ctx ctx = { .results = results, .options = options };
	int ret;

	*consumers = (struct slab_consumers){
		/*
		 * The condition on begin_ns ensures that frees and live objects are counted from
		 * the same time on.
		 */
		.growth_known = results->pairing->lost_until_ns == INT64_MIN &&
				!results->coverage->lossy && !results->coverage->gap_count &&
				results->coverage->begin_ns <= results->pairing->begin_ns,
	};
	ret = gather(&ctx, consumers);
	mm_rows_release(&ctx.kinds);
	mm_rows_release(&ctx.parts);
	mm_rows_release(&ctx.processes);
	mm_hash_release(&ctx.by_name);
	free(ctx.pools);
	free(ctx.live);
	return ret;
}

void slab_consumers_release(struct slab_consumers *consumers)
{
	free(consumers->all);
	consumers->all = NULL;
}

int slab_kind_is_reclaimable(const struct slab_results *results, uint32_t kind)
{
	const struct slab_cache *cache = slab_cache_find(results->caches, kind);

	/* A new cache may have reused a destroyed cache's name. */
	return cache && cache->alive ? slab_sysinfo_is_reclaimable(results->sysinfo, cache->name)
				     : -1;
}

const char *slab_process_text(const struct slab_results *results, uint32_t id, char *text,
			      size_t size)
{
	const struct slab_threads *threads = results->threads;
	int32_t pid = slab_thread_pid(threads, id);
	char name[SLAB_THREAD_BYTES], pool[SLAB_THREAD_BYTES];

	slab_thread_name(threads, id, name, sizeof(name));
	if (mm_kworker_pool(name, pool, sizeof(pool)))
		snprintf(text, size, "%s", pool);
	else if (slab_thread_is_interrupt(threads, id))
		snprintf(text, size, "%s (interrupt context)", name);
	else if (pid >= 0)
		snprintf(text, size, "%s (pid %" PRId32 ")", name, pid);
	else if (!slab_thread_is_named(threads, id))
		snprintf(text, size, "%s", name);
	else
		snprintf(text, size, "%s (thread %" PRIu32 ")", name, slab_thread_tid(threads, id));
	return text;
}

void slab_set_process(const struct slab_results *results, uint32_t id, struct mm_cell *process,
		      struct mm_cell *number)
{
	int32_t pid = slab_thread_pid(results->threads, id);
	char name[SLAB_THREAD_BYTES], pool[SLAB_THREAD_BYTES], text[SLAB_PROCESS_TEXT];

	slab_thread_name(results->threads, id, name, sizeof(name));
	/* Any worker of the pool may have allocated the memory. */
	if (mm_kworker_pool(name, pool, sizeof(pool)))
		pid = -1;
	mm_cell_set_s(process, pool);
	mm_cell_set_shown(process, slab_process_text(results, id, text, sizeof(text)));
	if (pid >= 0)
		mm_cell_set_u(number, (uint64_t)pid);
}
