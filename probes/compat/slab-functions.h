/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions of the allocator that no tracepoint reports. LTTNG_MM_ARG_x is the index of an
 * argument, from 0. LTTNG_MM_FUNCTION_x is the function's name, or NULL if the kernel lacks the
 * function.
 */
#ifndef LTTNG_MM_PROBES_COMPAT_SLAB_FUNCTIONS_H
#define LTTNG_MM_PROBES_COMPAT_SLAB_FUNCTIONS_H

#include <linux/build_bug.h>
#include <linux/gfp.h>
#include <linux/slab.h>
#include <lttng/kernel-version.h>

/* Memory allocation profiling renamed the allocators in Linux 6.10. */
#if (LTTNG_LINUX_VERSION_CODE >= LTTNG_KERNEL_VERSION(6, 10, 0))
#define LTTNG_MM_FUNCTION_ALLOC_BULK "kmem_cache_alloc_bulk_noprof"
#else
#define LTTNG_MM_FUNCTION_ALLOC_BULK "kmem_cache_alloc_bulk"
#endif

/*
 * A kmalloc() of more than KMALLOC_MAX_CACHE_SIZE is traced twice: by an inline function, and by
 * the function that it calls. Since Linux 6.15, the inline function is also part of kvmalloc(), so
 * an event of the inner function with a call site in kvmalloc() is a duplicate. Before, kvmalloc()
 * called kmalloc(), and the inner function's event is the only event of the allocation.
 */
#if (LTTNG_LINUX_VERSION_CODE >= LTTNG_KERNEL_VERSION(6, 15, 0))
#define LTTNG_MM_FUNCTION_KVMALLOC_OUTER "__kvmalloc_node_noprof"
#endif

/*
 * Detects when a new cache is merged into an existing one. Until Linux 6.11, __kmem_cache_alias()
 * returns the existing cache. Since 6.12 it is inlined, and calls sysfs_slab_alias(cache, name).
 */
#if (LTTNG_LINUX_VERSION_CODE >= LTTNG_KERNEL_VERSION(6, 12, 0))
#define LTTNG_MM_FUNCTION_CACHE_ALIAS_MADE "sysfs_slab_alias"
#endif

/*
 * Linux 7.2 with partitioned caches passes a token after the size. The token selects the partition.
 */
#ifdef CONFIG_KMALLOC_PARTITION_CACHES
#define LTTNG_MM_TOKEN_ARGS 1
#else
#define LTTNG_MM_TOKEN_ARGS 0
#endif

/* Linux 6.18 added an alignment and a node to krealloc(). */
#ifdef krealloc_node_align
#define LTTNG_MM_FUNCTION_KREALLOC "krealloc_node_align_noprof"
#define LTTNG_MM_ARG_KREALLOC_GFP (3 + LTTNG_MM_TOKEN_ARGS)
#elif (LTTNG_LINUX_VERSION_CODE >= LTTNG_KERNEL_VERSION(6, 10, 0))
#define LTTNG_MM_FUNCTION_KREALLOC "krealloc_noprof"
#define LTTNG_MM_ARG_KREALLOC_GFP 2
#else
#define LTTNG_MM_FUNCTION_KREALLOC "krealloc"
#define LTTNG_MM_ARG_KREALLOC_GFP 2
#endif

/*
 * Linux 6.18 added kmalloc_nolock() and kfree_nolock(). In 7.2, kmalloc_nolock() calls
 * _kmalloc_nolock_noprof().
 */
#ifdef kmalloc_nolock
#define LTTNG_MM_FUNCTION_KMALLOC_NOLOCK "_kmalloc_nolock_noprof"
#define LTTNG_MM_FUNCTION_KFREE_NOLOCK "kfree_nolock"
#else
#define LTTNG_MM_FUNCTION_KMALLOC_NOLOCK NULL
#define LTTNG_MM_FUNCTION_KFREE_NOLOCK NULL
#endif
#define LTTNG_MM_ARG_KMALLOC_NOLOCK_GFP (1 + LTTNG_MM_TOKEN_ARGS)

/*
 * Since Linux 6.2, kvfree_call_rcu() receives the object. Before, its second argument is the
 * callback argument of kfree_rcu(): the offset of the rcu_head in the object or, without an
 * rcu_head, the object itself.
 */
static inline const void *lttng_mm_kfree_rcu_object(unsigned long head, unsigned long second)
{
#if (LTTNG_LINUX_VERSION_CODE >= LTTNG_KERNEL_VERSION(6, 2, 0))
	return (const void *)second;
#else
	return (const void *)(head ? head - second : second);
#endif
}

/*
 * The page allocator's bulk function fills the caller's array. Until Linux 6.13, it may fill a list
 * instead. The function returns the number of filled entries, including entries that were filled
 * before the call.
 */
#if (LTTNG_LINUX_VERSION_CODE >= LTTNG_KERNEL_VERSION(6, 10, 0))
#define LTTNG_MM_FUNCTION_PAGE_BULK "alloc_pages_bulk_noprof"
#define lttng_mm_page_bulk_function alloc_pages_bulk_noprof
#else
#define LTTNG_MM_FUNCTION_PAGE_BULK "__alloc_pages_bulk"
#define lttng_mm_page_bulk_function __alloc_pages_bulk
#endif
#define LTTNG_MM_ARG_PAGE_BULK_GFP 0
#define LTTNG_MM_ARG_PAGE_BULK_COUNT 3
#if (LTTNG_LINUX_VERSION_CODE >= LTTNG_KERNEL_VERSION(6, 14, 0))
#define LTTNG_MM_ARG_PAGE_BULK_ARRAY 4
typedef unsigned long lttng_mm_page_bulk_type(gfp_t gfp, int node, nodemask_t *nodes, int count,
					      struct page **array);
#else
#define LTTNG_MM_ARG_PAGE_BULK_LIST 4
#define LTTNG_MM_ARG_PAGE_BULK_ARRAY 5
typedef unsigned long lttng_mm_page_bulk_type(gfp_t gfp, int node, nodemask_t *nodes, int count,
					      struct list_head *list, struct page **array);
#endif
static_assert(__builtin_types_compatible_p(typeof(lttng_mm_page_bulk_function),
					   lttng_mm_page_bulk_type));

/*
 * Functions that allocate pages without an event. They are never hooked, but the state dump names
 * them.
 */
#if (LTTNG_LINUX_VERSION_CODE >= LTTNG_KERNEL_VERSION(6, 10, 0))
#define LTTNG_MM_FUNCTION_ALLOC_CONTIG "alloc_contig_range_noprof"
#else
#define LTTNG_MM_FUNCTION_ALLOC_CONTIG "alloc_contig_range"
#endif

/*
 * kmem_cache_alloc_bulk() returns the number of objects. Since Linux 7.2, it returns true if all
 * objects were allocated.
 */
static inline bool lttng_mm_alloc_bulk_succeeded(unsigned long ret)
{
	return (u8)ret ||
	       (LTTNG_LINUX_VERSION_CODE < LTTNG_KERNEL_VERSION(7, 2, 0) && (int)ret > 0);
}

#endif /* LTTNG_MM_PROBES_COMPAT_SLAB_FUNCTIONS_H */
