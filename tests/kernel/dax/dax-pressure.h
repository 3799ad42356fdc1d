/* SPDX-License-Identifier: LGPL-2.1-only */
/* Exhausts resources of the guest: a full filesystem, memory without a free huge page. */
#ifndef LTTNG_MM_TESTS_KERNEL_DAX_DAX_PRESSURE_H
#define LTTNG_MM_TESTS_KERNEL_DAX_DAX_PRESSURE_H

#include <stdint.h>

#include "dax-scenarios.h"

/* Leaves no free block on the run's filesystem; undone by dax_pressure_unfill(). */
int dax_pressure_fill(struct dax_run *run);
void dax_pressure_unfill(struct dax_run *run);

/*
 * Makes the kernel release its huge zero page and takes every free 2 MiB page. Marks the run as
 * skipped if this process lacks the permission. dax_pressure_release_huge() undoes it.
 */
int dax_pressure_take_huge(struct dax_run *run);
void dax_pressure_release_huge(struct dax_run *run);

/*
 * Takes huge pages that have become free since dax_pressure_take_huge(), including the huge zero
 * page. Returns 0 or -1. Any process may call this function.
 */
int dax_pressure_take_again(void);

/* Returns how often the kernel failed to allocate a huge zero page since boot. */
uint64_t dax_pressure_zero_page_failures(void);

#endif /* LTTNG_MM_TESTS_KERNEL_DAX_DAX_PRESSURE_H */
