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

#define mm_is_gfp(flag, bit)	mm_is_bit((__force u32)(flag), bit)

#define mm_gfp_name(bit) (						\
	mm_is_gfp(__GFP_DMA, bit) ? "DMA" :				\
	mm_is_gfp(__GFP_HIGHMEM, bit) ? "HIGHMEM" :			\
	mm_is_gfp(__GFP_DMA32, bit) ? "DMA32" :				\
	mm_is_gfp(__GFP_MOVABLE, bit) ? "MOVABLE" :			\
	mm_is_gfp(__GFP_RECLAIMABLE, bit) ? "RECLAIMABLE" :		\
	mm_is_gfp(__GFP_HIGH, bit) ? "HIGH" :				\
	mm_is_gfp(__GFP_IO, bit) ? "IO" :				\
	mm_is_gfp(__GFP_FS, bit) ? "FS" :				\
	mm_is_gfp(__GFP_ZERO, bit) ? "ZERO" :				\
	mm_is_gfp(MM_GFP_ATOMIC, bit) ? "ATOMIC" :			\
	mm_is_gfp(__GFP_DIRECT_RECLAIM, bit) ? "DIRECT_RECLAIM" :	\
	mm_is_gfp(__GFP_KSWAPD_RECLAIM, bit) ? "KSWAPD_RECLAIM" :	\
	mm_is_gfp(__GFP_WRITE, bit) ? "WRITE" :				\
	mm_is_gfp(__GFP_NOWARN, bit) ? "NOWARN" :			\
	mm_is_gfp(__GFP_RETRY_MAYFAIL, bit) ? "RETRY_MAYFAIL" :		\
	mm_is_gfp(__GFP_NOFAIL, bit) ? "NOFAIL" :			\
	mm_is_gfp(__GFP_NORETRY, bit) ? "NORETRY" :			\
	mm_is_gfp(__GFP_MEMALLOC, bit) ? "MEMALLOC" :			\
	mm_is_gfp(__GFP_COMP, bit) ? "COMP" :				\
	mm_is_gfp(__GFP_NOMEMALLOC, bit) ? "NOMEMALLOC" :		\
	mm_is_gfp(__GFP_HARDWALL, bit) ? "HARDWALL" :			\
	mm_is_gfp(__GFP_THISNODE, bit) ? "THISNODE" :			\
	mm_is_gfp(__GFP_ACCOUNT, bit) ? "ACCOUNT" :			\
	mm_is_gfp(__GFP_ZEROTAGS, bit) ? "ZEROTAGS" :			\
	mm_is_gfp(MM_GFP_NO_OBJ_EXT, bit) ? "NO_OBJ_EXT" :		\
	"bit" #bit)
#define mm_gfp_entry(bit)	\
	lttng_kernel_static_enum_entry_value(mm_gfp_name(bit), 1ULL << (bit))

#define mm_enum_value(_string, _value)	lttng_kernel_static_enum_entry_value(_string, (u64)(_value))

/*
 * Size classes of kmalloc(), in the 4 bits that a packed event has for them: the power of two, or
 * one of the two sizes between.
 */
#define MM_SIZE_CLASS_MIN	3
#define MM_SIZE_CLASS_MAX	13
#define MM_SIZE_CLASS_96	14
#define MM_SIZE_CLASS_192	15

#define mm_size_class_entries				\
	mm_enum_value("kmalloc-8", 3)			\
	mm_enum_value("kmalloc-16", 4)			\
	mm_enum_value("kmalloc-32", 5)			\
	mm_enum_value("kmalloc-64", 6)			\
	mm_enum_value("kmalloc-128", 7)			\
	mm_enum_value("kmalloc-256", 8)			\
	mm_enum_value("kmalloc-512", 9)			\
	mm_enum_value("kmalloc-1k", 10)			\
	mm_enum_value("kmalloc-2k", 11)			\
	mm_enum_value("kmalloc-4k", 12)			\
	mm_enum_value("kmalloc-8k", 13)			\
	mm_enum_value("kmalloc-96", MM_SIZE_CLASS_96)	\
	mm_enum_value("kmalloc-192", MM_SIZE_CLASS_192)

#ifdef CONFIG_CMA
#define mm_migrate_cma_entry		mm_enum_value("CMA", MIGRATE_CMA)
#else
#define mm_migrate_cma_entry
#endif
#ifdef CONFIG_MEMORY_ISOLATION
#define mm_migrate_isolate_entry	mm_enum_value("ISOLATE", MIGRATE_ISOLATE)
#else
#define mm_migrate_isolate_entry
#endif

#define mm_migrate_type_entries					\
	mm_enum_value("UNMOVABLE", MIGRATE_UNMOVABLE)		\
	mm_enum_value("MOVABLE", MIGRATE_MOVABLE)		\
	mm_enum_value("RECLAIMABLE", MIGRATE_RECLAIMABLE)	\
	mm_enum_value("HIGHATOMIC", MIGRATE_HIGHATOMIC)		\
	mm_migrate_cma_entry					\
	mm_migrate_isolate_entry

/* Ways round the kernel's tracepoints; the numbers are the trace's. */
enum mm_slab_path {
	MM_PATH_FREE_BULK = 1,
	MM_PATH_KFREE_NOLOCK = 2,
	MM_PATH_ALLOC_BULK = 3,
	MM_PATH_KMALLOC_NOLOCK = 4,
	MM_PATH_KFREE_RCU = 5,
	MM_PATH_KREALLOC = 6,
	MM_PATH_CACHE_RELEASE = 7,
	MM_PATH_CACHE_ALIAS = 8,
	MM_PATH_PAGE_ALLOC_BULK = 9,
	MM_PATH_ALLOC_CONTIG = 10,
	MM_PATH_COMPACTION = 11,
};

#define mm_slab_path_entries					\
	mm_enum_value("FREE_BULK", MM_PATH_FREE_BULK)		\
	mm_enum_value("KFREE_NOLOCK", MM_PATH_KFREE_NOLOCK)	\
	mm_enum_value("ALLOC_BULK", MM_PATH_ALLOC_BULK)		\
	mm_enum_value("KMALLOC_NOLOCK", MM_PATH_KMALLOC_NOLOCK)	\
	mm_enum_value("KFREE_RCU", MM_PATH_KFREE_RCU)		\
	mm_enum_value("KREALLOC", MM_PATH_KREALLOC)		\
	mm_enum_value("CACHE_RELEASE", MM_PATH_CACHE_RELEASE)	\
	mm_enum_value("CACHE_ALIAS", MM_PATH_CACHE_ALIAS)	\
	mm_enum_value("PAGE_ALLOC_BULK", MM_PATH_PAGE_ALLOC_BULK) \
	mm_enum_value("ALLOC_CONTIG", MM_PATH_ALLOC_CONTIG)	\
	mm_enum_value("COMPACTION", MM_PATH_COMPACTION)

#endif /* LTTNG_MM_INSTRUMENTATION_ENUMS_SLAB_H */
