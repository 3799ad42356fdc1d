/* SPDX-License-Identifier: LGPL-2.1-only */
/* Untraced allocation and free paths: which of them the probe traced, by the state dump. */
#ifndef LTTNG_MM_SLAB_DECODE_PATHS_H
#define LTTNG_MM_SLAB_DECODE_PATHS_H

#include "reader/events/labels.h"

#define SLAB_PATHS_MAX 32

struct slab_path_state {
	uint8_t path; /* enum lttng_mm_slab_path, or of a newer probe */
	bool hooked;
	uint64_t missed;
	char label[24], function[48];
};

struct slab_paths {
	struct slab_path_state all[SLAB_PATHS_MAX];
	uint32_t count;
};

/* An event of the state dump; @labels: the names of paths. */
void slab_paths_dump(struct slab_paths *paths, const struct mm_event *event,
		     const struct mm_labels *labels);

/* Does the state dump state whether the path is traced? */
bool slab_path_is_listed(const struct slab_paths *paths, uint8_t number);
/* The path, if the kernel has it and not every call of it was traced; else NULL. */
const struct slab_path_state *slab_path_hidden(const struct slab_paths *paths, uint8_t number);
/* Are there allocation paths that were not traced? */
bool slab_paths_hide_allocs(const struct slab_paths *paths);
/* Does the state dump state of all allocation paths whether they are traced? */
bool slab_paths_are_known(const struct slab_paths *paths);

#endif /* LTTNG_MM_SLAB_DECODE_PATHS_H */
