/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The allocator's functions that no tracepoint reports: their names and the positions of their
 * arguments. LTTNG_MM_ARG_x is the number of an argument, from 0; LTTNG_MM_FUNCTION_x is NULL if a
 * kernel lacks the function.
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
 * kmalloc() of more than KMALLOC_MAX_CACHE_SIZE is traced by an inline function and by its callee.
 * Since Linux 6.15, kvmalloc() contains that inline function. Before, it calls kmalloc(), so that
 * an event with a call site in it is the only one of the allocation.
 */
#if (LTTNG_LINUX_VERSION_CODE >= LTTNG_KERNEL_VERSION(6, 15, 0))
#define LTTNG_MM_FUNCTION_KVMALLOC_OUTER "__kvmalloc_node_noprof"
#endif

/*
 * A cache merged into another: until Linux 6.11 __kmem_cache_alias() is a separate function, whose
 * result shows it. Since 6.12 it is inlined, and calls sysfs_slab_alias(cache, name).
 */
#if (LTTNG_LINUX_VERSION_CODE >= LTTNG_KERNEL_VERSION(6, 12, 0))
#define LTTNG_MM_FUNCTION_CACHE_ALIAS_MADE "sysfs_slab_alias"
#endif

/*
 * In Linux 7.2, a token that selects one of several partitioned caches follows the size, if the
 * kernel is built with them.
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
 * Linux 6.18 added kmalloc_nolock() and kfree_nolock(); the function behind the first one got its
 * name in 7.2.
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
 * kvfree_call_rcu() is passed the object since Linux 6.2. Before, it is passed what kfree_rcu()
 * makes of a callback: the offset of the rcu_head in the object, or the object itself without an
 * rcu_head.
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
 * The page allocator's bulk function fills an array; until Linux 6.13 it fills a list instead if it
 * is passed one. It returns the number of filled entries, including those that were already filled.
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

/* Never hooked: functions that take pages from the allocator without an event, by name only. */
#if (LTTNG_LINUX_VERSION_CODE >= LTTNG_KERNEL_VERSION(6, 10, 0))
#define LTTNG_MM_FUNCTION_ALLOC_CONTIG "alloc_contig_range_noprof"
#else
#define LTTNG_MM_FUNCTION_ALLOC_CONTIG "alloc_contig_range"
#endif

/*
 * kmem_cache_alloc_bulk() returns the number of objects, since Linux 7.2 whether it allocated all.
 */
static inline bool lttng_mm_alloc_bulk_succeeded(unsigned long ret)
{
	return (u8)ret ||
	       (LTTNG_LINUX_VERSION_CODE < LTTNG_KERNEL_VERSION(7, 2, 0) && (int)ret > 0);
}

#endif /* LTTNG_MM_PROBES_COMPAT_SLAB_FUNCTIONS_H */
