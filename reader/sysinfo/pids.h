/* SPDX-License-Identifier: LGPL-2.1-only */
/* A set of process ids. */
#ifndef LTTNG_MM_SYSINFO_PIDS_H
#define LTTNG_MM_SYSINFO_PIDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mm_pids {
	int32_t *all; /* ascending; release with free() */
	size_t count, room;
};

/* Is @pid in the set? Returns false if the set is NULL. */
bool mm_pids_have(const struct mm_pids *pids, int32_t pid);
/* Adds a process id. Returns 0, or -1 when out of memory. */
int mm_pids_add(struct mm_pids *pids, int32_t pid);

#endif /* LTTNG_MM_SYSINFO_PIDS_H */
