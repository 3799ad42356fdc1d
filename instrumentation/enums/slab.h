/* SPDX-License-Identifier: GPL-2.0-only */
/* Labels of the flags and classes in slab and page events, derived from the kernel's constants. */
#ifndef LTTNG_MM_INSTRUMENTATION_ENUMS_SLAB_H
#define LTTNG_MM_INSTRUMENTATION_ENUMS_SLAB_H

#include <linux/gfp.h>
#include <linux/mmzone.h>
#include <instrumentation/enums/bits.h>
#include <instrumentation/wire/slab.h>
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

#define lttng_mm_enum_value(_string, _value)				\
	lttng_kernel_static_enum_entry_value(_string, (u64)(_value))

#define lttng_mm_size_class_entry(_number, _bytes, _label)	lttng_mm_enum_value(_label, _number)
#define lttng_mm_size_class_entries	LTTNG_MM_SLAB_SIZE_CLASSES(lttng_mm_size_class_entry)

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

#define lttng_mm_slab_path_entry(_name, _number)	lttng_mm_enum_value(#_name, _number)
#define lttng_mm_slab_path_entries	LTTNG_MM_SLAB_PATHS(lttng_mm_slab_path_entry)

#endif /* LTTNG_MM_INSTRUMENTATION_ENUMS_SLAB_H */
