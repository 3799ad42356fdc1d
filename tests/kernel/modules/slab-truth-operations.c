// SPDX-License-Identifier: GPL-2.0-only
/*
 * The operations of slab-truth.ko. Each is an out-of-line function with its own symbol, because
 * reports name call sites. The first bytes of an object contain the call site of its allocation, so
 * that each free can be counted for the allocating function.
 *
 * Invalid frees would corrupt the allocator, so they are only simulated: the module calls the
 * tracepoints as the allocator would, with addresses in the module's own pages, or with an object
 * that has not really been freed yet. Recorders see no difference.
 */

#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/version.h>
#include <trace/events/kmem.h>

#include "slab-truth.h"

enum { BULK = 16, LEAKS_MAX = 4096, PRETEND_ORDER = 4, PRETEND_BYTES = 64, PIECES_ORDER = 2 };
enum { LARGE_BYTES = 200, LARGE_TAKES = 256, SMALL_BYTES = 48, SMALL_TAKES = 64, ONE_BYTES = 344 };

/* The function keeps its own symbol: the compiler does not inline it or merge it with others. */
#define OPERATION static noinline __attribute__((noclone, no_icf))

static struct kmem_cache *large_cache, *small_cache;
/* Two caches of the same size. The kernel merges them unless merging is disabled. */
static struct kmem_cache *one_cache, *alias_cache;
atomic64_t truth_operations;
static atomic64_t failed_count, pieces_count;

/* The first bytes of each object. */
struct tag {
	u32 site, cpu;
};

struct truth_rcu_object {
	struct tag tag;
	struct rcu_head rcu;
	char bytes[96];
};

enum freer_number {
	F_KFREE,
	F_KVFREE,
	F_THROUGH_CACHE,
	F_CACHE,
	F_SMALL,
	F_ALIAS,
	F_CACHE_KFREE,
	F_RCU,
	F_BULK,
	F_KFREE_BULK,
	F_SAY_FIRST,
	F_AGAIN,
	F_SAY_OTHER_CACHE,
	F_SAY_KMALLOC_BY_CACHE,
	F_SAY_OVERSIZED,
	F_SAY_HANDED_OUT,
	FREERS,
};

static void free_by_kfree(void *object);
static void free_by_kvfree(void *object);
static void free_through_cache(void *object);
static void free_to_cache(void *object);
static void free_to_small(void *object);
static void free_to_alias(void *object);
static void free_cache_by_kfree(void *object);
static void free_by_rcu(void *object);

/*
 * The functions that free objects. @seen says how a recorder learns of the free:
 *   traced   from a tracepoint in this function
 *   perhaps  from a tracepoint in this function or in a function that it calls
 *   hooked   from a hook of our probe
 *   later    after this function has returned
 */
static struct free_function {
	const char *name, *seen;
	void (*free)(void *object);
	atomic64_t count;
} freers[FREERS] = {
	[F_KFREE] = { "free_by_kfree", "traced", free_by_kfree },
	[F_KVFREE] = { "free_by_kvfree", "perhaps", free_by_kvfree },
	[F_THROUGH_CACHE] = { "free_through_cache", "traced", free_through_cache },
	[F_CACHE] = { "free_to_cache", "traced", free_to_cache },
	[F_SMALL] = { "free_to_small", "traced", free_to_small },
	[F_ALIAS] = { "free_to_alias", "traced", free_to_alias },
	[F_CACHE_KFREE] = { "free_cache_by_kfree", "traced", free_cache_by_kfree },
	[F_RCU] = { "free_by_rcu", "later", free_by_rcu },
	[F_BULK] = { "free_bulk", "hooked" },
	[F_KFREE_BULK] = { "free_kmalloc_bulk", "hooked" },
	[F_SAY_FIRST] = { "say_freed_first", "traced" },
	[F_AGAIN] = { "free_again", "traced" },
	[F_SAY_OTHER_CACHE] = { "say_freed_to_other_cache", "traced" },
	[F_SAY_KMALLOC_BY_CACHE] = { "say_freed_by_cache", "traced" },
	[F_SAY_OVERSIZED] = { "say_freed_oversized", "traced" },
	[F_SAY_HANDED_OUT] = { "say_freed_handed_out", "traced" },
};

/* The 128-byte cache that kmalloc() uses for objects of up to that size. */
#if IS_ENABLED(CONFIG_RANDOM_KMALLOC_CACHES) || IS_ENABLED(CONFIG_KMALLOC_PARTITION_CACHES)
#error "kmalloc() chooses one of several caches here, which must be looked up"
#endif
#define KMALLOC_128 (kmalloc_caches[KMALLOC_NORMAL][7])

