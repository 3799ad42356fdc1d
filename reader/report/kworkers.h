/* SPDX-License-Identifier: LGPL-2.1-only */
/* Names of the kernel's worker threads. */
#ifndef LTTNG_MM_REPORT_KWORKERS_H
#define LTTNG_MM_REPORT_KWORKERS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Writes the name of a kworker's pool to @text: `kworker/u8` for `kworker/u8:3-events`,
 * `kworker/0H` for `kworker/0:1H`. The worker's number means nothing, because any worker of the
 * pool may run a work item. Returns false with @comm in @text if @comm is not the name of a
 * kworker.
 */
bool mm_kworker_pool(const char *comm, char *text, size_t size);

#endif /* LTTNG_MM_REPORT_KWORKERS_H */
