// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hooks functions for allocations and frees that no kernel tracepoint reports:
 *
 *   kmem_cache_free_bulk()   each object; kfree_rcu() also calls it, with NULL as the cache
 *   kmem_cache_alloc_bulk()  each object, when the call returns
 *   kvfree_call_rcu()        the object, when it is passed to RCU. After the grace period, the
 *                            kernel frees it by kfree() or kmem_cache_free_bulk(). Since 6.18, it
 *                            may put the object into a sheaf (a per-CPU array of free objects)
 *                            instead. No hook sees this.
 *   krealloc()               if it returns the same object: the requested size may have changed
 *   kmalloc_nolock(), kfree_nolock()  (7.x)
 *   __alloc_pages_bulk()     each page, when the call returns (page-bulk.c)
 *
 * Two more hooks serve caches.c: the release of a cache, and the merging of a cache into another
 * one. The state dump also names some paths that are never hooked: their pages are not traced.
 *
 * Each hook costs a trap or a call through ftrace: far more than a tracepoint, but these functions
 * run far more rarely.
 */

#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <wrapper/kallsyms.h>
#include <probes/compat/function.h>
#include <probes/compat/slab-functions.h>
#include <probes/lib/call-site.h>
#include <probes/lib/pointer.h>
#include <probes/slab/events.h>

/* Maximum number of concurrent calls that a return probe can follow. */
#define MAX_ACTIVE 128

/* A path that only the state dump names, because its pages are not traced. */
#define NEVER_HOOKED (LTTNG_MM_HOOKS + 1)

/* Data of a call, stored from its entry to its return. */
struct path_call {
	unsigned long caller, arg[4];
};

static void fill_where(struct lttng_mm_slab_where *where, unsigned long caller, const void *ptr)
{
	where->tid = (u32)current->pid;
	where->call_site = lttng_mm_call_site(caller);
	where->ptr = lttng_mm_physical(ptr);
}

/*
 * Is the object in the direct map? kvfree_rcu() also accepts memory from vmalloc(), which is not in
 * the direct map.
 */
static bool is_direct(const void *ptr)
{
	return !ZERO_OR_NULL_PTR(ptr) && lttng_mm_is_direct(ptr);
}

static void fire_free(unsigned long caller, const struct kmem_cache *cache, const void *ptr,
		      u8 path)
{
	struct lttng_mm_slab_free_bulk rec = { .path = path };
	bool accounted;

	if (!is_direct(ptr))
		return;
	if (cache)
		rec.cache = lttng_mm_cache_number(cache, &accounted);
	fill_where(&rec.where, caller, ptr);
	trace_lttng_mm_slab_free_bulk(&rec);
}

static void fire_alloc(const struct path_call *call, const struct kmem_cache *cache,
		       const void *ptr, u64 bytes_req, u32 gfp, u8 path)
{
	struct lttng_mm_slab_alloc_bulk rec = { .bytes_req = bytes_req,
						.gfp_flags = gfp,
						.path = path };
	bool accounted;

	if (!is_direct(ptr))
		return;
	if (cache)
		rec.cache = lttng_mm_cache_number(cache, &accounted);
	fill_where(&rec.where, call->caller, ptr);
	trace_lttng_mm_slab_alloc_bulk(&rec);
}

static int on_free_bulk(struct kprobe *probe, struct pt_regs *regs)
{
	const struct kmem_cache *cache = (void *)regs_get_kernel_argument(regs, 0);
	size_t count = regs_get_kernel_argument(regs, 1);
	void *const *objects = (void *)regs_get_kernel_argument(regs, 2);

	preempt_disable_notrace();
	for (size_t i = 0; i < count; i++)
		fire_free(lttng_mm_function_caller(regs), cache, objects[i],
			  LTTNG_MM_SLAB_PATH_FREE_BULK);
	preempt_enable_notrace();
	return 0;
}

static int on_kfree_nolock(struct kprobe *probe, struct pt_regs *regs)
{
	preempt_disable_notrace();
	fire_free(lttng_mm_function_caller(regs), NULL, (void *)regs_get_kernel_argument(regs, 0),
		  LTTNG_MM_SLAB_PATH_KFREE_NOLOCK);
	preempt_enable_notrace();
	return 0;
}

static int on_kfree_rcu(struct kprobe *probe, struct pt_regs *regs)
{
	const void *ptr = lttng_mm_kfree_rcu_object(regs_get_kernel_argument(regs, 0),
						    regs_get_kernel_argument(regs, 1));
	struct lttng_mm_slab_kfree_rcu rec;

	if (!is_direct(ptr))
		return 0;
	preempt_disable_notrace();
	fill_where(&rec.where, lttng_mm_function_caller(regs), ptr);
	trace_lttng_mm_slab_kfree_rcu(&rec);
	preempt_enable_notrace();
	return 0;
}