static void count_free(enum freer_number number)
{
	atomic64_inc(&freers[number].count);
}

/*
 * Without the barrier, the compiler would turn the last call into a jump, and recorders would see a
 * call site in the caller.
 */
OPERATION void free_by_kfree(void *object)
{
	count_free(F_KFREE);
	kfree(object);
	barrier();
}

OPERATION void free_by_kvfree(void *object)
{
	count_free(F_KVFREE);
	kvfree(object);
	barrier();
}

OPERATION void free_through_cache(void *object)
{
	count_free(F_THROUGH_CACHE);
	kmem_cache_free(KMALLOC_128, object);
	barrier();
}

OPERATION void free_to_cache(void *object)
{
	count_free(F_CACHE);
	kmem_cache_free(large_cache, object);
	barrier();
}

OPERATION void free_to_small(void *object)
{
	count_free(F_SMALL);
	kmem_cache_free(small_cache, object);
	barrier();
}

OPERATION void free_to_alias(void *object)
{
	count_free(F_ALIAS);
	kmem_cache_free(alias_cache == one_cache ? alias_cache : one_cache, object);
	barrier();
}

OPERATION void free_cache_by_kfree(void *object)
{
	count_free(F_CACHE_KFREE);
	kfree(object);
	barrier();
}

OPERATION void free_by_rcu(void *object)
{
	struct truth_rcu_object *mine = object;

	count_free(F_RCU);
	kfree_rcu(mine, rcu);
	barrier();
}

OPERATION void free_bulk(void **objects, size_t count)
{
	atomic64_add(count, &freers[F_BULK].count);
	kmem_cache_free_bulk(large_cache, count, objects);
	barrier();
}

OPERATION void free_kmalloc_bulk(void **objects, size_t count)
{
	atomic64_add(count, &freers[F_KFREE_BULK].count);
	kfree_bulk(count, objects);
	barrier();
}

OPERATION void free_again(void *object)
{
	count_free(F_AGAIN);
	kfree(object);
	barrier();
}

#define KMALLOC_ACT(name, bytes)                    \
	OPERATION void *name(gfp_t gfp)             \
	{                                           \
		void *object = kmalloc(bytes, gfp); \
                                                    \
		barrier();                          \
		return object;                      \
	}
#define CACHE_ACT(name, cache)                               \
	OPERATION void *name(gfp_t gfp)                      \
	{                                                    \
		void *object = kmem_cache_alloc(cache, gfp); \
                                                             \
		barrier();                                   \
		return object;                               \
	}

KMALLOC_ACT(take_kmalloc_8, 8)
KMALLOC_ACT(take_kmalloc_24, 24)
KMALLOC_ACT(take_kmalloc_64, 64)
KMALLOC_ACT(take_kmalloc_96, 96)
KMALLOC_ACT(take_kmalloc_100, 100)
KMALLOC_ACT(take_kmalloc_192, 192)
KMALLOC_ACT(take_kmalloc_200, 200)
KMALLOC_ACT(take_kmalloc_1000, 1000)
KMALLOC_ACT(take_kmalloc_4096, 4096)
KMALLOC_ACT(take_kmalloc_8000, 8000)
KMALLOC_ACT(take_kmalloc_20000, 20000)
KMALLOC_ACT(take_for_kvfree, 300)
KMALLOC_ACT(take_for_cache, 110)
KMALLOC_ACT(take_for_rcu, sizeof(struct truth_rcu_object))
KMALLOC_ACT(take_for_bulk, 40)
KMALLOC_ACT(take_twice_freed, 56)
KMALLOC_ACT(leak_in_thread, 72)
KMALLOC_ACT(leak_in_softirq, 500)
KMALLOC_ACT(leak_at_times, 600)
KMALLOC_ACT(leak_in_the_end, 16)
KMALLOC_ACT(take_and_free, 32)
CACHE_ACT(take_cache, large_cache)
CACHE_ACT(take_small, small_cache)
CACHE_ACT(take_alias, one_cache)
CACHE_ACT(take_cache_for_kfree, large_cache)
CACHE_ACT(take_cache_for_bulk, large_cache)
CACHE_ACT(leak_in_hardirq, small_cache)

OPERATION void *take_cache_of_node(gfp_t gfp)
{
	void *object = kmem_cache_alloc_node(large_cache, gfp, 0);

	barrier();
	return object;
}

