/* SPDX-License-Identifier: GPL-2.0-only */
/* Differences between kernels in the arguments of the fs_dax tracepoints. */
#ifndef LTTNG_MM_PROBES_COMPAT_FS_DAX_H
#define LTTNG_MM_PROBES_COMPAT_FS_DAX_H

#include <linux/mm.h>
#include <lttng/kernel-version.h>

/*
 * The huge zero page that dax_pmd_load_hole passes became a folio in Linux 6.10.
 * lttng_mm_huge_zero_pfn() returns its page frame number, or 0 for NULL.
 *
 * Context: any; the page itself is not accessed.
 */
#if (LTTNG_LINUX_VERSION_CODE >= LTTNG_KERNEL_VERSION(6, 10, 0))
typedef struct folio lttng_mm_huge_zero_t;

static inline u64 lttng_mm_huge_zero_pfn(lttng_mm_huge_zero_t *zero)
{
	return zero ? folio_pfn(zero) : 0;
}
#else
typedef struct page lttng_mm_huge_zero_t;

static inline u64 lttng_mm_huge_zero_pfn(lttng_mm_huge_zero_t *zero)
{
	return zero ? page_to_pfn(zero) : 0;
}
#endif

#endif /* LTTNG_MM_PROBES_COMPAT_FS_DAX_H */
