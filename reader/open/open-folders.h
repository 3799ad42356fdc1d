/* SPDX-License-Identifier: LGPL-2.1-only */
/* Opens the traces in given folders. Reads their metadata and their snapshot.json files. */
#ifndef LTTNG_MM_OPEN_OPEN_FOLDERS_H
#define LTTNG_MM_OPEN_OPEN_FOLDERS_H

#include "reader/events/source.h"

struct mm_folder_ops;

/*
 * Opens the traces in exactly these folders with the fast reader. Error messages call the trace
 * @path. Returns NULL with @err set on failure. Release with mm_source_destroy().
 */
struct mm_source *mm_source_open_folders(const char *path, const char *const *folders, size_t count,
					 const struct mm_source_options *options,
					 struct mm_error *err);

/* Like mm_source_open_folders(), but leaves the call of mm_source_read_clock() to the caller. */
struct mm_source *mm_source_create_fast(const char *path, const char *const *folders, size_t count,
					const struct mm_source_options *options,
					struct mm_error *err);

/*
 * Finds the difference between the traces' clock and the wall clock. Returns 0, or -1 when out of
 * memory.
 */
int mm_source_read_clock(struct mm_source *source);

/* Folder operations, also for sources that get their events from a user's babeltrace2 graph. */
extern const struct mm_folder_ops mm_folder_ops;

#endif /* LTTNG_MM_OPEN_OPEN_FOLDERS_H */