OPERATION int take_bulk(void **objects)
{
	int got = kmem_cache_alloc_bulk(large_cache, GFP_KERNEL, BULK, objects);

	barrier();
	return got;
}

/*
 * The functions that allocate objects. @req and @given are the requested and the allocated bytes of
 * one object. For a cache that may be merged, they are 0 and @kind is "-".
 */
static struct alloc_function {
	const char *name, *kind;
	u32 req, given;
	enum freer_number freer;
	void *(*take)(gfp_t gfp);
	const char *seen;
	atomic64_t allocs, frees, other_cpu, untraced, inconsistent;
	atomic64_t cross_allocs, cross_frees; /* the CPU's node is not the memory's */
} sites[SITES] = {
	[S_8] = { "take_kmalloc_8", "kmalloc-8", 8, 8, F_KFREE, take_kmalloc_8 },
	[S_24] = { "take_kmalloc_24", "kmalloc-32", 24, 32, F_KFREE, take_kmalloc_24 },
	[S_64] = { "take_kmalloc_64", "kmalloc-64", 64, 64, F_KFREE, take_kmalloc_64 },
	[S_96] = { "take_kmalloc_96", "kmalloc-96", 96, 96, F_KFREE, take_kmalloc_96 },
	[S_100] = { "take_kmalloc_100", "kmalloc-128", 100, 128, F_KFREE, take_kmalloc_100 },
	[S_192] = { "take_kmalloc_192", "kmalloc-192", 192, 192, F_KFREE, take_kmalloc_192 },
	[S_200] = { "take_kmalloc_200", "kmalloc-256", 200, 256, F_KFREE, take_kmalloc_200 },
	[S_1000] = { "take_kmalloc_1000", "kmalloc-1k", 1000, 1024, F_KFREE, take_kmalloc_1000 },
	[S_4096] = { "take_kmalloc_4096", "kmalloc-4k", 4096, 4096, F_KFREE, take_kmalloc_4096 },
	[S_8000] = { "take_kmalloc_8000", "kmalloc-8k", 8000, 8192, F_KFREE, take_kmalloc_8000 },
	[S_20000] = { "take_kmalloc_20000", "kmalloc-large", 20000, 32768, F_KFREE,
		      take_kmalloc_20000 },
	[S_KVFREE] = { "take_for_kvfree", "kmalloc-512", 300, 512, F_KVFREE, take_for_kvfree },
	[S_THROUGH_CACHE] = { "take_for_cache", "kmalloc-128", 110, 128, F_THROUGH_CACHE,
			      take_for_cache },
	[S_CACHE] = { "take_cache", "slab-truth-large", LARGE_BYTES, LARGE_TAKES, F_CACHE,
		      take_cache },
	[S_CACHE_NODE] = { "take_cache_of_node", "slab-truth-large", LARGE_BYTES, LARGE_TAKES,
			   F_CACHE, take_cache_of_node },
	[S_SMALL] = { "take_small", "slab-truth-small", SMALL_BYTES, SMALL_TAKES, F_SMALL,
		      take_small },
	[S_ALIAS] = { "take_alias", "-", 0, 0, F_ALIAS, take_alias },
	[S_CACHE_KFREE] = { "take_cache_for_kfree", "slab-truth-large", LARGE_BYTES, LARGE_TAKES,
			    F_CACHE_KFREE, take_cache_for_kfree },
	[S_RCU] = { "take_for_rcu", "kmalloc-128", sizeof(struct truth_rcu_object), 128, F_RCU,
		    take_for_rcu },
	[S_AND_FREE] = { "take_and_free", "kmalloc-32", 32, 32, F_KFREE, take_and_free },
	[S_KMALLOC_BULK] = { "take_for_bulk", "kmalloc-64", 40, 64, F_KFREE_BULK, take_for_bulk },
	[S_CACHE_BULK] = { "take_cache_for_bulk", "slab-truth-large", LARGE_BYTES, LARGE_TAKES,
			   F_BULK, take_cache_for_bulk },
	[S_BULK] = { "take_bulk", "slab-truth-large", LARGE_BYTES, LARGE_TAKES, F_BULK,
		     .seen = "hooked" },
	[S_TWICE] = { "take_twice_freed", "kmalloc-64", 56, 64, F_AGAIN, take_twice_freed },
	[S_LEAK_THREAD] = { "leak_in_thread", "kmalloc-96", 72, 96, F_KFREE, leak_in_thread },
	[S_LEAK_SOFTIRQ] = { "leak_in_softirq", "kmalloc-512", 500, 512, F_KFREE, leak_in_softirq },
	[S_LEAK_HARDIRQ] = { "leak_in_hardirq", "slab-truth-small", SMALL_BYTES, SMALL_TAKES,
			     F_SMALL, leak_in_hardirq },
	[S_LEAK_AT_TIMES] = { "leak_at_times", "kmalloc-1k", 600, 1024, F_KFREE, leak_at_times },
	[S_LEAK_END] = { "leak_in_the_end", "kmalloc-16", 16, 16, F_KFREE, leak_in_the_end },
	[S_SAY_OTHER_CACHE] = { "say_taken_for_other_cache", "slab-truth-large", LARGE_BYTES,
				LARGE_TAKES },
	[S_SAY_KMALLOC_BY_CACHE] = { "say_taken_for_cache", "kmalloc-64", 60, 64 },
	[S_SAY_OVERSIZED] = { "say_taken_oversized", "kmalloc-64", 100, 64 },
	[S_SAY_HANDED_OUT] = { "say_taken_handed_out", "kmalloc-64", 33, 64 },
};

