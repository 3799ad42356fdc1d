/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Allocation and free paths without a tracepoint. The state dump says whether the probe hooked
 * them.
 */
#ifndef LTTNG_MM_SLAB_DECODE_PATHS_H
#define LTTNG_MM_SLAB_DECODE_PATHS_H

#include "reader/events/labels.h"

#define SLAB_PATHS_MAX 32

struct slab_path_state {
	uint8_t path; /* enum lttng_mm_slab_path; newer probes may have more values */
	bool hooked;
	uint64_t missed;
	char label[24], function[48];
};

struct slab_paths {
	struct slab_path_state all[SLAB_PATHS_MAX];
	uint32_t count;
};

/* Processes an event of the state dump. @labels names the paths. */
void slab_paths_dump(struct slab_paths *paths, const struct mm_event *event,
		     const struct mm_labels *labels);

/* Does the state dump list the path? */
bool slab_path_is_listed(const struct slab_paths *paths, uint8_t number);
/* Returns the path if its function exists in the kernel and calls may be missing; else NULL. */
const struct slab_path_state *slab_path_hidden(const struct slab_paths *paths, uint8_t number);
/* May calls of an allocating path be missing from the trace? */
bool slab_paths_hide_allocs(const struct slab_paths *paths);
/* Does the state dump list all paths that allocate? */
bool slab_paths_are_known(const struct slab_paths *paths);

#endif /* LTTNG_MM_SLAB_DECODE_PATHS_H */
