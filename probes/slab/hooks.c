// SPDX-License-Identifier: GPL-2.0-only
/*
 * Callbacks of the kernel's kmem tracepoints. They fire the packed event if all values fit,
 * otherwise the wide variant. A failed allocation has its own event.
 */

#include <linux/gfp.h>
#include <linux/kallsyms.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <trace/events/kmem.h>
#include <wrapper/kallsyms.h>
#include <probes/compat/slab-functions.h>
#include <probes/lib/call-site.h>
#include <probes/lib/pointer.h>
#include <probes/slab/events.h>

/*
 * Functions of Linux 6.12 and later that trace a large allocation. They call a function that traces
 * the same allocation again.
 */
static const char *const outer_names[] = {
	"__kmalloc_noprof",
	"__kmalloc_node_noprof",
	"__kmalloc_node_track_caller_noprof",
#ifdef LTTNG_MM_FUNCTION_KVMALLOC_OUTER
	LTTNG_MM_FUNCTION_KVMALLOC_OUTER,
#endif
};
static struct {
	unsigned long start, size;
} outer[ARRAY_SIZE(outer_names)];

static __always_inline u32 current_tid(void)
{
	return (u32)current->pid;
}

/* Packs the first 88 bits of every packed slab event. Returns the bits that do not fit, or 0. */
static __always_inline u64 pack_where(struct lttng_mm_packed *rec, u64 *tail, u32 site, u64 ptr)
{
	rec->word[0] = cpu_to_le64(current_tid() | (u64)site << LTTNG_MM_SLAB_TID_BITS |
				   ptr << LTTNG_MM_SLAB_PTR_SHIFT);
	*tail = ptr >> (64 - LTTNG_MM_SLAB_PTR_SHIFT);
	return (u64)site >> LTTNG_MM_SLAB_CALL_SITE_BITS | ptr >> LTTNG_MM_SLAB_PTR_BITS;
}

static __always_inline void fill_where(struct lttng_mm_slab_where *where, u32 site, const void *ptr)
{
	where->tid = current_tid();
	where->call_site = site;
	where->ptr = lttng_mm_physical_of_any(ptr);
}

/*
 * Linux 6.12 and 7.2 trace a large kmalloc() twice: in __kmalloc_large_node_noprof(), and in its
 * caller, a function listed above. Drop the inner function's event.
 */
static bool traced_by_caller(unsigned long call_site)
{
	for (size_t i = 0; i < ARRAY_SIZE(outer); i++)
		if (call_site - outer[i].start < outer[i].size)
			return true;
	return false;
}

static noinline void kmalloc_rare(unsigned long call_site, u32 site, const void *ptr,
				  size_t bytes_req, size_t bytes_alloc, gfp_t gfp, int node)
{
	if (bytes_req > KMALLOC_MAX_CACHE_SIZE && traced_by_caller(call_site))
		return;
	if (ptr) {
		struct lttng_mm_slab_kmalloc_wide rec = {
			.bytes_req = bytes_req,
			.bytes_alloc = bytes_alloc,
			.gfp_flags = (__force u32)gfp,
			.node = node,
		};

		fill_where(&rec.where, site, ptr);
		lttng_mm_fire(slab_kmalloc_wide, &rec);
	} else {
		struct lttng_mm_slab_kmalloc_failed rec = {
			.tid = current_tid(),
			.call_site = site,
			.bytes_req = bytes_req,
			.gfp_flags = (__force u32)gfp,
			.node = node,
		};

		lttng_mm_fire(slab_kmalloc_failed, &rec);
	}
}

static void on_kmalloc(void *unused, unsigned long call_site, const void *ptr, size_t bytes_req,
		       size_t bytes_alloc, gfp_t gfp, int node)
{
	struct lttng_mm_packed rec LTTNG_MM_NO_CLEAR;
	u32 class = lttng_mm_size_class(bytes_alloc);
	u64 rest, tail;
	u32 site;

	lttng_mm_enter();
	site = lttng_mm_call_site(call_site);
	rest = pack_where(&rec, &tail, site, lttng_mm_physical(ptr));
	rest |= bytes_req >> LTTNG_MM_SLAB_REQ_BITS | (__force u32)gfp >> LTTNG_MM_SLAB_GFP_BITS |
		(u32)(node + 1);
	/*
	 * A failed allocation never takes this branch. It has no size class, and its pointer does
	 * not fit.
	 */
	if (likely(!rest && class)) {
		tail |= (u64)bytes_req << LTTNG_MM_SLAB_TAIL_SHIFT |
			(u64) class << (LTTNG_MM_SLAB_TAIL_SHIFT + LTTNG_MM_SLAB_REQ_BITS) |
			(u64)(__force u32)gfp
				<< (LTTNG_MM_SLAB_TAIL_SHIFT + LTTNG_MM_SLAB_REQ_BITS +
				    LTTNG_MM_SLAB_CLASS_BITS);
		rec.word[1] = cpu_to_le64(tail);
		lttng_mm_fire(slab_kmalloc, &rec);
	} else {
		kmalloc_rare(call_site, site, ptr, bytes_req, bytes_alloc, gfp, node);
	}
	lttng_mm_leave();
}

