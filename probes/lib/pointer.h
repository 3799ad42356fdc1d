/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel pointers as numbers that do not reveal where KASLR put what they point to.
 */
#ifndef LTTNG_MM_PROBES_LIB_POINTER_H
#define LTTNG_MM_PROBES_LIB_POINTER_H

#include <linux/io.h>
#include <linux/mm.h>
#include <linux/types.h>

/*
 * A pointer into the direct map as the physical address, which does not reveal where KASLR put the
 * map. Of NULL more than any record's packed field holds.
 */
static __always_inline u64 lttng_mm_physical(const void *ptr)
{
#ifdef CONFIG_X86_64
	/* The map begins with address 0. */
	return (unsigned long)ptr - PAGE_OFFSET;
#else
	/* PAGE_OFFSET may be constant, and the map begins anywhere: so on arm64. */
	return likely(ptr) ? virt_to_phys((void *)ptr) : ~0ULL;
#endif
}

#endif /* LTTNG_MM_PROBES_LIB_POINTER_H */