/* Pages for simulated events. Every 64 bytes of them represent an object. */
static char *pretended;
static atomic_t pretended_count;

static void *pretend(void)
{
	unsigned int number = (unsigned int)atomic_inc_return(&pretended_count);

	return pretended + number * PRETEND_BYTES % (PAGE_SIZE << PRETEND_ORDER);
}

/* These wrappers are called like the functions of the allocator, so _RET_IP_ is the call site. */
OPERATION void say_kmalloc(const void *object, size_t req, size_t given)
{
	trace_kmalloc(_RET_IP_, object, req, given, GFP_KERNEL, NUMA_NO_NODE);
}

OPERATION void say_kfree(const void *object)
{
	trace_kfree(_RET_IP_, object);
}

OPERATION void say_cache_alloc(struct kmem_cache *cache, const void *object)
{
	trace_kmem_cache_alloc(_RET_IP_, object, cache, GFP_KERNEL, NUMA_NO_NODE);
}

OPERATION void say_cache_free(struct kmem_cache *cache, const void *object)
{
	trace_kmem_cache_free(_RET_IP_, object, cache);
}

#define SAY_KMALLOC_ACT(name, site)                                      \
	OPERATION void name(const void *object)                          \
	{                                                                \
		atomic64_inc(&sites[site].allocs);                       \
		say_kmalloc(object, sites[site].req, sites[site].given); \
		barrier();                                               \
	}
#define SAY_KFREE_ACT(name, freer)              \
	OPERATION void name(const void *object) \
	{                                       \
		count_free(freer);              \
		say_kfree(object);              \
		barrier();                      \
	}
#define SAY_CACHE_FREE_ACT(name, freer, cache)  \
	OPERATION void name(const void *object) \
	{                                       \
		count_free(freer);              \
		say_cache_free(cache, object);  \
		barrier();                      \
	}

SAY_KMALLOC_ACT(say_taken_for_cache, S_SAY_KMALLOC_BY_CACHE)
SAY_KMALLOC_ACT(say_taken_oversized, S_SAY_OVERSIZED)
SAY_KMALLOC_ACT(say_taken_handed_out, S_SAY_HANDED_OUT)
SAY_KFREE_ACT(say_freed_first, F_SAY_FIRST)
SAY_KFREE_ACT(say_freed_oversized, F_SAY_OVERSIZED)
SAY_KFREE_ACT(say_freed_handed_out, F_SAY_HANDED_OUT)
SAY_CACHE_FREE_ACT(say_freed_to_other_cache, F_SAY_OTHER_CACHE, small_cache)
SAY_CACHE_FREE_ACT(say_freed_by_cache, F_SAY_KMALLOC_BY_CACHE, large_cache)

OPERATION void say_taken_for_other_cache(const void *object)
{
	atomic64_inc(&sites[S_SAY_OTHER_CACHE].allocs);
	say_cache_alloc(large_cache, object);
	barrier();
}

static bool is_cross_node(const void *object)
{
	return page_to_nid(virt_to_page(object)) != numa_node_id();
}

/* Counts an allocation and writes its call site into the object. */
static void *label(enum site_number site, void *object)
{
	struct tag *tag = object;

	if (!object) {
		atomic64_inc(&failed_count);
		return NULL;
	}
	*tag = (struct tag){ .site = site, .cpu = smp_processor_id() };
	atomic64_inc(&sites[site].allocs);
	atomic64_add(is_cross_node(object), &sites[site].cross_allocs);
	atomic64_inc(&truth_operations);
	return object;
}