static void on_kfree(void *unused, unsigned long call_site, const void *ptr)
{
	struct lttng_mm_packed rec LTTNG_MM_NO_CLEAR;
	u64 tail;
	u32 site;

	if (unlikely(ZERO_OR_NULL_PTR(ptr)))
		return;
	lttng_mm_enter();
	site = lttng_mm_call_site(call_site);
	if (likely(!pack_where(&rec, &tail, site, lttng_mm_physical(ptr)))) {
		rec.word[1] = cpu_to_le64(tail);
		lttng_mm_fire(slab_kfree, &rec);
	} else {
		struct lttng_mm_slab_kfree_wide wide;

		fill_where(&wide.where, site, ptr);
		lttng_mm_fire(slab_kfree_wide, &wide);
	}
	lttng_mm_leave();
}

static noinline void cache_alloc_rare(u32 site, const void *ptr, u32 cache, gfp_t gfp, int node,
				      bool accounted)
{
	if (ptr) {
		struct lttng_mm_slab_cache_alloc_wide rec = {
			.cache = cache,
			.gfp_flags = (__force u32)gfp,
			.node = node,
			.accounted = accounted,
		};

		fill_where(&rec.where, site, ptr);
		lttng_mm_fire(slab_cache_alloc_wide, &rec);
	} else {
		struct lttng_mm_slab_cache_alloc_failed rec = {
			.tid = current_tid(),
			.call_site = site,
			.cache = cache,
			.gfp_flags = (__force u32)gfp,
			.node = node,
			.accounted = accounted,
		};

		lttng_mm_fire(slab_cache_alloc_failed, &rec);
	}
}

static void on_cache_alloc(void *unused, unsigned long call_site, const void *ptr,
			   struct kmem_cache *s, gfp_t gfp, int node)
{
	struct lttng_mm_packed rec LTTNG_MM_NO_CLEAR;
	bool accounted;
	u32 site, cache;
	u64 rest, tail;

	lttng_mm_enter();
	site = lttng_mm_call_site(call_site);
	cache = lttng_mm_cache_number(s, &accounted);
	accounted |= !!(gfp & __GFP_ACCOUNT);
	rest = pack_where(&rec, &tail, site, lttng_mm_physical(ptr));
	rest |= (__force u32)gfp >> LTTNG_MM_SLAB_GFP_BITS | (u32)(node + 1) |
		cache >> LTTNG_MM_SLAB_CACHE_BITS;
	if (likely(!rest)) {
		tail |= (u64)cache << LTTNG_MM_SLAB_TAIL_SHIFT |
			(u64)(__force u32)gfp
				<< (LTTNG_MM_SLAB_TAIL_SHIFT + LTTNG_MM_SLAB_CACHE_BITS) |
			(u64)accounted << (LTTNG_MM_SLAB_TAIL_SHIFT + LTTNG_MM_SLAB_CACHE_BITS +
					   LTTNG_MM_SLAB_GFP_BITS);
		rec.word[1] = cpu_to_le64(tail);
		lttng_mm_fire(slab_cache_alloc, &rec);
	} else {
		cache_alloc_rare(site, ptr, cache, gfp, node, accounted);
	}
	lttng_mm_leave();
}

static void on_cache_free(void *unused, unsigned long call_site, const void *ptr,
			  const struct kmem_cache *s)
{
	struct lttng_mm_packed rec LTTNG_MM_NO_CLEAR;
	bool accounted;
	u32 site, cache;
	u64 tail;

	lttng_mm_enter();
	site = lttng_mm_call_site(call_site);
	cache = lttng_mm_cache_number(s, &accounted);
	if (likely(!(pack_where(&rec, &tail, site, lttng_mm_physical(ptr)) |
		     cache >> LTTNG_MM_SLAB_CACHE_BITS))) {
		rec.word[1] = cpu_to_le64(tail | (u64)cache << LTTNG_MM_SLAB_TAIL_SHIFT);
		lttng_mm_fire(slab_cache_free, &rec);
	} else {
		struct lttng_mm_slab_cache_free_wide wide = { .cache = cache };

		fill_where(&wide.where, site, ptr);
		lttng_mm_fire(slab_cache_free_wide, &wide);
	}
	lttng_mm_leave();
}

