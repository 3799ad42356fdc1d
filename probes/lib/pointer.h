/* SPDX-License-Identifier: GPL-2.0-only */
/* Encodes pointers into the direct map as numbers that do not reveal the layout chosen by KASLR. */
#ifndef LTTNG_MM_PROBES_LIB_POINTER_H
#define LTTNG_MM_PROBES_LIB_POINTER_H

#include <linux/io.h>
#include <linux/mm.h>
#include <linux/types.h>

/*
 * Converts a pointer into the direct map to its physical address, which does not reveal where KASLR
 * put the map. The result for NULL is too large for every packed field.
 */
static __always_inline u64 lttng_mm_physical(const void *ptr)
{
#ifdef CONFIG_X86_64
	/* The direct map starts at physical address 0. */
	return (unsigned long)ptr - PAGE_OFFSET;
#else
	/* PAGE_OFFSET may be constant although the map can start anywhere, as on arm64. */
	return likely(ptr) ? virt_to_phys((void *)ptr) : ~0ULL;
#endif
}

/* Recorded for pointers outside the direct map. Their distance from the map must stay secret. */
#define LTTNG_MM_NOT_PHYSICAL (~0ULL)

/*
 * Is the pointer in the direct map? On x86, virt_addr_valid() also accepts addresses in the
 * kernel's image.
 */
static inline bool lttng_mm_is_direct(const void *ptr)
{
#ifdef CONFIG_X86_64
	return (unsigned long)ptr - PAGE_OFFSET < (unsigned long)high_memory - PAGE_OFFSET;
#else
	return virt_addr_valid(ptr);
#endif
}

/*
 * Converts any pointer, even an invalid one from a faulty caller. Needed only for rare events,
 * whose values are too large for packed fields.
 */
static inline u64 lttng_mm_physical_of_any(const void *ptr)
{
	return lttng_mm_is_direct(ptr) ? lttng_mm_physical(ptr) : LTTNG_MM_NOT_PHYSICAL;
}

#endif /* LTTNG_MM_PROBES_LIB_POINTER_H */
