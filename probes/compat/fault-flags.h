/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fault flags and results. Kernels define them as enum constants, which #ifdef cannot find. A flag
 * that the kernel lacks is defined as 0 here.
 */
#ifndef LTTNG_MM_PROBES_COMPAT_FAULT_FLAGS_H
#define LTTNG_MM_PROBES_COMPAT_FAULT_FLAGS_H

#include <linux/mm_types.h>
#include <lttng/kernel-version.h>

/* Linux 6.2 removed VM_FAULT_WRITE ("mm: remove VM_FAULT_WRITE"). */
#if (LTTNG_LINUX_VERSION_CODE < LTTNG_KERNEL_VERSION(6, 2, 0))
#define LTTNG_MM_VM_FAULT_WRITE VM_FAULT_WRITE
#else
#define LTTNG_MM_VM_FAULT_WRITE 0
#endif

/* Linux 6.4 added FAULT_FLAG_VMA_LOCK, with the per-VMA locks. */
#if (LTTNG_LINUX_VERSION_CODE >= LTTNG_KERNEL_VERSION(6, 4, 0))
#define LTTNG_MM_FAULT_FLAG_VMA_LOCK FAULT_FLAG_VMA_LOCK
#else
#define LTTNG_MM_FAULT_FLAG_VMA_LOCK 0
#endif

#endif /* LTTNG_MM_PROBES_COMPAT_FAULT_FLAGS_H */
