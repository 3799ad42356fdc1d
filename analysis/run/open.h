/* SPDX-License-Identifier: LGPL-2.1-only */
/* Opens traces: finds their folders and chooses the reader. */
#ifndef LTTNG_MM_RUN_OPEN_H
#define LTTNG_MM_RUN_OPEN_H

#include "analysis/trace/source.h"

/*
 * Opens the trace at @path: the CTF folders in that folder, however deep, or the live session of a
 * relay daemon that a URL names. @options may be NULL. NULL and @err set when there is none.
 * Release with mm_source_destroy().
 */
struct mm_source *mm_source_open(const char *path, const struct mm_source_options *options,
				 struct mm_error *err);
/* The same by the fast reader, of the traces in exactly these folders; @path names them all. */
struct mm_source *mm_source_open_folders(const char *path, const char *const *folders, size_t count,
					 const struct mm_source_options *options,
					 struct mm_error *err);

/* Does @path name a live session of a relay daemon, as `net://localhost/host/HOST/SESSION`? */
bool mm_source_is_live(const char *path);

/* For sources of events that come from elsewhere, and whose folders are known all the same. */
extern const struct mm_folder_ops mm_folder_ops;

#endif /* LTTNG_MM_RUN_OPEN_H */
