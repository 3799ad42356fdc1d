/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of lttng-probe-slab: from the kernel's tracepoints (hooks.c) and functions (paths.c),
 * with numbers for code addresses (codes.c) and caches (caches.c), to the events (events.c).
 */
#ifndef LTTNG_MM_PROBES_SLAB_SLAB_H
#define LTTNG_MM_PROBES_SLAB_SLAB_H

#include <linux/atomic.h>
#include <linux/io.h>
#include <linux/kprobes.h>
#include <linux/llist.h>
#include <linux/mm.h>
#include <linux/types.h>
#include <probes/compat/tracepoint.h>
#include <probes/record.h>

struct kmem_cache;
struct lttng_kernel_session;

/* The wide events' records, as instrumentation/events/slab.h lays them out. */
struct mm_slab_where {
	u32 tid;
	u32 call_site;
	u64 ptr;
} __packed;

struct mm_slab_kmalloc_wide {
	struct mm_slab_where where;
	u64 bytes_req;
	u64 bytes_alloc;
	u32 gfp_flags;
	s32 node;
} __packed;

struct mm_slab_kmalloc_failed {
	u32 tid;
	u32 call_site;
	u64 bytes_req;
	u32 gfp_flags;
	s32 node;
} __packed;

struct mm_slab_kfree_wide {
	struct mm_slab_where where;
} __packed;

struct mm_slab_cache_alloc_wide {
	struct mm_slab_where where;
	u32 cache;
	u32 gfp_flags;
	s32 node;
	u8 accounted;
} __packed;

struct mm_slab_cache_alloc_failed {
	u32 tid;
	u32 call_site;
	u32 cache;
	u32 gfp_flags;
	s32 node;
	u8 accounted;
} __packed;

struct mm_slab_cache_free_wide {
	struct mm_slab_where where;
	u32 cache;
} __packed;

struct mm_slab_free_bulk {
	struct mm_slab_where where;
	u32 cache;
	u8 path;
} __packed;

struct mm_slab_alloc_bulk {
	struct mm_slab_where where;
	u32 cache;
	u64 bytes_req;
	u32 gfp_flags;
	u8 path;
} __packed;

struct mm_slab_kfree_rcu {
	struct mm_slab_where where;
} __packed;

struct mm_slab_krealloc_in_place {
	struct mm_slab_where where;
	u64 bytes_req;
	u32 gfp_flags;
} __packed;

struct mm_page_alloc_failed {
	u32 tid;
	u8 order;
	u8 migrate_type;
	u32 gfp_flags;
} __packed;

struct mm_slab_statedump_cache {
	u32 cache;
	u32 object_size;
	u32 size;
	u32 align;
	u8 accounted;
	u8 alive;
} __packed;

struct mm_slab_statedump_alias {
	u32 cache;
} __packed;

struct mm_slab_statedump_kmalloc {
	u8 size_class;
	u32 bytes_alloc;
	u32 bytes_req_min;
	u32 bytes_req_max;
} __packed;

struct mm_slab_statedump_code {
	u32 code;
	u32 size;
	u8 alive;
} __packed;

struct mm_slab_statedump_path {
	u8 path;
	u8 hooked;
	u64 missed;
} __packed;

struct mm_page_statedump_node {
	s32 node;
	u64 pfn_start;
	u64 pfn_end;
	u32 page_size;
} __packed;

struct mm_page_statedump_cpu {
	u32 cpu;
	s32 node;
} __packed;

/*
 * The events are tracepoints of this module: LTTng attaches to them, and the first to attach makes
 * the module hook what they come from. So nothing is hooked before it is wanted, a value that needs
 * the wide event costs the packed one nothing, and several sessions share the packing.
 */
#define mm_declare_packed(_provider, _event, _bytes, _hook)	\
	MM_DECLARE_TRACE(_event, TP_PROTO(struct mm_packed *rec), TP_ARGS(rec));