static void on_page_alloc(void *unused, struct page *page, unsigned int order, gfp_t gfp,
			  int migrate_type)
{
	struct lttng_mm_packed rec LTTNG_MM_NO_CLEAR;

	lttng_mm_enter();
	if (likely(page)) {
		lttng_mm_page_bulk_saw(page_to_pfn(page));
		rec.word[0] = cpu_to_le64(lttng_mm_pack_page(page_to_pfn(page), order));
		rec.word[1] = cpu_to_le64((u32)migrate_type |
					  (u64)(__force u32)gfp << LTTNG_MM_SLAB_MIGRATE_BITS);
		lttng_mm_fire(page_alloc, &rec);
	} else {
		struct lttng_mm_page_alloc_failed failed = {
			.tid = current_tid(),
			.order = order,
			.migrate_type = migrate_type,
			.gfp_flags = (__force u32)gfp,
		};

		lttng_mm_fire(page_alloc_failed, &failed);
	}
	lttng_mm_leave();
}

static __always_inline void fire_page_free(u64 pfn, unsigned int order)
{
	struct lttng_mm_packed rec LTTNG_MM_NO_CLEAR;

	rec.word[0] = cpu_to_le64(lttng_mm_pack_page(pfn, order));
	lttng_mm_fire(page_free, &rec);
}

/*
 * Splits the pages into parts of the largest recordable order, and fires one event per part. Linux
 * 6.12 and later free a gigantic page in one piece. The order of such a page is up to 18 on x86.
 */
static noinline void page_free_rare(u64 pfn, unsigned int order)
{
	for (u64 end = pfn + (1ULL << order); pfn < end; pfn += 1ULL << LTTNG_MM_SLAB_ORDER_LAST)
		fire_page_free(pfn, LTTNG_MM_SLAB_ORDER_LAST);
}

static void on_page_free(void *unused, struct page *page, unsigned int order)
{
	lttng_mm_enter();
	if (likely(order <= LTTNG_MM_SLAB_ORDER_LAST))
		fire_page_free(page_to_pfn(page), order);
	else
		page_free_rare(page_to_pfn(page), order);
	lttng_mm_leave();
}

static void on_page_free_batched(void *unused, struct page *page)
{
	struct lttng_mm_packed rec LTTNG_MM_NO_CLEAR;

	lttng_mm_enter();
	rec.word[0] = cpu_to_le64(lttng_mm_pack_page(page_to_pfn(page), 0));
	lttng_mm_fire(page_free_batched, &rec);
	lttng_mm_leave();
}

static struct lttng_mm_hook hooks[LTTNG_MM_HOOKS] = {
	[lttng_mm_hook_kmalloc] = { LTTNG_MM_HOOK_OF(kmalloc, on_kmalloc) },
	[lttng_mm_hook_kfree] = { LTTNG_MM_HOOK_OF(kfree, on_kfree) },
	[lttng_mm_hook_cache_alloc] = { LTTNG_MM_HOOK_OF(kmem_cache_alloc, on_cache_alloc) },
	[lttng_mm_hook_cache_free] = { LTTNG_MM_HOOK_OF(kmem_cache_free, on_cache_free) },
	/*
	 * The hook page_bulk skips pages that this tracepoint reports. The hook of this tracepoint
	 * is therefore needed whenever page_bulk is needed, and is attached first.
	 */
	[lttng_mm_hook_page_alloc] = { LTTNG_MM_HOOK_OF(mm_page_alloc, on_page_alloc),
				       .also_for = &hooks[lttng_mm_hook_page_bulk] },
	[lttng_mm_hook_page_free] = { LTTNG_MM_HOOK_OF(mm_page_free, on_page_free) },
	[lttng_mm_hook_page_free_batched] = { LTTNG_MM_HOOK_OF(mm_page_free_batched,
							       on_page_free_batched) },
};
static_assert(lttng_mm_hook_page_alloc < lttng_mm_hook_page_bulk);

struct lttng_mm_hooks lttng_mm_slab_hooks = {
	.owner = THIS_MODULE,
	.hook = hooks,
	.count = ARRAY_SIZE(hooks),
	.attach = lttng_mm_slab_paths_attach,
	.detach = lttng_mm_slab_paths_detach,
};

/* Returns the size of the function at ADDRESS, parsed from text such as "name+0x0/0x1a0". */
static unsigned long function_size(unsigned long address)
{
	char text[KSYM_SYMBOL_LEN], *slash;
	unsigned long size = 0;

	sprint_symbol(text, address);
	slash = strchr(text, '/');
	if (slash) {
		/* " [module]" may follow the number. */
		slash[1 + strcspn(slash + 1, " ")] = '\0';
		if (kstrtoul(slash + 1, 0, &size))
			size = 0;
	}
	return size;
}

int lttng_mm_slab_hooks_init(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(outer); i++) {
		outer[i].start = wrapper_kallsyms_lookup_name(outer_names[i]);
		outer[i].size = outer[i].start ? function_size(outer[i].start) : 0;
	}
	return lttng_mm_hooks_init(&lttng_mm_slab_hooks);
}

/* The events are already unregistered, so no hook is needed. */
void lttng_mm_slab_hooks_exit(void)
{
	lttng_mm_hooks_exit(&lttng_mm_slab_hooks);
}
