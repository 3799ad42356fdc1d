/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of lttng-probe-slab. hooks.c (tracepoints) and paths.c (functions) turn allocations and
 * frees into the events of events.c. caches.c numbers the caches.
 */
#ifndef LTTNG_MM_PROBES_SLAB_SLAB_H
#define LTTNG_MM_PROBES_SLAB_SLAB_H

#include <linux/atomic.h>
#include <linux/kprobes.h>
#include <linux/llist.h>
#include <linux/log2.h>
#include <linux/types.h>
#include <instrumentation/wire/slab.h>
#include <probes/lib/attach.h>

struct kmem_cache;
struct lttng_kernel_session;
struct lttng_kernel_tracepoint_class;

#define LTTNG_MM_SLAB_SIZE_CLASS_IF(_number, _bytes, _label) bytes == (_bytes) ? (_number):

/* Returns the size class of BYTES, or 0 if no class has this size. */
static __always_inline u32 lttng_mm_size_class(size_t bytes)
{
	if (likely(is_power_of_2(bytes))) {
		u32 order = ilog2(bytes);

		return order >= LTTNG_MM_SLAB_SIZE_CLASS_MIN &&
				       order <= LTTNG_MM_SLAB_SIZE_CLASS_MAX
			       ? order
			       : 0;
	}
	return LTTNG_MM_SLAB_SIZE_CLASSES_BETWEEN(LTTNG_MM_SLAB_SIZE_CLASS_IF) 0;
}

/* The kernel tracepoint or the functions behind an event. */
enum lttng_mm_slab_hook {
	lttng_mm_hook_kmalloc,
	lttng_mm_hook_kfree,
	lttng_mm_hook_cache_alloc,
	lttng_mm_hook_cache_free,
	lttng_mm_hook_page_alloc,
	lttng_mm_hook_page_free,
	lttng_mm_hook_page_free_batched,
	/* The hooks below are on functions. */
	lttng_mm_hook_free_bulk,
	lttng_mm_hook_alloc_bulk,
	lttng_mm_hook_kfree_rcu,
	lttng_mm_hook_krealloc,
	lttng_mm_hook_page_bulk,
	LTTNG_MM_HOOKS,
};

extern struct lttng_mm_hooks lttng_mm_slab_hooks;
int lttng_mm_slab_hooks_init(void);
void lttng_mm_slab_hooks_exit(void);

/* paths.c: HOOK is an enum lttng_mm_slab_hook. attach and detach may sleep. */
int lttng_mm_slab_paths_init(void);
void lttng_mm_slab_paths_exit(void);
void lttng_mm_slab_paths_attach(unsigned int hook);
void lttng_mm_slab_paths_detach(unsigned int hook);

/* State of a path. Is it hooked, and how many calls did its probe miss? */
struct lttng_mm_slab_path_state {
	const char *function;
	u8 path;
	bool hooked;
	u64 missed;
};
/* Reads path INDEX. Returns false after the last one. */
bool lttng_mm_slab_path_state(unsigned int index, struct lttng_mm_slab_path_state *state);

/*
 * page-bulk.c: pages from the page allocator's bulk interface. If that interface allocates a page
 * on the regular path, the tracepoint reports the page. Its hook then calls
 * lttng_mm_page_bulk_saw(), so that the bulk call in progress does not report the page again.
 */
#define LTTNG_MM_PAGE_BULK_MAX 4096 /* maximum number of pages recorded per call */
#define LTTNG_MM_PAGE_BULK_CALL_BYTES (LTTNG_MM_PAGE_BULK_MAX / 8 + 64)
int lttng_mm_page_bulk_call(struct kretprobe_instance *instance, struct pt_regs *regs);
int lttng_mm_page_bulk_return(struct kretprobe_instance *instance, struct pt_regs *regs);
/* Returns the number of calls that were recorded only in part or not at all. */
u64 lttng_mm_page_bulk_missed(void);
/* Resets the slots and the count. No call of the hooked function may be in progress. */
void lttng_mm_page_bulk_reset(void);

extern atomic_t lttng_mm_page_bulk_calls;
void lttng_mm_page_bulk_note(u64 pfn);

static __always_inline void lttng_mm_page_bulk_saw(u64 pfn)
{
	if (unlikely(atomic_read(&lttng_mm_page_bulk_calls)))
		lttng_mm_page_bulk_note(pfn);
}

int lttng_mm_slab_events_init(void);
void lttng_mm_slab_events_exit(void);

