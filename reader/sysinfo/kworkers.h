/* SPDX-License-Identifier: LGPL-2.1-only */
/* Names of the kernel's worker threads. */
#ifndef LTTNG_MM_SYSINFO_KWORKERS_H
#define LTTNG_MM_SYSINFO_KWORKERS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Any worker of a pool may run a work item, so that the number of the worker says nothing. Writes
 * the name of the pool of the worker @comm to @text: `kworker/u8` for `kworker/u8:3-events`,
 * `kworker/0H` for `kworker/0:1H`. Returns false, with @comm in @text, if it is no such worker.
 */
bool mm_kworker_pool(const char *comm, char *text, size_t size);

#endif /* LTTNG_MM_SYSINFO_KWORKERS_H */
