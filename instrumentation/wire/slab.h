/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * Numbers in slab events. The trace format, not the kernel, defines their meaning. The probe and
 * the programs that read its events include this file. It therefore includes no header, and
 * contains only preprocessor definitions and enumerations.
 */
#ifndef LTTNG_MM_WIRE_SLAB_H
#define LTTNG_MM_WIRE_SLAB_H

/*
 * Widths of the packed fields, in the order of the fields, from low to high. If a value does not
 * fit, the event's wide variant is recorded instead.
 */
#define LTTNG_MM_SLAB_TID_BITS 22	     /* PID_MAX_LIMIT */
#define LTTNG_MM_SLAB_CALL_SITE_BITS 26 /* 64 MiB of kernel and module text */
#define LTTNG_MM_SLAB_PTR_BITS 40	     /* 1 TiB of direct map */
#define LTTNG_MM_SLAB_REQ_BITS 13
#define LTTNG_MM_SLAB_CLASS_BITS 4
#define LTTNG_MM_SLAB_GFP_BITS 23	     /* up to ACCOUNT */
#define LTTNG_MM_SLAB_CACHE_BITS 16
#define LTTNG_MM_SLAB_PFN_BITS 38
#define LTTNG_MM_SLAB_ORDER_BITS 4
#define LTTNG_MM_SLAB_ORDER_LAST ((1U << LTTNG_MM_SLAB_ORDER_BITS) - 1)
#define LTTNG_MM_SLAB_MIGRATE_BITS 3
#define LTTNG_MM_SLAB_PAGE_GFP_BITS 29

/*
 * Positions in a packed event: ptr starts at bit PTR_SHIFT, and its highest TAIL_SHIFT bits are in
 * the second 64-bit word.
 */
#define LTTNG_MM_SLAB_PTR_SHIFT (LTTNG_MM_SLAB_TID_BITS + LTTNG_MM_SLAB_CALL_SITE_BITS)
#define LTTNG_MM_SLAB_TAIL_SHIFT (LTTNG_MM_SLAB_PTR_SHIFT + LTTNG_MM_SLAB_PTR_BITS - 64)

/*
 * Size classes of kmalloc(). The number of a power of two is its exponent, such as 3 for 8 bytes.
 * The other sizes have higher numbers. 0 means no size class. X(NUMBER, BYTES, LABEL)
 */
#define LTTNG_MM_SLAB_SIZE_CLASS_MIN 3
#define LTTNG_MM_SLAB_SIZE_CLASS_MAX 13
#define LTTNG_MM_SLAB_SIZE_CLASS_COUNT (1 << LTTNG_MM_SLAB_CLASS_BITS)

#define LTTNG_MM_SLAB_SIZE_CLASSES_BETWEEN(X)		\
	X(14, 96, "kmalloc-96")				\
	X(15, 192, "kmalloc-192")

#define LTTNG_MM_SLAB_SIZE_CLASSES(X)			\
	X(3, 8, "kmalloc-8")				\
	X(4, 16, "kmalloc-16")				\
	X(5, 32, "kmalloc-32")				\
	X(6, 64, "kmalloc-64")				\
	X(7, 128, "kmalloc-128")			\
	X(8, 256, "kmalloc-256")			\
	X(9, 512, "kmalloc-512")			\
	X(10, 1024, "kmalloc-1k")			\
	X(11, 2048, "kmalloc-2k")			\
	X(12, 4096, "kmalloc-4k")			\
	X(13, 8192, "kmalloc-8k")			\
	LTTNG_MM_SLAB_SIZE_CLASSES_BETWEEN(X)

/*
 * Allocation and free paths without a kernel tracepoint. X(NAME, NUMBER): NAME is also the label.
 */
#define LTTNG_MM_SLAB_PATHS(X) \
	X(FREE_BULK, 1)        \
	X(KFREE_NOLOCK, 2)     \
	X(ALLOC_BULK, 3)       \
	X(KMALLOC_NOLOCK, 4)   \
	X(KFREE_RCU, 5)        \
	X(KREALLOC, 6)         \
	X(CACHE_RELEASE, 7)    \
	X(CACHE_ALIAS, 8)      \
	X(PAGE_ALLOC_BULK, 9)  \
	X(ALLOC_CONTIG, 10)    \
	X(COMPACTION, 11)

#define LTTNG_MM_SLAB_PATH_VALUE(name, number) LTTNG_MM_SLAB_PATH_##name = number,
enum lttng_mm_slab_path {
	LTTNG_MM_SLAB_PATHS(LTTNG_MM_SLAB_PATH_VALUE) LTTNG_MM_SLAB_PATH_END,
};
#define LTTNG_MM_SLAB_PATH_LAST (LTTNG_MM_SLAB_PATH_END - 1)

#endif /* LTTNG_MM_WIRE_SLAB_H */
