/* SPDX-License-Identifier: LGPL-2.1-only */
/* The scenarios of the DAX workload in which two threads fault at the same time. */
#ifndef LTTNG_MM_TESTS_KERNEL_DAX_DAX_THREADS_H
#define LTTNG_MM_TESTS_KERNEL_DAX_DAX_THREADS_H

#include "dax-scenarios.h"

enum { DAX_RACE_ROUNDS = 48 };

/* Each thread writes to separate 2 MiB ranges; requires an 8 MiB file of unwritten extents. */
void dax_threads(struct dax_run *run);

/*
 * One thread reads a private mapping while the other writes to it. The file consists of 4 MiB of
 * written extents or of a hole of DAX_RACE_ROUNDS times 2 MiB. The counts cannot be predicted.
 */
void dax_race_written(struct dax_run *run);
void dax_race_hole(struct dax_run *run);

#endif /* LTTNG_MM_TESTS_KERNEL_DAX_DAX_THREADS_H */
