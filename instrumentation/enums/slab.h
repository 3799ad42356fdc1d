/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Labels of the flags and classes in the slab and page events, from the kernel's own constants.
 */
#ifndef LTTNG_MM_INSTRUMENTATION_ENUMS_SLAB_H
#define LTTNG_MM_INSTRUMENTATION_ENUMS_SLAB_H

#include <linux/gfp.h>
#include <linux/mmzone.h>
#include <instrumentation/enums/bits.h>
#include <probes/compat/gfp.h>

#define lttng_mm_is_gfp(flag, bit)	lttng_mm_is_bit((__force u32)(flag), bit)

#define lttng_mm_gfp_name(bit) (						\
	lttng_mm_is_gfp(__GFP_DMA, bit) ? "DMA" :				\
	lttng_mm_is_gfp(__GFP_HIGHMEM, bit) ? "HIGHMEM" :			\
	lttng_mm_is_gfp(__GFP_DMA32, bit) ? "DMA32" :				\
	lttng_mm_is_gfp(__GFP_MOVABLE, bit) ? "MOVABLE" :			\
	lttng_mm_is_gfp(__GFP_RECLAIMABLE, bit) ? "RECLAIMABLE" :		\
	lttng_mm_is_gfp(__GFP_HIGH, bit) ? "HIGH" :				\
	lttng_mm_is_gfp(__GFP_IO, bit) ? "IO" :				\
	lttng_mm_is_gfp(__GFP_FS, bit) ? "FS" :				\
	lttng_mm_is_gfp(__GFP_ZERO, bit) ? "ZERO" :				\
	lttng_mm_is_gfp(LTTNG_MM_GFP_ATOMIC, bit) ? "ATOMIC" :			\
	lttng_mm_is_gfp(__GFP_DIRECT_RECLAIM, bit) ? "DIRECT_RECLAIM" :	\
	lttng_mm_is_gfp(__GFP_KSWAPD_RECLAIM, bit) ? "KSWAPD_RECLAIM" :	\
	lttng_mm_is_gfp(__GFP_WRITE, bit) ? "WRITE" :				\
	lttng_mm_is_gfp(__GFP_NOWARN, bit) ? "NOWARN" :			\
	lttng_mm_is_gfp(__GFP_RETRY_MAYFAIL, bit) ? "RETRY_MAYFAIL" :		\
	lttng_mm_is_gfp(__GFP_NOFAIL, bit) ? "NOFAIL" :			\
	lttng_mm_is_gfp(__GFP_NORETRY, bit) ? "NORETRY" :			\
	lttng_mm_is_gfp(__GFP_MEMALLOC, bit) ? "MEMALLOC" :			\
	lttng_mm_is_gfp(__GFP_COMP, bit) ? "COMP" :				\
	lttng_mm_is_gfp(__GFP_NOMEMALLOC, bit) ? "NOMEMALLOC" :		\
	lttng_mm_is_gfp(__GFP_HARDWALL, bit) ? "HARDWALL" :			\
	lttng_mm_is_gfp(__GFP_THISNODE, bit) ? "THISNODE" :			\
	lttng_mm_is_gfp(__GFP_ACCOUNT, bit) ? "ACCOUNT" :			\
	lttng_mm_is_gfp(__GFP_ZEROTAGS, bit) ? "ZEROTAGS" :			\
	lttng_mm_is_gfp(LTTNG_MM_GFP_NO_OBJ_EXT, bit) ? "NO_OBJ_EXT" :		\
	"bit" #bit)
#define lttng_mm_gfp_entry(bit)	\
	lttng_kernel_static_enum_entry_value(lttng_mm_gfp_name(bit), 1ULL << (bit))

#define lttng_mm_enum_value(_string, _value)	lttng_kernel_static_enum_entry_value(_string, (u64)(_value))

/*
 * Size classes of kmalloc(), in the 4 bits that a packed event has for them: the power of two, or
 * one of the two sizes between.
 */
#define LTTNG_MM_SIZE_CLASS_MIN	3
#define LTTNG_MM_SIZE_CLASS_MAX	13
#define LTTNG_MM_SIZE_CLASS_96	14
#define LTTNG_MM_SIZE_CLASS_192	15