void *truth_take(enum site_number site, gfp_t gfp)
{
	return label(site, sites[site].take(gfp));
}

/*
 * Counts the free of @object, which the caller frees next. Returns the function that allocated it.
 */
static struct alloc_function *unlabel(const void *object)
{
	const struct tag *tag = object;
	struct alloc_function *site = &sites[tag->site];

	atomic64_inc(&site->frees);
	atomic64_inc(&truth_operations);
	atomic64_add(is_cross_node(object), &site->cross_frees);
	if (tag->cpu != smp_processor_id())
		atomic64_inc(&site->other_cpu);
	return site;
}

void truth_give(void *object)
{
	struct alloc_function *site = unlabel(object);

	freers[site->freer].free(object);
}

static void *leaks[LEAKS_MAX];
static atomic_t leak_count;

/* Keeps a leaked object. Unloading the module frees it. */
void truth_leak(void *object)
{
	int number = atomic_inc_return(&leak_count) - 1;

	if (object && number < LEAKS_MAX)
		leaks[number] = object;
}

/*
 * Performs bulk operations of three kinds: allocates and frees in bulk, sometimes with one leak;
 * allocates one by one and frees in bulk; and frees kmalloc() objects in bulk.
 */
void truth_act_in_bulk(unsigned int round)
{
	void *objects[BULK];
	int count = BULK;

	if (take_bulk(objects)) {
		for (int i = 0; i < BULK; i++)
			label(S_BULK, objects[i]);
		if (round % 8 == 0)
			truth_leak(objects[--count]);
		for (int i = 0; i < count; i++)
			unlabel(objects[i]);
		free_bulk(objects, count);
	}
	for (count = 0; count < BULK; count++) {
		objects[count] = truth_take(S_CACHE_BULK, GFP_KERNEL | __GFP_NOFAIL);
		unlabel(objects[count]);
	}
	free_bulk(objects, BULK);
	for (count = 0; count < BULK; count++) {
		objects[count] = truth_take(S_KMALLOC_BULK, GFP_KERNEL | __GFP_NOFAIL);
		unlabel(objects[count]);
	}
	free_kmalloc_bulk(objects, BULK);
}

/* Leaks one in 16 objects, and frees the others. */
void truth_act_at_times(unsigned int round)
{
	void *object = truth_take(S_LEAK_AT_TIMES, GFP_KERNEL);

	if (round % 16 == 0)
		truth_leak(object);
	else if (object)
		truth_give(object);
}

void truth_act_in_pieces(void)
{
	struct page *page = alloc_pages(GFP_KERNEL, PIECES_ORDER);

	if (!page)
		return;
	split_page(page, PIECES_ORDER);
	for (int i = 0; i < 1 << PIECES_ORDER; i++)
		__free_page(page + i);
	atomic64_inc(&pieces_count);
}

/*
 * Simulates errors that do not occur in a correct kernel. The last case is not necessarily an
 * error, because an untraced path may have freed the object.
 */
void truth_say_what_is_wrong(void)
{
	void *object = truth_take(S_TWICE, GFP_KERNEL | __GFP_NOFAIL);

	unlabel(object);
	say_freed_first(object);
	free_again(object);

	object = pretend();
	say_taken_for_other_cache(object);
	say_freed_to_other_cache(object);
	atomic64_inc(&sites[S_SAY_OTHER_CACHE].inconsistent);

	object = pretend();
	say_taken_for_cache(object);
	say_freed_by_cache(object);
	atomic64_inc(&sites[S_SAY_KMALLOC_BY_CACHE].inconsistent);

	object = pretend();
	say_taken_oversized(object);
	say_freed_oversized(object);
	atomic64_inc(&sites[S_SAY_OVERSIZED].frees);

	object = pretend();
	say_taken_handed_out(object);
	say_taken_handed_out(object);
	atomic64_inc(&sites[S_SAY_HANDED_OUT].untraced);
	say_freed_handed_out(object);
	atomic64_inc(&sites[S_SAY_HANDED_OUT].frees);
}

