/* SPDX-License-Identifier: LGPL-2.1-only */
/* Opens traces: finds their folders and selects the reader. */
#ifndef LTTNG_MM_OPEN_OPEN_H
#define LTTNG_MM_OPEN_OPEN_H

#include "reader/events/source.h"

/*
 * Opens the trace at @path, which consists of all CTF folders in or below this folder. If @path is
 * a URL, opens the live session of a relay daemon. @options may be NULL. Fails if the requested
 * time range is outside the trace. Returns NULL with @err set on failure. Release with
 * mm_source_destroy().
 */
struct mm_source *mm_source_open(const char *path, const struct mm_source_options *options,
				 struct mm_error *err);

/*
 * Opens the trace of @owner once more. A fast reader uses the traces of @owner instead of opening
 * the same folders again, as mm_ctf_source_share() describes.
 */
struct mm_source *mm_source_open_shared(struct mm_source *owner,
					const struct mm_source_options *options,
					struct mm_error *err);

/* Is @path the URL of a live session, such as `net://localhost/host/HOST/SESSION`? */
bool mm_source_is_live(const char *path);

#endif /* LTTNG_MM_OPEN_OPEN_H */
