/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The allocator's functions that no tracepoint shows: their names and where their arguments are.
 * LTTNG_MM_ARG_x is an argument's number, from 0; LTTNG_MM_FUNCTION_x is NULL where a kernel lacks
 * the function.
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
 * A cache merged into another: until Linux 6.11 __kmem_cache_alias() is a function of its own,
 * whose result says so. Since 6.12 it is inlined, and sysfs_slab_alias(cache, name) is called for
 * it.
 */
#if (LTTNG_LINUX_VERSION_CODE >= LTTNG_KERNEL_VERSION(6, 12, 0))
#define LTTNG_MM_FUNCTION_CACHE_ALIAS_MADE "sysfs_slab_alias"
#endif

/*
 * A token that picks among partitioned caches comes after the size in Linux 7.2, when the kernel is
 * built with them.
 */
#ifdef CONFIG_KMALLOC_PARTITION_CACHES
#define LTTNG_MM_TOKEN_ARGS 1
#else
#define LTTNG_MM_TOKEN_ARGS 0
#endif

/* krealloc() took an alignment and a node in Linux 6.18. */
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
 * kmalloc_nolock() and kfree_nolock() came in Linux 6.18; the first's function got its name in 7.2.
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
 * kvfree_call_rcu() takes the object since Linux 6.2. Before it took what kfree_rcu() makes of a
 * callback: the offset of the rcu_head in the object; the object itself without an rcu_head.
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
 * is given one. It returns how many entries are filled, those that were filled before included.
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

/* Never hooked: what takes pages from the allocator without an event, by name only. */
#if (LTTNG_LINUX_VERSION_CODE >= LTTNG_KERNEL_VERSION(6, 10, 0))
#define LTTNG_MM_FUNCTION_ALLOC_CONTIG "alloc_contig_range_noprof"
#else
#define LTTNG_MM_FUNCTION_ALLOC_CONTIG "alloc_contig_range"
#endif

/* kmem_cache_alloc_bulk() returns how many since ever, and whether all since Linux 7.2. */
static inline bool lttng_mm_alloc_bulk_succeeded(unsigned long ret)
{
	return (u8)ret ||
	       (LTTNG_LINUX_VERSION_CODE < LTTNG_KERNEL_VERSION(7, 2, 0) && (int)ret > 0);
}

#endif /* LTTNG_MM_PROBES_COMPAT_SLAB_FUNCTIONS_H */