static int on_cache_release(struct kprobe *probe, struct pt_regs *regs)
{
	lttng_mm_cache_retire((void *)regs_get_kernel_argument(regs, 0));
	return 0;
}

static int on_call(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct path_call *call = (void *)instance->data;

	call->caller = lttng_mm_function_caller(regs);
	for (unsigned int i = 0; i < ARRAY_SIZE(call->arg); i++)
		call->arg[i] = regs_get_kernel_argument(regs, i);
	return 0;
}

static int on_alloc_bulk_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const struct path_call *call = (void *)instance->data;
	const struct kmem_cache *cache = (void *)call->arg[0];
	void *const *objects = (void *)call->arg[3];

	if (!lttng_mm_alloc_bulk_succeeded(regs_return_value(regs)))
		return 0;
	preempt_disable_notrace();
	for (size_t i = 0; i < call->arg[2]; i++)
		fire_alloc(call, cache, objects[i], 0, (u32)call->arg[1],
			   LTTNG_MM_SLAB_PATH_ALLOC_BULK);
	preempt_enable_notrace();
	return 0;
}

static int on_kmalloc_nolock_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const struct path_call *call = (void *)instance->data;

	preempt_disable_notrace();
	fire_alloc(call, NULL, (void *)regs_return_value(regs), call->arg[0],
		   (u32)call->arg[LTTNG_MM_ARG_KMALLOC_NOLOCK_GFP],
		   LTTNG_MM_SLAB_PATH_KMALLOC_NOLOCK);
	preempt_enable_notrace();
	return 0;
}

#ifdef LTTNG_MM_FUNCTION_CACHE_ALIAS_MADE
static int on_cache_alias_made(struct kprobe *probe, struct pt_regs *regs)
{
	lttng_mm_cache_alias((void *)regs_get_kernel_argument(regs, 0),
			     (const char *)regs_get_kernel_argument(regs, 1));
	return 0;
}
#else
/* __kmem_cache_alias(name, ...) returns the existing cache to use, or NULL. */
static int on_cache_alias_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const struct path_call *call = (void *)instance->data;
	const struct kmem_cache *cache = (void *)regs_return_value(regs);

	if (cache)
		lttng_mm_cache_alias(cache, (const char *)call->arg[0]);
	return 0;
}
#endif

static int on_krealloc_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const struct path_call *call = (void *)instance->data;
	const void *ptr = (void *)call->arg[0];
	struct lttng_mm_slab_krealloc_in_place rec = {
		.bytes_req = call->arg[1],
		.gfp_flags = (u32)call->arg[LTTNG_MM_ARG_KREALLOC_GFP],
	};

	if (!is_direct(ptr) || regs_return_value(regs) != call->arg[0])
		return 0;
	preempt_disable_notrace();
	fill_where(&rec.where, call->caller, ptr);
	trace_lttng_mm_slab_krealloc_in_place(&rec);
	preempt_enable_notrace();
	return 0;
}