/* statedump.c: LTTng calls these at the end of a state dump, once per event and session. */
void lttng_mm_dump_slab_statedump_cache(void *event, struct lttng_kernel_session *session);
void lttng_mm_dump_slab_statedump_alias(void *event, struct lttng_kernel_session *session);
void lttng_mm_dump_slab_statedump_kmalloc(void *event, struct lttng_kernel_session *session);
void lttng_mm_dump_slab_statedump_path(void *event, struct lttng_kernel_session *session);
void lttng_mm_dump_page_statedump_node(void *event, struct lttng_kernel_session *session);
void lttng_mm_dump_page_statedump_cpu(void *event, struct lttng_kernel_session *session);

/* events.c: descriptions of the events, for statedump.c. */
extern const struct lttng_kernel_tracepoint_class lttng_mm_class_slab_statedump_cache;
extern const struct lttng_kernel_tracepoint_class lttng_mm_class_slab_statedump_alias;
extern const struct lttng_kernel_tracepoint_class lttng_mm_class_slab_statedump_kmalloc;
extern const struct lttng_kernel_tracepoint_class lttng_mm_class_slab_statedump_path;
extern const struct lttng_kernel_tracepoint_class lttng_mm_class_page_statedump_node;
extern const struct lttng_kernel_tracepoint_class lttng_mm_class_page_statedump_cpu;

/*
 * caches.c: numbers the caches. A number stands for one cache while the module is loaded. A new
 * cache at the address of an old one gets a new number. The number is 0 if there was no memory or
 * no slot for an entry.
 */
#define LTTNG_MM_CACHE_NAME_BYTES 144
/* A flag in the key of a cache that the kernel has released. */
#define LTTNG_MM_CACHE_CLOSED 1UL

struct lttng_mm_cache {
	unsigned long key; /* address of the cache */
	u32 number;
	u32 object_size, size, align;
	bool accounted; /* all objects of the cache are charged to a cgroup */
	/* ordinal number of this release among all releases, from 1; set at the release */
	u32 release;
	struct llist_node node;
	struct lttng_mm_cache *doomed;
	char name[LTTNG_MM_CACHE_NAME_BYTES];
};

int lttng_mm_caches_init(void);
void lttng_mm_caches_exit(void);
void lttng_mm_caches_add_known(void);
void lttng_mm_cache_retire(const struct kmem_cache *cache);
/* Records that the kernel merged a new cache with this NAME into the existing CACHE. */
void lttng_mm_cache_alias(const struct kmem_cache *cache, const char *name);
/*
 * Returns the name of alias INDEX, or NULL after the last alias. Sets *NUMBER to the number of the
 * cache, which is 0 while the alias is being written. Context: any.
 */
const char *lttng_mm_cache_alias_state(unsigned int index, u32 *number);
/*
 * Returns the entry after ENTRY, or the first one if ENTRY is NULL. Returns NULL after the last
 * entry. Context: preemption off.
 */
const struct lttng_mm_cache *lttng_mm_cache_next(const struct lttng_mm_cache *entry);

#define LTTNG_MM_CACHE_SLOT_BITS 12
#define LTTNG_MM_CACHE_SLOTS (1U << LTTNG_MM_CACHE_SLOT_BITS)
extern struct lttng_mm_cache *lttng_mm_cache_slots[LTTNG_MM_CACHE_SLOTS];
u32 lttng_mm_cache_find(const struct kmem_cache *cache, bool *accounted);

static inline bool lttng_mm_cache_is_released(const struct lttng_mm_cache *entry)
{
	return READ_ONCE(entry->key) & LTTNG_MM_CACHE_CLOSED;
}

static __always_inline u32 lttng_mm_cache_hash(const struct kmem_cache *cache)
{
	return (u32)(((unsigned long)cache >> 5) * 0x9e3779b97f4a7c15UL >>
		     (64 - LTTNG_MM_CACHE_SLOT_BITS));
}

/*
 * Returns the number of a cache. Context: any, preemption off. Takes no lock. Usually finds the
 * cache in the first slot.
 */
static __always_inline u32 lttng_mm_cache_number(const struct kmem_cache *cache, bool *accounted)
{
	const struct lttng_mm_cache *entry =
		READ_ONCE(lttng_mm_cache_slots[lttng_mm_cache_hash(cache)]);

	if (likely(READ_ONCE(entry->key) == (unsigned long)cache)) {
		*accounted = entry->accounted;
		return entry->number;
	}
	return lttng_mm_cache_find(cache, accounted);
}

/*
 * btf.c: offsets of struct kmem_cache's members in this kernel. Negative: the member does not
 * exist.
 */
struct lttng_mm_cache_layout {
	int name, object_size, size, align, flags, list;
};
int lttng_mm_btf_cache_layout(struct lttng_mm_cache_layout *layout);

#endif /* LTTNG_MM_PROBES_SLAB_SLAB_H */