#define mm_declare_wide(_provider, _event, _hook)		\
	MM_DECLARE_TRACE(_event, TP_PROTO(const struct mm_##_event *rec), TP_ARGS(rec));

/* Where an event comes from: a tracepoint or functions of the kernel. */
enum mm_slab_hook {
	mm_hook_kmalloc,
	mm_hook_kfree,
	mm_hook_cache_alloc,
	mm_hook_cache_free,
	mm_hook_page_alloc,
	mm_hook_page_free,
	mm_hook_page_free_batched,
	MM_TRACEPOINT_HOOKS,
	mm_hook_free_bulk = MM_TRACEPOINT_HOOKS,
	mm_hook_alloc_bulk,
	mm_hook_kfree_rcu,
	mm_hook_krealloc,
	mm_hook_page_bulk,
	MM_HOOKS,
};

/* hooks.c. want and unwant are called under the kernel's tracepoint mutex. */
int mm_slab_hooks_init(void);
void mm_slab_hooks_exit(void);
int mm_slab_hook_want(enum mm_slab_hook hook);
void mm_slab_hook_unwant(enum mm_slab_hook hook);
bool mm_slab_hook_wanted(enum mm_slab_hook hook);

/* paths.c: attach and detach may sleep. */
int mm_slab_paths_init(void);
void mm_slab_paths_exit(void);
void mm_slab_paths_attach(enum mm_slab_hook hook);
void mm_slab_paths_detach(enum mm_slab_hook hook);

/* Whether a path is hooked; MISSED calls of it found the hook busy. */
struct mm_slab_path_state {
	const char *function;
	u8 path;
	bool hooked;
	u64 missed;
};
/* Returns false past the last. */
bool mm_slab_path_state(unsigned int index, struct mm_slab_path_state *state);

/*
 * page-bulk.c: pages that the page allocator gives in bulk. Where it gives one page its usual way, the
 * tracepoint shows it: mm_page_bulk_saw() tells the call in which that happens.
 */
#define MM_PAGE_BULK_MAX	4096	/* pages of a call that are recorded */
#define MM_PAGE_BULK_CALL_BYTES	(MM_PAGE_BULK_MAX / 8 + 64)
int mm_page_bulk_call(struct kretprobe_instance *instance, struct pt_regs *regs);
int mm_page_bulk_return(struct kretprobe_instance *instance, struct pt_regs *regs);
/* Calls that were not recorded, or not to their end. */
u64 mm_page_bulk_missed(void);
/* Nothing calls the two any more; what they count begins anew. */
void mm_page_bulk_reset(void);

extern atomic_t mm_page_bulk_calls;
void mm_page_bulk_note(u64 pfn);

/* Context: any, preemption off. */
static __always_inline void mm_page_bulk_saw(u64 pfn)
{
	if (unlikely(atomic_read(&mm_page_bulk_calls)))
		mm_page_bulk_note(pfn);
}

/* events.c. */
int mm_slab_events_init(void);
void mm_slab_events_exit(void);

/* statedump.c: what LTTng calls at the end of a state dump, once for each of these events. */
void mm_dump_slab_statedump_cache(void *event, struct lttng_kernel_session *session);
void mm_dump_slab_statedump_alias(void *event, struct lttng_kernel_session *session);
void mm_dump_slab_statedump_kmalloc(void *event, struct lttng_kernel_session *session);
void mm_dump_slab_statedump_code(void *event, struct lttng_kernel_session *session);
void mm_dump_slab_statedump_path(void *event, struct lttng_kernel_session *session);
void mm_dump_page_statedump_node(void *event, struct lttng_kernel_session *session);
void mm_dump_page_statedump_cpu(void *event, struct lttng_kernel_session *session);

/* events.c, for statedump.c: the events' descriptions. */
extern const struct lttng_kernel_tracepoint_class mm_class_slab_statedump_cache;
extern const struct lttng_kernel_tracepoint_class mm_class_slab_statedump_alias;
extern const struct lttng_kernel_tracepoint_class mm_class_slab_statedump_kmalloc;
extern const struct lttng_kernel_tracepoint_class mm_class_slab_statedump_code;
extern const struct lttng_kernel_tracepoint_class mm_class_slab_statedump_path;
extern const struct lttng_kernel_tracepoint_class mm_class_page_statedump_node;
extern const struct lttng_kernel_tracepoint_class mm_class_page_statedump_cpu;

/*
 * codes.c: kernel code addresses as 32-bit numbers. The kernel's text has 1 to its size, each
 * module a range of its own after it; 0 is anywhere else (generated code, init text).
 */
int mm_codes_init(void);
void mm_codes_exit(void);

struct mm_code_state {
	const char *name;
	u32 code;
	u32 size;
	bool alive;
};
/* Context: preemption off. Returns false past the last. */
bool mm_code_state(unsigned int index, struct mm_code_state *state);

extern unsigned long mm_text_start, mm_text_size;
u32 mm_code_of_module(unsigned long address);

/* Context: preemption off. No lock, no loop over more than the modules' number's logarithm. */
static __always_inline u32 mm_code_of(unsigned long address)
{
	unsigned long offset = address - mm_text_start;

	return likely(offset < mm_text_size) ? (u32)offset : mm_code_of_module(address);
}

/*
 * caches.c: caches as small numbers. A number is one cache's as long as the module is loaded; a new
 * cache at an old one's address has a new number. 0: it has none, for want of memory or of a slot.
 */
#define MM_CACHE_NAME_BYTES	144
/* In the key of a cache that the kernel has released. */
#define MM_CACHE_CLOSED		1UL

struct mm_cache {
	unsigned long key; /* the cache's address */
	u32 number;
	u32 object_size, size, align;
	bool accounted; /* all its objects are */
	/* Of a cache that was released: which release it was. */
	u32 release;
	struct llist_node node;
	struct mm_cache *doomed;
	char name[MM_CACHE_NAME_BYTES];
};

int mm_caches_init(void);
void mm_caches_exit(void);
void mm_caches_add_known(void);
void mm_cache_retire(const struct kmem_cache *cache);
/* A cache of that NAME was asked for, and CACHE given. */
void mm_cache_alias(const struct kmem_cache *cache, const char *name);
/* Context: any. Returns NULL past the last; number 0: that one is being written. */
const char *mm_cache_alias_state(unsigned int index, u32 *number);
/* Context: preemption off. The first after NULL, NULL after the last. */
const struct mm_cache *mm_cache_next(const struct mm_cache *entry);

#define MM_CACHE_SLOT_BITS	12
#define MM_CACHE_SLOTS		(1U << MM_CACHE_SLOT_BITS)
extern struct mm_cache *mm_cache_slots[MM_CACHE_SLOTS];
u32 mm_cache_find(const struct kmem_cache *cache, bool *accounted);

static inline bool mm_cache_is_released(const struct mm_cache *entry)
{
	return READ_ONCE(entry->key) & MM_CACHE_CLOSED;
}

static __always_inline u32 mm_cache_hash(const struct kmem_cache *cache)
{
	return (u32)(((unsigned long)cache >> 5) * 0x9e3779b97f4a7c15UL >> (64 - MM_CACHE_SLOT_BITS));
}

/*
 * Context: any, preemption off. No lock; as many steps as caches share a slot, rarely more than one.
 */
static __always_inline u32 mm_cache_number(const struct kmem_cache *cache, bool *accounted)
{
	const struct mm_cache *entry = READ_ONCE(mm_cache_slots[mm_cache_hash(cache)]);

	if (likely(READ_ONCE(entry->key) == (unsigned long)cache)) {
		*accounted = entry->accounted;
		return entry->number;
	}
	return mm_cache_find(cache, accounted);
}

/* btf.c: offsets of members of struct kmem_cache in this kernel; negative: not there. */
struct mm_cache_layout {
	int name, object_size, size, align, flags, list;
};
int mm_btf_cache_layout(struct mm_cache_layout *layout);

/*
 * A pointer into the direct map as the physical address, which does not tell where KASLR put the
 * map. Of NULL more than any record's packed field holds.
 */
static __always_inline u64 mm_physical(const void *ptr)
{
#ifdef CONFIG_X86_64
	/* The map begins with address 0. */
	return (unsigned long)ptr - PAGE_OFFSET;
#else
	/* PAGE_OFFSET may be constant, and the map begins anywhere: so on arm64. */
	return likely(ptr) ? virt_to_phys((void *)ptr) : ~0ULL;
#endif
}

#endif /* LTTNG_MM_PROBES_SLAB_SLAB_H */
