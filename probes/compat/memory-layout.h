/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Regions of the kernel's address space besides the direct map (probes/lib/pointer.h). On an
 * architecture that is not listed below, no address counts as part of these regions.
 */
#ifndef LTTNG_MM_PROBES_COMPAT_MEMORY_LAYOUT_H
#define LTTNG_MM_PROBES_COMPAT_MEMORY_LAYOUT_H

#include <linux/io.h>
#include <linux/mm.h>
#include <linux/vmalloc.h>

#ifdef CONFIG_X86_64

/* With KASLR, the array of struct page is the last region before the CPU entry area. */
#define LTTNG_MM_PAGES_END CPU_ENTRY_AREA_BASE

static __always_inline bool lttng_mm_in_pages(u64 address)
{
	return address >= VMEMMAP_START && address < LTTNG_MM_PAGES_END;
}

static __always_inline bool lttng_mm_in_vmalloc(u64 address)
{
	return address >= VMALLOC_START && address <= VMALLOC_END;
}

static __always_inline bool lttng_mm_in_modules(u64 address)
{
	return address >= MODULES_VADDR && address < MODULES_END;
}

#define lttng_mm_pages_start() VMEMMAP_START
#define lttng_mm_vmalloc_start() VMALLOC_START

#else

#define lttng_mm_in_pages(address) ((void)(address), false)
#define lttng_mm_in_vmalloc(address) ((void)(address), false)
#define lttng_mm_in_modules(address) ((void)(address), false)
#define lttng_mm_pages_start() 0
#define lttng_mm_vmalloc_start() 0

#endif

#endif /* LTTNG_MM_PROBES_COMPAT_MEMORY_LAYOUT_H */