/*
 * With sheaves (arrays of free objects), RCU makes freed objects available for allocation without a
 * function call, so recorders cannot see these frees.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0) && LINUX_VERSION_CODE < KERNEL_VERSION(6, 18, 0)
#define RCU_FREES "rcu-seen"
#else
#define RCU_FREES "rcu"
#endif

static void show_site(struct seq_file *file, const struct alloc_function *site)
{
	const char *seen = site->seen ? site->seen : "traced";
	s64 allocs = atomic64_read(&site->allocs), frees = atomic64_read(&site->frees);
	s64 untraced = atomic64_read(&site->untraced), wrong = atomic64_read(&site->inconsistent);

	if (site == &sites[S_RCU])
		seen = RCU_FREES;
	seq_printf(file, "site %s %s %s %lld %lld %lld %lld %lld %lld %u %u %lld %lld %lld\n",
		   site->name, site->kind, seen, allocs, frees, allocs - frees - untraced - wrong,
		   untraced, wrong, (s64)atomic64_read(&site->other_cpu), site->req, site->given,
		   site == &sites[S_CACHE_KFREE] ? frees : 0,
		   (s64)atomic64_read(&site->cross_allocs), (s64)atomic64_read(&site->cross_frees));
}

static void show_wrong(struct seq_file *file, const char *what, enum freer_number count,
		       const char *first, const char *second)
{
	seq_printf(file, "wrong %lld %s %s %s\n", (s64)atomic64_read(&freers[count].count), first,
		   second, what);
}

/*
 * Format of the lines:
 *
 *   site FUNCTION KIND SEEN ALLOCS FREES LIVE UNTRACED INCONSISTENT OTHER-CPU REQ GIVEN KFREED
 *       CROSS-NODE-ALLOCS CROSS-NODE-FREES
 *   free FUNCTION SEEN COUNT
 *   wrong COUNT FIRST-FUNCTION SECOND-FUNCTION WHAT
 *   KEY COUNT
 */
int truth_show(struct seq_file *file, void *unused)
{
	for (int i = 0; i < SITES; i++)
		show_site(file, &sites[i]);
	truth_show_pages(file);
	for (int i = 0; i < FREERS; i++)
		seq_printf(file, "free %s %s %lld\n", freers[i].name, freers[i].seen,
			   (s64)atomic64_read(&freers[i].count));
	show_wrong(file, "double free", F_AGAIN, "say_freed_first", "free_again");
	show_wrong(file, "freed through another cache", F_SAY_OTHER_CACHE,
		   "say_taken_for_other_cache", "say_freed_to_other_cache");
	show_wrong(file, "kmalloc() memory freed through a cache that is not its own",
		   F_SAY_KMALLOC_BY_CACHE, "say_taken_for_cache", "say_freed_by_cache");
	show_wrong(file, "more requested than allocated", F_SAY_OVERSIZED, "say_taken_oversized",
		   "-");
	seq_printf(file, "operations %lld\nfailed %lld\npieces %lld\n",
		   (s64)atomic64_read(&truth_operations), (s64)atomic64_read(&failed_count),
		   (s64)atomic64_read(&pieces_count));
	seq_printf(file, "leaks-kept %d\nnodes %d\n", atomic_read(&leak_count) <= LEAKS_MAX,
		   num_online_nodes());
	return 0;
}

/* A cache with a constructor is never merged with another. */
static void construct(void *object)
{
}

int truth_begin(void)
{
	large_cache = kmem_cache_create("slab-truth-large", LARGE_BYTES, 0, SLAB_HWCACHE_ALIGN,
					construct);
	small_cache = kmem_cache_create("slab-truth-small", SMALL_BYTES, 0, SLAB_HWCACHE_ALIGN,
					construct);
	one_cache = kmem_cache_create("slab-truth-one", ONE_BYTES, 0, 0, NULL);
	alias_cache = kmem_cache_create("slab-truth-alias", ONE_BYTES, 0, 0, NULL);
	pretended = (char *)__get_free_pages(GFP_KERNEL, PRETEND_ORDER);
	if (large_cache && small_cache && one_cache && alias_cache && pretended &&
	    !truth_begin_pages())
		return 0;
	truth_end();
	return -ENOMEM;
}

void truth_end(void)
{
	truth_end_pages();
	for (int i = 0; i < LEAKS_MAX; i++)
		if (leaks[i])
			kfree(leaks[i]);
	rcu_barrier();
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	kvfree_rcu_barrier();
#endif
	free_pages((unsigned long)pretended, PRETEND_ORDER);
	kmem_cache_destroy(alias_cache);
	kmem_cache_destroy(one_cache);
	kmem_cache_destroy(small_cache);
	kmem_cache_destroy(large_cache);
}