static struct hidden_path {
	const char *function;
	u8 path;
	unsigned int hook; /* enum lttng_mm_slab_hook, LTTNG_MM_HOOKS (always) or NEVER_HOOKED */
	kprobe_pre_handler_t entry;
	kretprobe_handler_t exit;
	bool attached, missing;
	/*
	 * Set only for a return probe that stores data of each call: the entry handler, the size of
	 * the data, and a function that returns the number of missed calls.
	 */
	kretprobe_handler_t call;
	size_t call_bytes;
	u64 (*missed)(void);
	struct kretprobe probe; /* a path with an entry handler uses only .kp */
} paths[] = {
	{ LTTNG_MM_FUNCTION_ALLOC_BULK, LTTNG_MM_SLAB_PATH_ALLOC_BULK, lttng_mm_hook_alloc_bulk,
	  NULL, on_alloc_bulk_return },
	{ LTTNG_MM_FUNCTION_KFREE_NOLOCK, LTTNG_MM_SLAB_PATH_KFREE_NOLOCK, lttng_mm_hook_free_bulk,
	  on_kfree_nolock },
	{ LTTNG_MM_FUNCTION_KMALLOC_NOLOCK, LTTNG_MM_SLAB_PATH_KMALLOC_NOLOCK,
	  lttng_mm_hook_alloc_bulk, NULL, on_kmalloc_nolock_return },
	{ LTTNG_MM_FUNCTION_KREALLOC, LTTNG_MM_SLAB_PATH_KREALLOC, lttng_mm_hook_krealloc, NULL,
	  on_krealloc_return },
#ifdef LTTNG_MM_FUNCTION_CACHE_ALIAS_MADE
	{ LTTNG_MM_FUNCTION_CACHE_ALIAS_MADE, LTTNG_MM_SLAB_PATH_CACHE_ALIAS, LTTNG_MM_HOOKS,
	  on_cache_alias_made },
#else
	{ "__kmem_cache_alias", LTTNG_MM_SLAB_PATH_CACHE_ALIAS, LTTNG_MM_HOOKS, NULL,
	  on_cache_alias_return },
#endif
	{ "__kmem_cache_release", LTTNG_MM_SLAB_PATH_CACHE_RELEASE, LTTNG_MM_HOOKS,
	  on_cache_release },
	{ "kmem_cache_free_bulk", LTTNG_MM_SLAB_PATH_FREE_BULK, lttng_mm_hook_free_bulk,
	  on_free_bulk },
	{ "kvfree_call_rcu", LTTNG_MM_SLAB_PATH_KFREE_RCU, lttng_mm_hook_kfree_rcu, on_kfree_rcu },
	{ LTTNG_MM_FUNCTION_PAGE_BULK, LTTNG_MM_SLAB_PATH_PAGE_ALLOC_BULK, lttng_mm_hook_page_bulk,
	  .exit = lttng_mm_page_bulk_return, .call = lttng_mm_page_bulk_call,
	  .call_bytes = LTTNG_MM_PAGE_BULK_CALL_BYTES, .missed = lttng_mm_page_bulk_missed },
	{ LTTNG_MM_FUNCTION_ALLOC_CONTIG, LTTNG_MM_SLAB_PATH_ALLOC_CONTIG, NEVER_HOOKED },
	{ "compact_zone", LTTNG_MM_SLAB_PATH_COMPACTION, NEVER_HOOKED },
};

static void attach(struct hidden_path *path)
{
	int ret;

	if (path->missing)
		return;
	memset(&path->probe, 0, sizeof(path->probe));
	path->probe.kp.symbol_name = path->function;
	if (path->entry) {
		path->probe.kp.pre_handler = path->entry;
		ret = register_kprobe(&path->probe.kp);
	} else {
		path->probe.entry_handler = path->call ? path->call : on_call;
		path->probe.handler = path->exit;
		path->probe.data_size = path->call ? path->call_bytes : sizeof(struct path_call);
		path->probe.maxactive = MAX_ACTIVE;
		ret = register_kretprobe(&path->probe);
	}
	if (ret)
		pr_warn("lttng-probe-slab: %s() cannot be hooked: error %d\n", path->function, ret);
	WRITE_ONCE(path->missing, ret != 0);
	WRITE_ONCE(path->attached, !ret);
}

static void detach(struct hidden_path *path)
{
	if (!path->attached)
		return;
	WRITE_ONCE(path->attached, false);
	if (path->entry)
		unregister_kprobe(&path->probe.kp);
	else
		unregister_kretprobe(&path->probe);
	if (path->exit == lttng_mm_page_bulk_return)
		lttng_mm_page_bulk_reset();
}

void lttng_mm_slab_paths_attach(unsigned int hook)
{
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		if (paths[i].hook == hook)
			attach(&paths[i]);
}

void lttng_mm_slab_paths_detach(unsigned int hook)
{
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		if (paths[i].hook == hook)
			detach(&paths[i]);
}

bool lttng_mm_slab_path_state(unsigned int index, struct lttng_mm_slab_path_state *state)
{
	const struct hidden_path *path = &paths[index];

	if (index >= ARRAY_SIZE(paths))
		return false;
	state->function = path->function ? path->function : "";
	state->path = path->path;
	/*
	 * A starting session dumps its state before its hooks are attached, so a needed hook counts
	 * as attached.
	 */
	state->hooked = !READ_ONCE(path->missing) &&
			(READ_ONCE(path->attached) ||
			 lttng_mm_hook_needed(&lttng_mm_slab_hooks, path->hook));
	state->missed = path->probe.kp.nmissed + (path->exit ? path->probe.nmissed : 0) +
			(path->missed ? path->missed() : 0);
	return true;
}

/* The release of caches is always hooked, because cache numbers depend on it. */
int lttng_mm_slab_paths_init(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		paths[i].missing = paths[i].hook == NEVER_HOOKED || !paths[i].function ||
				   !wrapper_kallsyms_lookup_name(paths[i].function);
	lttng_mm_slab_paths_attach(LTTNG_MM_HOOKS);
	return 0;
}

void lttng_mm_slab_paths_exit(void)
{
	lttng_mm_slab_paths_detach(LTTNG_MM_HOOKS);
}