#define lttng_mm_size_class_entries				\
	lttng_mm_enum_value("kmalloc-8", 3)			\
	lttng_mm_enum_value("kmalloc-16", 4)			\
	lttng_mm_enum_value("kmalloc-32", 5)			\
	lttng_mm_enum_value("kmalloc-64", 6)			\
	lttng_mm_enum_value("kmalloc-128", 7)			\
	lttng_mm_enum_value("kmalloc-256", 8)			\
	lttng_mm_enum_value("kmalloc-512", 9)			\
	lttng_mm_enum_value("kmalloc-1k", 10)			\
	lttng_mm_enum_value("kmalloc-2k", 11)			\
	lttng_mm_enum_value("kmalloc-4k", 12)			\
	lttng_mm_enum_value("kmalloc-8k", 13)			\
	lttng_mm_enum_value("kmalloc-96", LTTNG_MM_SIZE_CLASS_96)	\
	lttng_mm_enum_value("kmalloc-192", LTTNG_MM_SIZE_CLASS_192)

#ifdef CONFIG_CMA
#define lttng_mm_migrate_cma_entry		lttng_mm_enum_value("CMA", MIGRATE_CMA)
#else
#define lttng_mm_migrate_cma_entry
#endif
#ifdef CONFIG_MEMORY_ISOLATION
#define lttng_mm_migrate_isolate_entry	lttng_mm_enum_value("ISOLATE", MIGRATE_ISOLATE)
#else
#define lttng_mm_migrate_isolate_entry
#endif

#define lttng_mm_migrate_type_entries					\
	lttng_mm_enum_value("UNMOVABLE", MIGRATE_UNMOVABLE)		\
	lttng_mm_enum_value("MOVABLE", MIGRATE_MOVABLE)		\
	lttng_mm_enum_value("RECLAIMABLE", MIGRATE_RECLAIMABLE)	\
	lttng_mm_enum_value("HIGHATOMIC", MIGRATE_HIGHATOMIC)		\
	lttng_mm_migrate_cma_entry					\
	lttng_mm_migrate_isolate_entry

/* Ways round the kernel's tracepoints; the numbers are the trace's. */
enum lttng_mm_slab_path {
	LTTNG_MM_PATH_FREE_BULK = 1,
	LTTNG_MM_PATH_KFREE_NOLOCK = 2,
	LTTNG_MM_PATH_ALLOC_BULK = 3,
	LTTNG_MM_PATH_KMALLOC_NOLOCK = 4,
	LTTNG_MM_PATH_KFREE_RCU = 5,
	LTTNG_MM_PATH_KREALLOC = 6,
	LTTNG_MM_PATH_CACHE_RELEASE = 7,
	LTTNG_MM_PATH_CACHE_ALIAS = 8,
	LTTNG_MM_PATH_PAGE_ALLOC_BULK = 9,
	LTTNG_MM_PATH_ALLOC_CONTIG = 10,
	LTTNG_MM_PATH_COMPACTION = 11,
};

#define lttng_mm_slab_path_entries					\
	lttng_mm_enum_value("FREE_BULK", LTTNG_MM_PATH_FREE_BULK)		\
	lttng_mm_enum_value("KFREE_NOLOCK", LTTNG_MM_PATH_KFREE_NOLOCK)	\
	lttng_mm_enum_value("ALLOC_BULK", LTTNG_MM_PATH_ALLOC_BULK)		\
	lttng_mm_enum_value("KMALLOC_NOLOCK", LTTNG_MM_PATH_KMALLOC_NOLOCK)	\
	lttng_mm_enum_value("KFREE_RCU", LTTNG_MM_PATH_KFREE_RCU)		\
	lttng_mm_enum_value("KREALLOC", LTTNG_MM_PATH_KREALLOC)		\
	lttng_mm_enum_value("CACHE_RELEASE", LTTNG_MM_PATH_CACHE_RELEASE)	\
	lttng_mm_enum_value("CACHE_ALIAS", LTTNG_MM_PATH_CACHE_ALIAS)	\
	lttng_mm_enum_value("PAGE_ALLOC_BULK", LTTNG_MM_PATH_PAGE_ALLOC_BULK) \
	lttng_mm_enum_value("ALLOC_CONTIG", LTTNG_MM_PATH_ALLOC_CONTIG)	\
	lttng_mm_enum_value("COMPACTION", LTTNG_MM_PATH_COMPACTION)

#endif /* LTTNG_MM_INSTRUMENTATION_ENUMS_SLAB_H */
