/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel pointers as numbers that do not reveal the layout that KASLR chose. */
#ifndef LTTNG_MM_PROBES_LIB_POINTER_H
#define LTTNG_MM_PROBES_LIB_POINTER_H

#include <linux/io.h>
#include <linux/mm.h>
#include <linux/types.h>

/*
 * Converts a pointer into the direct map to its physical address, which does not reveal where KASLR
 * put the map. The result for NULL is too large for the packed field of any record.
 */
static __always_inline u64 lttng_mm_physical(const void *ptr)
{
#ifdef CONFIG_X86_64
	/* The direct map starts at address 0. */
	return (unsigned long)ptr - PAGE_OFFSET;
#else
	/* PAGE_OFFSET may be constant while the map starts anywhere, as on arm64. */
	return likely(ptr) ? virt_to_phys((void *)ptr) : ~0ULL;
#endif
}

#endif /* LTTNG_MM_PROBES_LIB_POINTER_H */
