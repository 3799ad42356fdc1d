/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-only */
/*
 * The numbers in slab events that are the trace's own, not the kernel's. The probe that writes them
 * and the programs that read them both include this file, so there are no headers in it, and
 * nothing but the preprocessor and enumerations.
 */
#ifndef LTTNG_MM_WIRE_SLAB_H
#define LTTNG_MM_WIRE_SLAB_H

/*
 * Size classes of kmalloc(), in the 4 bits that a packed event has for them: the power of two, or
 * one of the two sizes between. X(NUMBER, BYTES, LABEL)
 */
#define LTTNG_MM_SIZE_CLASS_MIN	3
#define LTTNG_MM_SIZE_CLASS_MAX	13
#define LTTNG_MM_SIZE_CLASS_96	14
#define LTTNG_MM_SIZE_CLASS_192	15
#define LTTNG_MM_SIZE_CLASS_COUNT 16

#define LTTNG_MM_SIZE_CLASSES(X)			\
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
	X(LTTNG_MM_SIZE_CLASS_96, 96, "kmalloc-96")	\
	X(LTTNG_MM_SIZE_CLASS_192, 192, "kmalloc-192")

/*
 * Allocation and free paths without a tracepoint of the kernel. X(NAME, NUMBER): the name is the
 * label, too.
 */
#define LTTNG_MM_SLAB_PATHS(X)	\
	X(FREE_BULK, 1)		\
	X(KFREE_NOLOCK, 2)	\
	X(ALLOC_BULK, 3)	\
	X(KMALLOC_NOLOCK, 4)	\
	X(KFREE_RCU, 5)		\
	X(KREALLOC, 6)		\
	X(CACHE_RELEASE, 7)	\
	X(CACHE_ALIAS, 8)	\
	X(PAGE_ALLOC_BULK, 9)	\
	X(ALLOC_CONTIG, 10)	\
	X(COMPACTION, 11)

#define LTTNG_MM_SLAB_PATH_VALUE(name, number) LTTNG_MM_PATH_##name = number,
enum lttng_mm_slab_path {
	LTTNG_MM_SLAB_PATHS(LTTNG_MM_SLAB_PATH_VALUE)
	LTTNG_MM_PATH_END,
};
#define LTTNG_MM_PATH_LAST (LTTNG_MM_PATH_END - 1)

#endif /* LTTNG_MM_WIRE_SLAB_H */
