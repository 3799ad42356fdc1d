/* SPDX-License-Identifier: GPL-2.0-only */
/* The arguments of the fs_dax tracepoints differ between kernels. */
#ifndef LTTNG_MM_PROBES_COMPAT_FS_DAX_H
#define LTTNG_MM_PROBES_COMPAT_FS_DAX_H

#include <linux/mm.h>
#include <lttng/kernel-version.h>

/*
 * The tracepoint dax_pmd_load_hole passes the huge zero page. Since Linux 6.10, it is a folio.
 * lttng_mm_huge_zero_pfn() returns the page frame number of this page, or 0 for NULL.
 *
 * Context: any. Does not access the page itself.
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
