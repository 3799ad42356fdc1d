// SPDX-License-Identifier: LGPL-2.1-only
/* Collects the state of untraced allocation and free paths from the state dump. */
#include "analysis/slab/decode/paths.h"

#include <stdio.h>

#include "instrumentation/wire/slab.h"

static struct slab_path_state *find(struct slab_paths *paths, uint8_t number)
{
	for (uint32_t i = 0; i < paths->count; i++)
		if (paths->all[i].path == number)
			return &paths->all[i];
	return NULL;
}

void slab_paths_dump(struct slab_paths *paths, const struct mm_event *event,
		     const struct mm_labels *labels)
{
	enum { PATH, HOOKED, MISSED, FUNCTION };
	const union mm_scalar *f = event->fields;
	struct slab_path_state *path = find(paths, (uint8_t)f[PATH].u);

	/*
	 * Calls were missed while the path was not hooked. The worst state in any dump therefore
	 * counts.
	 */
	if (!path) {
		if (paths->count == SLAB_PATHS_MAX)
			return;
		path = &paths->all[paths->count++];
		path->path = (uint8_t)f[PATH].u;
		path->hooked = true;
		mm_labels_text(labels, path->path, path->label, sizeof(path->label));
		snprintf(path->function, sizeof(path->function), "%s", f[FUNCTION].s);
	}
	path->hooked &= !!f[HOOKED].u;
	if (f[MISSED].u > path->missed)
		path->missed = f[MISSED].u;
}

bool slab_path_is_listed(const struct slab_paths *paths, uint8_t number)
{
	for (uint32_t i = 0; i < paths->count; i++)
		if (paths->all[i].path == number)
			return true;
	return false;
}

const struct slab_path_state *slab_path_hidden(const struct slab_paths *paths, uint8_t number)
{
	for (uint32_t i = 0; i < paths->count; i++) {
		const struct slab_path_state *path = &paths->all[i];

		if (path->path == number && path->function[0] && (!path->hooked || path->missed))
			return path;
	}
	return NULL;
}

bool slab_paths_hide_allocs(const struct slab_paths *paths)
{
	for (uint32_t i = 0; i < paths->count; i++) {
		const struct slab_path_state *path = &paths->all[i];

		if ((path->path == LTTNG_MM_SLAB_PATH_ALLOC_BULK ||
		     path->path == LTTNG_MM_SLAB_PATH_KMALLOC_NOLOCK) &&
		    ((!path->hooked && path->function[0]) || path->missed))
			return true;
	}
	return false;
}

bool slab_paths_are_known(const struct slab_paths *paths)
{
	return slab_path_is_listed(paths, LTTNG_MM_SLAB_PATH_ALLOC_BULK) &&
	       slab_path_is_listed(paths, LTTNG_MM_SLAB_PATH_KMALLOC_NOLOCK);
}
