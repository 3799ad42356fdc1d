/* SPDX-License-Identifier: LGPL-2.1-only */
/* The fast reader: a source that reads CTF files itself. */
#ifndef LTTNG_MM_CTF_DECODE_SOURCE_H
#define LTTNG_MM_CTF_DECODE_SOURCE_H

#include "reader/events/source.h"

/*
 * Creates a fast reader; the caller fills in the folders. Returns NULL with @err set when out of
 * memory.
 *
 * Besides the mapped files, the reader needs memory for the metadata model and for chunks of
 * decoded events. The chunks use at most about 32 MiB, slightly more with thousands of streams.
 */
struct mm_source *mm_ctf_source_create(struct mm_error *err);

/*
 * Creates a fast reader of the traces in exactly these folders. Error messages call the trace
 * @path. The source has no folder_ops, so it does not search for missing streams.
 */
struct mm_source *mm_ctf_source_create_of(const char *path, const char *const *folders,
					  size_t count, const struct mm_source_options *options,
					  struct mm_error *err);

struct ctf_trace;
struct ctf_trace_class;

/* Is @source a fast reader? */
bool mm_ctf_source_is(const struct mm_source *source);

/*
 * Returns the traces of a fast reader, and opens them first if necessary. The source owns the
 * traces. Returns NULL with @err set on failure.
 */
struct ctf_trace *const *mm_ctf_source_traces(struct mm_source *source, size_t *count,
					      struct mm_error *err);

/*
 * Lets a fast reader use the metadata @class of source->folders[folder] when it opens the traces.
 * Takes ownership of @class.
 */
void mm_ctf_source_keep_class(struct mm_source *source, size_t folder,
			      struct ctf_trace_class *class);

/*
 * Makes @source use the traces of @owner instead of opening the same folders again. Call this
 * before either source runs. Both sources may run at the same time. Destroy @owner last.
 */
void mm_ctf_source_share(struct mm_source *source, struct mm_source *owner);

#endif /* LTTNG_MM_CTF_DECODE_SOURCE_H */
