/* SPDX-License-Identifier: LGPL-2.1-only */
/* The source that reads CTF files itself: the fast one. */
#ifndef LTTNG_MM_DECODE_SOURCE_H
#define LTTNG_MM_DECODE_SOURCE_H

#include "analysis/trace/source.h"

/*
 * NULL and @err set when memory is short. The opener fills in the folders.
 *
 * Memory beyond the mapped files: chunks of decoded events, some 32 MiB at most however large the
 * trace is (a little more with thousands of streams), plus the metadata's model.
 */
struct mm_source *mm_ctf_source_create(struct mm_error *err);

struct ctf_trace;

/* Is it one of these? */
bool mm_ctf_source_is(const struct mm_source *source);

/*
 * The traces of a fast source, opened if they are not yet; NULL with @err set. They stay the
 * source's.
 */
struct ctf_trace *const *mm_ctf_source_traces(struct mm_source *source, size_t *count,
					      struct mm_error *err);

/*
 * Before either runs: lets @source read the traces of @owner instead of opening the same folders
 * again. Both may run at the same time; @owner is destroyed last.
 */
void mm_ctf_source_share(struct mm_source *source, struct mm_source *owner);

#endif /* LTTNG_MM_DECODE_SOURCE_H */
